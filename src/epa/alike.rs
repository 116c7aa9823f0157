//! Actions that do the same, and can be called in the same objects: what is found of one of them is true of all.

use std::collections::HashMap;

use super::explore::EdgesOfCall;
use super::raised::Raised;
use crate::ir::alike::{reading, reading_of};
use crate::query::{AbstractState, Action, ActionId, Callee, Subject};

/// For each action the first that does the same.
pub(super) struct Alike(Vec<ActionId>);

impl Alike {
    /// Which actions of a class do the same.
    pub(super) fn of(subject: &Subject) -> Alike {
        let mut first = HashMap::new();
        let actions = subject.action_ids();
        let found = actions.map(
            |action| match reading_with_guard(subject, &subject[action]) {
                Some(text) => *first.entry(text).or_insert(action),
                None => action,
            },
        );
        Alike(found.collect())
    }

    /// That nothing is known of actions that do the same.
    pub(super) fn none(subject: &Subject) -> Alike {
        Alike(subject.action_ids().collect())
    }

    /// The first that does the same: the action itself, if it is.
    pub(super) fn first(&self, action: ActionId) -> ActionId {
        self.0[action.0]
    }

    /// Of which action it is asked what this one does in a state. No object is in a state with one of two that do the same and without the
    /// other, but a state that is drawn as none is known to be in it may be such.
    pub(super) fn asked_in(&self, state: &AbstractState, action: ActionId) -> ActionId {
        let first = self.first(action);
        if state.contains(first) { first } else { action }
    }

    /// The actions before which none does the same.
    pub(super) fn firsts(&self) -> impl Iterator<Item = ActionId> {
        let actions = (0..self.0.len()).map(ActionId);
        actions.filter(|action| self.is_first(*action))
    }

    /// Whether no action before this one does the same.
    pub(super) fn is_first(&self, action: ActionId) -> bool {
        self.first(action) == action
    }
}

/// What an action does and when it can be called, as a text. None where its guard is over-approximated: a configuration may be taken to be in
/// a state with one of two such actions and without the other.
fn reading_with_guard(subject: &Subject, action: &Action) -> Option<String> {
    let program = &subject.program;
    let guard = &action.guard;
    let body = reading(program, action.routine).filter(|_| guard.is_exact())?;
    let formulas = std::iter::once(&guard.enabled).chain(&guard.surely);
    let formulas: Option<Vec<String>> = formulas.map(|e| reading_of(program, e)).collect();
    let formulas = formulas?;
    Some(format!("{body} {}", formulas.join(" surely ")))
}

impl EdgesOfCall {
    /// The edges of another action that does the same.
    pub(super) fn also_of(&self, action: ActionId) -> EdgesOfCall {
        let mut edges = self.clone();
        edges.step.callee = Callee::Action(action);
        edges
    }
}

impl Raised {
    /// What another action that does the same may raise.
    pub(super) fn also_by(&self, action: ActionId) -> Raised {
        Raised {
            by: Callee::Action(action),
            ..self.clone()
        }
    }
}
