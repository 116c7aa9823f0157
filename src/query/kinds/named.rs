//! Kinds of question that can be asked by their names, with what each needs to be given.

use std::collections::BTreeSet;

use crate::query::{AbstractState, ActionId, ConstructorId, Exit, Query, Step, Subject};

/// A kind of question that can be asked by its name.
#[derive(Clone, Copy, Debug)]
pub struct QuestionKind {
    /// Its name: `any-other-target`.
    pub name: &'static str,
    /// What it asks, of what is [`QuestionArguments`].
    pub about: &'static str,
    /// Asks it.
    pub query: fn(&Subject, &QuestionArguments) -> Result<Query, Missing>,
}

/// What a question is about.
#[derive(Clone, Debug)]
pub struct QuestionArguments {
    /// The constructor that is called.
    pub constructor: Option<ConstructorId>,
    /// Or the action.
    pub action: Option<ActionId>,
    /// The state that it is called in.
    pub from: Option<AbstractState>,
    /// How the call ends.
    pub exit: Exit,
    /// The action asked about.
    pub of: Option<ActionId>,
    /// The states asked about.
    pub to: Vec<AbstractState>,
}

/// What a kind of question needs besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// What is called.
    #[error("--action (or --constructor)")]
    Call,
    /// Which constructor is called.
    #[error("--constructor")]
    Constructor,
    /// The state that the call is made in.
    #[error("--from")]
    From,
    /// The action asked about.
    #[error("--of")]
    Of,
    /// The one state asked about.
    #[error("one --to")]
    To,
}

impl QuestionArguments {
    /// The call, in a state.
    pub(super) fn step(&self) -> Result<Step, Missing> {
        let step = self.step_anywhere()?;
        match step.callee.is_constructor() || step.source.is_some() {
            true => Ok(step),
            false => Err(Missing::From),
        }
    }

    /// The call, in a state if one is given.
    pub(super) fn step_anywhere(&self) -> Result<Step, Missing> {
        match (self.constructor, self.action) {
            (Some(constructor), _) => Ok(Step::construct(constructor, self.exit.clone())),
            (None, Some(action)) => Ok(Step {
                source: self.from.clone(),
                ..Step::anywhere(action, self.exit.clone())
            }),
            (None, None) => Err(Missing::Call),
        }
    }

    /// The constructor's call; where none is given, that of the only one.
    pub(super) fn construct(&self, subject: &Subject) -> Result<Step, Missing> {
        let mut all = subject.constructor_ids();
        let only = all.next().filter(|_| all.next().is_none());
        let constructor = self.constructor.or(only).ok_or(Missing::Constructor)?;
        Ok(Step::construct(constructor, self.exit.clone()))
    }

    /// The action asked about.
    pub(super) fn of(&self) -> Result<ActionId, Missing> {
        self.of.ok_or(Missing::Of)
    }

    /// The one state asked about.
    pub(super) fn target(&self) -> Result<AbstractState, Missing> {
        match self.to.as_slice() {
            [one] => Ok(one.clone()),
            _ => Err(Missing::To),
        }
    }

    /// The states asked about.
    pub(super) fn targets(&self) -> BTreeSet<AbstractState> {
        self.to.iter().cloned().collect()
    }
}
