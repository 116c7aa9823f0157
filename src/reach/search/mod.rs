//! Stratified inlining (Lal, Qadeer, Lahiri 2012; the behaviour of Corral's classic search).
//!
//! A tree of inlined procedures grows from the entry. Calls at its edge are *open*. With open calls free, the solver's
//! "no" is a proof; with open calls blocked, its "yes" is an execution. The search goes
//!
//! 1. Over-approximate: block only the open calls that lie deeper than the current bound. "No": unreachable, unless
//!    the proof needed a blocked call; then the bound is raised, up to the limit. "Yes" along a path without open
//!    calls: reached.
//! 2. Under-approximate: block all open calls. "Yes": reached.
//! 3. Inline the open calls on the path found in step 1, and begin again.
//!
//! Procedures that cannot recur are inlined at once, as long as there are not too many. The depth of a call is how often
//! its procedure occurs on the chain of calls to it.

mod answer;
mod tree;
mod walk;

use std::time::{Duration, Instant};

use super::error::ReachError;
use super::program::Entry;
use super::smt::{Check, Smt, SolverFailure};
use super::solver::Solver;
use crate::ids::Table;
use crate::internal::Internal;
pub use answer::{Answer, Execution, Happening, Stats, Step};
use tree::{Instance, InstanceId, Open};

/// What the search may use up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How often one procedure may recur on a stack.
    pub bound: u32,
    /// How long a chain of calls may be, loops counting as calls; none for no limit.
    pub stack_depth: Option<u32>,
    /// When to stop.
    pub deadline: Instant,
}

/// Why a search ends without an answer.
enum Stop {
    Solver(SolverFailure),
    Program(ReachError),
}

impl From<SolverFailure> for Stop {
    fn from(failure: SolverFailure) -> Self {
        Stop::Solver(failure)
    }
}

impl From<ReachError> for Stop {
    fn from(error: ReachError) -> Self {
        Stop::Program(error)
    }
}

impl From<Internal> for Stop {
    fn from(bug: Internal) -> Self {
        Stop::Program(bug.into())
    }
}

struct Search<'a, 'p> {
    entry: &'a Entry<'p>,
    solver: &'a mut Solver,
    budget: Budget,
    instances: Table<InstanceId, Instance>,
    open: Vec<Open>,
    symbols: u32,
    text: usize,
    stats: Stats,
}

/// Answers a question. The solver must know what all questions share; what this question adds is taken back.
pub fn search(entry: &Entry<'_>, solver: &mut Solver, budget: Budget) -> (Answer, Stats) {
    let mut search = Search {
        entry,
        solver,
        budget,
        instances: Table::new(),
        open: Vec::new(),
        symbols: 0,
        text: 0,
        stats: Stats::default(),
    };
    let mark = search.solver.push();
    let answer = match search.run() {
        Ok(answer) => answer,
        Err(Stop::Solver(failure)) => Answer::Unknown(failure),
        Err(Stop::Program(error)) => error.into(),
    };
    let mut stats = search.stats;
    stats.inlined = search.instances.len();
    search.solver.pop(mark);
    (answer, stats)
}

impl Search<'_, '_> {
    fn smt(&mut self) -> &mut Smt {
        self.solver.smt()
    }

    fn run(&mut self) -> Result<Answer, Stop> {
        let root = self.entry.root()?;
        self.add(root, vec!["true".into()], None)?;
        self.inline_eagerly()?;
        let mut bound = self.budget.bound.min(1);
        loop {
            let limit = bound;
            match self.check(|open| open.too_deep || open.depth > limit)? {
                Check::Unsat => {
                    let blocked = self.open.iter().any(|o| o.too_deep || o.depth > bound);
                    if !blocked || !self.core_has_open()? {
                        return Ok(Answer::Unreachable);
                    }
                    if bound >= self.budget.bound {
                        return Ok(Answer::BoundHit(self.budget.bound));
                    }
                    bound += 1;
                    continue;
                }
                Check::Sat => {}
                Check::Unknown(reason) => return self.doubtful(reason),
            }
            let decisions = self.decisions()?;
            let open = self.path(&decisions)?;
            if open.is_empty() {
                return self.execution(&decisions);
            }
            match self.check(|_| true)? {
                Check::Sat => {
                    let decisions = self.decisions()?;
                    return self.execution(&decisions);
                }
                // Inlining may still help; "reached" or "unreachable" will then be said by a later check.
                Check::Unsat | Check::Unknown(_) => {}
            }
            self.inline(&open)?;
        }
    }

    /// The over-approximation has no answer. An execution may be found all the same.
    fn doubtful(&mut self, reason: String) -> Result<Answer, Stop> {
        if !self.open.is_empty() && self.check(|_| true)? == Check::Sat {
            let decisions = self.decisions()?;
            return self.execution(&decisions);
        }
        Ok(Answer::Unknown(SolverFailure::Incomplete(reason)))
    }

    /// Asks with those open calls blocked that `blocked` says.
    fn check(&mut self, blocked: impl Fn(&Open) -> bool) -> Result<Check, Stop> {
        let mut assumptions: Vec<String> = self
            .open
            .iter()
            .filter(|o| blocked(o))
            .map(|o| format!("(not {})", o.guard))
            .collect();
        assumptions.sort_unstable();
        assumptions.dedup();
        self.stats.checks += 1;
        let deadline = self.budget.deadline;
        Ok(self.smt().check(&assumptions, deadline)?)
    }

    /// Did the last proof need a blocked call?
    fn core_has_open(&mut self) -> Result<bool, Stop> {
        let deadline = self.deadline();
        Ok(!self.smt().core(deadline)?.is_empty())
    }

    /// A little time for what needs no search.
    fn deadline(&self) -> Instant {
        self.budget
            .deadline
            .max(Instant::now() + Duration::from_secs(5))
    }
}
