//! A class that does what an automaton says: its routines' bodies are replaced by the automaton's edges. A call
//! that the automaton has no edge for is the error.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::ir::formula;
use crate::ir::{
    Block, ClassId, Condition, ExceptionId, Expr, ExprKind, Field, FieldRef, Place, Program,
    RoutineRef, Stmt, StmtKind, Type,
};
use crate::ir::{CompareOp, RoutineKind};

/// The exception of a call for which the automaton has no edge.
pub const NOT_ALLOWED: &str = "NotAllowed";

/// What has to be said wherever a client is checked against one.
pub const NOTE: &str = "an automaton of calls says which actions can be called, not with which \
                        arguments: that the arguments are right is not checked";

/// An automaton of calls: what an EPA and an interface have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallAutomaton {
    /// The class.
    pub class: String,
    /// The actions that it speaks of.
    pub actions: BTreeSet<String>,
    /// For each constructor, as it is shown, the states it may lead to, and the exceptions.
    constructors: BTreeMap<String, (BTreeSet<usize>, BTreeSet<String>)>,
    /// For each action, from which state to which, and in which exception.
    edges: BTreeMap<String, BTreeSet<(usize, usize, Option<String>)>>,
}

/// Why a text is no automaton.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// It is not JSON, or not of this form.
    #[error("it is neither an EPA nor an interface as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It has another schema.
    #[error("its schema is `{0}`; it must be tranquera/epa/1 or tranquera/interface/1")]
    Schema(String),
    /// An edge leads to a state that is not listed.
    #[error("an edge leads to the state `{0}`, which is not listed")]
    State(String),
    /// The program has no class of this name.
    #[error("it is about the class `{0}`, which the program does not have")]
    Class(String),
}

/// What is read of either.
#[derive(Deserialize)]
struct MonitorData {
    schema: String,
    class: String,
    actions: Vec<String>,
    states: Vec<StateData>,
    constructors: Vec<ConstructorData>,
    transitions: Vec<EdgeData>,
}

#[derive(Deserialize)]
struct StateData {
    id: String,
}

/// An EPA's constructors have targets; an interface's all lead to its first state.
#[derive(Deserialize)]
#[serde(untagged)]
enum ConstructorData {
    Name(String),
    Edge {
        name: String,
        target: Option<String>,
        #[serde(default)]
        exception: Option<String>,
    },
}

#[derive(Deserialize)]
struct EdgeData {
    source: String,
    action: String,
    target: String,
    #[serde(default)]
    exception: Option<String>,
}

impl CallAutomaton {
    /// Reads an EPA or an interface.
    ///
    /// # Errors
    /// [`ProtocolError`]: a text that is neither.
    pub fn read(text: &str) -> Result<CallAutomaton, ProtocolError> {
        let data: MonitorData = serde_json::from_str(text)?;
        if !["tranquera/epa/1", "tranquera/interface/1"].contains(&data.schema.as_str()) {
            return Err(ProtocolError::Schema(data.schema));
        }
        let number = |id: &str| {
            let found = data.states.iter().position(|s| s.id == id);
            found.ok_or_else(|| ProtocolError::State(id.to_string()))
        };
        let mut constructors: BTreeMap<String, (BTreeSet<usize>, BTreeSet<String>)> =
            BTreeMap::new();
        for constructor in &data.constructors {
            match constructor {
                ConstructorData::Name(name) => {
                    let (states, _) = constructors.entry(name.clone()).or_default();
                    states.insert(0);
                }
                ConstructorData::Edge {
                    name,
                    target,
                    exception,
                } => {
                    let (states, exceptions) = constructors.entry(name.clone()).or_default();
                    if let Some(target) = target {
                        states.insert(number(target)?);
                    }
                    exceptions.extend(exception.clone());
                }
            }
        }
        let mut edges: BTreeMap<String, BTreeSet<_>> = BTreeMap::new();
        for edge in &data.transitions {
            let ends = (number(&edge.source)?, number(&edge.target)?);
            let of_action = edges.entry(edge.action.clone()).or_default();
            of_action.insert((ends.0, ends.1, edge.exception.clone()));
        }
        Ok(CallAutomaton {
            class: data.class,
            actions: data.actions.into_iter().collect(),
            constructors,
            edges,
        })
    }

