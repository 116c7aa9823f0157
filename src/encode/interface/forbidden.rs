//! What must never happen to an object, and who chooses the arguments with which it does.

use std::collections::BTreeSet;

use crate::encode::routine::exception_name;
use crate::encode::term::Term;
use crate::ir::{ExceptionId, RoutineRef};

use super::InterfaceEncoding;

/// What must never happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forbidden {
    /// A call that ends in one of these.
    pub exceptions: BTreeSet<ExceptionId>,
    /// A call whose `requires` clauses do not hold. Without this, calls are only made where they do.
    pub requires: bool,
}

/// Who chooses the arguments of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Params {
    /// An adversary: a call is safe only if it is safe for all arguments.
    #[default]
    Forall,
    /// The caller, among those that meet the `requires` clauses: they are violated only where no argument meets
    /// them, as in an EPA.
    Exists,
}

impl<'a> InterfaceEncoding<'a> {
    /// What must not happen, as a verb.
    pub fn forbidden_words(&self) -> String {
        let program = self.encoding.source();
        let names: Vec<&str> = self
            .forbidden
            .exceptions
            .iter()
            .map(|e| program.exception(*e))
            .collect();
        let raise = (!names.is_empty()).then(|| format!("raise {}", names.join(" or ")));
        let violate = self
            .forbidden
            .requires
            .then(|| "violate its requires clauses".to_string());
        let words: Vec<String> = violate.into_iter().chain(raise).collect();
        words.join(" or ")
    }

    /// That the routine has ended in one of the exceptions that must not happen.
    pub(super) fn raised(&self, routine: Option<RoutineRef>) -> Term {
        let Some(routine) = routine else {
            return Term::atom("false");
        };
        let thrown = self.encoding.exceptions_of(routine);
        let program = self.encoding.source();
        self.forbidden
            .exceptions
            .iter()
            .filter(|e| thrown.contains(e))
            .map(|e| {
                let name = Term::atom(exception_name(program, *e));
                Term::binary("==", Term::atom("thrown"), name)
            })
            .reduce(|a, b| Term::binary("||", a, b))
            .unwrap_or_else(|| Term::atom("false"))
    }
}
