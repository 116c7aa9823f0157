//! The typestate automaton of a class, and whether an engine agrees with it.

use std::time::Instant;

use super::{Analysis, AnalysisError};
use crate::ask::{Answer, Disagreement};
use crate::time::millis_since;
use crate::typestate::automaton::{Inference, certify, infer};
use crate::typestate::precondition::{self, NormalForm};
use crate::typestate::report::Typestate;

/// What is wanted of a typestate automaton.
#[derive(Clone, Copy, Debug)]
pub struct TypestateWanted {
    /// How the conditions are put.
    pub mode: NormalForm,
    /// It is given up beyond this many states, the error counted.
    pub max_states: usize,
    /// Whether the engine is asked if some call escapes the preconditions.
    pub certify: bool,
}

/// A typestate automaton, and what the engine said of it.
pub struct WithTypestate {
    /// The automaton as it is printed.
    pub typestate: Typestate,
    /// Whether the engine found a call that no case of its precondition allows.
    pub refused: bool,
    /// Answers of the engine that a replay contradicted.
    pub disagreements: Vec<Disagreement>,
}

impl Analysis {
    /// The typestate automaton, from the class's bodies alone.
    ///
    /// # Errors
    /// Z3 or the engine cannot be run.
    pub fn typestate(&self, wanted: &TypestateWanted) -> Result<WithTypestate, AnalysisError> {
        let start = Instant::now();
        let options = precondition::PreconditionOptions {
            mode: wanted.mode,
            ..precondition::PreconditionOptions::within(&self.choice.config)
        };
        let program = &self.input.loaded.program;
        let mut bodies = precondition::PathAnalysis::new(program, self.input.class, options)?;
        let inference = Inference {
            actions: self.input.actions.clone(),
            mode: wanted.mode,
            max_states: wanted.max_states,
        };
        let automaton = infer(&mut bodies, &inference);
        let certified = match wanted.certify {
            true => {
                let found = &automaton.preconditions;
                Some(certify::certify(
                    &self.encoding,
                    self.engine.as_ref(),
                    found,
                )?)
            }
            false => None,
        };
        let (certificates, disagreements) = certified.unzip();
        let wall_ms = millis_since(start);
        let mut all = certificates.iter().flatten();
        Ok(WithTypestate {
            refused: all.any(|c| matches!(c.answer, Answer::Yes(_))),
            typestate: Typestate::new(&automaton, certificates.as_deref(), wall_ms),
            disagreements: disagreements.unwrap_or_default(),
        })
    }
}
