//! What answers to some questions of a proof decide of others: a cache of counterexamples (after that of KLEE; Cadar, Dunbar,
//! Engler 2008, section 3.3).
//!
//! A proof is looked for among many sets of the same clauses. Where some of them were enough, more are; and an object of which
//! all of some clauses hold, and that does what is to be excluded all the same, shows that these are not enough.

use std::collections::{BTreeMap, BTreeSet};

use crate::ask::Witness;
use crate::interp::{Configuration, Interpreter, Locals, Moment};
use crate::ir::{Expr, Program};

/// Clauses, by their positions.
pub(super) type Positions = BTreeSet<usize>;

/// What is known of one call: where some clauses hold, does it keep others? Where it is asked for what it does whatever they
/// are, there are no others to keep.
#[derive(Default)]
pub(super) struct Decided {
    /// Clauses that were enough, with those that were kept.
    enough: Vec<(Positions, Positions)>,
    counterexamples: Vec<Counterexample>,
}

/// A call that was run.
struct Counterexample {
    before: Seen,
    /// Where it ended; none where it does not matter.
    after: Option<Seen>,
}

/// A configuration, with what is known of the clauses there.
struct Seen {
    now: Configuration,
    held: BTreeMap<usize, Option<bool>>,
}

impl Decided {
    /// Whether these clauses are enough for the call to keep those; none where that is to be asked.
    pub(super) fn is_enough(
        &mut self,
        (program, clauses): (&Program, &[Expr]),
        some: &Positions,
        kept: &Positions,
    ) -> Option<bool> {
        let is_more = |(enough, also): &(Positions, Positions)| {
            enough.is_subset(some) && kept.is_subset(also)
        };
        if self.enough.iter().any(is_more) {
            return Some(true);
        }
        let is_against = |found: &mut Counterexample| {
            let mut some = some.iter();
            some.all(|at| found.before.holds(program, clauses, *at) == Some(true))
                && found.after.as_mut().is_none_or(|after| {
                    let mut kept = kept.iter();
                    kept.any(|at| after.holds(program, clauses, *at) == Some(false))
                })
        };
        let is_not_enough = self.counterexamples.iter_mut().any(is_against);
        is_not_enough.then_some(false)
    }

    /// An object of which all of these clauses hold, and that does it all the same.
    pub(super) fn counterexample(
        &mut self,
        (program, clauses): (&Program, &[Expr]),
    ) -> Option<&Configuration> {
        self.counterexamples.iter_mut().find_map(|found| {
            let mut all = 0..clauses.len();
            let hold = all.all(|at| found.before.holds(program, clauses, at) == Some(true));
            hold.then_some(&found.before.now)
        })
    }

    /// Takes note that these clauses are enough for the call to keep those.
    pub(super) fn were_enough(&mut self, some: Positions, kept: Positions) {
        self.enough.push((some, kept));
    }

    /// Takes note of a call that shows that clauses are not enough, where it was run; `ends` says that it matters where.
    pub(super) fn were_not_enough(&mut self, witness: &Witness, ends: bool) {
        let Some(performed) = witness.performed() else {
            return;
        };
        let after = match (ends, performed.calls.last()) {
            (false, _) => None,
            (true, Some(call)) => Some(Seen::new(call.end.clone())),
            (true, None) => return,
        };
        let before = Seen::new(performed.start.clone());
        self.counterexamples.push(Counterexample { before, after });
    }
}

impl Seen {
    fn new(now: Configuration) -> Seen {
        let held = BTreeMap::new();
        Seen { now, held }
    }

    /// Whether a clause holds; none where nobody can tell.
    fn holds(&mut self, program: &Program, clauses: &[Expr], at: usize) -> Option<bool> {
        *self.held.entry(at).or_insert_with(|| {
            let locals = Locals::new();
            let moment = Moment::of(&self.now, &locals);
            Interpreter::new(program)
                .holds(&moment, clauses.get(at)?)
                .ok()
        })
    }
}
