//! Putting questions to an engine, checking what it says, and keeping count: what every construction does with its
//! questions, whatever they are about.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::engine::Session;
use crate::events;
use crate::query::{Entry, Program, Reason, Trace, Unknown, Verdict};

use super::model::QueryCounts;
use super::replay::Replayed;

/// Why an answer is not known where the questions were interrupted.
pub const INTERRUPTED: &str = "interrupted: this was not asked any more";

/// An engine's answer that a replay, or another engine, contradicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// What was asked, what the engine says, and what the replay shows.
    pub message: String,
    /// The name of the question.
    pub name: String,
    /// Its Boogie text.
    pub text: String,
}

/// An answer as the constructions see it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Certainly yes.
    Yes(Trace),
    /// Certainly no.
    No,
    /// Not known, and why: a sentence for a person.
    Unknown(String),
}

impl From<Verdict> for Answer {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Reached(trace) => Answer::Yes(trace),
            Verdict::Unreachable => Answer::No,
            Verdict::BoundHit { bound } => {
                Answer::Unknown(format!("bound-hit: the recursion bound of {bound} was hit"))
            }
            Verdict::Unknown(unknown) => Answer::Unknown(unknown.words()),
        }
    }
}

/// A question as it is put.
pub(crate) struct Asked<'q> {
    /// Its kind, for the counts.
    pub kind: &'q str,
    /// The question as a sentence.
    pub sentence: &'q dyn Fn() -> String,
    /// Its text, or why there is none.
    pub entry: Result<&'q Entry, &'q askama::Error>,
}

/// Puts questions about a program to an engine's session, checks what it says and counts it.
pub(crate) struct Desk<'a> {
    session: &'a dyn Session,
    program: Program,
    counts: Mutex<BTreeMap<String, QueryCounts>>,
    /// What an engine said when it refused a question as no legal Boogie.
    rejected: OnceLock<String>,
    /// Whether a question was interrupted: then no more are put.
    interrupted: AtomicBool,
    disagreements: Mutex<Vec<Disagreement>>,
}

impl<'a> Desk<'a> {
    /// For one program and one session.
    pub fn new(program: Program, session: &'a dyn Session) -> Self {
        Desk {
            session,
            program,
            counts: Mutex::default(),
            rejected: OnceLock::new(),
            interrupted: AtomicBool::new(false),
            disagreements: Mutex::default(),
        }
    }

    /// Puts a question. A "reached" is replayed where it can be, and not believed if the replay contradicts it.
    pub fn ask(&self, asked: &Asked<'_>, replay: impl FnOnce(&Trace) -> Replayed) -> Answer {
        if self.is_interrupted() {
            return Answer::Unknown(INTERRUPTED.into());
        }
        self.verdict(asked, replay).into()
    }

    /// As [`Desk::ask`], with all that the engine says.
    pub fn verdict(&self, asked: &Asked<'_>, replay: impl FnOnce(&Trace) -> Replayed) -> Verdict {
        let verdict = match asked.entry {
            Ok(entry) => self.check(asked, entry, events::ask(self.session, entry), replay),
            Err(error) => unknown(Reason::Rejected, error.to_string()),
        };
        self.count(asked.kind, &verdict);
        if let Verdict::Unknown(why) = &verdict {
            match why.reason {
                Reason::Interrupted => self.interrupted.store(true, Ordering::Relaxed),
                Reason::Rejected => {
                    let said = format!("{}: {}", asked.kind, why.detail);
                    // The first one is enough.
                    let _ = self.rejected.set(said);
                }
                _ => {}
            }
        }
        verdict
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
            message: format!("{} {claim}", (asked.sentence)()),
            name: entry.name.clone(),
            text: self.program.with(entry),
        });
    }

    /// The answers that a replay or another engine contradicted, in the order of their names.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let mut found = lock(&self.disagreements).clone();
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn count(&self, kind: &str, verdict: &Verdict) {
        let mut counts = lock(&self.counts);
        counts.entry(kind.to_string()).or_default().count(verdict);
    }

    /// What the engine said if it refused a question: an error of ours, so that asking on would tell nothing.
    pub fn rejected(&self) -> Option<&str> {
        self.rejected.get().map(String::as_str)
    }

    /// Whether the questions were interrupted: what was not answered by then stays open.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// The questions asked so far, by kind.
    pub fn counts(&self) -> BTreeMap<String, QueryCounts> {
        lock(&self.counts).clone()
    }
}

/// The data behind a lock. A worker that panicked leaves it whole: every change is a single step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An answer that is not known.
fn unknown(reason: Reason, detail: String) -> Verdict {
    Verdict::Unknown(Unknown {
        reason,
        detail,
        output: String::new(),
    })
}
