//! An engine that is chosen by its name, with what is put around it: rising bounds, and answers that are kept.

use std::time::Duration;

use super::cache::{Cached, Store};
use super::deepen::{self, Deepening};
use super::{ALL, DEFAULT, ENGINES, Engine, EngineConfig, EngineKind, kind};
use crate::query::Limits;

/// Which engine is asked, and how.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The engine.
    pub engine: &'static EngineKind,
    /// How it is run.
    pub config: EngineConfig,
    /// Where the recursion bound is hit, it is asked again with twice the bound, up to this one.
    pub deepen: Option<u32>,
    /// Where answers are kept from one run to the next, if they are. They are not where all engines are compared, nor where
    /// what they are asked is wanted.
    pub answers: Option<Store>,
}

/// There is no engine of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no engine `{name}` (there are: {})", names().join(", "))]
pub struct NoSuchEngine {
    name: String,
}

/// The names of all engines.
fn names() -> Vec<&'static str> {
    ENGINES.iter().map(|kind| kind.name).collect()
}

impl Choice {
    /// The engine of this name, run in this way.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn named(name: &str, config: EngineConfig) -> Result<Self, NoSuchEngine> {
        let none = || NoSuchEngine {
            name: name.to_owned(),
        };
        Ok(Choice {
            engine: kind(name).ok_or_else(none)?,
            config,
            deepen: None,
            answers: None,
        })
    }

    /// The engine.
    pub fn engine(&self) -> Box<dyn Engine> {
        self.within(self.config.limits)
    }

    /// The engine, which stops by itself after this time, which begins now.
    pub fn timed(&self, time: Duration) -> Box<dyn Engine> {
        let mut timed = self.clone();
        timed.config.interrupt = timed.config.interrupt.within(time);
        timed.engine()
    }

    /// The engine with other limits.
    pub fn within(&self, limits: Limits) -> Box<dyn Engine> {
        let bound = limits.recursion_bound;
        let mut rising = deepen::bounds(bound, self.deepen.unwrap_or(bound)).into_iter();
        let with_bound = |recursion_bound| {
            self.cached(Limits {
                recursion_bound,
                ..limits
            })
        };
        let first = with_bound(rising.next().unwrap_or(bound));
        let deeper: Vec<Box<dyn Engine>> = rising.map(with_bound).collect();
        match deeper.is_empty() {
            true => first,
            false => Box::new(Deepening::new(first, deeper)),
        }
    }

    fn cached(&self, limits: Limits) -> Box<dyn Engine> {
        let config = EngineConfig {
            limits,
            ..self.config.clone()
        };
        let engine = (self.engine.make)(&config);
        let wanted = self.config.keep_dir.is_none() && self.engine.name != ALL;
        match self.answers.clone().filter(|_| wanted) {
            Some(store) => Box::new(Cached::new(engine, store)),
            None => engine,
        }
    }
}

impl Default for Choice {
    /// The built-in engine, as it is where nothing else is said; no answers are kept.
    fn default() -> Self {
        Choice {
            engine: kind(DEFAULT).unwrap_or(&ENGINES[0]),
            config: EngineConfig::default(),
            deepen: None,
            answers: None,
        }
    }
}
