//! What the library says while it works, as `tracing` events: every question when it is put and when it is answered, and
//! the states as they are found. Whoever wants to hear it subscribes.
//!
//! | event | level | fields |
//! |---|---|---|
//! | a question is put | trace | `asking`: its name |
//! | a question is answered | debug | `question`: its name; `verdict`: `reached`, `presumed`, `unreachable`, `bound-hit`, `unknown`; `ms` |
//! | what was `presumed` is none | debug | `question`; `why` |
//! | a call was tried without an engine | debug | `tried`: the call; `runs`: how often; `ended`: how many of them came to an end; `shown`: how many of these showed anything new; `ms` |
//! | states are found | info | `states`: how many by now |
//! | a class of a survey has ended | info | `surveyed`: how many by now; `of`: how many there are |
//! | the built-in engine went through a large program, all executions at once | info | `is_unreachable`: whether that is a proof; `given_up`: what there is too much of, if so; `summaries`: of how many procedures it says something to the search; `contexts`, `commands`, `ms` |
//! | the built-in engine asked its solver | trace | `check`: `Over`, `Under` or `Confirm`, or `Formula` where there is no program; `inlined`, `open`, `assumed`, `bytes`, `said`, `ms` |

use std::time::{Duration, Instant};

use crate::engine::Session;
use crate::query::{EntryProcedure, Verdict};
use crate::reach::simulate::Simulated;
use crate::time::{millis, millis_since};

/// Puts a question, and says so.
pub(crate) fn ask(session: &dyn Session, entry: &EntryProcedure) -> Verdict {
    put(entry, || session.ask(entry))
}

/// Puts a question to whose answer an execution belongs that will be run, and says so.
pub(crate) fn presume(session: &dyn Session, entry: &EntryProcedure) -> Verdict {
    put(entry, || session.presume(entry))
}

fn put(entry: &EntryProcedure, ask: impl FnOnce() -> Verdict) -> Verdict {
    tracing::trace!(asking = %entry.name);
    let start = Instant::now();
    let verdict = ask();
    let ms = millis_since(start);
    tracing::debug!(question = %entry.name, verdict = %word(&verdict), ms);
    verdict
}

/// Says that an execution that was presumed does not do what it should when it is run, and why.
pub(crate) fn presumed_wrongly(question: &str, why: &str) {
    tracing::debug!(question, why, "a presumed execution is none");
}

/// How a call was tried by running it.
#[derive(Default)]
pub(crate) struct Tried {
    /// How often.
    pub runs: usize,
    /// How many of these runs came to an end.
    pub ended: usize,
    /// How many of those showed anything new.
    pub shown: usize,
}

/// Says how a call was tried.
pub(crate) fn tried(call: &str, tried: &Tried, start: Instant) {
    let ms = millis_since(start);
    let Tried { runs, ended, shown } = *tried;
    tracing::debug!(tried = call, runs, ended, shown, ms);
}

/// Says how many states are found by now.
pub(crate) fn states(found: usize) {
    tracing::info!(states = found as u64, "states found");
}

/// Says how many classes of a survey have ended by now.
pub(crate) fn surveyed(ended: usize, of: usize) {
    tracing::info!(surveyed = ended as u64, of = of as u64, "classes examined");
}

/// A check of the built-in engine's solver.
pub(crate) struct Checked<'a> {
    /// What it is for.
    pub aim: &'a str,
    /// How many procedures are inlined.
    pub inlined: usize,
    /// How many calls are not.
    pub open: usize,
    /// How many assumptions there are.
    pub assumed: usize,
    /// How much text the solver was given.
    pub bytes: usize,
    /// The answer.
    pub said: &'a str,
    /// How long it took.
    pub time: Duration,
}

/// Says what a check was and took.
pub(crate) fn check(checked: &Checked<'_>) {
    let ms = millis(checked.time);
    tracing::trace!(
        check = checked.aim,
        inlined = checked.inlined,
        open = checked.open,
        assumed = checked.assumed,
        bytes = checked.bytes,
        said = checked.said,
        ms
    );
}

/// Says what came of going through a program, all executions at once.
pub(crate) fn simulated(simulated: &Simulated, start: Instant) {
    let ms = millis_since(start);
    let Simulated {
        is_unreachable,
        summaries,
        given_up,
        contexts,
        commands,
    } = simulated;
    let summaries = summaries.len();
    tracing::info!(
        is_unreachable,
        given_up = given_up.map(|why| format!("{why:?}")),
        summaries,
        contexts,
        commands,
        ms,
        "simulated"
    );
}

/// Says what executions on concrete values came to: how many were tried, whether the last one fails, and how many calls it makes.
pub(crate) fn executed(tried: usize, fails: bool, calls: usize, time: Duration) {
    let ms = millis(time);
    tracing::trace!(executions = tried, fails, calls, ms);
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Reached(_) => "reached",
        Verdict::Presumed(_) => "presumed",
        Verdict::Unreachable => "unreachable",
        Verdict::BoundHit { .. } => "bound-hit",
        Verdict::Unknown(_) => "unknown",
    }
}
