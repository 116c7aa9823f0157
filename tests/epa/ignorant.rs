//! An engine that knows nothing of some questions: for what is made of that.

use std::sync::Mutex;

use tranquera::engine::{Builtin, Engine, EngineError, Session};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

/// The built-in engine, but for the questions whose names have one of these words in them.
pub struct Ignorant {
    honest: Builtin,
    words: &'static [&'static str],
    asked: Mutex<Vec<String>>,
}

impl Ignorant {
    pub fn of(words: &'static [&'static str]) -> Ignorant {
        Ignorant {
            honest: Builtin::default(),
            words,
            asked: Mutex::default(),
        }
    }

    /// What it was asked of these, in some order.
    pub fn asked(self) -> Vec<String> {
        self.asked.into_inner().expect("nobody panics")
    }
}

impl Engine for Ignorant {
    fn name(&self) -> &'static str {
        "ignorant"
    }

    fn version(&self) -> Result<String, EngineError> {
        Ok("0".into())
    }

    fn limits(&self) -> Limits {
        self.honest.limits()
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(Answering {
            honest: self.honest.open(program)?,
            engine: self,
        }))
    }
}

struct Answering<'a> {
    honest: Box<dyn Session + 'a>,
    engine: &'a Ignorant,
}

impl Session for Answering<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        let Ignorant { words, asked, .. } = self.engine;
        if !words.iter().any(|word| entry.name.contains(word)) {
            return self.honest.ask(entry);
        }
        let mut asked = asked.lock().expect("nobody panics");
        asked.push(entry.name.clone());
        Verdict::BoundHit { bound: 3 }
    }
}
