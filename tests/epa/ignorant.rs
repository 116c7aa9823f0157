//! An engine that does not answer some questions: for what is made of that.

use std::sync::Mutex;

use tranquera::engine::{Builtin, Engine, EngineError, Session};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

/// The built-in engine, but for the questions that have another answer here.
pub struct Ignorant<F> {
    honest: Builtin,
    limits: Limits,
    instead: F,
}

impl<F: Fn(&EntryProcedure) -> Option<Verdict> + Send + Sync> Ignorant<F> {
    pub fn answering(instead: F) -> Ignorant<F> {
        let honest = Builtin::default();
        let limits = honest.limits();
        Ignorant {
            honest,
            limits,
            instead,
        }
    }

    /// The same, which says that it has these limits.
    pub fn with_limits(self, limits: Limits) -> Ignorant<F> {
        Ignorant { limits, ..self }
    }
}

/// The questions that hit the bound, as they were asked, in some order.
pub type Asked = Mutex<Vec<String>>;

/// Hits the bound in the questions whose names have one of these words in them.
pub fn ignorant_of(words: &'static [&'static str], asked: &Asked) -> impl Engine {
    Ignorant::answering(|entry: &EntryProcedure| {
        let is_ignored = words.iter().any(|word| entry.name.contains(word));
        is_ignored.then(|| {
            let mut asked = asked.lock().expect("nobody panics");
            asked.push(entry.name.clone());
            Verdict::BoundHit { bound: 3 }
        })
    })
}

impl<F: Fn(&EntryProcedure) -> Option<Verdict> + Send + Sync> Engine for Ignorant<F> {
    fn name(&self) -> &'static str {
        "ignorant"
    }

    fn version(&self) -> Result<String, EngineError> {
        Ok("0".into())
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(Answering {
            honest: self.honest.open(program)?,
            instead: &self.instead,
        }))
    }
}

struct Answering<'a, F> {
    honest: Box<dyn Session + 'a>,
    instead: &'a F,
}

impl<F: Fn(&EntryProcedure) -> Option<Verdict> + Send + Sync> Session for Answering<'_, F> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        (self.instead)(entry).unwrap_or_else(|| self.honest.ask(entry))
    }
}
