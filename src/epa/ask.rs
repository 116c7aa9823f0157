//! Asking the engine, and keeping count.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use crate::encode::{ActionSet, Encoding, Question};
use crate::engine::{Reason, Session, Trace, Unknown, Verdict};

use super::model::QueryCounts;

/// Puts questions to an engine's session and counts them.
pub struct Asker<'a> {
    encoding: &'a Encoding<'a>,
    session: &'a dyn Session,
    counts: Mutex<BTreeMap<String, QueryCounts>>,
    /// What an engine said when it refused a question as no legal Boogie.
    rejected: OnceLock<String>,
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
        }
    }

    /// Puts a question.
    pub fn ask(&self, question: &Question) -> Answer {
        let verdict = match self.encoding.question(question) {
            Ok(encoded) => self.session.ask(&encoded.entry),
            Err(error) => Verdict::Unknown(Unknown {
                reason: Reason::Rejected,
                detail: error.to_string(),
                output: String::new(),
            }),
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
                Answer::Unknown(doubt(&unknown))
            }
        }
    }

    fn count(&self, kind: &str, verdict: &Verdict) {
        let mut counts = self
            .counts
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
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
        self.counts
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
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

fn doubt(unknown: &Unknown) -> String {
    let kind = serde_json::to_value(unknown.reason)
        .ok()
        .and_then(|v| v.as_str().map(str::to_string));
    let kind = kind.unwrap_or_else(|| "unknown".into());
    if unknown.detail.is_empty() {
        kind
    } else {
        format!("{kind}: {}", unknown.detail)
    }
}
