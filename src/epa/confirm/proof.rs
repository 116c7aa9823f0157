//! Refutation: an inductive invariant of the class that leaves no room for an edge.
//!
//! Of the clauses suggested, those that every call keeps are found by dropping what some call breaks (Houdini;
//! Flanagan, Leino 2001). Of these, as few as are needed are chosen (`invariant`), and these few are then
//! shown to be enough by plain questions: every constructor establishes them, every action keeps them, and where
//! they hold no call takes the edge.

use std::collections::BTreeSet;

use super::explore::Runner;
use super::mishaps::Mishap;
use crate::ask::houdini::{self, Kept};
use crate::ask::{Answer, Desk, Witness};
use crate::ir::{Expr, formula};
use crate::query::{Automaton, Callee, EdgeId, Exit, Query, Step, Subject, kinds};

/// What may be refuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Goal {
    /// That some object takes an edge.
    Edge(EdgeId),
    /// That some object does what no edge tells: the position of a mishap.
    Mishap(usize),
}

/// A checked proof.
pub(super) struct Refutation {
    /// The clauses: an inductive invariant.
    pub clauses: Vec<Expr>,
    /// What no call does where they hold.
    pub goals: BTreeSet<Goal>,
    /// The names of the questions that show it.
    pub checked_by: Vec<String>,
}

impl Refutation {
    /// The edges that no call takes where the clauses hold.
    pub(super) fn edges(&self) -> impl Iterator<Item = EdgeId> + '_ {
        self.goals.iter().filter_map(|goal| match goal {
            Goal::Edge(edge) => Some(*edge),
            Goal::Mishap(_) => None,
        })
    }

    /// Both together. Inductive invariants hold together, too.
    pub(super) fn and(mut self, other: Refutation) -> Refutation {
        for clause in other.clauses {
            if !self.clauses.iter().any(|c| formula::same(c, &clause)) {
                self.clauses.push(clause);
            }
        }
        self.goals.extend(other.goals);
        for question in other.checked_by {
            if !self.checked_by.contains(&question) {
                self.checked_by.push(question);
            }
        }
        self
    }
}

/// Finds and checks invariants.
pub(super) struct Prover<'a> {
    pub automaton: &'a Automaton,
    pub mishaps: &'a [Mishap],
    pub desk: &'a Desk<'a>,
    /// What makes other calls like those that break clauses, where that is wanted and calls can be made.
    pub runner: Option<Runner<'a>>,
}

impl Prover<'_> {
    fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    /// Every way to make an object.
    pub(super) fn constructors(&self) -> Vec<Step> {
        let all = self.subject().constructor_ids();
        all.map(|id| Step::construct(id, Exit::Normal)).collect()
    }

    /// Every way a call may end and leave an object to go on with.
    pub(super) fn calls(&self) -> Vec<Step> {
        let normal = self
            .subject()
            .action_ids()
            .map(|action| (action, Exit::Normal));
        let exceptional = self
            .automaton
            .edges
            .iter()
            .filter_map(|edge| match edge.callee {
                Callee::Action(action) if matches!(edge.exit, Exit::Exception(_)) => {
                    Some((action, edge.exit.clone()))
                }
                _ => None,
            });
        let exits: BTreeSet<_> = normal.chain(exceptional).collect();
        exits
            .into_iter()
            .map(|(action, exit)| Step::anywhere(action, exit))
            .collect()
    }

    /// The clauses, of these, that together with `known` ones are an inductive invariant.
    pub(super) fn inductive(&self, known: &[Expr], clauses: Vec<Expr>) -> Vec<Expr> {
        let subject = self.subject();
        let may_break = |step: &Step, clause: &Expr| kinds::may_change(subject, step, clause);
        let ask = |step: &Step, clauses: &[Expr], goal: &[Expr]| {
            let assumed: Vec<Expr> = known.iter().chain(clauses).cloned().collect();
            match self
                .desk
                .ask(&kinds::breaks_some(subject, step, &assumed, goal))
            {
                Answer::No => Kept::All,
                Answer::Yes(witness) | Answer::Guess(witness) => {
                    let mut broken: BTreeSet<usize> = witness.broken_after().collect();
                    broken.extend(self.broken_by_the_like(&witness, step, (&assumed, goal)));
                    Kept::But(broken)
                }
                Answer::Unknown(_) => Kept::Unknown,
            }
        };
        houdini::kept(clauses, &self.constructors(), &self.calls(), may_break, ask)
    }

    /// What calls break that are like the one that breaks some of this.
    fn broken_by_the_like(
        &self,
        witness: &Witness,
        step: &Step,
        clauses: (&[Expr], &[Expr]),
    ) -> BTreeSet<usize> {
        let calls = witness
            .performed()
            .map(|performed| performed.calls.as_slice());
        match (&self.runner, calls) {
            (Some(runner), Some([call])) => runner.broken_by_the_like(call, &step.exit, clauses),
            _ => BTreeSet::new(),
        }
    }

    /// Whether no call does this where these clauses hold.
    pub(super) fn refutes(&self, goal: Goal, assumed: &[Expr]) -> bool {
        self.desk.ask(&self.refutation(goal, assumed)).is_no()
    }

    /// The question that must be answered "no" for something to be refuted.
    pub(super) fn refutation(&self, goal: Goal, assumed: &[Expr]) -> Query {
        let edge = match goal {
            Goal::Edge(edge) => &self.automaton[edge],
            Goal::Mishap(at) => {
                return self.mishaps[at].question(self.subject(), self.automaton, assumed);
            }
        };
        let step = self.automaton.step(edge);
        match self.automaton.target(edge) {
            Some(target) => kinds::still_takes(self.subject(), &step, assumed, target),
            None => kinds::exit(self.subject(), &step),
        }
    }

    /// The question that must be answered "no" for a call to keep clauses, or to establish them, where some hold.
    pub(super) fn breaks(&self, step: &Step, assumed: &[Expr], clauses: &[Expr]) -> Query {
        kinds::breaks(self.subject(), step, assumed, clauses)
    }
}
