//! Answers kept on disk: an engine in front of an engine, which is asked only what was not answered before.
//!
//! An answer is found again by what it depends on and nothing else: the engine and its version, the recursion bound,
//! the entry, and that part of the program which the entry can execute (`slice`). So a changed method asks again
//! what calls it, and the rest is known. Time and memory limits are not part of it, for only definite answers are
//! kept, and those are right under any limits; and what was presumed, which whoever wants it runs each time.

mod slice;
mod store;

use std::sync::OnceLock;

use slice::Sliced;

use super::{Engine, EngineError, Session};
use crate::query::{EntryProcedure, Limits, QuestionProgram, Reason, Unknown, Verdict};

pub use store::{AnswerKey, Store};

/// An engine whose answers are kept.
pub struct Cached {
    engine: Box<dyn Engine>,
    store: Store,
}

impl Cached {
    /// Keeps the answers of this engine.
    pub fn new(engine: Box<dyn Engine>, store: Store) -> Self {
        Cached { engine, store }
    }
}

impl Engine for Cached {
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
        // An engine that cannot be run is said to be so, even where all answers are known.
        let version = self.engine.version()?;
        let Some(built) = this_program() else {
            return self.engine.open(program);
        };
        Ok(Box::new(CachedSession {
            cached: self,
            common: format!(
                "{}\n{version}\n{built}\nbound {}\n",
                self.engine.name(),
                self.limits().recursion_bound
            ),
            sliced: Sliced::new(&program.text),
            program: program.clone(),
            session: OnceLock::new(),
        }))
    }
}

/// What tells this build of the program from another: its encoding of the same text may differ. None where that is not known,
/// as when the program was replaced while it runs: then nothing is kept.
fn this_program() -> Option<String> {
    let file = std::env::current_exe().and_then(std::fs::metadata).ok()?;
    let built = file.modified().ok()?;
    Some(format!(
        "{} {} {built:?}",
        env!("CARGO_PKG_VERSION"),
        file.len()
    ))
}

/// A program whose questions are looked up before they are asked.
struct CachedSession<'e> {
    cached: &'e Cached,
    /// What all keys begin with.
    common: String,
    sliced: Sliced,
    program: QuestionProgram,
    /// The engine's own session; opened when something is not known.
    session: OnceLock<Result<Box<dyn Session + 'e>, EngineError>>,
}

impl Session for CachedSession<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        let is_answer = |known: &Verdict| !matches!(known, Verdict::Presumed(_));
        self.looked_up(entry, is_answer, |session| session.ask(entry))
    }

    fn presume(&self, entry: &EntryProcedure) -> Verdict {
        self.looked_up(entry, |_| true, |session| session.presume(entry))
    }
}

impl CachedSession<'_> {
    /// The verdict that is known, if it will do, or the one that is found now. What was presumed is kept too: whoever wants it
    /// runs it each time.
    fn looked_up(
        &self,
        entry: &EntryProcedure,
        will_do: impl FnOnce(&Verdict) -> bool,
        ask: impl FnOnce(&dyn Session) -> Verdict,
    ) -> Verdict {
        let key = AnswerKey::of(&[&self.common, &self.sliced.of(&entry.text), &entry.text]);
        if let Some(mut verdict) = self.cached.store.get(&key).filter(will_do) {
            if let Verdict::Reached(trace) | Verdict::Presumed(trace) = &mut verdict {
                trace.kept = true;
            }
            return verdict;
        }
        let session = self
            .session
            .get_or_init(|| self.cached.engine.open(&self.program));
        match session {
            Ok(session) => {
                let verdict = ask(session.as_ref());
                if !matches!(verdict, Verdict::BoundHit { .. } | Verdict::Unknown(_)) {
                    self.cached.store.put(&key, &verdict);
                }
                verdict
            }
            Err(error) => Verdict::Unknown(Unknown {
                reason: match error {
                    EngineError::Rejected { .. } => Reason::Rejected,
                    EngineError::Missing { .. } => Reason::ProverMissing,
                    EngineError::Io { .. } => Reason::Crash,
                },
                detail: error.to_string(),
                output: String::new(),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
