//! The bounded search for one question: in which manner, among which models and how often it is begun.

use std::sync::OnceLock;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::error::Result;
use super::program::PreparedEntry;
use super::question::{ReachOptions, STACK};
use super::search::{Budget, Large, Models, SearchAnswer, SearchStats, Sizes, search};
use super::simulate::{Simulated, simulate};
use super::smt::SolverFailure;
use super::solver::{Manner, Pool, Solver};
use crate::events;
use crate::process::Interrupt;

/// How long one search of a large program stays alone, if there is four times as much: most need no more, and two that share a
/// processor's caches are each slower by a fourth.
const HEAD_START: Duration = Duration::from_secs(10);

/// How long a solver is given that has answered other questions, before a new one is asked: what is left of these can keep it
/// from an answer that a new one has at once.
const STALE: Duration = Duration::from_millis(700);

/// At so many keys a map of a simple shape has another value at last: one that is given, and for each of two more states one that
/// is in it.
const KEYS: usize = 3;

/// Among which models an execution is looked for before it is looked for among all as long as there is time: of quantified facts there
/// may be none that the solver could write down, though it has an execution at once whose maps have a simple shape, or one in which
/// the instances of these facts hold. Maps are such facts where they are filled, or no key of one has a certain value. Most proofs
/// that there is none come before that.
const TRIES: [(Models, Duration); 4] = [
    (Models::All, Duration::from_millis(700)),
    (Models::Shaped { keys: 1 }, Duration::from_millis(700)),
    (Models::Shaped { keys: KEYS }, Duration::from_millis(700)),
    (Models::Instances, Duration::from_secs(2)),
];

/// That there are none of a simple shape says nothing: no more than such a part of what is left is for these.
const PART_OF_SHAPES: u32 = 8;

/// An answer, and what it cost.
type Answered = (SearchAnswer, SearchStats);

/// The bounded search for one question.
pub(super) struct BoundedSearch<'a> {
    entry: &'a PreparedEntry<'a>,
    pool: &'a Pool,
    /// What ends it.
    stop: Interrupt,
    /// How large the procedures are, where it is too much to inline all of them.
    sizes: Option<Sizes>,
    /// What all executions at once come to, once that was looked for.
    simulated: OnceLock<Simulated>,
}

impl<'a> BoundedSearch<'a> {
    /// One that has not begun.
    ///
    /// # Errors
    ///
    /// There is no such procedure, which cannot be.
    pub(super) fn new(
        entry: &'a PreparedEntry<'a>,
        pool: &'a Pool,
        stop: Interrupt,
    ) -> Result<Self> {
        Ok(BoundedSearch {
            entry,
            pool,
            stop,
            sizes: Sizes::too_large(entry)?,
            simulated: OnceLock::new(),
        })
    }

    /// Its answer; it is tried among fewer models, too ([`TRIES`]).
    pub(super) fn answer_in_tries(&self, budget: Budget, options: &ReachOptions) -> Answered {
        // In large programs quantified facts are only instantiated in any case.
        let has_shapes = options.shapes && self.sizes.is_none();
        if !has_shapes && !options.presume {
            return self.answer(budget);
        }
        let mut stats = SearchStats::default();
        for (models, most) in TRIES {
            let is_worth = match models {
                Models::All => true,
                Models::Shaped { .. } => has_shapes && stats.quantified && stats.maps,
                Models::Instances => stats.quantified && options.presume,
            };
            if !is_worth {
                continue;
            }
            let left = budget.without(stats.worked);
            let most = match models {
                Models::Shaped { .. } => most.min(left.time() / PART_OF_SHAPES),
                Models::All | Models::Instances => most,
            };
            let some = Budget {
                models,
                ..left.for_a_try(most)
            };
            let (answer, more) = self.answer(some);
            stats.then(more);
            // Whatever goes wrong with one of these, the usual one is asked at last.
            let is_answer = match &answer {
                SearchAnswer::Unknown(SolverFailure::Interrupted) => true,
                SearchAnswer::Unknown(_) => models == Models::All && !answer.gave_up(),
                _ => true,
            };
            if is_answer {
                return (answer, stats);
            }
            if budget.without(stats.worked).time().is_zero() {
                return (SearchAnswer::Unknown(SolverFailure::Timeout), stats);
            }
        }
        let (answer, more) = self.answer(budget.without(stats.worked));
        stats.then(more);
        (answer, stats)
    }

    /// Its answer.
    pub(super) fn answer(&self, budget: Budget) -> Answered {
        match self.sizes {
            None => self.in_manner(Manner::Usual, budget, &self.stop),
            Some(_) => self.answer_large(budget),
        }
    }

    /// Its answer where the program is large.
    ///
    /// What is only tried stays one search, so that what it finds does not hang on the clock.
    fn answer_large(&self, budget: Budget) -> Answered {
        if budget.work.is_some() {
            return self.in_one_manner(budget);
        }
        match self.simulated() {
            Ok(simulated) if simulated.is_unreachable => {
                (SearchAnswer::Unreachable, SearchStats::default())
            }
            Ok(_) => self.in_two_manners(budget),
            Err(error) => (error.into(), SearchStats::default()),
        }
    }

