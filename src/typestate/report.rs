//! The automaton as it is printed. It serialises as the JSON of `tranquera typestate` (schema `tranquera/typestate/1`).

use serde::{Deserialize, Serialize};

use crate::ir::RoutineKind;
use crate::ir::expr_text;
use crate::ir::{Expr, RoutineRef};

use super::automaton::certify::{self, Certificate};
use super::automaton::model::ERROR;
use super::automaton::{EdgeDoubt, TypestateAutomaton};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/typestate/1";

/// A typestate automaton as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Typestate {
    /// [`SCHEMA`].
    pub schema: String,
    /// The class.
    pub class: String,
    /// The actions under study, in the order declared.
    pub actions: Vec<String>,
    /// The normal form: `path` or `prime`.
    pub mode: String,
    /// What every object is taken to keep.
    pub invariant: Vec<String>,
    /// Whether this is all; else it is a part, and calls may end in the error where no edge says so.
    pub finite: bool,
    /// The states; the first is the error.
    pub states: Vec<StateReport>,
    /// The edges of constructors.
    pub constructors: Vec<EdgeReport>,
    /// The edges of calls.
    pub transitions: Vec<EdgeReport>,
    /// Who is in the first state of a pair is in the second.
    pub epsilon: Vec<(String, String)>,
    /// The actions that always end in the error.
    pub dead: Vec<String>,
    /// What a person should know about how exact it is.
    pub notes: Vec<String>,
    /// How it was found.
    pub stats: TypestateStats,
}

/// A state: a condition on the fields. States overlap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateReport {
    /// `error`, `T1`, `T2`, …
    pub id: String,
    /// The condition's conjuncts; none where it is any object.
    pub condition: Vec<String>,
    /// Whether a constructor may end here.
    pub initial: bool,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeReport {
    /// The state it leaves; none for a constructor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The action or constructor.
    pub name: String,
    /// The names of its parameters, of which the guard speaks.
    pub params: Vec<String>,
    /// What holds of the parameters: conjuncts; none for any.
    pub guard: Vec<String>,
    /// The state it leads to.
    pub target: String,
    /// `bound-hit` or `loosened` where it is not certain that a call can take it.
    pub doubt: Option<String>,
    /// Whether another edge says more.
    pub implied: bool,
}

/// How an automaton was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TypestateStats {
    /// How many preconditions were computed.
    pub preconditions: usize,
    /// How many of them an engine certified: no execution escapes them. None where it was not asked.
    pub certified: Option<usize>,
    /// How many questions the solver was asked about formulas.
    pub questions: u64,
    /// How many states were found that no constructor leads to.
    pub unreachable: usize,
    /// Wall-clock time.
    pub wall_ms: u64,
}

impl Typestate {
    /// The automaton as text, with what an engine says of its preconditions.
    pub fn new(
        automaton: &TypestateAutomaton,
        certificates: Option<&[Certificate]>,
        wall_ms: u64,
    ) -> Self {
        let text = |e: &Expr| expr_text(&automaton.program, automaton.class, e);
        let texts = |list: &[Expr]| -> Vec<String> { list.iter().map(text).collect() };
        let name = |routine: Option<RoutineRef>| name(automaton, routine);
        let params = |routine: Option<RoutineRef>| -> Vec<String> {
            let params = routine.map_or(&[][..], |r| &automaton.program.routine(r).params);
            let names = params
                .iter()
                .map(|p| automaton.program.var(*p).name.clone());
            names.collect()
        };
        let doubt = |doubt: Option<EdgeDoubt>| doubt.map(|d| d.name().to_string());
        let states = automaton.states.iter().enumerate();
        let mut notes = automaton.notes.clone();
        notes.extend(certificates.map_or(vec![], |all| certify::notes(&automaton.program, all)));
        Typestate {
            schema: SCHEMA.into(),
            class: automaton.program.class(automaton.class).name.clone(),
            actions: automaton.actions.iter().map(|a| name(Some(*a))).collect(),
            mode: automaton.mode.name().into(),
            invariant: texts(&automaton.invariant),
            finite: automaton.finite,
            states: states
                .map(|(index, state)| StateReport {
                    id: automaton.id(index),
                    condition: texts(&state.condition),
                    initial: automaton.initial.iter().any(|e| e.target == index),
                })
                .collect(),
            constructors: automaton
                .initial
                .iter()
                .map(|edge| EdgeReport {
                    source: None,
                    name: name(edge.constructor),
                    params: params(edge.constructor),
                    guard: texts(&edge.guard),
                    target: automaton.id(edge.target),
                    doubt: doubt(edge.doubt),
                    implied: edge.implied,
                })
                .collect(),
            transitions: automaton
                .edges
                .iter()
                .map(|edge| EdgeReport {
                    source: Some(automaton.id(edge.source)),
                    name: name(Some(edge.action)),
                    params: params(Some(edge.action)),
                    guard: texts(&edge.guard),
                    target: automaton.id(edge.target),
                    doubt: doubt(edge.doubt),
                    implied: edge.implied,
                })
                .collect(),
            epsilon: automaton
                .epsilon
                .iter()
                .map(|(a, b)| (automaton.id(*a), automaton.id(*b)))
                .collect(),
            dead: automaton.dead.iter().map(|a| name(Some(*a))).collect(),
            notes,
            stats: TypestateStats {
                preconditions: automaton.preconditions.len(),
                certified: certificates.map(certified),
                questions: automaton.questions,
                unreachable: automaton.unreachable,
                wall_ms,
            },
        }
    }

    /// The state that stands for the error.
    pub fn error(&self) -> &str {
        self.states.get(ERROR).map_or("error", |s| s.id.as_str())
    }
}

fn certified(certificates: &[Certificate]) -> usize {
    let sure = certificates.iter().filter(|c| c.answer.is_no());
    sure.map(|c| c.preconditions).sum()
}

fn name(automaton: &TypestateAutomaton, routine: Option<RoutineRef>) -> String {
    let Some(routine) = routine else {
        return "initially".into();
    };
    let declared = automaton.program.routine(routine);
    if declared.kind != RoutineKind::Constructor {
        return declared.shown().to_owned();
    }
    automaton.program.signature(routine)
}
