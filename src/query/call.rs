//! Calls: what is called, with what is wanted of its requires clauses and of the way it ends.

use std::collections::BTreeSet;

use super::{AbstractState, ActionId, Callee, ConstructorId};
use crate::ir::ExceptionId;

/// One call, from where and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// What is called.
    pub callee: Callee,
    /// The state that an action is called in: exactly these actions are enabled. None for any state.
    pub source: Option<AbstractState>,
    /// How the call ends.
    pub exit: Exit,
}

impl Step {
    /// An object is made.
    pub fn construct(constructor: ConstructorId, exit: Exit) -> Self {
        Step {
            callee: Callee::Constructor(constructor),
            source: None,
            exit,
        }
    }

    /// An action is called in a state.
    pub fn call(source: AbstractState, action: ActionId, exit: Exit) -> Self {
        Step {
            source: Some(source),
            ..Step::anywhere(action, exit)
        }
    }

    /// An action is called in any state.
    pub fn anywhere(action: ActionId, exit: Exit) -> Self {
        Step {
            callee: Callee::Action(action),
            source: None,
            exit,
        }
    }
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exit {
    /// Normally.
    Normal,
    /// Normally, and each result by which the action's edges are split has this value (by its index).
    Outcome(Vec<usize>),
    /// In an exception.
    Exception(ExceptionId),
    /// In an exception that is none of these.
    OtherException(BTreeSet<ExceptionId>),
    /// In any way but one of these exceptions.
    Without(BTreeSet<ExceptionId>),
    /// In any way at all.
    Any,
}

impl Exit {
    /// In any of several ways, told apart by exceptions: normally if one of them is that, and in those of the exceptions which the
    /// routine may raise that are among them.
    pub fn any_of(exits: &[Exit], raised: &BTreeSet<ExceptionId>) -> Exit {
        let is_raised = |e: &&ExceptionId| !exits.contains(&Exit::Exception(**e));
        let others = raised.iter().filter(is_raised).copied().collect();
        let is_exception = |exit: &Exit| matches!(exit, Exit::Exception(_));
        match exits.iter().all(is_exception) {
            true => Exit::OtherException(others),
            false => Exit::Without(others),
        }
    }

    /// Whether it is in an exception other than some.
    pub fn is_failure(&self) -> bool {
        matches!(self, Exit::OtherException(_))
    }
}

/// A call of a question.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Whether the arguments meet the requires clauses; else they are only values of their types.
    pub required: bool,
    /// Whether the call is made; else only what it is given is asked about.
    pub made: bool,
    /// How it ends.
    pub exit: Exit,
    /// Whether the invariant holds where it ends.
    pub invariant: Holds,
}

/// Whether something is asked to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// It is.
    Yes,
    /// It is asked not to hold.
    No,
    /// Either way.
    Either,
}
