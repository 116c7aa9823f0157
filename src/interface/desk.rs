//! Putting questions to an engine, and keeping count.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::engine::{Entry, Program, Reason, Session, Trace, Verdict};
use crate::epa::Disagreement;
use crate::epa::ask::{Answer, unknown};
use crate::epa::model::QueryCounts;
use crate::epa::replay::Replayed;
use crate::events;

/// Puts questions to an engine's session, checks what it says and counts it.
pub(super) struct Desk<'a> {
    session: &'a dyn Session,
    program: Program,
    counts: Mutex<BTreeMap<String, QueryCounts>>,
    /// What an engine said when it refused a question as no legal Boogie.
    rejected: OnceLock<String>,
    disagreements: Mutex<Vec<Disagreement>>,
}

/// A question as it is put.
pub(super) struct Asked<'q> {
    /// Its kind, for the counts.
    pub kind: &'q str,
    /// The question as a sentence.
    pub sentence: String,
    /// Its text.
    pub entry: Result<&'q Entry, &'q askama::Error>,
}

impl<'a> Desk<'a> {
    /// For one program and one session.
    pub(super) fn new(program: Program, session: &'a dyn Session) -> Self {
        Desk {
            session,
            program,
            counts: Mutex::new(BTreeMap::new()),
            rejected: OnceLock::new(),
            disagreements: Mutex::default(),
        }
    }

    /// Puts a question. A "reached" is replayed where it can be, and not believed if the replay contradicts it.
    pub(super) fn ask(&self, asked: &Asked<'_>, replay: impl FnOnce(&Trace) -> Replayed) -> Answer {
        let verdict = match asked.entry {
            Ok(entry) => self.check(asked, entry, events::ask(self.session, entry), replay),
            Err(error) => unknown(Reason::Rejected, error.to_string()),
        };
        self.count(asked.kind, &verdict);
        match verdict {
            Verdict::Reached(trace) => Answer::Yes(trace),
            Verdict::Unreachable => Answer::No,
            Verdict::BoundHit { bound } => {
                Answer::Unknown(format!("bound-hit: the recursion bound of {bound} was hit"))
            }
            Verdict::Unknown(unknown) => {
                if unknown.reason == Reason::Rejected {
                    let _ = self
                        .rejected
                        .set(format!("{}: {}", asked.kind, unknown.detail));
                }
                Answer::Unknown(unknown.words())
            }
        }
    }

    fn check(
        &self,
        asked: &Asked<'_>,
        entry: &Entry,
        verdict: Verdict,
        replay: impl FnOnce(&Trace) -> Replayed,
    ) -> Verdict {
        match &verdict {
            Verdict::Reached(trace) => match replay(trace) {
                Replayed::Contradicted(how) => {
                    let claim =
                        format!("the engine says yes, but its witness does not replay: {how}");
                    self.disagree(asked, entry, &claim);
                    unknown(Reason::NotReplayed, how)
                }
                Replayed::Confirmed | Replayed::NotRun => verdict,
            },
            Verdict::Unknown(doubt) if doubt.reason == Reason::Disagreement => {
                self.disagree(asked, entry, &doubt.detail);
                verdict
            }
            _ => verdict,
        }
    }

    fn disagree(&self, asked: &Asked<'_>, entry: &Entry, claim: &str) {
        lock(&self.disagreements).push(Disagreement {
            message: format!("{} {claim}", asked.sentence),
            name: entry.name.clone(),
            text: self.program.with(entry),
        });
    }

    /// The answers that a replay or another engine contradicted, in the order of their names.
    pub(super) fn disagreements(&self) -> Vec<Disagreement> {
        let mut found = lock(&self.disagreements).clone();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn count(&self, kind: &str, verdict: &Verdict) {
        let mut counts = lock(&self.counts);
        let counts = counts.entry(kind.to_string()).or_default();
        counts.total += 1;
        match verdict {
            Verdict::Reached(_) => counts.reached += 1,
            Verdict::Unreachable => counts.unreachable += 1,
            Verdict::BoundHit { .. } => counts.bound_hit += 1,
            Verdict::Unknown(_) => counts.unknown += 1,
        }
    }

    /// What the engine said if it refused a question: an error of ours, so that asking on would tell nothing.
    pub(super) fn rejected(&self) -> Option<&str> {
        self.rejected.get().map(String::as_str)
    }

    /// The questions asked so far, by kind.
    pub(super) fn counts(&self) -> BTreeMap<String, QueryCounts> {
        lock(&self.counts).clone()
    }
}

/// The data behind a lock. A worker that panicked leaves it whole: every change is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
