//! Refuting what no run was found for: which clauses are tried, in which order, and what is done with the proof.

use std::collections::BTreeSet;

use super::candidates::{Candidates, Together, closest};
use super::invariant::{Argument, Invariant};
use super::per_key;
use super::proof::{Goal, Prover, Refutation};
use super::search::{ConfirmSearch, Desks, FEW_EDGES};
use crate::interp::Configuration;
use crate::ir::Expr;
use crate::query::EdgeId;

/// So often it is learned from objects that take edges as no run does, where few are left.
const MOST_LESSONS: usize = 3;

/// How many clauses are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    /// What the class compares, and sums of its numbers: that is soon done.
    Near,
    /// Implications between all that may be said of the class as well.
    Far,
}

/// An attempt to refute.
struct Attempt<'p> {
    invariant: Invariant<'p>,
    wanted: BTreeSet<Goal>,
    /// What refutes some of it, the last that was found behind the others.
    arguments: Vec<Argument>,
    /// Objects that take what is not refuted although the clauses hold, where these were looked for last.
    odd: Vec<Configuration>,
}

impl Attempt<'_> {
    /// What is not refuted.
    fn left(&self) -> BTreeSet<Goal> {
        let refuted = self.arguments.last().map(|last| &last.goals);
        let left = self.wanted.iter();
        let left = left.filter(|goal| !refuted.is_some_and(|refuted| refuted.contains(goal)));
        left.copied().collect()
    }

    /// Whether some of what is left would be refuted if all of these clauses were kept.
    fn might_refute(&self, more: &[Expr]) -> bool {
        self.invariant.might_refute(&self.left(), more)
    }

    /// Tries such clauses besides, where anything is left: they are made in the light of those that are kept. Whether any of them
    /// are.
    fn with_such(&mut self, clauses: impl FnOnce(&[Expr]) -> Vec<Expr>) -> bool {
        if self.left().is_empty() {
            return false;
        }
        let more = clauses(self.invariant.clauses());
        self.with(more)
    }

    /// Tries these clauses besides. Whether any of them are kept by all calls.
    fn with(&mut self, more: Vec<Expr>) -> bool {
        let is_any = self.invariant.add(more);
        if is_any {
            self.refute();
        }
        is_any
    }

    /// Refutes by the clauses what they refute.
    fn refute(&mut self) {
        let argument = self.invariant.refute(&self.wanted);
        self.arguments.extend(argument);
    }

    /// What is refuted, checked: of the arguments the last that is a proof.
    fn conclude(&self) -> Option<Refutation> {
        let arguments = self.arguments.iter().rev();
        let mut proofs = arguments.filter_map(|argument| self.invariant.check(argument));
        proofs.next()
    }

    /// Tries what excludes the objects that take edges all the same: as no run has such an object, some of its values do not
    /// go together. (After ICE; Garg, Löding, Madhusudan, Neider 2014.) Whether that led on.
    fn learn(&mut self, candidates: &Candidates<'_>, together: Together) -> bool {
        let left = self.left();
        self.odd.clear();
        if left.is_empty() || left.len() > FEW_EDGES {
            return false;
        }
        self.odd = self.invariant.counterexamples(&left);
        self.with(candidates.against(&self.odd, together))
    }

    /// Learns as long as that leads on.
    fn learn_all(&mut self, candidates: &Candidates<'_>) {
        let mut lessons = 0..MOST_LESSONS;
        while lessons.next().is_some() && self.learn(candidates, Together::Fewest) {}
    }

    /// Learns as long as that leads on, from weaker clauses where stronger ones are not kept.
    fn learn_more(&mut self, candidates: &Candidates<'_>) {
        for _ in 0..MOST_LESSONS {
            let leads_on = self.learn(candidates, Together::Three);
            if !leads_on {
                break;
            }
            self.learn_all(candidates);
        }
    }
}

