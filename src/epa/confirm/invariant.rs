//! An inductive invariant under way: which of its clauses refute what.
//!
//! Of the clauses that all calls keep, as few as are needed are chosen (QuickXplain; Junker 2004). What answers decide of
//! further questions is not asked (`decided`); in the end, the few clauses chosen are shown to be enough by plain questions.

use std::collections::{BTreeMap, BTreeSet};

use super::decided::{Decided, Positions};
use super::proof::{Goal, Prover, Refutation};
use crate::ask::Answer;
use crate::interp::Configuration;
use crate::ir::{Expr, formula};
use crate::query::{Query, Step};

/// Clauses that are an inductive invariant together. Some are added, none goes.
pub(super) struct Invariant<'p> {
    prover: Prover<'p>,
    clauses: Vec<Expr>,
    /// What is known of the goals, and of how each call keeps the clauses.
    goals: BTreeMap<Goal, Decided>,
    steps: Vec<(Step, Decided)>,
}

/// Some of the clauses that are an inductive invariant by themselves, and leave no room for some goals. It is not
/// [checked](Invariant::check).
pub(super) struct Argument {
    chosen: Positions,
    pub goals: BTreeSet<Goal>,
}

impl<'p> Invariant<'p> {
    /// Without clauses.
    pub(super) fn new(prover: Prover<'p>) -> Self {
        let steps = prover.calls().into_iter();
        Invariant {
            steps: steps.map(|step| (step, Decided::default())).collect(),
            prover,
            clauses: Vec::new(),
            goals: BTreeMap::new(),
        }
    }

    /// The clauses.
    pub(super) fn clauses(&self) -> &[Expr] {
        &self.clauses
    }

    /// Those of these clauses that all calls keep where all clauses hold so far.
    pub(super) fn kept(&self, more: Vec<Expr>) -> Vec<Expr> {
        self.prover.inductive(&self.clauses, more)
    }

    /// Adds those of these clauses that all calls keep. Whether there are any.
    pub(super) fn add(&mut self, mut more: Vec<Expr>) -> bool {
        let is_known =
            |clause: &Expr| (self.clauses.iter()).any(|known| formula::same(known, clause));
        more.retain(|clause| !is_known(clause));
        let more = self.kept(more);
        let is_any = !more.is_empty();
        self.clauses.extend(more);
        is_any
    }

    /// Whether some of this would be refuted if all of these clauses were kept: if not, none of them need be asked about.
    pub(super) fn might_refute(&self, goals: &BTreeSet<Goal>, more: &[Expr]) -> bool {
        let all = [self.clauses.as_slice(), more].concat();
        let is_refuted = |goal: &Goal| self.prover.refutes(*goal, &all);
        goals.iter().any(is_refuted)
    }

    /// Objects that do these things although the clauses hold.
    pub(super) fn counterexamples(&mut self, goals: &BTreeSet<Goal>) -> Vec<Configuration> {
        let all: Positions = (0..self.clauses.len()).collect();
        let program = &self.prover.desk.subject().program;
        let mut found = Vec::new();
        for goal in goals {
            // What is asked is kept.
            self.is_refuted(*goal, &all);
            let decided = self.goals.entry(*goal).or_default();
            found.extend(decided.counterexample((program, &self.clauses)).cloned());
        }
        found
    }

    /// As few of the clauses as are needed, if they are enough, to refute some of this, and to be an inductive invariant.
    pub(super) fn refute(&mut self, goals: &BTreeSet<Goal>) -> Option<Argument> {
        let all: Positions = (0..self.clauses.len()).collect();
        let mut chosen = Positions::new();
        let mut refuted = BTreeSet::new();
        for goal in goals.iter().copied() {
            if self.is_refuted(goal, &all) {
                let is_enough = &mut |some: &Positions| self.is_refuted(goal, some);
                chosen.extend(explain(&all, &chosen, is_enough));
                refuted.insert(goal);
            }
        }
        let is_argument = !refuted.is_empty() && self.close(&all, &mut chosen);
        is_argument.then_some(Argument {
            chosen,
            goals: refuted,
        })
    }

