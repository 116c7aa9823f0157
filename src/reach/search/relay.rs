//! Another solver where a check has no end.
//!
//! Most checks of a large program take some hundredths of a second, and a few take minutes, by chance: the solver decided
//! something early on that it does not come back to. One that decides in another order often answers at once. So a check has a
//! limit of effort, and who runs into it is replaced: a new process, with the other order, is told the tree, and what checks may
//! cost grows.

use std::time::Instant;

use super::{Search, SearchStop};
use crate::process::Interrupt;
use crate::reach::program::PreparedEntry;
use crate::reach::smt::SolverFailure;
use crate::reach::solver::{Manner, Pool, Solver};

/// What a check may cost at first, in Z3's measure: some five seconds, a hundred times what most of them cost.
const EFFORT: u64 = 30_000_000;

/// Who is asked next, and what a check may cost.
pub struct Relay<'a> {
    pool: &'a Pool,
    stop: Interrupt,
    effort: u64,
}

impl<'a> Relay<'a> {
    /// Solvers from this pool, which stop when they are told to.
    pub fn new(pool: &'a Pool, stop: Interrupt) -> Self {
        Relay {
            pool,
            stop,
            effort: EFFORT,
        }
    }

    fn next(&mut self, entry: &PreparedEntry<'_>, last: Manner) -> Result<Solver, SolverFailure> {
        let manner = match last {
            Manner::AlongPaths => Manner::ByConflicts,
            Manner::ByConflicts | Manner::Usual => {
                self.effort = self.effort.saturating_mul(2);
                Manner::AlongPaths
            }
        };
        let mut solver = self.pool.fresh(entry.prepared, manner)?;
        solver.smt().stop_by(self.stop.clone());
        Ok(solver)
    }
}

impl Search<'_, '_> {
    /// Limits what checks may cost, where there is somebody else to ask.
    pub(super) fn limit_effort(&mut self) {
        let effort = self.relay.as_ref().map(|r| r.effort);
        self.smt().limit_effort(effort);
    }

    /// Puts the next solver in the place of one that ran into its limit, and tells it the tree. Not where time is over.
    pub(super) fn hand_over(&mut self) -> Result<bool, SearchStop> {
        if Instant::now() >= self.budget.deadline {
            return Ok(false);
        }
        let Some(relay) = &mut self.relay else {
            return Ok(false);
        };
        *self.solver = relay.next(self.entry, self.solver.manner())?;
        self.mark = self.solver.push();
        self.smt().models_of_quantifiers(false);
        self.limit_effort();
        let mut texts = Vec::new();
        for instance in &self.instances {
            texts.push(instance.text()?);
        }
        for text in texts {
            self.smt().say(&text);
        }
        Ok(true)
    }
}