    /// What all executions at once come to, which hangs on no budget: it is looked for once. That takes about a second, and some proofs
    /// that it finds take the search minutes, or for ever. Otherwise the search knows of its open calls what was found of them.
    fn simulated(&self) -> Result<&Simulated> {
        if let Some(known) = self.simulated.get() {
            return Ok(known);
        }
        let begin = Instant::now();
        let simulated = simulate(self.entry)?;
        events::simulated(&simulated, begin);
        Ok(self.simulated.get_or_init(|| simulated))
    }

    /// What a search goes by, if the program is large.
    fn large(&self) -> Option<Large> {
        let sizes = self.sizes.clone()?;
        let simulated = self.simulated.get();
        let summaries = simulated.map(|simulated| simulated.summaries.clone());
        Some(Large {
            sizes,
            summaries: summaries.unwrap_or_default(),
        })
    }

    /// One search along paths; one by activity where the solver of that breaks down.
    fn in_one_manner(&self, budget: Budget) -> Answered {
        let first = self.in_manner(Manner::AlongPaths, budget, &self.stop);
        match first.0 {
            SearchAnswer::Unknown(SolverFailure::Died(_) | SolverFailure::NotUnderstood(_)) => {
                let rest = budget.without(first.1.worked);
                better(self.in_manner(Manner::ByActivity, rest, &self.stop), first)
            }
            _ => first,
        }
    }

    /// A search along paths, and where that takes long a second one beside it, whose solver decides by activity. The first that has an
    /// answer ends the other.
    ///
    /// ```text
    /// along paths ── 10 s, or gives up ─────────────┐
    ///                └► by activity ────────────────┴─► the first answer
    /// ```
    ///
    /// Which manner is the better one differs from program to program, and nothing tells it beforehand: the guides of the one lead astray,
    /// or a check of its takes minutes, where the other goes straight. So they do not share what they inline.
    fn in_two_manners(&self, budget: Budget) -> Answered {
        // In one of them a single check may take all the time there is.
        let budget = Budget {
            along_executions: true,
            ..budget
        };
        let (first_stop, second_stop) = (self.stop.child(), self.stop.child());
        let (first_stop, second_stop) = (&first_stop, &second_stop);
        // Who is told nothing begins after a while; who is told that there is nothing to do any more, never.
        let (gave_up, begin) = std::sync::mpsc::channel::<()>();
        let alone = HEAD_START.min(budget.time() / 4);
        let second = move || {
            if begin.recv_timeout(alone) == Err(RecvTimeoutError::Disconnected) {
                return None;
            }
            let found = self.in_manner(Manner::ByActivity, budget, second_stop);
            if found.0.says_something() {
                first_stop.set();
            }
            Some(found)
        };
        let (first, second) = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            let second = thread.spawn_scoped(scope, second);
            let first = self.in_manner(Manner::AlongPaths, budget, first_stop);
            if first.0.says_something() {
                second_stop.set();
            } else if !self.stop.is_set() && !budget.time().is_zero() {
                // Nobody listens where it has begun.
                let _ = gave_up.send(());
            }
            drop(gave_up);
            // A thread that there is none of, or that ended in an accident, found nothing.
            let second = second.ok().and_then(|second| second.join().ok());
            (first, second.flatten())
        });
        match second {
            Some(second) => better(first, second),
            None => first,
        }
    }

    /// One search with a solver of that manner, which `stop` ends.
    fn in_manner(&self, manner: Manner, budget: Budget, stop: &Interrupt) -> Answered {
        let mut earlier = SearchStats::default();
        let mut solver = match self.pool.take(self.entry.prepared, manner) {
            Ok(solver) => solver,
            Err(failure) => return (SearchAnswer::Unknown(failure), earlier),
        };
        let has_longer = budget.work.is_none_or(|work| work > STALE);
        if solver.is_used() && has_longer && Instant::now() + STALE < budget.deadline {
            let soon = budget.for_a_try(STALE);
            solver.smt().stop_by(stop.clone());
            let (answer, stats) = search(self.entry, &mut solver, soon, self.large());
            if !answer.gave_up() {
                return given_back(self.pool, solver, (answer, stats));
            }
            earlier = stats;
            solver = match self.pool.fresh(self.entry.prepared, manner) {
                Ok(solver) => solver,
                Err(failure) => return (SearchAnswer::Unknown(failure), earlier),
            };
        }
        solver.smt().stop_by(stop.clone());
        let rest = budget.without(earlier.worked);
        let (answer, stats) = search(self.entry, &mut solver, rest, self.large());
        earlier.then(stats);
        given_back(self.pool, solver, (answer, earlier))
    }
}

/// The answer that says more of two searches for the same, with what both cost.
fn better(one: Answered, other: Answered) -> Answered {
    let ((answer, stats), (_, mut all)) = match one.0.weight() >= other.0.weight() {
        true => (one, other),
        false => (other, one),
    };
    all.then(stats);
    (answer, all)
}

/// An answer, with its solver for later questions.
fn given_back(pool: &Pool, solver: Solver, (answer, stats): Answered) -> Answered {
    // A solver that said something odd is not trusted with another question.
    if !matches!(
        answer,
        SearchAnswer::Unknown(SolverFailure::NotUnderstood(_))
    ) {
        pool.give(solver);
    }
    (answer, stats)
}
