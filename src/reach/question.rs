//! A question from beginning to end: the bounded search, and where its bound is hit, the unbounded one.

use std::time::{Duration, Instant};

use super::graph::{Mode, Unsupported};
use super::horn::Outcome;
use super::program::{Entry, Prepared};
use super::search::{Answer, Budget, Stats, search};
use super::smt::Failure;
use super::solver::Pool;
use crate::boogie::typed::Procedure;

/// How long a proof is looked for at first. Most are found at once.
const GLANCE: Duration = Duration::from_millis(100);

/// How long a deeper bound is tried where the first look at a proof found nothing. A loop that is left after a fixed
/// number of rounds is run through sooner than its invariant is found.
const RUN: Duration = Duration::from_millis(400);

/// How a question is to be answered.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often one procedure may recur on a stack.
    pub bound: u32,
    /// How long a chain of calls may be; none for no limit.
    pub stack_depth: Option<u32>,
    /// Wall-clock time for the bounded search.
    pub timeout: Duration,
    /// Is the unbounded search tried where the bound is hit?
    pub unbounded: bool,
    /// Wall-clock time for the unbounded search.
    pub unbounded_timeout: Duration,
    /// What is asked of the entry.
    pub mode: Mode,
}

/// Answers whether the entry `index`, of the program or of the procedures `added` to it, can fail (or return, by the
/// mode).
pub fn ask(
    prepared: &Prepared,
    pool: &Pool,
    added: &[Procedure],
    index: usize,
    options: &Options,
) -> (Answer, Stats) {
    let entry = match prepared.entry(added, index, options.mode) {
        Ok(entry) => entry,
        Err(what) => return (Answer::Unsupported(what), Stats::default()),
    };
    let budget = Budget {
        bound: options.bound,
        stack_depth: options.stack_depth,
        deadline: Instant::now() + options.timeout,
    };
    let (answer, mut stats) = bounded(&entry, pool, budget);
    if !matches!(answer, Answer::BoundHit(_)) || !options.unbounded {
        return (answer, stats);
    }
    let deadline = Instant::now() + options.unbounded_timeout;
    let mut further = |deadline| {
        let budget = Budget {
            bound: options.bound.saturating_mul(16).max(64),
            stack_depth: None,
            deadline,
        };
        let (deeper, more) = bounded(&entry, pool, budget);
        stats.checks += more.checks;
        stats.inlined = more.inlined;
        matches!(deeper, Answer::Reached(_) | Answer::Unreachable).then_some(deeper)
    };
    let proof = |deadline| super::horn::solve(&entry, pool.config(), deadline);
    let mut outcome = proof(deadline.min(Instant::now() + GLANCE));
    if matches!(outcome, Ok(Outcome::Unknown)) {
        if let Some(found) = further(deadline.min(Instant::now() + RUN)) {
            return (found, stats);
        }
        outcome = proof(deadline);
    }
    match outcome {
        Ok(Outcome::Unreachable) => (Answer::Unreachable, stats),
        // A derivation is believed once the bounded search has found it, with its trace.
        Ok(Outcome::Reachable) => {
            let found = further(deadline.max(Instant::now() + options.unbounded_timeout / 2));
            (found.unwrap_or(answer), stats)
        }
        Ok(Outcome::Unknown) | Err(_) => (answer, stats),
    }
}

fn bounded(entry: &Entry<'_>, pool: &Pool, budget: Budget) -> (Answer, Stats) {
    let mut solver = match pool.take(entry.prepared) {
        Ok(solver) => solver,
        Err(failure) => return (Answer::Unknown(failure), Stats::default()),
    };
    let (answer, stats) = search(entry, &mut solver, budget);
    // A solver that said something odd is not trusted with another question.
    if !matches!(answer, Answer::Unknown(Failure::NotUnderstood(_))) {
        pool.give(solver);
    }
    (answer, stats)
}

impl From<Unsupported> for Answer {
    fn from(what: Unsupported) -> Self {
        Answer::Unsupported(what)
    }
}
