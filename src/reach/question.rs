//! A question from beginning to end: the bounded search, and the unbounded one where its bound is hit or it takes long.

use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::bounded::BoundedSearch;
use super::error::ReachError;
use super::graph::ProcId;
use super::horn::HornAnswer;
use super::lower::ProcedureMode;
use super::program::{Prepared, PreparedEntry};
use super::search::invariants::{self, LoopFacts, NotKnown};
use super::search::{Budget, Models, SearchAnswer, SearchStats, Sizes};
use super::smt::{Check, Config, SolverFailure};
use super::solver::{Manner, Pool};
use super::term::Template;
use crate::boogie::typed::{ProcedureId, TypedProcedure};
use crate::internal::Internal;
use crate::process::Interrupt;
use crate::time::by_the_clock;

/// How long a deeper bound is tried beside the proof: in processor time, as all that is only tried. A loop that is left after a
/// fixed number of rounds is run through sooner than its invariant is found.
const RUN: Duration = Duration::from_millis(400);

/// How long the bounded search goes on alone: most answers come sooner.
const ALONE: Duration = Duration::from_millis(100);

/// How long it goes on until the proof of Horn clauses begins, which is a process of its own.
const PATIENCE: Duration = Duration::from_millis(300);

/// How long a contradiction is looked for among axioms that have nothing to do with the question.
const REFUTE: Duration = Duration::from_secs(1);

/// How long invariants of loops are looked for, for one question: so much processor time.
const INVARIANTS: Duration = Duration::from_secs(3);

/// How long somebody else is left alone who looks for them.
const AGAIN: Duration = Duration::from_millis(2);

/// How large the stack is on which formulas are read.
pub(super) const STACK: usize = 8 << 20;

/// How long an answer is looked for before it is looked for among fewer models.
const SOON: Duration = Duration::from_secs(3);

/// How long it is looked for there.
const FEWER: Duration = Duration::from_secs(5);

/// How a question is to be answered.
#[derive(Clone, Copy, Debug)]
pub struct ReachOptions {
    /// How often one procedure may recur on a stack.
    pub bound: u32,
    /// How long a chain of calls may be; none for no limit.
    pub stack_depth: Option<u32>,
    /// Wall-clock time for the bounded search.
    pub timeout: Duration,
    /// The solver's processor time for it, where it is only tried.
    pub work: Option<Duration>,
    /// Is the unbounded search tried, where the bound is hit or the bounded search takes long?
    pub unbounded: bool,
    /// How much processor time the unbounded search may use, and how long a higher bound is tried where there is a hint.
    pub unbounded_timeout: Duration,
    /// What is asked of the entry.
    pub mode: ProcedureMode,
    /// Are the solver's own figures wanted?
    pub figures: bool,
    /// Does whoever asks run what is found, so that an execution will do that need not be one
    /// ([`SearchAnswer::Presumed`])?
    pub presume: bool,
    /// Are executions looked for first whose maps have a simple shape, where something is said of all keys of maps?
    pub shapes: bool,
}

impl Default for ReachOptions {
    /// Corral's bound of 1, and the unbounded search where that is hit, with a minute each.
    fn default() -> Self {
        ReachOptions {
            bound: 1,
            stack_depth: None,
            timeout: Duration::from_secs(60),
            work: None,
            unbounded: true,
            unbounded_timeout: Duration::from_secs(60),
            mode: ProcedureMode::Entry,
            figures: false,
            presume: false,
            shapes: true,
        }
    }
}