    /// Adds the clauses that are needed for the chosen ones to be kept. Whether they are.
    fn close(&mut self, all: &Positions, chosen: &mut Positions) -> bool {
        'again: loop {
            for step in 0..self.steps.len() {
                let goal = chosen.clone();
                if goal.is_empty() || self.is_kept(step, &goal, &goal) {
                    continue;
                }
                let is_enough = &mut |some: &Positions| self.is_kept(step, some, &goal);
                let needed = explain(all, chosen, is_enough);
                if needed.is_empty() {
                    return false;
                }
                chosen.extend(needed);
                continue 'again;
            }
            return true;
        }
    }

    /// Whether no call does this where these clauses hold.
    fn is_refuted(&mut self, goal: Goal, some: &Positions) -> bool {
        let (prover, clauses) = (&self.prover, self.clauses.as_slice());
        let question = |assumed: &[Expr]| prover.refutation(goal, assumed);
        let decided = self.goals.entry(goal).or_default();
        is_enough(prover, decided, clauses, question, some, &Positions::new())
    }

    /// Whether a call keeps clauses where some hold.
    fn is_kept(&mut self, step: usize, some: &Positions, goal: &Positions) -> bool {
        let (prover, clauses) = (&self.prover, self.clauses.as_slice());
        let Some((step, decided)) = self.steps.get_mut(step) else {
            return false;
        };
        let kept = at(clauses, goal);
        let question = |assumed: &[Expr]| prover.breaks(step, assumed, &kept);
        is_enough(prover, decided, clauses, question, some, goal)
    }

    /// The argument, once everything is asked again that makes it a proof; none where some of it is not answered so.
    pub(super) fn check(&self, argument: &Argument) -> Option<Refutation> {
        let clauses = at(&self.clauses, &argument.chosen);
        let mut questions: Vec<Query> = Vec::new();
        if !clauses.is_empty() {
            let constructors = self.prover.constructors();
            let calls = self.steps.iter().map(|(step, _)| step);
            let steps = constructors.iter().chain(calls);
            questions.extend(steps.map(|step| self.prover.breaks(step, &clauses, &clauses)));
        }
        let goals = argument.goals.iter();
        questions.extend(goals.map(|goal| self.prover.refutation(*goal, &clauses)));
        let all_no = questions.iter().all(|q| self.prover.desk.ask(q).is_no());
        all_no.then(|| Refutation {
            clauses,
            goals: argument.goals.clone(),
            checked_by: questions.into_iter().map(|q| q.name).collect(),
        })
    }
}

/// The clauses at these positions.
fn at(clauses: &[Expr], positions: &Positions) -> Vec<Expr> {
    let found = positions.iter().filter_map(|at| clauses.get(*at));
    found.cloned().collect()
}

/// Whether some clauses are enough for others to be kept, by what is decided or by asking.
fn is_enough(
    prover: &Prover<'_>,
    decided: &mut Decided,
    clauses: &[Expr],
    question: impl Fn(&[Expr]) -> Query,
    some: &Positions,
    kept: &Positions,
) -> bool {
    let program = &prover.desk.subject().program;
    if let Some(is_enough) = decided.is_enough((program, clauses), some, kept) {
        return is_enough;
    }
    match prover.desk.ask(&question(&at(clauses, some))) {
        Answer::No => {
            decided.were_enough(some.clone(), kept.clone());
            true
        }
        Answer::Yes(witness) | Answer::Guess(witness) => {
            decided.were_not_enough(&witness, !kept.is_empty());
            false
        }
        Answer::Unknown(_) => false,
    }
}

/// As few of the clauses as are enough, beyond those chosen already; earlier ones rather than later ones. All of
/// them must be enough.
fn explain(
    all: &Positions,
    chosen: &Positions,
    is_enough: &mut dyn FnMut(&Positions) -> bool,
) -> Vec<usize> {
    if is_enough(chosen) {
        return vec![];
    }
    let rest: Vec<usize> = all.difference(chosen).copied().collect();
    divide(is_enough, chosen.clone(), false, &rest)
}

