//! Who puts the questions after one class.

use std::collections::BTreeMap;

use crate::encode::Question;
use crate::encode::interface::{EncodedStep, InterfaceEncoding};
use crate::engine::Session;
use crate::epa::Disagreement;
use crate::epa::desk::{Answer, Asked, Desk};
use crate::epa::model::QueryCounts;
use crate::epa::replay::{Replayed, replay};
use crate::query::Trace;

/// Puts the questions after one class.
pub struct Asker<'a> {
    /// The class.
    pub interface: &'a InterfaceEncoding<'a>,
    desk: Desk<'a>,
    /// Whether witnesses are run: not where the program asked about is not the one that runs.
    replays: bool,
}

impl<'a> Asker<'a> {
    /// For one class and one session.
    pub fn new(interface: &'a InterfaceEncoding<'a>, session: &'a dyn Session) -> Self {
        Asker {
            interface,
            desk: Desk::new(interface.encoding().program(), session),
            replays: true,
        }
    }

    /// The same, for a program that does more than the class: its witnesses are not run.
    #[must_use]
    pub fn without_replay(self) -> Self {
        Asker {
            replays: false,
            ..self
        }
    }

    /// Puts a question whose text may be replayed.
    pub(in crate::interface) fn ask(
        &self,
        kind: &str,
        sentence: String,
        encoded: &Result<EncodedStep, askama::Error>,
        replay: impl FnOnce(&Trace) -> Replayed,
    ) -> Answer {
        let asked = Asked {
            kind,
            sentence: &|| sentence.clone(),
            entry: encoded.as_ref().map(|e| &e.entry),
        };
        self.desk.ask(&asked, |trace| match encoded {
            Ok(step) if step.replayable && self.replays => replay(trace),
            _ => Replayed::NotRun,
        })
    }

    /// Puts a question of the EPA's, which is counted apart.
    pub(in crate::interface) fn ask_question(&self, question: &Question) -> Answer {
        let encoded = self.interface.encoding().question(question);
        let asked = Asked {
            kind: question.kind(),
            sentence: &|| self.interface.encoding().sentence(question),
            entry: encoded.as_ref().map(|e| &e.entry),
        };
        self.desk.ask(&asked, |trace| match &encoded {
            Ok(encoded) => replay(self.interface.encoding(), question, encoded, trace),
            Err(_) => Replayed::NotRun,
        })
    }

    /// The answers that a replay or another engine contradicted.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        self.desk.disagreements()
    }

    /// What the engine said if it refused a question.
    pub(in crate::interface) fn rejected(&self) -> Option<&str> {
        self.desk.rejected()
    }

    /// The questions asked so far, by kind.
    pub fn counts(&self) -> BTreeMap<String, QueryCounts> {
        self.desk.counts()
    }
}