/// Answers whether the procedure that the program was prepared for can fail (or return, by the mode), at any of the types
/// that it may be called with.
///
/// # Examples
/// ```
/// use tranquera::engine::Tool;
/// use tranquera::reach::{program::Prepared, question, search::SearchAnswer, smt::Config, solver::Pool};
///
/// let text = "procedure Main(n: int) { var i: int; i := 0; while (i < n) { i := i + 2; } assert i != 8; }";
/// let program = tranquera::boogie::check(&tranquera::boogie::parse(text)?)?;
/// let main = program.procedure("Main");
/// let prepared = Prepared::with_main(program, main)?;
/// let pool = Pool::new(Config::new(Tool::Z3.locate("reach", None)?.path));
/// let (answer, _) = question::ask_main(&prepared, &pool, &question::ReachOptions::default());
/// let SearchAnswer::Reached(execution) = answer else { panic!("{answer:?}") };
/// assert!(execution.failure.is_some(), "the assertion fails, after four rounds");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ask_main(
    prepared: &Prepared,
    pool: &Pool,
    options: &ReachOptions,
) -> (SearchAnswer, SearchStats) {
    let mut result = (SearchAnswer::Unreachable, SearchStats::default());
    let end = Instant::now() + options.timeout;
    for main in &prepared.mains {
        let options = ReachOptions {
            timeout: end.saturating_duration_since(Instant::now()),
            work: options
                .work
                .map(|work| work.saturating_sub(result.1.worked)),
            ..*options
        };
        let (answer, stats) = ask(prepared, pool, &[], *main, &options);
        result.1.and(stats);
        match answer {
            SearchAnswer::Reached(_) => return (answer, result.1),
            SearchAnswer::Unreachable => {}
            // What is not known weighs more than a bound that was hit, and an execution more than that.
            SearchAnswer::BoundHit(_) if !matches!(result.0, SearchAnswer::Unreachable) => {}
            _ if matches!(result.0, SearchAnswer::Presumed(_)) => {}
            answer => result.0 = answer,
        }
    }
    result
}

/// As [`ask_main`]; where that finds no answer soon, an execution is looked for among fewer models, too. The answer comes
/// with the program that its execution is one of.
pub fn ask_twice(
    prepared: Prepared,
    pool: &Pool,
    options: &ReachOptions,
) -> (Prepared, SearchAnswer, SearchStats) {
    let begin = Instant::now();
    let free = match prepared.free_types() {
        Ok(Some(free)) => free,
        Ok(None) => {
            let (answer, stats) = ask_main(&prepared, pool, options);
            return (prepared, answer, stats);
        }
        Err(bug) => return (prepared, SearchAnswer::Broken(bug), SearchStats::default()),
    };
    let soon = ReachOptions {
        timeout: options.timeout.min(SOON),
        ..*options
    };
    let (mut answer, mut stats) = ask_main(&prepared, pool, &soon);
    let SearchAnswer::Unknown(failure) = &answer else {
        return (prepared, answer, stats);
    };
    // The rest of the time is for the question itself.
    let rest = options.timeout.saturating_sub(begin.elapsed());
    let other = ReachOptions {
        timeout: FEWER.min(rest / 3),
        unbounded: false,
        ..*options
    };
    match prepared.with_free_types(free) {
        Ok(free) => {
            let (found, more) = ask_main(&free, &Pool::new(pool.config().clone()), &other);
            if matches!(found, SearchAnswer::Reached(_) | SearchAnswer::Broken(_)) {
                stats.then(more);
                return (free, found, stats);
            }
            stats.checks += more.checks;
        }
        Err(ReachError::Internal(bug)) => return (prepared, SearchAnswer::Broken(bug), stats),
        Err(ReachError::Unsupported(_)) => {}
    }
    let rest = options.timeout.saturating_sub(begin.elapsed());
    if matches!(failure, SolverFailure::Timeout) && !rest.is_zero() {
        let rest = ReachOptions {
            timeout: rest,
            ..*options
        };
        let (last, more) = ask_main(&prepared, pool, &rest);
        stats.then(more);
        answer = last;
    }
    (prepared, answer, stats)
}

