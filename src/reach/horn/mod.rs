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

use std::time::Instant;

use super::error::{ReachError, Result};
use super::flat::flatten;
use super::program::PreparedEntry;
use super::smt::{Check, Config, Smt, SolverFailure};
use crate::internal::Internal;
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

/// Asks whether the end of the entry can be reached at all.
///
/// # Errors
///
/// The solver fails.
pub fn solve(
    entry: &PreparedEntry<'_>,
    config: &Config,
    deadline: Instant,
) -> Result<HornAnswer, SolverFailure> {
    let clauses = match clauses(entry) {
        Ok(clauses) => clauses,
        Err(ReachError::Unsupported(_)) => return Ok(HornAnswer::Unknown),
        Err(ReachError::Internal(bug)) => return Ok(HornAnswer::Broken(bug)),
    };
    let mut smt = Smt::start(config).map_err(|e| SolverFailure::Died(e.to_string()))?;
    smt.say(&clauses);
    match smt.check(&[], deadline) {
        Ok(Check::Sat) => Ok(HornAnswer::Unreachable),
        Ok(Check::Unsat) => Ok(HornAnswer::Reachable),
        Ok(Check::Unknown(_)) | Err(SolverFailure::Timeout) => Ok(HornAnswer::Unknown),
        Err(failure) => Err(failure),
    }
}

/// The clauses, as SMT-LIB commands.
///
/// # Errors
///
/// A construct that the engine cannot do, or a program that is too large.
pub fn clauses(entry: &PreparedEntry<'_>) -> Result<String> {
    let mut writer = HornWriter::new(entry);
    let root = flatten(entry, entry.whole_root()?)?;
    writer.procedure(root, None)?;
    while let Some((number, summary)) = writer.waiting.pop() {
        let proc = flatten(entry, entry.whole_proc(number)?)?;
        writer.procedure(proc, Some((number, summary)))?;
    }
    Ok(writer.text())
}
