//! Predicates, found in the text of a class.
//!
//! The first are the atoms of the conditions under which the class does what must not happen. Where an interface
//! prohibits a call that would do no harm, because the predicates are too few to see that, more are found by looking
//! at the predicates from before the call in between: the atoms of their weakest preconditions through its
//! assignments. Nothing here has to be sound: any predicates give a safe interface.

mod atoms;
mod walk;

use std::cell::Cell;

use crate::ir::{Expr, formula};
use crate::query::{Forbidden, Subject};

use atoms::PredicateList;
pub use atoms::new_among;
use walk::PredicateWalk;

/// No more statements than this are looked at in one walk; calls behind are not looked into.
const MOST_STATEMENTS: usize = 10_000;

/// Finds predicates in a class.
pub struct Discovery<'a> {
    subject: &'a Subject,
    forbidden: &'a Forbidden,
}

impl<'a> Discovery<'a> {
    /// For one class.
    pub fn new(subject: &'a Subject, forbidden: &'a Forbidden) -> Self {
        Discovery { subject, forbidden }
    }

    /// The atoms of the conditions under which actions do what must not happen, in the order of the actions.
    pub fn guards(&self) -> Vec<Expr> {
        let program = &self.subject.program;
        let mut found = PredicateList::default();
        for action in &self.subject.actions {
            if self.forbidden.requires && !program.routine(action.routine).requires.is_empty() {
                let enabled = formula::inline_functions(program, &action.guard.enabled);
                found.add_all(&enabled);
            }
            let fuel = Cell::new(MOST_STATEMENTS);
            let walk = self.walk(PredicateList::default(), true, false, &fuel);
            found.extend(walk.routine(action.routine, 0).atoms);
        }
        found.of_object().0
    }

    /// The predicates as seen from before the call of an action, as far as they are new.
    pub fn before(&self, action: usize, predicates: &[Expr]) -> Vec<Expr> {
        let program = &self.subject.program;
        let mut known = PredicateList::default();
        for predicate in predicates {
            known.add_all(&formula::inline_functions(program, predicate));
        }
        let routine = self.subject.actions[action].routine;
        // What is assigned first; where that gives nothing new, on what it depends.
        for conditions in [false, true] {
            let fuel = Cell::new(MOST_STATEMENTS);
            let walk = self.walk(known.clone(), false, conditions, &fuel);
            let found = walk.routine(routine, 0).atoms.of_object();
            let is_new = |e: &Expr| !known.0.iter().any(|k| formula::same(k, e));
            let new: Vec<Expr> = found.0.into_iter().filter(is_new).collect();
            if !new.is_empty() {
                return new;
            }
        }
        vec![]
    }

    fn walk<'w>(
        &'w self,
        exit: PredicateList,
        guards: bool,
        conditions: bool,
        fuel: &'w Cell<usize>,
    ) -> PredicateWalk<'w> {
        PredicateWalk {
            program: &self.subject.program,
            forbidden: self.forbidden,
            exit,
            guards,
            conditions,
            fuel,
        }
    }
}
