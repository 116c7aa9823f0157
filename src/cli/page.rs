//! What `tranquera epa --format html` finds out besides the EPA.

use crate::encode::Encoding;
use crate::engine::Engine;
use crate::epa::answers::{self, Heard};
use crate::epa::explain::{self, Effort};
use crate::epa::{self, Epa};
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
    pub encoding: &'a Encoding<'a>,
    /// Its text.
    pub source: &'a Source,
}

impl Page<'_> {
    /// Adds what the engine answered.
    pub fn tell_answers(&self, heard: &[Heard], epa: &mut Epa) -> Result<(), Failure> {
        let version = self.engine.version();
        let version = version.map_err(|error| engine_failure(&error))?;
        let engine = format!("{}: {version}", self.engine.name());
        answers::tell(self.encoding, self.source, &engine, heard, epa);
        Ok(())
    }

    /// Why the states are there in which nothing can be called: those of the EPA before anything is refuted.
    pub fn deadlocks(&self, options: &epa::Options, epa: &Epa) -> Result<Vec<Deadlock>, Failure> {
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
        let dead = epa.states.iter().filter(|state| state.enabled.is_empty());
        let mut found = Vec::new();
        for state in dead.take(MOST_DEADLOCKS) {
            let Some(name) = explain::entering(epa, &state.id) else {
                continue;
            };
            let Ok(edge) = explain::find(self.encoding, epa, &name) else {
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
                &edge,
                effort,
            );
            found.push(Deadlock {
                state: state.id.clone(),
                explanation: explanation.map_err(construct_failure)?,
            });
        }
        Ok(found)
    }

    /// What is behind the EPA.
    pub fn background(&self, deadlocks: Vec<Deadlock>, epa: &Epa) -> Result<Background, Failure> {
        let background = Background::of(self.encoding, self.source, epa)
            .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
        Ok(Background {
            deadlocks,
            named: self.class.words(),
            ..background
        })
    }
}
