//! Refutation: an inductive invariant of the class that leaves no room for an edge.
//!
//! Of the clauses suggested, those that every call keeps are found by dropping what some call breaks (Houdini;
//! Flanagan, Leino 2001). Of these, as few as are needed are kept (QuickXplain; Junker 2004), and these few are then
//! shown to be enough by plain questions: every constructor establishes them, every action keeps them, and where
//! they hold no call takes the edge.

use std::collections::BTreeSet;

use crate::encode::confirm::{Automaton, Edge, Origin};
use crate::encode::{Encoding, Exit, Question, Step};
use crate::ir::Expr;
use crate::ir::formula;
use crate::query::{Entry, Verdict};

use super::asker::Asker;

/// A checked proof.
pub struct Refutation {
    /// The clauses: an inductive invariant.
    pub clauses: Vec<Expr>,
    /// The edges that no call takes where they hold.
    pub edges: BTreeSet<usize>,
    /// The names of the questions that show it.
    pub checked_by: Vec<String>,
}

impl Refutation {
    /// Both together. Inductive invariants hold together, too.
    pub fn and(mut self, other: Refutation) -> Refutation {
        for clause in other.clauses {
            if !self.clauses.iter().any(|c| formula::same(c, &clause)) {
                self.clauses.push(clause);
            }
        }
        self.edges.extend(other.edges);
        for question in other.checked_by {
            if !self.checked_by.contains(&question) {
                self.checked_by.push(question);
            }
        }
        self
    }
}

/// Finds and checks invariants.
pub struct Prover<'a, 'e> {
    pub encoding: &'a Encoding<'a>,
    pub automaton: &'a Automaton,
    pub asker: &'a Asker<'e>,
}

impl Prover<'_, '_> {
    fn constructors(&self) -> Vec<Step> {
        let all = 0..self.encoding.constructors.len();
        all.map(|constructor| Step::Construct {
            constructor,
            exit: Exit::Normal,
        })
        .collect()
    }

    /// Every way a call may end and leave an object to go on with.
    fn calls(&self) -> Vec<Step> {
        let normal = (0..self.encoding.actions.len()).map(|action| (action, Exit::Normal));
        let exceptional =
            self.automaton
                .edges
                .iter()
                .filter_map(|edge| match (edge.origin, &edge.exit) {
                    (Origin::Call { action, .. }, Exit::Exception(_)) => {
                        Some((action, edge.exit.clone()))
                    }
                    _ => None,
                });
        let exits: BTreeSet<(usize, Exit)> = normal.chain(exceptional).collect();
        exits
            .into_iter()
            .map(|(action, exit)| Step::Call {
                source: None,
                action,
                exit,
            })
            .collect()
    }

    /// The clauses, of these, that together with `known` ones are an inductive invariant.
    pub fn inductive(&self, known: &[Expr], mut clauses: Vec<Expr>) -> Vec<Expr> {
        for step in self.constructors() {
            clauses = self.kept(&step, known, clauses, |_| true);
        }
        let calls = self.calls();
        loop {
            let before = clauses.len();
            for step in &calls {
                let may_change = |clause: &Expr| self.encoding.may_change(step, clause);
                clauses = self.kept(step, known, clauses, may_change);
            }
            if clauses.len() == before {
                return clauses;
            }
        }
    }

    /// The clauses without those, among the ones looked at, that the call breaks.
    fn kept(
        &self,
        step: &Step,
        known: &[Expr],
        mut clauses: Vec<Expr>,
        looked_at: impl Fn(&Expr) -> bool,
    ) -> Vec<Expr> {
        loop {
            let (at, goal): (Vec<usize>, Vec<Expr>) = clauses
                .iter()
                .enumerate()
                .filter(|(_, c)| looked_at(c))
                .map(|(i, c)| (i, c.clone()))
                .unzip();
            if goal.is_empty() {
                return clauses;
            }
            let assumed: Vec<Expr> = known.iter().chain(&clauses).cloned().collect();
            let verdict = match self.encoding.breaks_some(step, &assumed, &goal) {
                Ok(entry) => self.asker.ask(&entry),
                Err(_) => return vec![],
            };
            let broken: BTreeSet<usize> = match verdict {
                Verdict::Unreachable => return clauses,
                Verdict::Reached(trace) => {
                    let first = trace.values.len().saturating_sub(at.len());
                    let flags = trace.values[first..].iter().zip(&at);
                    flags
                        .filter(|(flag, _)| flag.value.eq_ignore_ascii_case("false"))
                        .map(|(_, i)| *i)
                        .collect()
                }
                _ => BTreeSet::new(),
            };
            // Where nothing is known, nothing is kept.
            let broken = if broken.is_empty() {
                at.into_iter().collect()
            } else {
                broken
            };
            let mut index = 0;
            clauses.retain(|_| {
                index += 1;
                !broken.contains(&(index - 1))
            });
        }
    }

    /// As few of the clauses as are needed, if they are enough, to refute edges; an inductive invariant is made of
    /// them, and checked.
    pub fn refute(&self, clauses: &[Expr], edges: &BTreeSet<usize>) -> Option<Refutation> {
        let mut chosen: BTreeSet<usize> = BTreeSet::new();
        let mut refuted = BTreeSet::new();
        for index in edges {
            let edge = &self.automaton.edges[*index];
            if !self.is_refuted(edge, clauses) {
                continue;
            }
            let needed = explain(clauses, &chosen, &mut |some| self.is_refuted(edge, some));
            chosen.extend(needed);
            refuted.insert(*index);
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
                let is_kept =
                    |some: &[Expr]| self.is_no(self.encoding.breaks(step, some, &goal).ok());
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

    fn is_no(&self, entry: Option<Entry>) -> bool {
        entry.is_some_and(|entry| self.asker.ask(&entry) == Verdict::Unreachable)
    }

    /// Whether no call takes the edge where these clauses hold.
    pub fn is_refuted(&self, edge: &Edge, assumed: &[Expr]) -> bool {
        self.is_no(self.refutation(edge, assumed))
    }

    /// The question that must be answered "no" for the edge to be refuted.
    fn refutation(&self, edge: &Edge, assumed: &[Expr]) -> Option<Entry> {
        let (step, target) = self.automaton.call_of(edge);
        match target {
            Some(target) => self.encoding.still_takes(&step, assumed, &target).ok(),
            None => Some(self.encoding.question(&Question::Exit(step)).ok()?.entry),
        }
    }

    /// Asks everything again that makes the clauses a proof.
    fn check(&self, clauses: Vec<Expr>, edges: BTreeSet<usize>) -> Option<Refutation> {
        let mut questions: Vec<Entry> = Vec::new();
        if !clauses.is_empty() {
            for step in self.constructors().into_iter().chain(self.calls()) {
                questions.push(self.encoding.breaks(&step, &clauses, &clauses).ok()?);
            }
        }
        for edge in &edges {
            questions.push(self.refutation(&self.automaton.edges[*edge], &clauses)?);
        }
        let all_no = questions
            .iter()
            .all(|q| self.asker.ask(q) == Verdict::Unreachable);
        all_no.then(|| Refutation {
            clauses,
            edges,
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
