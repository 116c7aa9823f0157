//! Questions about the abstraction of a class over arbitrary predicates ("Synthesis of Interface Specifications for
//! Java Classes", POPL 2005).
//!
//! What is looked at is an [`InterfaceEncoding`]. There are three kinds of questions about it, a file each: where a
//! call leads from one cube of predicates (`step`), whether an interface holds on the class (`certificate`), both of one
//! call; and whether a whole history can be (`runs`). `call` is the call that they have in common, `forbidden` what
//! must not happen in it.

mod call;
mod certificate;
mod cube;
mod forbidden;
pub mod runs;
mod step;

pub use cube::Cube;
pub use forbidden::{Forbidden, Params};
pub use step::{EncodedStep, End};

use crate::ir::Expr;
use crate::ir::expr_text;
use crate::ir::formula;

use super::{Encoding, Exit};

/// What a caller sees of how a call ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Observation {
    /// That it ends: nothing else is looked at.
    Ended,
    /// That it ends normally, and the values of the results by which the class splits its outcomes.
    Normal(Exit),
    /// That it ends in an exception other than those that must not happen.
    Failed,
}

/// A class, what must never happen to it, and what is looked at.
pub struct InterfaceEncoding<'a> {
    pub(super) encoding: &'a Encoding<'a>,
    /// The predicates.
    pub predicates: Vec<Expr>,
    /// What must never happen.
    pub forbidden: Forbidden,
    /// Who chooses the arguments.
    pub params: Params,
    /// What the caller sees of each action.
    pub observations: Vec<Vec<Observation>>,
}

impl<'a> InterfaceEncoding<'a> {
    /// For one class. Where `blind`, the caller sees nothing of how a call ends.
    pub fn new(
        encoding: &'a Encoding<'a>,
        predicates: Vec<Expr>,
        forbidden: Forbidden,
        params: Params,
        blind: bool,
    ) -> Self {
        let observations = (0..encoding.actions.len())
            .map(|action| {
                if blind {
                    return vec![Observation::Ended];
                }
                let exits = encoding.normal_exits(action).into_iter();
                let mut seen: Vec<Observation> = exits.map(Observation::Normal).collect();
                let thrown = encoding.exceptions_of(encoding.actions[action].routine);
                if thrown.iter().any(|e| !forbidden.exceptions.contains(e)) {
                    seen.push(Observation::Failed);
                }
                seen
            })
            .collect();
        InterfaceEncoding {
            encoding,
            predicates,
            forbidden,
            params,
            observations,
        }
    }

    /// The class.
    pub fn encoding(&self) -> &'a Encoding<'a> {
        self.encoding
    }

    /// A predicate as it would be written in the class.
    pub fn predicate_text(&self, predicate: &Expr) -> String {
        expr_text(self.encoding.source(), self.encoding.class(), predicate)
    }

    /// A predicate as a formula that is defined everywhere: where the predicate is not, it does not hold.
    pub fn formula(&self, predicate: &Expr) -> Expr {
        formula::clause_under_invariant(self.encoding.source(), predicate)
    }
}
