//! Asking the engines, within the time for the second pass.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Options;
use crate::engine::{EngineError, Session};
use crate::epa::model::QueryCounts;
use crate::query::{Entry, Program, Reason, Unknown, Verdict};

/// A program opened by the engines.
pub struct Asker<'a> {
    prover: Box<dyn Session + 'a>,
    searcher: Box<dyn Session + 'a>,
    counts: Mutex<QueryCounts>,
    begun: Instant,
    time: Duration,
    /// Whether a question was interrupted: then the time is over.
    interrupted: AtomicBool,
}

impl<'a> Asker<'a> {
    pub fn new(options: &Options<'a>, program: &Program) -> Result<Self, EngineError> {
        Ok(Asker {
            prover: options.engine.open(program)?,
            searcher: options.searcher.open(program)?,
            counts: Mutex::default(),
            begun: Instant::now(),
            time: options.time,
            interrupted: AtomicBool::new(false),
        })
    }

    /// Whether no more is to be asked.
    pub fn is_out_of_time(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.begun.elapsed() >= self.time
    }

    /// Whether more than this part of the time is over.
    pub fn is_past(&self, part: f64) -> bool {
        self.begun.elapsed() >= self.time.mul_f64(part)
    }

    /// How many questions were asked.
    pub fn counts(&self) -> QueryCounts {
        *lock(&self.counts)
    }

    /// The answer to a question of a proof.
    pub fn ask(&self, entry: &Entry) -> Verdict {
        self.ask_of(self.prover.as_ref(), entry)
    }

    /// The answer to a question after runs.
    pub fn search(&self, entry: &Entry) -> Verdict {
        self.ask_of(self.searcher.as_ref(), entry)
    }

    fn ask_of(&self, session: &dyn Session, entry: &Entry) -> Verdict {
        if self.is_out_of_time() {
            return unknown(Reason::Timeout, "the time for the second pass is over");
        }
        let verdict = crate::events::ask(session, entry);
        lock(&self.counts).count(&verdict);
        if matches!(&verdict, Verdict::Unknown(why) if why.reason == Reason::Interrupted) {
            self.interrupted.store(true, Ordering::Relaxed);
        }
        verdict
    }
}

fn unknown(reason: Reason, detail: &str) -> Verdict {
    Verdict::Unknown(Unknown {
        reason,
        detail: detail.into(),
        output: String::new(),
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