impl ConfirmSearch<'_> {
    /// Looks for an invariant; refutes by it what it refutes of the edges that were not found.
    pub(super) fn prove_edges(&mut self, desks: &Desks<'_>, depth: Depth) {
        let seen = self.all_seen();
        let candidates = Candidates::new(&self.encoding.subject, &seen);
        let wanted = self.wanted().into_iter().map(Goal::Edge);
        let mut attempt = self.begin(desks, &candidates, wanted.collect());
        // Where all configurations are known, so is what holds of them.
        attempt.with_such(|_| self.closure.clone());
        attempt.with_such(|known| candidates.equalities(known));
        attempt.with_such(|_| candidates.sums());
        attempt.learn_all(&candidates);
        attempt.learn_more(&candidates);
        if depth == Depth::Far && !attempt.left().is_empty() {
            // Some equalities are kept only where an implication holds.
            let equalities = candidates.equalities(attempt.invariant.clauses());
            let clauses = [candidates.implications(), equalities].concat();
            if attempt.might_refute(&clauses) {
                attempt.with(clauses);
                attempt.learn_all(&candidates);
                attempt.learn_more(&candidates);
            }
        }
        // They come last, for what is said of all keys makes each further question harder.
        if depth == Depth::Far && !attempt.left().is_empty() {
            let clauses = candidates.per_key();
            if !clauses.is_empty() {
                let known = attempt.invariant.clauses();
                let kept = per_key::kept(self, desks, (clauses, known));
                attempt.with(kept);
            }
        }
        let is_open = !attempt.left().is_empty() && depth == Depth::Far;
        let known = (is_open && self.closure.is_empty()).then(|| {
            let growing = attempt.invariant.kept(candidates.growth());
            let all = attempt.invariant.clauses().iter().cloned();
            closest(all.chain(growing).collect())
        });
        let (refutation, odd) = (attempt.conclude(), attempt.odd);
        self.odd = odd;
        if let Some(known) = known {
            self.known = known;
        }
        self.withdraw(refutation);
    }

    /// Looks for an invariant that refutes a few things, without trying all that may be said of the class.
    pub(super) fn prove_few(&mut self, desks: &Desks<'_>, wanted: BTreeSet<Goal>) {
        let seen = self.all_seen();
        let candidates = Candidates::new(&self.encoding.subject, &seen);
        let mut attempt = self.begin(desks, &candidates, wanted);
        if attempt.with_such(|_| self.closure.clone()) {
            attempt.learn_all(&candidates);
        }
        if attempt.with_such(|known| candidates.equalities(known)) {
            attempt.learn_all(&candidates);
        }
        let refutation = attempt.conclude();
        self.withdraw(refutation);
    }

    /// Tries what the class itself suggests, and what excludes the objects that do it all the same.
    fn begin<'p>(
        &'p self,
        desks: &'p Desks<'_>,
        candidates: &Candidates<'_>,
        wanted: BTreeSet<Goal>,
    ) -> Attempt<'p> {
        let mut invariant = Invariant::new(Prover {
            runner: self.runner(),
            ..self.prover(desks)
        });
        invariant.add(candidates.atoms());
        let mut attempt = Attempt {
            invariant,
            wanted,
            arguments: Vec::new(),
            odd: Vec::new(),
        };
        // Some of it needs no invariant.
        attempt.refute();
        // What refutes a few edges is found sooner by what is wrong with them than among all that may be said of the class.
        attempt.learn_all(candidates);
        attempt
    }

    /// Takes the refuted edges away, and what only they led to.
    fn withdraw(&mut self, refutation: Option<Refutation>) {
        let Some(refutation) = refutation else {
            return;
        };
        let refuted: BTreeSet<EdgeId> = refutation.edges().collect();
        let left: BTreeSet<EdgeId> = self.live.difference(&refuted).copied().collect();
        let (_, live) = self.automaton.reachable(&left);
        // A run is a run: a proof against it would be wrong.
        if let Some(edge) = self.found.keys().find(|e| !live.contains(e)) {
            let edge = self.before.names.edge(&self.automaton[*edge]);
            self.errors.push(format!(
                "the invariant found leaves no room for {edge}, which a run takes; it is not used"
            ));
            return;
        }
        self.live = live;
        self.refutation = Some(match self.refutation.take() {
            None => refutation,
            Some(before) => before.and(refutation),
        });
    }
}
