//! A class as a Boogie program.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::engine;
use crate::lang::ast::{Control, RoutineKind};
use crate::lang::effects::Effects;
use crate::lang::formula;
use crate::lang::ir::{ClassId, ExceptionId, ExprKind, Machine, Program, RoutineRef, Type};

use super::ActionSet;
use super::guard::{self, Guard};
use super::layout::Layout;
use super::names::{Names, identifier};
use super::routine::{invariant_of, procedure};

/// A class under analysis, encoded: the program text once, and what the questions about it need.
pub struct Encoding<'a> {
    pub(super) layout: Layout<'a>,
    pub(super) effects: Effects,
    /// The actions under study, in the order declared.
    pub actions: Vec<Action>,
    /// The ways to make an object.
    pub constructors: Vec<Constructor>,
    text: String,
}

/// An action under study.
#[derive(Clone, Debug)]
pub struct Action {
    /// The routine.
    pub routine: RoutineRef,
    /// Its name.
    pub name: String,
    /// When it can be called.
    pub guard: Guard,
}

/// A way to make an object.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// The constructor; none where the class has none, and `initially` says how an object starts.
    pub routine: Option<RoutineRef>,
    /// `FiniteStack(int)`, or `initially`.
    pub display: String,
}

/// `templates/program.bpl`
#[derive(Template)]
#[template(path = "program.bpl")]
struct ProgramText<'a> {
    class: &'a str,
    exceptions: Vec<(String, usize)>,
    machines: Vec<MachineText>,
    enums: Vec<EnumText>,
    opaques: Vec<String>,
    globals: Vec<Global>,
    heap: bool,
    start: Vec<(String, String)>,
    procedures: Vec<String>,
}

struct MachineText {
    name: String,
    modulus: String,
    /// How far the range is shifted below zero; empty for unsigned types.
    shift: String,
}

struct EnumText {
    name: String,
    members: Vec<String>,
    source: String,
}

struct Global {
    name: String,
    ty: String,
    comment: String,
}

impl<'a> Encoding<'a> {
    /// Encodes a class with all its actions.
    ///
    /// # Errors
    /// As [`Encoding::new`].
    pub fn of_class(program: &'a Program, class: ClassId) -> Result<Self, askama::Error> {
        let actions: Vec<RoutineRef> = program
            .class(class)
            .routines_of(RoutineKind::Action)
            .map(|index| RoutineRef { class, index })
            .collect();
        Encoding::new(program, class, &actions)
    }

    /// Encodes a class. `actions` are the routines under study, in the order declared.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn new(
        program: &'a Program,
        class: ClassId,
        actions: &[RoutineRef],
    ) -> Result<Self, askama::Error> {
        let layout = Layout::new(program, class);
        let effects = Effects::of(program);
        let text = program_text(&layout, &effects)?;
        let constructors = program.constructors(class).into_iter();
        let constructors = constructors.map(|routine| Constructor {
            routine,
            display: routine.map_or("initially".into(), |r| program.signature(r)),
        });
        let actions = actions
            .iter()
            .map(|routine| {
                let declared = program.routine(*routine);
                Action {
                    routine: *routine,
                    name: declared.name.clone(),
                    guard: guard::guard(program, *routine),
                }
            })
            .collect();
        Ok(Encoding {
            layout,
            effects,
            actions,
            constructors: constructors.collect(),
            text,
        })
    }

    /// The whole input program.
    pub fn source(&self) -> &'a Program {
        self.layout.program
    }

    /// The class under analysis.
    pub fn class(&self) -> ClassId {
        self.layout.class
    }

    /// The Boogie program to which the questions' entries are added.
    pub fn program(&self) -> engine::Program {
        engine::Program {
            name: self.source().class(self.class()).name.clone(),
            text: self.text.clone(),
        }
    }

    /// Whether the action is marked pure: it cannot change what can be called.
    pub fn is_pure(&self, action: usize) -> bool {
        self.source().routine(self.actions[action].routine).pure
    }

    /// The exceptions that a routine may end in.
    pub fn exceptions_of(&self, routine: RoutineRef) -> &BTreeSet<ExceptionId> {
        &self.effects.routine(routine).throws
    }

    /// Whether a routine may change the configuration at all.
    pub fn changes_something(&self, routine: RoutineRef) -> bool {
        let effects = self.effects.routine(routine);
        !(effects.writes.is_empty()
            && effects.writes_elements.is_empty()
            && effects.allocates.is_empty()
            && effects.allocates_arrays.is_empty())
    }

    /// Whether there is anything that a call could break: an invariant, or a field whose type promises something.
    pub fn has_invariant(&self) -> bool {
        let this = formula::expr(
            ExprKind::This,
            Type::Class {
                class: self.class(),
                nullable: false,
            },
        );
        let mut names = Names::default();
        (0..self.source().classes.len()).any(|class| {
            !invariant_of(&self.layout, &mut names, ClassId(class), &this)
                .0
                .is_empty()
        })
    }

    /// Who decides that an action is called, where the class says so.
    pub fn control(&self) -> BTreeMap<String, Control> {
        let actions = self.actions.iter();
        actions
            .filter_map(|a| {
                let control = self.source().routine(a.routine).control?;
                Some((a.name.clone(), control))
            })
            .collect()
    }

    /// What stands between the names of actions in a word: more underscores than any of them has in a row, so that
    /// `{get_next}` and `{get, next}` are different words.
    fn separator(&self) -> String {
        let underscores = |name: &str| name.split(|c| c != '_').map(str::len).max();
        let longest = self
            .actions
            .iter()
            .filter_map(|a| underscores(&a.name))
            .max();
        "_".repeat(longest.unwrap_or(0) + 1)
    }

    /// A state as a word in a name: its actions, or its number where that would be too long.
    pub fn state_word(&self, state: &ActionSet) -> String {
        let names: Vec<&str> = state
            .iter()
            .map(|a| self.actions[a].name.as_str())
            .collect();
        let word = names.join(&self.separator());
        if names.is_empty() {
            "nothing".into()
        } else if word.len() <= 60 {
            word
        } else {
            format!("state_{}", state.hex())
        }
    }
}

