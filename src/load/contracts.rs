//! Contracts that are put into a class before it is studied: what a user says of it, and what its bodies do.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::guards::GuardReading;
use super::{Input, LoadError, states};
use crate::engine::EngineConfig;
use crate::front::tq;
use crate::ir::{Diagnostics, ExceptionId, Expr, Program, expr_text};
use crate::typestate::precondition::PreconditionOptions;
use crate::typestate::requires::{
    Inferred, Proposed, called_inside, given, invariants as inferred_invariants, routines,
    with_members, written,
};

/// Which clauses are inferred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contracts {
    /// `requires` clauses for each action and constructor.
    pub requires: Option<GuardReading>,
    /// Invariants that every call is proved to keep.
    pub invariants: bool,
}

impl Input {
    /// The same class and actions in another text of the file, which declares all in the same order.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn with_text(&self, text: &str) -> Result<Self, Diagnostics> {
        let loaded = tq::parse_text(&self.loaded.source.name, text)?;
        let mut loaded = loaded.made_as(&self.loaded);
        // What a front end knows besides.
        let known = &self.loaded.program;
        let program = Arc::make_mut(&mut loaded.program);
        program.refusing.clone_from(&known.refusing);
        program
            .shown_exceptions
            .extend(known.shown_exceptions.clone());
        let predicates = states::read(&mut loaded, self.class, &self.marks)?;
        Ok(Input {
            loaded,
            predicates,
            is_kept: false,
            ..self.clone()
        })
    }

    /// The text of the file, where the class has these members besides its own.
    pub fn text_with(&self, members: &[String]) -> String {
        let (program, source) = (&self.loaded.program, &self.loaded.source);
        with_members(program, self.class, source, members)
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

    /// The same, where the class has the clauses besides its own that follow from its bodies, and the text with them. What was
    /// put in is told in [`Input::notes`], and [`Input::unsure`]. Of how engines are run, only the limits and the solver matter.
    ///
    /// # Errors
    /// There is no exception of a name, Z3 cannot be run, or it was interrupted.
    pub fn with_contracts(
        &self,
        wanted: &Contracts,
        config: &EngineConfig,
    ) -> Result<(Self, WrittenContracts), LoadError> {
        let mut input = self.clone();
        let options = PreconditionOptions::within(config);
        let mut requires = Vec::new();
        if let Some(reading) = &wanted.requires {
            let program = &self.loaded.program;
            let actions = routines(program, self.class, &self.actions);
            requires = reading.infer(program, self.class, &actions, &options)?;
            let refusing = reading.refusing(program)?;
            input.take_requires(&requires, refusing);
        }
        let mut invariants = Vec::new();
        if wanted.invariants {
            let program = &input.loaded.program;
            let all = Proposed::All;
            invariants = inferred_invariants(program, self.class, &self.actions, &all, &options)?;
            // What was not asked any more would be missing.
            if config.interrupt.is_set() {
                return Err(LoadError::Interrupted);
            }
            input.take_invariants(&invariants);
        }
        let written = WrittenContracts::of(self, &requires, &invariants);
        Ok((input, written))
    }

    fn take_requires(&mut self, found: &[Inferred], refusing: BTreeSet<ExceptionId>) {
        let program = Arc::clone(&self.loaded.program);
        let refusing = refusing.union(&program.refusing).copied().collect();
        for inferred in found {
            let name = program.routine(inferred.routine).shown();
            let clauses = inferred.texts(&program).into_iter();
            let told = clauses.map(|c| format!("inferred: `{name}` requires {c}"));
            self.notes.extend(told);
            let note = inferred.note.clone();
            self.unsure
                .extend(note.map(|note| (inferred.routine, note)));
        }
        self.loaded.program = Arc::new(Program {
            refusing,
            ..given(&program, found)
        });
    }

    fn take_invariants(&mut self, found: &[Expr]) {
        let mut program = Program::clone(&self.loaded.program);
        let told = found.iter().map(|clause| {
            let text = expr_text(&program, self.class, clause);
            format!("inferred: invariant {text}")
        });
        self.notes.extend(told);
        let declared = &mut program.classes[self.class.0];
        declared.invariants.extend(found.iter().cloned());
        self.is_kept &= found.is_empty();
        self.loaded.program = Arc::new(program);
    }
}

/// A text with clauses that were found.
#[derive(Clone, Debug)]
pub struct WrittenContracts {
    /// The text.
    pub text: String,
    /// The routines whose clauses are not in it: bodies call them, and would do something else with the clauses.
    pub kept_out: Vec<String>,
}

impl WrittenContracts {
    fn of(input: &Input, requires: &[Inferred], invariants: &[Expr]) -> WrittenContracts {
        let (program, source) = (&input.loaded.program, &input.loaded.source);
        let inside = called_inside(program);
        let (kept_out, outside): (Vec<Inferred>, Vec<Inferred>) = requires
            .iter()
            .cloned()
            .partition(|found| inside.contains(&found.routine) && !found.clauses.is_empty());
        let names = kept_out.iter();
        let names = names.map(|found| program.routine(found.routine).shown().to_owned());
        WrittenContracts {
            text: written(program, input.class, source, &outside, invariants),
            kept_out: names.collect(),
        }
    }
}
