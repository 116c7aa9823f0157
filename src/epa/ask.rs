//! Asking the engine, and keeping count.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::encode::question::EncodedQuestion;
use crate::encode::{ActionSet, Encoding, Question};
use crate::engine::{Reason, Session, Trace, Unknown, Verdict};

use super::model::QueryCounts;
use super::replay::{Replayed, replay};

/// Puts questions to an engine's session and counts them.
pub struct Asker<'a> {
    encoding: &'a Encoding<'a>,
    session: &'a dyn Session,
    counts: Mutex<BTreeMap<String, QueryCounts>>,
    /// What an engine said when it refused a question as no legal Boogie.
    rejected: OnceLock<String>,
    disagreements: Mutex<Vec<Disagreement>>,
}

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

/// An answer as the construction sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Certainly yes.
    Yes(Trace),
    /// Certainly no.
    No,
    /// Not known, and why: a sentence for a person.
    Unknown(String),
}

impl<'a> Asker<'a> {
    /// For one class and one session.
    pub fn new(encoding: &'a Encoding<'a>, session: &'a dyn Session) -> Self {
        Asker {
            encoding,
            session,
            counts: Mutex::new(BTreeMap::new()),
            rejected: OnceLock::new(),
            disagreements: Mutex::default(),
        }
    }

    /// Puts a question. A "reached" is replayed where it can be, and not believed if the replay contradicts it.
    pub fn ask(&self, question: &Question) -> Answer {
        let verdict = match self.encoding.question(question) {
            Ok(encoded) => self.check(question, &encoded, self.session.ask(&encoded.entry)),
            Err(error) => unknown(Reason::Rejected, error.to_string()),
        };
        self.count(question.kind(), &verdict);
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
                        .set(format!("{}: {}", question.kind(), unknown.detail));
                }
                Answer::Unknown(unknown.words())
            }
        }
    }

    fn check(&self, question: &Question, encoded: &EncodedQuestion, verdict: Verdict) -> Verdict {
        match &verdict {
            Verdict::Reached(trace) => match replay(self.encoding, question, encoded, trace) {
                Replayed::Contradicted(how) => {
                    let claim =
                        format!("the engine says yes, but its witness does not replay: {how}");
                    self.disagree(question, encoded, &claim);
                    unknown(Reason::NotReplayed, how)
                }
                Replayed::Confirmed | Replayed::NotRun => verdict,
            },
            Verdict::Unknown(doubt) if doubt.reason == Reason::Disagreement => {
                self.disagree(question, encoded, &doubt.detail);
                verdict
            }
            _ => verdict,
        }
    }

    fn disagree(&self, question: &Question, encoded: &EncodedQuestion, claim: &str) {
        lock(&self.disagreements).push(Disagreement {
            message: format!("{} {claim}", self.encoding.sentence(question)),
            name: encoded.entry.name.clone(),
            text: self.encoding.program().with(&encoded.entry),
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
    pub fn rejected(&self) -> Option<&str> {
        self.rejected.get().map(String::as_str)
    }

    /// The questions asked so far, by kind.
    pub fn counts(&self) -> BTreeMap<String, QueryCounts> {
        lock(&self.counts).clone()
    }

    /// Reads the enabled actions off the trace of an "any other" question: its last values are one flag an
    /// action. `None` where the trace does not have them.
    pub fn target_of(&self, trace: &Trace) -> Option<ActionSet> {
        let first = trace
            .values
            .len()
            .checked_sub(self.encoding.actions.len())?;
        let mut target = ActionSet::default();
        for (index, recorded) in trace.values[first..].iter().enumerate() {
            match recorded.value.to_ascii_lowercase().as_str() {
                "true" => target.insert(index),
                "false" => {}
                _ => return None,
            }
        }
        Some(target)
    }
}

/// The data behind a lock. A worker that panicked leaves it whole: every change is a single step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unknown(reason: Reason, detail: String) -> Verdict {
    Verdict::Unknown(Unknown {
        reason,
        detail,
        output: String::new(),
    })
}