/// Answers whether the entry `main`, of the program or of the procedures `added` to it, can fail (or return, by the
/// mode).
pub fn ask(
    prepared: &Prepared,
    pool: &Pool,
    added: &[TypedProcedure],
    main: ProcedureId,
    options: &ReachOptions,
) -> (SearchAnswer, SearchStats) {
    match answered(prepared, pool, added, main, options) {
        // Nothing at all happens in a world whose axioms contradict each other.
        (SearchAnswer::Reached(_) | SearchAnswer::Presumed(_), stats)
            if contradiction(prepared, pool) =>
        {
            (SearchAnswer::Unreachable, stats)
        }
        answer => answer,
    }
}

/// Can the axioms that were kept apart be refuted, within a short time? No more is asked of them: they have nothing to do
/// with the execution that was found, and that there are values for which they hold is what axioms are for.
fn contradiction(prepared: &Prepared, pool: &Pool) -> bool {
    let axioms = prepared.symbols().apart.join("\n");
    if axioms.is_empty() {
        return false;
    }
    *prepared.contradiction.get_or_init(|| {
        let Ok(mut solver) = pool.take(prepared, Manner::Usual) else {
            return false;
        };
        let mark = solver.push();
        solver.smt().say(&axioms);
        solver.smt().work_for(Some(REFUTE));
        let found = solver
            .smt()
            .check(&[], Instant::now() + by_the_clock(REFUTE));
        solver.smt().work_for(None);
        solver.pop(mark);
        let refuted = matches!(found, Ok(Check::Unsat));
        pool.give(solver);
        refuted
    })
}

fn answered(
    prepared: &Prepared,
    pool: &Pool,
    added: &[TypedProcedure],
    main: ProcedureId,
    options: &ReachOptions,
) -> (SearchAnswer, SearchStats) {
    let entry = match prepared.entry(added, main, options.mode) {
        Ok(entry) => entry,
        Err(error) => return (error.into(), SearchStats::default()),
    };
    let budget = Budget {
        stack_depth: options.stack_depth,
        work: options.work,
        figures: options.figures,
        ..Budget::until(options.bound, Instant::now() + options.timeout)
    };
    let within_bound = |stop| match BoundedSearch::new(&entry, pool, stop) {
        Ok(search) => search.answer_in_tries(budget, options),
        Err(error) => (error.into(), SearchStats::default()),
    };
    match options.unbounded {
        true => with_proof(&entry, pool, options, within_bound),
        false => within_bound(pool.config().stop.clone()),
    }
}

