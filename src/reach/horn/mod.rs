//! The unbounded search: the program as Horn clauses, for Z3's Spacer.
//!
//! The entry is flattened (what it calls is copied into it, all but recursive procedures). There is a predicate for every
//! loop's head, before and behind every recursive call, and for the summary of every recursive procedure: "the
//! execution may come here with these values". Between two such points the graph has no cycle, and is said by its
//! verification condition as everywhere else. If the clauses have a solution, no execution of any length reaches the
//! entry's end.
//!
//! What Spacer cannot do (quantifiers, functions without a definition) is left out of the clauses. That allows more
//! executions, so a solution is a proof all the same; a derivation is only a hint, to be confirmed by an execution.

mod shared;
mod writer;

use std::time::{Duration, Instant};

use super::error::{ReachError, Result};
use super::flat::flatten;
use super::program::PreparedEntry;
use super::smt::{Check, Config, Smt, SolverFailure};
use crate::internal::Internal;
use crate::process::Interrupt;
use writer::HornWriter;

/// What the clauses say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HornAnswer {
    /// The end cannot be reached.
    Unreachable,
    /// There is a derivation of the end.
    Reachable,
    /// Spacer does not know, or the program is too large for it.
    Unknown,
    /// There is a mistake in the engine.
    Broken(Internal),
}

/// Asks whether the end of the entry can be reached at all. `work` is how much processor time the solver has for it.
///
/// # Errors
///
/// The solver fails.
pub fn solve(
    entry: &PreparedEntry<'_>,
    config: &Config,
    work: Duration,
    deadline: Instant,
) -> Result<HornAnswer, SolverFailure> {
    // Whoever does not want it any more need not wait for it to be written.
    let clauses = match clauses(entry, &config.stop) {
        Ok(Some(clauses)) => clauses,
        // The bounded search does the same, and shows the execution.
        Ok(None) => return Ok(HornAnswer::Unknown),
        Err(ReachError::Unsupported(_)) => return Ok(HornAnswer::Unknown),
        Err(ReachError::Internal(bug)) => return Ok(HornAnswer::Broken(bug)),
    };
    let mut smt = Smt::start(config).map_err(|e| SolverFailure::Died(e.to_string()))?;
    smt.say(&clauses);
    smt.work_for(Some(work));
    match smt.check(&[], deadline) {
        Ok(Check::Sat) => Ok(HornAnswer::Unreachable),
        Ok(Check::Unsat) => Ok(HornAnswer::Reachable),
        Ok(Check::Unknown(_)) | Err(SolverFailure::Timeout) => Ok(HornAnswer::Unknown),
        Err(failure) => Err(failure),
    }
}

/// The clauses, as SMT-LIB commands; none where there is no loop and nothing recurs, or where
/// it was stopped.
///
/// # Errors
///
/// A construct that the engine cannot do, or a program that is too large.
pub fn clauses(entry: &PreparedEntry<'_>, stop: &Interrupt) -> Result<Option<String>> {
    let mut writer = HornWriter::new(entry);
    let root = flatten(entry, entry.whole_root()?)?;
    writer.procedure(root, None)?;
    while let Some((number, summary)) = writer.waiting.pop() {
        if stop.is_set() {
            return Ok(None);
        }
        let proc = flatten(entry, entry.whole_proc(number)?)?;
        writer.procedure(proc, Some((number, summary)))?;
    }
    let is_wanted = writer.has_points() && !stop.is_set();
    Ok(is_wanted.then(|| writer.text()))
}
