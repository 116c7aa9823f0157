//! An engine that remembers what it was asked.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{Engine, EngineError, Session};
use crate::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

/// The questions that were asked, by their names.
type Heard = Mutex<BTreeMap<String, EntryProcedure>>;

/// An engine that remembers what it was asked.
pub struct Listening<'a> {
    engine: &'a dyn Engine,
    heard: Heard,
}

impl<'a> Listening<'a> {
    /// Listens to what this engine is asked.
    pub fn new(engine: &'a dyn Engine) -> Self {
        Listening {
            engine,
            heard: Heard::default(),
        }
    }

    /// What it was asked, by its names.
    pub fn heard(self) -> BTreeMap<String, EntryProcedure> {
        self.heard
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Engine for Listening<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn version(&self) -> Result<String, EngineError> {
        self.engine.version()
    }

    fn limits(&self) -> Limits {
        self.engine.limits()
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(ListeningSession {
            session: self.engine.open(program)?,
            heard: &self.heard,
        }))
    }
}

struct ListeningSession<'a> {
    session: Box<dyn Session + 'a>,
    heard: &'a Heard,
}

impl Session for ListeningSession<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        self.hear(entry);
        self.session.ask(entry)
    }

    fn presume(&self, entry: &EntryProcedure) -> Verdict {
        self.hear(entry);
        self.session.presume(entry)
    }
}

impl ListeningSession<'_> {
    fn hear(&self, entry: &EntryProcedure) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.insert(entry.name.clone(), entry.clone());
    }
}