    /// The program where the class does what the automaton says, and nothing else: its fields and results have any
    /// values. Actions that the automaton does not speak of stay as they are. Also the class.
    ///
    /// # Errors
    /// [`ProtocolError::Class`].
    pub fn imposed_on(&self, program: &Program) -> Result<(Program, ClassId), ProtocolError> {
        let class = program
            .class_named(&self.class)
            .ok_or_else(|| ProtocolError::Class(self.class.clone()))?;
        let mut program = program.clone();
        let not_allowed = exception(&mut program, NOT_ALLOWED);
        let own = program.class(class);
        let state = FieldRef {
            class,
            index: own.fields.len(),
        };
        let span = own.span;
        let routines: Vec<usize> = (0..own.routines.len()).collect();
        program.classes[class.0].fields.push(Field {
            name: "state#".into(),
            ty: Type::Int,
            constant: false,
            value: None,
            span,
        });
        // The automaton says what objects do; an invariant over fields that no one assigns any more says nothing.
        program.classes[class.0].invariants.clear();
        program.classes[class.0].facts = 0;
        program.classes[class.0].initially = match self.constructors.get("initially") {
            Some((targets, _)) => vec![in_one_of(class, state, targets)],
            None => Vec::new(),
        };
        for index in routines {
            let routine = RoutineRef { class, index };
            let body = match program.routine(routine).kind {
                RoutineKind::Constructor => self.constructor(&mut program, routine, state),
                RoutineKind::Action if self.actions.contains(self.name_of(&program, routine)) => {
                    self.action(&mut program, routine, state, not_allowed)
                }
                _ => continue,
            };
            let declared = &mut program.classes[class.0].routines[index];
            declared.body = Some(body);
            declared.ensures.clear();
            declared.throws.clear();
            declared.modifies = None;
            let params = declared.params.clone();
            let over_params = |e: &Expr| {
                !formula::contains(e, &mut |e| match &*e.kind {
                    ExprKind::This | ExprKind::Field(..) | ExprKind::Call { .. } => true,
                    ExprKind::Var(id) => !params.contains(id),
                    _ => false,
                })
            };
            declared.requires.retain(over_params);
        }
        Ok((program, class))
    }

    fn constructor(&self, program: &mut Program, routine: RoutineRef, state: FieldRef) -> Block {
        let shown = program.signature(routine);
        let none = Default::default();
        let (targets, exceptions) = self.constructors.get(&shown).unwrap_or(&none);
        let place = this_field(routine.class, state);
        let mut block = Vec::new();
        for name in exceptions {
            let exception = exception(program, name);
            block.push(maybe(vec![stmt(StmtKind::Throw(exception))]));
        }
        block.push(stmt(StmtKind::Havoc(place.clone())));
        let is =
            |s: &usize| formula::compare(CompareOp::Eq, value(routine.class, state), number(*s));
        block.push(stmt(StmtKind::Assume(formula::any(targets.iter().map(is)))));
        block
    }

    /// What the automaton calls an action: as it is shown, or by its name, as it may have been written down before.
    fn name_of<'p>(&self, program: &'p Program, routine: RoutineRef) -> &'p str {
        let routine = program.routine(routine);
        match self.actions.contains(routine.shown()) {
            true => routine.shown(),
            false => &routine.name,
        }
    }

    fn action(
        &self,
        program: &mut Program,
        routine: RoutineRef,
        state: FieldRef,
        not_allowed: ExceptionId,
    ) -> Block {
        let name = self.name_of(program, routine);
        let edges = self.edges.get(name).cloned().unwrap_or_default();
        let now = || value(routine.class, state);
        let at = |s: usize| formula::compare(CompareOp::Eq, now(), number(s));
        let sources: BTreeSet<usize> = edges.iter().map(|(source, ..)| *source).collect();
        let allowed = formula::any(sources.into_iter().map(at));
        let mut block = vec![stmt(StmtKind::If(
            Condition::Expr(formula::not(allowed)),
            vec![stmt(StmtKind::Throw(not_allowed))],
            Vec::new(),
        ))];
        // One edge after the other is taken, or not; behind the last one there is nothing left.
        for (source, target, raised) in edges {
            let mut taken = vec![
                stmt(StmtKind::Assume(at(source))),
                stmt(StmtKind::Assign(
                    this_field(routine.class, state),
                    number(target),
                )),
            ];
            taken.push(match raised {
                Some(raised) => stmt(StmtKind::Throw(exception(program, &raised))),
                None => stmt(StmtKind::Return),
            });
            block.push(maybe(taken));
        }
        block.push(stmt(StmtKind::Assume(formula::bool(false))));
        block
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Default::default(),
    }
}

fn maybe(block: Block) -> Stmt {
    stmt(StmtKind::If(Condition::Any, block, Vec::new()))
}

/// The object is in one of the states.
fn in_one_of(class: ClassId, state: FieldRef, states: &BTreeSet<usize>) -> Expr {
    let is = |s: &usize| formula::compare(CompareOp::Eq, value(class, state), number(*s));
    formula::any(states.iter().map(is))
}

fn number(n: usize) -> Expr {
    formula::int(n)
}

fn this_field(class: ClassId, field: FieldRef) -> Place {
    Place::Field(formula::this(class), field)
}

fn value(class: ClassId, field: FieldRef) -> Expr {
    formula::expr(ExprKind::Field(formula::this(class), field), Type::Int)
}

/// The exception of this name, which the program may not have yet.
fn exception(program: &mut Program, name: &str) -> ExceptionId {
    // An EPA has what is shown.
    let known = program.exception_shown_as(name);
    known
        .or_else(|| program.exception_named(name))
        .unwrap_or_else(|| {
            program.exceptions.push(name.to_string());
            ExceptionId(program.exceptions.len() - 1)
        })
}
