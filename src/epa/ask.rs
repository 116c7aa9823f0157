//! Asking about a class: questions into texts, traces into what they say of the class.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

use crate::encode::question::EncodedQuestion;
use crate::encode::{Encoding, Probe, Question};
use crate::engine::Session;
use crate::query::ActionSet;
use crate::query::{Trace, Verdict};

use super::answers::Heard;
use super::desk::{Answer, Asked, Desk, Disagreement, INTERRUPTED, lock};
use super::model::QueryCounts;
use super::replay::{Replayed, replay};
use super::witness::Witness;

/// Puts questions about a class to an engine's session and counts them.
pub struct Asker<'a> {
    encoding: &'a Encoding<'a>,
    desk: Desk<'a>,
    /// The answers on which edges may rest.
    heard: Mutex<Vec<Heard>>,
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
            desk: Desk::new(encoding.program(), session),
            heard: Mutex::default(),
        }
    }

    /// Puts a question. A "reached" is replayed where it can be, and not believed if the replay contradicts it.
    pub fn ask(&self, question: &Question) -> Answer {
        if self.is_interrupted() {
            return Answer::Unknown(INTERRUPTED.into());
        }
        let encoded = self.encoding.question(question);
        let asked = Asked {
            kind: question.kind(),
            sentence: &|| self.encoding.sentence(question),
            entry: encoded.as_ref().map(|encoded| &encoded.entry),
        };
        let start = Instant::now();
        let verdict = self.desk.verdict(&asked, |trace| match &encoded {
            Ok(encoded) => replay(self.encoding, question, encoded, trace),
            Err(_) => Replayed::NotRun,
        });
        if verdict != Verdict::Unreachable && question.step().is_some() {
            lock(&self.heard).push(Heard {
                question: question.clone(),
                verdict: verdict.clone(),
                ms: start.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
            });
        }
        verdict.into()
    }

    /// The answers that are not "unreachable", of all questions about calls asked so far.
    pub fn heard(&self) -> Vec<Heard> {
        lock(&self.heard).clone()
    }

    /// Puts a question with conditions of its own. What is claimed of a call is replayed where it can be: not the
    /// conditions, but that the call ends as the witness says.
    pub fn probe(&self, probe: &Probe) -> Probed {
        if self.is_interrupted() {
            return Probed::Unknown(INTERRUPTED.into());
        }
        let encoded = self.encoding.probe(probe);
        let asked = Asked {
            kind: probe.kind,
            sentence: &|| match &probe.step {
                Some(step) => self.encoding.sentence(&Question::Exit(step.clone())),
                None => probe.kind.to_owned(),
            },
            entry: encoded.as_ref().map(|encoded| &encoded.entry),
        };
        let answer = self.desk.ask(&asked, |trace| match &encoded {
            Ok(encoded) => self.replay_probe(probe, encoded, trace),
            Err(_) => Replayed::NotRun,
        });
        match (answer, &encoded) {
            (Answer::Yes(trace), Ok(encoded)) => {
                match Witness::of(self.encoding, probe, encoded, &trace) {
                    Some(witness) => Probed::Yes(witness),
                    None => Probed::Unknown(
                        "not-understood: the trace does not have the values asked for".into(),
                    ),
                }
            }
            (Answer::Yes(_), Err(error)) => Probed::Unknown(error.to_string()),
            (Answer::No, _) => Probed::No,
            (Answer::Unknown(why), _) => Probed::Unknown(why),
        }
    }

    /// Replays the call of a probe. The values watched are no part of what a replay knows.
    fn replay_probe(&self, probe: &Probe, encoded: &EncodedQuestion, trace: &Trace) -> Replayed {
        let Some(step) = probe
            .step
            .as_ref()
            .filter(|_| probe.made && probe.required && probe.invariant)
        else {
            return Replayed::NotRun;
        };
        let mut plain = trace.clone();
        let last = plain.values.len().saturating_sub(probe.watched_after.len());
        plain.values.truncate(last);
        let first = encoded.before.len().min(last);
        let behind = (first + probe.watched_before.len()).min(last);
        plain.values.drain(first..behind);
        replay(
            self.encoding,
            &Question::Exit(step.clone()),
            encoded,
            &plain,
        )
    }

    /// The answers that a replay or another engine contradicted, in the order of their names.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        self.desk.disagreements()
    }

    /// What the engine said if it refused a question: an error of ours, so that asking on would tell nothing.
    pub fn rejected(&self) -> Option<&str> {
        self.desk.rejected()
    }

    /// Whether the questions were interrupted: what was not answered by then stays open.
    pub fn is_interrupted(&self) -> bool {
        self.desk.is_interrupted()
    }

    /// The questions asked so far, by kind.
    pub fn counts(&self) -> BTreeMap<String, QueryCounts> {
        self.desk.counts()
    }

    /// Reads the enabled actions off the trace of an "any other" question: its last values are one flag an
    /// action. `None` where the trace does not have them.
    pub fn target_of(&self, trace: &Trace) -> Option<ActionSet> {
        target_of(self.encoding, trace)
    }
}

/// As [`Asker::target_of`].
pub(super) fn target_of(encoding: &Encoding<'_>, trace: &Trace) -> Option<ActionSet> {
    let first = trace.values.len().checked_sub(encoding.actions.len())?;
    let mut target = ActionSet::default();
    for (index, recorded) in trace.values.get(first..)?.iter().enumerate() {
        match recorded.value.to_ascii_lowercase().as_str() {
            "true" => target.insert(index),
            "false" => {}
            _ => return None,
        }
    }
    Some(target)
}
