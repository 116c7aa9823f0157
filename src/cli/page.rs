//! What `tranquera epa --format html` finds out besides the EPA.

use crate::encode::Encoding;
use crate::engine::Engine;
use crate::epa::answers;
use crate::epa::explain::{self, Effort};
use crate::epa::{self, Abstraction, Epa};
use crate::ir::Source;
use crate::view::html::{Background, Deadlock};

use super::input::{ClassArguments, construct_failure, engine_failure};
use super::{Failure, interrupt};

/// So many states in which nothing can be called are explained.
const MOST_DEADLOCKS: usize = 3;
/// What a clause does to an EPA is found out only where the EPA took no more questions than these: it is asked for anew.
const MOST_QUESTIONS: u64 = 300;

/// A class of which a page is made.
pub struct Page<'a> {
    /// How it was named.
    pub class: &'a ClassArguments,
    /// Who is asked.
    pub engine: &'a dyn Engine,
    /// The class.
    pub encoding: &'a Encoding,
    /// Its text.
    pub source: &'a Source,
}

impl Page<'_> {
    /// Adds what the engine answered.
    pub fn tell_answers(&self, abstraction: &Abstraction, epa: &mut Epa) -> Result<(), Failure> {
        let version = self.engine.version();
        let version = version.map_err(|error| engine_failure(&error))?;
        let engine = format!("{}: {version}", self.engine.name());
        answers::tell(
            &self.encoding.subject,
            self.source,
            &engine,
            abstraction,
            epa,
        );
        Ok(())
    }

    /// Why the states are there in which nothing can be called: those of the EPA before anything is refuted.
    pub fn deadlocks(
        &self,
        options: &epa::Options,
        epa: &Abstraction,
    ) -> Result<Vec<Deadlock>, Failure> {
        let options = epa::Options {
            violations: false,
            ..options.clone()
        };
        let effort = Effort {
            effects: match epa.stats.queries.total {
                0..=MOST_QUESTIONS => 3,
                _ => 0,
            },
            ..Effort::default()
        };
        let dead = epa.states().filter(|(_, enabled)| enabled.is_empty());
        let mut found = Vec::new();
        for (state, _) in dead.take(MOST_DEADLOCKS) {
            let Some((edge, name)) = explain::entering(epa, state) else {
                continue;
            };
            if interrupt::is_set() {
                break;
            }
            let explanation = explain::explain(
                self.encoding,
                self.engine,
                &options,
                epa,
                &name,
                edge,
                effort,
            );
            found.push(Deadlock {
                state: epa.names.state(state).to_owned(),
                explanation: explanation.map_err(construct_failure)?,
            });
        }
        Ok(found)
    }

    /// What is behind the EPA.
    pub fn background(
        &self,
        deadlocks: Vec<Deadlock>,
        epa: &Abstraction,
    ) -> Result<Background, Failure> {
        let background = Background::of(self.encoding, self.source, epa)
            .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
        Ok(Background {
            deadlocks,
            named: self.class.words(),
            ..background
        })
    }
}
