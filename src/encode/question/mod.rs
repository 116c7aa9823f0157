//! Questions about a class, each as an entry procedure whose end is reached exactly when the answer is yes.

mod builder;
mod call;
mod configuration;
pub(super) mod name;
mod sentence;
mod text;

use std::collections::BTreeSet;

use crate::ir::ExceptionId;
use crate::query::ActionSet;
use crate::query::Entry;

pub(super) use builder::{Assumption, Builder, Frame, unique};

/// One call, from where and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Making an object: an index into [`Encoding::constructors`](super::Encoding::constructors).
    Construct {
        /// Which constructor.
        constructor: usize,
        /// How it ends.
        exit: Exit,
    },
    /// Calling an action.
    Call {
        /// The source state: exactly these actions are enabled. None for any state.
        source: Option<ActionSet>,
        /// Which action: an index into [`Encoding::actions`](super::Encoding::actions).
        action: usize,
        /// How it ends.
        exit: Exit,
    },
}

impl Step {
    /// How the call ends.
    pub fn exit(&self) -> &Exit {
        match self {
            Step::Construct { exit, .. } | Step::Call { exit, .. } => exit,
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
    /// In any way at all.
    Any,
}

/// A question about a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// Is there a configuration in which exactly these actions are enabled?
    ConsistentState(ActionSet),
    /// Is there a configuration whose enabled actions are none of these sets?
    AnyOtherState(BTreeSet<ActionSet>),
    /// Can the call end with the action disabled? (If not, it is necessarily enabled: in B⁺.)
    NecessarilyEnabled(Step, usize),
    /// Can the call end with the action enabled? (If not, it is necessarily disabled: in B⁻.)
    NecessarilyDisabled(Step, usize),
    /// Can the call end in this state?
    Transition(Step, ActionSet),
    /// Can the call end in a state that is none of these?
    AnyOtherTarget(Step, BTreeSet<ActionSet>),
    /// Can the call end in a configuration that breaks the invariant?
    InvariantViolation(Step),
    /// Can the call end this way, wherever it leaves the object?
    Exit(Step),
}

impl Question {
    /// The kind of question, for statistics and file names.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::ConsistentState(_) => "consistent-state",
            Question::AnyOtherState(_) => "any-other-state",
            Question::NecessarilyEnabled(..) => "necessarily-enabled",
            Question::NecessarilyDisabled(..) => "necessarily-disabled",
            Question::Transition(step, _) => match step {
                Step::Construct { .. } => "initial-state",
                Step::Call {
                    exit: Exit::Exception(_),
                    ..
                } => "exceptional-exit",
                Step::Call { .. } => "transition",
            },
            Question::AnyOtherTarget(..) => "any-other-target",
            Question::InvariantViolation(_) => "invariant-violation",
            Question::Exit(_) => "exit",
        }
    }

    /// The call that is asked about, if any.
    pub fn step(&self) -> Option<&Step> {
        match self {
            Question::ConsistentState(_) | Question::AnyOtherState(_) => None,
            Question::NecessarilyEnabled(step, _)
            | Question::NecessarilyDisabled(step, _)
            | Question::Transition(step, _)
            | Question::AnyOtherTarget(step, _)
            | Question::InvariantViolation(step)
            | Question::Exit(step) => Some(step),
        }
    }
}

/// A question as text, and how to read the values on its trace.
#[derive(Clone, Debug)]
pub struct EncodedQuestion {
    /// The entry procedure.
    pub entry: Entry,
    /// What the first recorded values are: the configuration before the call, then the parameters.
    pub before: Vec<String>,
    /// What the last recorded values are: the configuration after the call, then, for the questions after *any*
    /// target, whether each action is enabled.
    pub after: Vec<String>,
    /// Whether every value of the configuration and of the parameters is recorded, so that a trace can be
    /// replayed.
    pub replayable: bool,
}