fn program_text(layout: &Layout<'_>, effects: &Effects) -> Result<String, askama::Error> {
    let program = layout.program;
    let class = layout.class;
    // The class under analysis last, as the reader comes from what it is made of.
    let order = (0..program.classes.len())
        .map(ClassId)
        .filter(|c| *c != class)
        .chain([class]);
    let mut globals = Vec::new();
    let mut procedures = Vec::new();
    for element in &layout.arrays {
        let element_name = program.type_name(element);
        let comments = [
            format!("how long each array of {element_name} is"),
            "what is in it".into(),
            format!("arrays of {element_name}: 1 to this"),
        ];
        for ((name, ty), comment) in layout.array_globals(element).into_iter().zip(comments) {
            globals.push(Global { name, ty, comment });
        }
    }
    for id in order {
        let declared = program.class(id);
        if layout.in_heap(id) {
            let comment = format!("objects of class {}: 1 to this", declared.name);
            globals.push(Global {
                name: layout.objects(id),
                ty: "int".into(),
                comment,
            });
        }
        for index in 0..declared.fields.len() {
            let field = crate::lang::ir::FieldRef { class: id, index };
            let kind = if declared.fields[index].constant {
                "const"
            } else {
                "var"
            };
            let comment = format!(
                "{kind} {}: {}",
                declared.fields[index].name,
                program.type_name(&declared.fields[index].ty)
            );
            globals.push(Global {
                name: layout.field(field),
                ty: layout.field_type(field),
                comment,
            });
        }
        for index in 0..declared.routines.len() {
            procedures.push(procedure(layout, effects, RoutineRef { class: id, index })?);
        }
    }
    ProgramText {
        class: &program.class(class).name,
        exceptions: exceptions(program, effects, &procedures),
        machines: machines(program, &procedures)
            .into_iter()
            .map(machine_text)
            .collect(),
        enums: program
            .enums
            .iter()
            .map(|e| EnumText {
                name: identifier(&e.name),
                members: e.members.clone(),
                source: e.name.clone(),
            })
            .collect(),
        opaques: program
            .opaques
            .iter()
            .map(|name| identifier(name))
            .collect(),
        heap: !layout.arrays.is_empty()
            || (0..program.classes.len()).any(|c| layout.in_heap(ClassId(c))),
        start: layout
            .closed()
            .into_iter()
            .chain(
                layout
                    .counters()
                    .into_iter()
                    .map(|counter| (counter, "int".to_string())),
            )
            .collect(),
        globals,
        procedures,
    }
    .render()
}

/// The exceptions that some routine may end in or handles, with their numbers: others need no name.
fn exceptions(program: &Program, effects: &Effects, procedures: &[String]) -> Vec<(String, usize)> {
    let routines = program.classes.iter().enumerate().flat_map(|(class, c)| {
        (0..c.routines.len()).map(move |index| RoutineRef {
            class: ClassId(class),
            index,
        })
    });
    let thrown: BTreeSet<ExceptionId> = routines
        .flat_map(|r| &effects.routine(r).throws)
        .copied()
        .collect();
    let named = |name: &str| {
        let constant = format!("Exception.{name}");
        procedures.iter().any(|p| p.contains(&constant))
    };
    let all = program.exceptions.iter().enumerate();
    all.filter(|(id, name)| thrown.contains(&ExceptionId(*id)) || named(name))
        .map(|(id, name)| (name.clone(), id + 1))
        .collect()
}

/// The machine types whose values wrap somewhere: declared types, and conversions in contracts and bodies.
fn machines(program: &Program, procedures: &[String]) -> BTreeSet<Machine> {
    fn of(ty: &Type, found: &mut BTreeSet<Machine>) {
        match ty {
            Type::Machine(m) => {
                found.insert(*m);
            }
            Type::Array { element, .. } => of(element, found),
            Type::Map(key, value) => {
                of(key, found);
                of(value, found);
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    program.vars.iter().for_each(|var| of(&var.ty, &mut found));
    for class in &program.classes {
        class
            .fields
            .iter()
            .for_each(|field| of(&field.ty, &mut found));
        class
            .functions
            .iter()
            .for_each(|function| of(&function.result, &mut found));
        let contracts = class
            .routines
            .iter()
            .flat_map(|r| r.requires.iter().chain(&r.ensures));
        let clauses = class
            .invariants
            .iter()
            .chain(&class.initially)
            .chain(contracts);
        let bodies = class.functions.iter().map(|f| &f.body);
        for e in clauses
            .chain(bodies)
            .chain(class.states.iter().map(|s| &s.assumes))
        {
            formula::contains(e, &mut |e| {
                of(&e.ty, &mut found);
                false
            });
        }
    }
    let all = [8, 16, 32, 64]
        .into_iter()
        .flat_map(|bits| [true, false].map(|signed| Machine { signed, bits }));
    found.extend(all.filter(|m| {
        let wrap = format!("wrap.{}(", m.name());
        procedures.iter().any(|p| p.contains(&wrap))
    }));
    found
}

fn machine_text(m: Machine) -> MachineText {
    MachineText {
        name: m.name(),
        modulus: m.modulus().to_string(),
        shift: if m.signed {
            (m.modulus() / 2u32).to_string()
        } else {
            String::new()
        },
    }
}