/// The answer of the bounded search, and where it takes long or hits its bound, that of a proof for every number of iterations, which
/// is looked for beside it. The first that is found ends the other.
///
/// ```text
/// bounded search ─ 0.1 s ──────────────────────── bound hit ── a higher bound ──┐
///                    └► invariants of loops, then from 0.3 s on Horn clauses ────┴─► the first answer
/// ```
///
/// Who looks for what a loop of the program keeps does so to the end, for half a second at most.
fn with_proof(
    entry: &PreparedEntry<'_>,
    pool: &Pool,
    options: &ReachOptions,
    within_bound: impl FnOnce(Interrupt) -> (SearchAnswer, SearchStats),
) -> (SearchAnswer, SearchStats) {
    let stop = &pool.config().stop;
    let (proved, run_found) = (stop.child(), stop.child());
    let config = Config {
        stop: run_found.clone(),
        ..pool.config().clone()
    };
    // Who is told nothing begins after a while; who is told that there is nothing to say any more, never.
    let (bound_hit, begin) = std::sync::mpsc::channel::<()>();
    let (config, proof_found) = (&config, &proved);
    let look_for_proof = move || {
        let begun = Instant::now();
        let first = begin.recv_timeout(ALONE);
        if first == Err(RecvTimeoutError::Disconnected) {
            return Ok(HornAnswer::Unknown);
        }
        let work = options.unbounded_timeout;
        let time = by_the_clock(work).min(options.timeout.max(work));
        let at_last = begun + by_the_clock(INVARIANTS).min(options.timeout.max(INVARIANTS));
        match by_invariants(entry, pool, at_last, &config.stop) {
            Ok(true) => {
                proof_found.set();
                return Ok(HornAnswer::Unreachable);
            }
            Ok(false) => {}
            Err(bug) => return Ok(HornAnswer::Broken(bug)),
        }
        let rest = PATIENCE.saturating_sub(begun.elapsed());
        if first.is_err() && begin.recv_timeout(rest) == Err(RecvTimeoutError::Disconnected) {
            return Ok(HornAnswer::Unknown);
        }
        let outcome = super::horn::solve(entry, config, work, Instant::now() + time);
        if matches!(outcome, Ok(HornAnswer::Unreachable)) {
            proof_found.set();
        }
        outcome
    };
    let ((answer, mut stats), outcome) = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let proof = thread.spawn_scoped(scope, look_for_proof);
        let (mut answer, mut stats) = within_bound(proved.clone());
        if matches!(answer, SearchAnswer::BoundHit(_)) {
            // Nobody listens where the proof has begun.
            let _ = bound_hit.send(());
            let deadline = Instant::now() + options.unbounded_timeout;
            let soon = deeper_budget(options.bound, deadline).for_a_try(RUN);
            answer = deeper(entry, pool, soon, proved.clone(), &mut stats).unwrap_or(answer);
        }
        if !matches!(answer, SearchAnswer::BoundHit(_)) {
            run_found.set();
        }
        drop(bound_hit);
        // A thread that there is none of, or that ended in an accident, proved nothing.
        let outcome = proof.map(|proof| proof.join().unwrap_or(Ok(HornAnswer::Unknown)));
        let outcome = outcome.unwrap_or(Ok(HornAnswer::Unknown));
        ((answer, stats), outcome)
    });
    match (answer, outcome) {
        (
            SearchAnswer::BoundHit(_) | SearchAnswer::Unknown(_) | SearchAnswer::Presumed(_),
            Ok(HornAnswer::Unreachable),
        ) => (SearchAnswer::Unreachable, stats),
        (SearchAnswer::BoundHit(_) | SearchAnswer::Unknown(_), Ok(HornAnswer::Broken(bug))) => {
            (SearchAnswer::Broken(bug), stats)
        }
        // A derivation is believed once the bounded search has found it, with its trace.
        (answer @ SearchAnswer::BoundHit(_), Ok(HornAnswer::Reachable)) => {
            let later = Instant::now() + options.unbounded_timeout / 2;
            let budget = deeper_budget(options.bound, later);
            let found = deeper(entry, pool, budget, stop.clone(), &mut stats);
            (found.unwrap_or(answer), stats)
        }
        (answer, _) => (answer, stats),
    }
}

/// Whether invariants of loops show that the entry's end is not reached. What takes too long, or fails, shows nothing.
fn by_invariants(
    entry: &PreparedEntry<'_>,
    pool: &Pool,
    deadline: Instant,
    stop: &Interrupt,
) -> Result<bool, Internal> {
    let nothing = |error: ReachError| match error {
        ReachError::Internal(bug) => Err(bug),
        ReachError::Unsupported(_) => Ok(Vec::new()),
    };
    if !matches!(Sizes::too_large(entry), Ok(None)) {
        return Ok(false);
    }
    let loops = invariants::loops_of(entry).or_else(nothing)?;
    let mut budget = Budget {
        models: Models::Instances,
        ..deeper_budget(1, deadline).for_a_try(INVARIANTS)
    };
    let mut known = LoopFacts::new();
    for number in loops {
        let Some(facts) = kept_by((entry, number), &known, pool, (&mut budget, stop))? else {
            return Ok(false);
        };
        known.insert(number, facts);
    }
    if known.values().all(|facts| facts.is_empty()) {
        return Ok(false);
    }
    let Ok(mut solver) = pool.take(entry.prepared, Manner::Usual) else {
        return Ok(false);
    };
    solver.smt().stop_by(stop.clone());
    match invariants::is_proved(entry, &known, &mut solver, budget) {
        Ok(proved) => {
            pool.give(solver);
            Ok(proved)
        }
        Err(NotKnown::Solver(_)) => Ok(false),
        Err(NotKnown::Internal(bug)) => Err(bug),
    }
}

