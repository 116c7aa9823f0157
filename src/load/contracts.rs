//! Contracts that are put into a class before it is studied: what a user says of it, and what its bodies do.

use super::guards::Reading;
use super::{Failure, Input};
use crate::engine::EngineConfig;
use crate::front::tq;
use crate::ir::Diagnostics;
use crate::typestate::precondition::Options;
use crate::typestate::requires::{Inferred, invariants, routines, written};

/// Which clauses are inferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contracts {
    /// `requires` clauses for each action and constructor.
    pub requires: Option<Reading>,
    /// Invariants that every call is proved to keep.
    pub invariants: bool,
}

impl Input {
    /// The same class and actions in another text of the file, which declares all in the same order.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn with_text(&self, text: &str) -> Result<Self, Diagnostics> {
        Ok(Input {
            loaded: tq::parse_text(&self.loaded.source.name, text)?,
            ..self.clone()
        })
    }

    /// The same, where the class has these invariants besides its own, as if they had been written there.
    ///
    /// # Errors
    /// What is wrong with a clause.
    pub fn with_invariants(&self, clauses: &[String]) -> Result<Self, Diagnostics> {
        let mut members = String::new();
        for clause in clauses {
            let member = format!("invariant {clause};");
            // By itself first, so that what is wrong with it is not shown in the middle of the file.
            tq::parse_syntax("--invariant", &format!("class C {{ {member} }}"))?;
            members.push(' ');
            members.push_str(&member);
        }
        let mut text = self.loaded.source.text.clone();
        let after_name = self.loaded.program.class(self.class).span.end as usize;
        let rest = text.get(after_name..).unwrap_or_default();
        // A class that was read has a brace behind its name. Were there none, the text would be wrong, and said to be so.
        let inside = rest.find('{').map(|brace| after_name + brace + 1);
        text.insert_str(inside.unwrap_or(text.len()), &members);
        self.with_text(&text)
    }

    /// The same, where the class has the clauses besides its own that follow from its bodies. What was put in is told in
    /// [`Input::notes`]. Of how engines are run, only the limits and the solver matter.
    ///
    /// # Errors
    /// Z3 cannot be run, or it was interrupted.
    pub fn with_contracts(
        &self,
        wanted: &Contracts,
        config: &EngineConfig,
    ) -> Result<Self, Failure> {
        let mut input = self.clone();
        if let Some(reading) = wanted.requires {
            input = input.with_requires(reading, config)?;
        }
        if wanted.invariants {
            input = input.with_inferred_invariants(config)?;
        }
        Ok(input)
    }

    fn with_requires(&self, reading: Reading, config: &EngineConfig) -> Result<Self, Failure> {
        let program = &self.loaded.program;
        let wanted = routines(program, self.class, &self.actions);
        let found = reading.infer(program, self.class, &wanted, &Options::within(config))?;
        let mut notes = Vec::new();
        for inferred in &found {
            let name = &program.routine(inferred.routine).name;
            let clauses = inferred.clauses.iter();
            notes.extend(clauses.map(|c| format!("inferred: `{name}` requires {c}")));
            notes.extend(inferred.note.clone());
        }
        self.with_clauses(&found, &[], notes)
    }

    fn with_inferred_invariants(&self, config: &EngineConfig) -> Result<Self, Failure> {
        let (program, options) = (&self.loaded.program, Options::within(config));
        let found = invariants(program, self.class, &self.actions, &options)?;
        // What was not asked any more would be missing.
        if config.interrupt.is_set() {
            return Err(Failure::Interrupted);
        }
        let notes = found.iter().map(|c| format!("inferred: invariant {c}"));
        self.with_clauses(&[], &found, notes.collect())
    }

    fn with_clauses(
        &self,
        requires: &[Inferred],
        invariants: &[String],
        notes: Vec<String>,
    ) -> Result<Self, Failure> {
        let (program, source) = (&self.loaded.program, &self.loaded.source);
        let text = written(program, self.class, source, requires, invariants);
        let mut input = self.with_text(&text).map_err(Failure::Text)?;
        input.notes.extend(notes);
        Ok(input)
    }
}
