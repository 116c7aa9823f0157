//! An interface as code that makes a compiler keep clients to it.

mod java;
mod rust;

use crate::ir::{JavaCall, JavaCalls, Program, Type, VarId};
use crate::query::kinds::interface::Abstracted;

use super::abstraction::{Alphabet, Letter};
use super::automaton::{AutomatonState, InterfaceAutomaton};

pub use java::protocol;
pub use rust::typestate;

/// Why there is no code.
#[derive(Debug, thiserror::Error)]
pub enum NotExported {
    /// The language cannot say what the interface says.
    #[error("{0}")]
    CannotSay(String),
    /// An error of the template, which no input can cause.
    #[error(transparent)]
    Template(#[from] askama::Error),
}

/// An interface to be exported.
#[derive(Clone, Copy)]
pub struct Exported<'e> {
    /// The class, and what is seen of its calls.
    pub interface: &'e Abstracted,
    /// What the letters of the automaton are.
    pub alphabet: &'e Alphabet,
    /// The automaton.
    pub automaton: &'e InterfaceAutomaton,
    /// What its calls are in Java, where the class is one of Java.
    pub java: Option<&'e JavaCalls>,
}

impl<'e> Exported<'e> {
    fn program(&self) -> &'e Program {
        &self.interface.subject.program
    }

    fn class(&self) -> &'e str {
        &self.program().class(self.interface.subject.class).name
    }

    fn action(&self, action: usize) -> ActionHeader<'e> {
        let routine = self.interface.subject.actions[action].routine;
        let routine = self.program().routine(routine);
        ActionHeader {
            name: &routine.name,
            shown: routine.shown(),
            java: self.java.and_then(|java| java.call(routine)),
            params: routine.given().collect(),
            results: &routine.results,
            outcomes: &routine.outcomes,
        }
    }

    /// Where an action leads from a state: by the position of what is seen, and the letter's target.
    fn ends(&self, state: &AutomatonState, action: usize) -> Vec<(usize, usize)> {
        let letters = self.alphabet.of_action(action).enumerate();
        letters
            .filter_map(|(seen, letter): (usize, Letter)| Some((seen, *state.next.get(&letter)?)))
            .collect()
    }

    /// What must not happen, for a comment.
    fn promise(&self) -> String {
        format!("No call may {}.", self.interface.forbidden_words())
    }
}

/// An action's header.
struct ActionHeader<'e> {
    name: &'e str,
    /// What it is called where it is shown.
    shown: &'e str,
    /// The call in Java, where the class is one of Java.
    java: Option<&'e JavaCall>,
    params: Vec<VarId>,
    results: &'e [VarId],
    outcomes: &'e [VarId],
}

/// The name of a state.
fn state_name(state: usize) -> String {
    format!("Q{}", state + 1)
}

/// The name of a type that the file declares; none for the language's own.
fn declared<'p>(program: &'p Program, ty: &Type) -> Option<&'p str> {
    match ty {
        Type::Enum(id) => Some(&program.enums[id.0].name),
        Type::Opaque(id) => Some(&program.opaques[id.0].name),
        Type::Class { class, .. } => Some(&program.class(*class).name),
        _ => None,
    }
}
