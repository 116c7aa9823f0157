//! Why a run gives no verdict.

use std::os::unix::process::ExitStatusExt;

use crate::process::{Ending, ProcessOutput};
use crate::query::Reason;

/// A doubt: why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::engine) struct EngineDoubt {
    pub reason: Reason,
    pub detail: String,
}

impl EngineDoubt {
    pub(crate) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        EngineDoubt {
            reason,
            detail: detail.into(),
        }
    }
}

/// A verdict counts only from a run that ended as it should: with status 0 (or by our hand, after its last line)
/// and nothing on standard error.
pub(super) fn ended_well(run: &ProcessOutput) -> Result<(), EngineDoubt> {
    if let Some(doubt) = failure(run) {
        return Err(doubt);
    }
    match run.stderr.lines().find(|line| !line.trim().is_empty()) {
        None => Ok(()),
        Some(line) => Err(EngineDoubt::new(
            Reason::NotUnderstood,
            format!("on standard error: {line}"),
        )),
    }
}

/// How a run failed, if its status says so: by a signal, or with an error of its own. Standard error often
/// says more.
pub(in crate::engine) fn failure(run: &ProcessOutput) -> Option<EngineDoubt> {
    let Ending::Exited(status) = run.ending else {
        return None;
    };
    if status.success() {
        return None;
    }
    let first = run
        .stderr
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let reason = failure_reason(&run.stderr);
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by signal {signal}"),
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => status.to_string(),
    };
    let separator = if first.is_empty() { "" } else { ": " };
    let first: String = first.chars().take(300).collect();
    Some(EngineDoubt::new(reason, format!("{how}{separator}{first}")))
}

/// What an unhandled exception was about.
fn failure_reason(stderr: &str) -> Reason {
    let about = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if about(&["Cannot find prover", "Cannot find specified prover"]) {
        Reason::ProverMissing
    } else if about(&["out of memory", "OutOfMemoryException", "Out of memory"]) {
        Reason::Memory
    } else if about(&["Error: unknown switch"]) {
        Reason::Rejected
    } else {
        Reason::Crash
    }
}
