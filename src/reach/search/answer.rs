//! What a search finds.

use crate::boogie::ast::Pos;
use crate::boogie::typed::Type;
use crate::internal::Internal;
use crate::reach::error::{ReachError, Unsupported};
use crate::reach::graph::FailedCheck;
use crate::reach::smt::{Sexp, SolverFailure};

/// What the search finds.
#[derive(Clone, Debug)]
pub enum Answer {
    /// There is an execution.
    Reached(Execution),
    /// There is none.
    Unreachable,
    /// There is none within the bound, and the proof of that needs the bound.
    BoundHit(u32),
    /// The solver did not answer, or not definitely.
    Unknown(SolverFailure),
    /// The program has what the engine cannot do.
    Unsupported(Unsupported),
    /// There is a mistake in the engine.
    Broken(Internal),
}

impl From<ReachError> for Answer {
    fn from(error: ReachError) -> Self {
        match error {
            ReachError::Unsupported(what) => Answer::Unsupported(what),
            ReachError::Internal(bug) => Answer::Broken(bug),
        }
    }
}

/// An execution, the counterexample to the claim that there is none.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// What happens, in order.
    pub steps: Vec<Step>,
    /// Why it fails; none if it ends normally.
    pub failure: Option<FailedCheck>,
}

/// A step of an execution.
#[derive(Clone, Debug)]
pub struct Step {
    /// Where it is in the text.
    pub pos: Pos,
    /// How deep in the calls.
    pub depth: u32,
    /// What happens.
    pub event: Happening,
}

/// What happens in a step.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A block begins.
    Block(String),
    /// A command is executed.
    Command,
    /// A procedure is called.
    Call(String),
    /// It returns.
    Return(String),
    /// It does not return: something in it failed.
    Unwind(String),
    /// A value is recorded.
    Record(Option<String>, Sexp, Type),
}

/// Figures about a search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stats {
    /// How many procedures were inlined, the entry among them.
    pub inlined: usize,
    /// How many questions the solver was asked.
    pub checks: usize,
}