/// The halving of QuickXplain. Its depth is the logarithm of the number of clauses.
fn divide(
    is_enough: &mut dyn FnMut(&Positions) -> bool,
    base: Positions,
    grown: bool,
    rest: &[usize],
) -> Vec<usize> {
    if grown && is_enough(&base) {
        return vec![];
    }
    if rest.len() <= 1 {
        return rest.to_vec();
    }
    let (first, second) = rest.split_at(rest.len() / 2);
    let with = |more: &[usize]| base.iter().chain(more).copied().collect::<Positions>();
    let of_second = divide(is_enough, with(first), true, second);
    let of_first = divide(is_enough, with(&of_second), !of_second.is_empty(), first);
    of_first.into_iter().chain(of_second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::Desk;
    use crate::encode::Encoding;
    use crate::engine::Builtin;
    use crate::epa::confirm::atoms_of_class;
    use crate::epa::{ConstructOptions, construct};
    use crate::ir::ClassId;
    use crate::query::EdgeId;

    const GATE: &str = "class Gate {
        var open: bool; var n: int; var m: int;
        constructor() { open := false; n := 0; m := 0; }
        action up() requires !open && n < 3 { open := true; n := n + 1; m := m + 1; }
        action down() requires open { open := false; }
        action late() requires n < 0 { }
        action odd() requires open && m < 1 { }
    }";

    /// Whatever was asked before, and in whichever order, the answer is the one of the engine; and what was asked is not asked
    /// again.
    #[test]
    fn what_is_decided_is_what_the_engine_says() {
        let loaded = crate::front::tq::parse_text("gate.tq", GATE).expect("a class");
        let encoding = Encoding::of_class(&loaded.program, ClassId(0)).expect("encoded");
        let engine = Builtin::default();
        let made = construct(&encoding, &engine, &ConstructOptions::default()).expect("an EPA");
        let automaton = &made.abstraction.automaton;
        let desk = Desk::open(&encoding, &engine).expect("a desk");
        let prover = || Prover {
            automaton,
            mishaps: &[],
            desk: &desk,
            runner: None,
        };
        let mut invariant = Invariant::new(prover());
        let is_any = invariant.add(atoms_of_class(&encoding.subject));
        assert!(
            is_any,
            "`n < 0` does not hold, and `m < 1` does not where it is open"
        );
        let goals: BTreeSet<Goal> = (0..automaton.edges.len())
            .map(|i| Goal::Edge(EdgeId(i)))
            .collect();
        let argument = invariant.refute(&goals).expect("an argument");
        let first = argument.chosen.clone();
        let asked = desk.total().total;
        let argument = invariant.refute(&goals).expect("an argument");
        assert_eq!((argument.chosen, desk.total().total), (first, asked));

        let count = invariant.clauses.len().min(4);
        let (mut yes, mut no) = (0, 0);
        for subset in (0..1_usize << count).rev() {
            let some: Positions = (0..count).filter(|i| subset & (1 << i) != 0).collect();
            for goal in &goals {
                let is_refuted = prover().refutes(*goal, &at(&invariant.clauses, &some));
                assert_eq!(
                    invariant.is_refuted(*goal, &some),
                    is_refuted,
                    "{goal:?} by {some:?}"
                );
                *(if is_refuted { &mut yes } else { &mut no }) += 1;
            }
            for step in 0..invariant.steps.len() {
                for kept in 0..count {
                    let kept = Positions::from([kept]);
                    let clauses = at(&invariant.clauses, &kept);
                    let assumed = at(&invariant.clauses, &some);
                    let question = prover().breaks(&invariant.steps[step].0, &assumed, &clauses);
                    let is_kept = desk.ask(&question).is_no();
                    assert_eq!(invariant.is_kept(step, &some, &kept), is_kept);
                }
            }
        }
        assert!(yes > 0 && no > 0, "{yes} {no}");
    }
}
