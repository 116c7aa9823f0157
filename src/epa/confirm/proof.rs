//! Refutation: an inductive invariant of the class that leaves no room for an edge.
//!
//! Of the clauses suggested, those that every call keeps are found by dropping what some call breaks (Houdini;
//! Flanagan, Leino 2001). Of these, as few as are needed are kept (QuickXplain; Junker 2004), and these few are then
//! shown to be enough by plain questions: every constructor establishes them, every action keeps them, and where
//! they hold no call takes the edge.

use std::collections::BTreeSet;

use super::mishaps::Mishap;
use crate::ask::houdini::{self, Kept};
use crate::ask::{Answer, Desk};
use crate::interp::Configuration;
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
}

impl Prover<'_> {
    fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    fn constructors(&self) -> Vec<Step> {
        let all = self.subject().constructor_ids();
        all.map(|id| Step::construct(id, Exit::Normal)).collect()
    }

    /// Every way a call may end and leave an object to go on with.
    fn calls(&self) -> Vec<Step> {
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
                Answer::Yes(witness) => {
                    let held = witness.held_after().into_iter().enumerate();
                    Kept::But(held.filter(|(_, held)| !held).map(|(i, _)| i).collect())
                }
                Answer::Unknown(_) => Kept::Unknown,
            }
        };
        houdini::kept(clauses, &self.constructors(), &self.calls(), may_break, ask)
    }

    /// Configurations from which calls do these things although the clauses hold.
    pub(super) fn counterexamples(
        &self,
        clauses: &[Expr],
        goals: &BTreeSet<Goal>,
    ) -> Vec<Configuration> {
        let found =
            goals.iter().filter_map(
                |goal| match self.desk.ask(&self.refutation(*goal, clauses)) {
                    Answer::Yes(witness) => Some(witness.performed()?.start.clone()),
                    _ => None,
                },
            );
        found.collect()
    }

    /// As few of the clauses as are needed, if they are enough, to refute some of this; an inductive invariant is made of
    /// them, and checked.
    pub(super) fn refute(&self, clauses: &[Expr], goals: &BTreeSet<Goal>) -> Option<Refutation> {
        let mut chosen: BTreeSet<usize> = BTreeSet::new();
        let mut refuted = BTreeSet::new();
        for goal in goals.iter().copied() {
            if !self.is_refuted(goal, clauses) {
                continue;
            }
            let needed = explain(clauses, &chosen, &mut |some| self.is_refuted(goal, some));
            chosen.extend(needed);
            refuted.insert(goal);
        }
        if refuted.is_empty() {
            return None;
        }
        self.close(clauses, &mut chosen);
        let chosen: Vec<Expr> = chosen.iter().map(|i| clauses[*i].clone()).collect();
        self.check(chosen, refuted)
    }

    /// Adds the clauses that are needed for the chosen ones to be kept.
    fn close(&self, clauses: &[Expr], chosen: &mut BTreeSet<usize>) {
        let calls = self.calls();
        'again: loop {
            for step in &calls {
                let goal: Vec<Expr> = chosen.iter().map(|i| clauses[*i].clone()).collect();
                let is_kept = |some: &[Expr]| {
                    let query = kinds::breaks(self.subject(), step, some, &goal);
                    self.desk.ask(&query).is_no()
                };
                if goal.is_empty() || is_kept(&goal) {
                    continue;
                }
                let needed = explain(clauses, chosen, &mut |some| is_kept(some));
                if needed.is_empty() {
                    return;
                }
                chosen.extend(needed);
                continue 'again;
            }
            return;
        }
    }

    /// Whether no call does this where these clauses hold.
    pub(super) fn is_refuted(&self, goal: Goal, assumed: &[Expr]) -> bool {
        self.desk.ask(&self.refutation(goal, assumed)).is_no()
    }

    /// The question that must be answered "no" for something to be refuted.
    fn refutation(&self, goal: Goal, assumed: &[Expr]) -> Query {
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

    /// Asks everything again that makes the clauses a proof.
    fn check(&self, clauses: Vec<Expr>, goals: BTreeSet<Goal>) -> Option<Refutation> {
        let mut questions: Vec<Query> = Vec::new();
        if !clauses.is_empty() {
            for step in self.constructors().iter().chain(&self.calls()) {
                questions.push(kinds::breaks(self.subject(), step, &clauses, &clauses));
            }
        }
        for goal in &goals {
            questions.push(self.refutation(*goal, &clauses));
        }
        let all_no = questions.iter().all(|q| self.desk.ask(q).is_no());
        all_no.then(|| Refutation {
            clauses,
            goals,
            checked_by: questions.into_iter().map(|q| q.name).collect(),
        })
    }
}

/// As few of the clauses as are enough, beyond those chosen already; earlier ones rather than later ones. All of
/// them must be enough.
fn explain(
    clauses: &[Expr],
    chosen: &BTreeSet<usize>,
    enough: &mut dyn FnMut(&[Expr]) -> bool,
) -> Vec<usize> {
    let mut test = |some: &[usize]| {
        let some: Vec<Expr> = some.iter().map(|i| clauses[*i].clone()).collect();
        enough(&some)
    };
    let base: Vec<usize> = chosen.iter().copied().collect();
    if test(&base) {
        return vec![];
    }
    let rest: Vec<usize> = (0..clauses.len()).filter(|i| !chosen.contains(i)).collect();
    divide(&mut test, base, false, &rest)
}

/// The halving of QuickXplain. Its depth is the logarithm of the number of clauses.
fn divide(
    test: &mut dyn FnMut(&[usize]) -> bool,
    base: Vec<usize>,
    grown: bool,
    rest: &[usize],
) -> Vec<usize> {
    if grown && test(&base) {
        return vec![];
    }
    if rest.len() <= 1 {
        return rest.to_vec();
    }
    let (first, second) = rest.split_at(rest.len() / 2);
    let with = |more: &[usize]| base.iter().chain(more).copied().collect::<Vec<usize>>();
    let of_second = divide(test, with(first), true, second);
    let of_first = divide(test, with(&of_second), !of_second.is_empty(), first);
    of_first.into_iter().chain(of_second).collect()
}