/// What a loop keeps; none where that was stopped, or there is no time left for it. Of the program's loops it is found once, and who
/// asks meanwhile waits for it; of the entry's own, for each entry.
fn kept_by(
    (entry, number): (&PreparedEntry<'_>, ProcId),
    known: &LoopFacts,
    pool: &Pool,
    (budget, stop): (&mut Budget, &Interrupt),
) -> Result<Option<Arc<Vec<Template>>>, Internal> {
    let Prepared {
        loop_facts,
        looks_for_facts,
        ..
    } = entry.prepared;
    let all = || loop_facts.lock().unwrap_or_else(PoisonError::into_inner);
    let found = || all().get(&number).cloned();
    // With less than it may take it is not begun: what is found then would be what all later questions know.
    let left = *budget;
    let is_over = || stop.is_set() || left.time() < invariants::FIND;
    let of_program = entry.is_of_program(number);
    let mut looking = None;
    while of_program && looking.is_none() {
        if let Some(found) = found() {
            return Ok(Some(found));
        }
        if is_over() {
            return Ok(None);
        }
        looking = looks_for_facts.try_lock().ok();
        if looking.is_none() {
            std::thread::sleep(AGAIN);
        }
    }
    // It may have been found between the one look and the other.
    if let Some(found) = found().filter(|_| of_program) {
        return Ok(Some(found));
    }
    if is_over() {
        return Ok(None);
    }
    // What other questions did to a solver is not to decide what all later ones know.
    let Ok(mut solver) = pool.fresh(entry.prepared, Manner::Usual) else {
        return Ok(None);
    };
    // What others will ask for is found, whatever becomes of this question.
    let until = if of_program {
        &pool.config().stop
    } else {
        stop
    };
    solver.smt().stop_by(until.clone());
    let before = solver.smt().worked();
    let kept = invariants::kept((entry, number), known, &mut solver, *budget);
    let worked = solver.smt().worked().saturating_sub(before);
    *budget = budget.without(worked);
    let kept = match kept {
        Ok(found) => Arc::new(found),
        Err(NotKnown::Solver(_)) => return Ok(None),
        Err(NotKnown::Internal(bug)) => return Err(bug),
    };
    pool.give(solver);
    // What was cut short is not what there is.
    if until.is_set() || Instant::now() >= left.deadline {
        return Ok(None);
    }
    if of_program {
        all().insert(number, kept.clone());
    }
    Ok(Some(kept))
}

/// What a search with a higher bound may use up.
fn deeper_budget(bound: u32, deadline: Instant) -> Budget {
    Budget::until(bound.saturating_mul(16).max(64), deadline)
}

/// A definite answer with a higher bound, or none. A mistake of ours is told.
fn deeper(
    entry: &PreparedEntry<'_>,
    pool: &Pool,
    budget: Budget,
    stop: Interrupt,
    stats: &mut SearchStats,
) -> Option<SearchAnswer> {
    let (answer, more) = match BoundedSearch::new(entry, pool, stop) {
        Ok(search) => search.answer(budget),
        Err(error) => (error.into(), SearchStats::default()),
    };
    stats.then(more);
    match answer {
        SearchAnswer::Reached(_) | SearchAnswer::Unreachable | SearchAnswer::Broken(_) => {
            Some(answer)
        }
        SearchAnswer::Presumed(_)
        | SearchAnswer::BoundHit(_)
        | SearchAnswer::Unknown(_)
        | SearchAnswer::Unsupported(_) => None,
    }
}
