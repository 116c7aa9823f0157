//! Asking the engine, and keeping count.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::encode::question::EncodedQuestion;
use crate::encode::{ActionSet, Encoding, Probe, Question};
use crate::engine::{Entry, Reason, Session, Trace, Unknown, Verdict};
use crate::events;

use super::model::QueryCounts;
use super::replay::{Replayed, replay};
use super::witness::Witness;

/// Why an answer is not known where the questions were interrupted.
pub const INTERRUPTED: &str = "interrupted: this was not asked any more";

/// Puts questions to an engine's session and counts them.
pub struct Asker<'a> {
    encoding: &'a Encoding<'a>,
    session: &'a dyn Session,
    counts: Mutex<BTreeMap<String, QueryCounts>>,
    /// What an engine said when it refused a question as no legal Boogie.
    rejected: OnceLock<String>,
    /// Whether a question was interrupted: then no more are put.
    interrupted: AtomicBool,
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

/// An answer to a question with conditions of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Probed {
    /// Certainly yes, and how.
    Yes(Witness),
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
            interrupted: AtomicBool::new(false),
            disagreements: Mutex::default(),
        }
    }

    /// Puts a question. A "reached" is replayed where it can be, and not believed if the replay contradicts it.
    pub fn ask(&self, question: &Question) -> Answer {
        if self.is_interrupted() {
            return Answer::Unknown(INTERRUPTED.into());
        }
        let verdict = match self.encoding.question(question) {
            Ok(encoded) => {
                let verdict = self.put(&encoded.entry);
                self.check(question, &encoded, verdict)
            }
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

    fn put(&self, entry: &Entry) -> Verdict {
        let verdict = events::ask(self.session, entry);
        if matches!(&verdict, Verdict::Unknown(why) if why.reason == Reason::Interrupted) {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        verdict
    }

    /// Puts a question with conditions of its own. What is claimed of a call is replayed where it can be: not the
    /// conditions, but that the call ends as the witness says.
    pub fn probe(&self, probe: &Probe) -> Probed {
        if self.is_interrupted() {
            return Probed::Unknown(INTERRUPTED.into());
        }
        let encoded = match self.encoding.probe(probe) {
            Ok(encoded) => encoded,
            Err(error) => {
                let verdict = unknown(Reason::Rejected, error.to_string());
                self.count(probe.kind, &verdict);
                return Probed::Unknown(error.to_string());
            }
        };
        let verdict = self.put(&encoded.entry);
        let (verdict, witness) = match verdict {
            Verdict::Reached(trace) => {
                let witness = Witness::of(self.encoding, probe, &encoded, &trace);
                (self.check_probe(probe, encoded, trace), witness)
            }
            other => (other, None),
        };
        self.count(probe.kind, &verdict);
        match (verdict, witness) {
            (Verdict::Reached(_), Some(witness)) => Probed::Yes(witness),
            (Verdict::Reached(_), None) => Probed::Unknown(
                "not-understood: the trace does not have the values asked for".into(),
            ),
            (Verdict::Unreachable, _) => Probed::No,
            (Verdict::BoundHit { bound }, _) => {
                Probed::Unknown(format!("bound-hit: the recursion bound of {bound} was hit"))
            }
            (Verdict::Unknown(unknown), _) => Probed::Unknown(unknown.words()),
        }
    }

    /// Replays the call of a probe. The values watched are no part of what a replay knows.
    fn check_probe(&self, probe: &Probe, encoded: EncodedQuestion, trace: Trace) -> Verdict {
        let Some(step) = probe
            .step
            .as_ref()
            .filter(|_| probe.made && probe.required && probe.invariant)
        else {
            return Verdict::Reached(trace);
        };
        let mut plain = trace.clone();
        let last = plain.values.len().saturating_sub(probe.watched_after.len());
        plain.values.truncate(last);
        let first = encoded.before.len().min(last);
        let behind = (first + probe.watched_before.len()).min(last);
        plain.values.drain(first..behind);
        match replay(
            self.encoding,
            &Question::Exit(step.clone()),
            &encoded,
            &plain,
        ) {
            Replayed::Contradicted(how) => {
                let question = Question::Exit(step.clone());
                let claim = format!("the engine says yes, but its witness does not replay: {how}");
                self.disagree(&question, &encoded, &claim);
                unknown(Reason::NotReplayed, how)
            }
            Replayed::Confirmed | Replayed::NotRun => Verdict::Reached(trace),
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

    /// Whether the questions were interrupted: what was not answered by then stays open.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
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

/// An answer that is not known.
pub(crate) fn unknown(reason: Reason, detail: String) -> Verdict {
    Verdict::Unknown(Unknown {
        reason,
        detail,
        output: String::new(),
    })
}
