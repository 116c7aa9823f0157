//! `--infer-requires`, `--infer-invariants`: contracts from bodies, put into the class before it is studied.

use std::io;

use crate::front::tq::{self, Loaded};
use crate::typestate::precondition::Options;
use crate::typestate::requires::{invariants, possible, requires, routines, written};

use super::input::{ClassArguments, EngineArguments, Input, engine_failure};
use super::{Failure, interrupt, output};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Contracts from bodies")]
pub struct InferArguments {
    /// Give each action and constructor requires clauses from its body
    #[arg(
        long,
        value_name = "READING",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "safe"
    )]
    infer_requires: Option<Reading>,
    /// Give the class invariants that every call is proved to keep
    #[arg(long)]
    infer_invariants: bool,
    /// Write the clauses into the file
    #[arg(long, conflicts_with = "watch")]
    write: bool,
}

/// Which clauses are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Reading {
    /// Those without which a call may end in an exception, whatever `*` and what it calls do
    Safe,
    /// Those without which a call cannot end normally, whatever these do
    Possible,
}

impl InferArguments {
    /// The input with the clauses that are asked for, and what was put in, in sentences.
    pub fn apply(
        &self,
        class: &ClassArguments,
        engine: &EngineArguments,
        input: Input,
    ) -> Result<(Input, Vec<String>), Failure> {
        if self.infer_requires.is_none() && !self.infer_invariants {
            if self.write {
                let text = "error: --write goes with --infer-requires or --infer-invariants";
                return Err(Failure::BadInput(text.into()));
            }
            return Ok((input, Vec::new()));
        }
        let options = Options {
            bound: engine.recursion_bound,
            z3: engine.z3.clone(),
            interrupt: interrupt::token(),
            ..Options::default()
        };
        let mut notes = Vec::new();
        let before = input.loaded.source.text.clone();
        let mut input = input;
        let mut changed = false;
        if let Some(reading) = self.infer_requires {
            let program = &input.loaded.program;
            let wanted = routines(program, input.class, &input.actions);
            let infer = match reading {
                Reading::Safe => requires,
                Reading::Possible => possible,
            };
            let found = infer(program, input.class, &wanted, &options)
                .map_err(|error| engine_failure(&error))?;
            interrupt::check()?;
            for inferred in &found {
                let name = &program.routine(inferred.routine).name;
                let clauses = inferred.clauses.iter();
                notes.extend(clauses.map(|c| format!("inferred: `{name}` requires {c}")));
                notes.extend(inferred.note.clone());
                changed |= !inferred.clauses.is_empty();
            }
            let text = written(program, input.class, &input.loaded.source, &found, &[]);
            input = again(class, &input, &text)?;
        }
        if self.infer_invariants {
            let program = &input.loaded.program;
            let found = invariants(program, input.class, &input.actions, &options)
                .map_err(|error| engine_failure(&error))?;
            interrupt::check()?;
            notes.extend(found.iter().map(|c| format!("inferred: invariant {c}")));
            changed |= !found.is_empty();
            let text = written(program, input.class, &input.loaded.source, &[], &found);
            input = again(class, &input, &text)?;
        }
        if self.write && changed {
            self.write_back(class, &before, &input.loaded)?;
        }
        Ok((input, notes))
    }

    fn write_back(
        &self,
        class: &ClassArguments,
        before: &str,
        loaded: &Loaded,
    ) -> Result<(), Failure> {
        // Whoever keeps the class as JSON has a tool that makes it.
        if loaded.source.name != class.file.display().to_string() {
            return Err(Failure::BadInput(format!(
                "error: --write changes .tq text only, and {} is JSON",
                class.file.display()
            )));
        }
        let text = &loaded.source.text;
        let kept = as_formatted_as(before, text);
        output::write(Some(&class.file), kept.as_deref().unwrap_or(text))
    }
}

/// The text, formatted, if the one before was.
fn as_formatted_as(before: &str, text: &str) -> Option<String> {
    let formatted = |text| tq::format("", text, tq::LINE_WIDTH).ok();
    formatted(before)
        .filter(|formatted| formatted == before)
        .and_then(|_| formatted(text))
}

/// The input with another text.
fn again(class: &ClassArguments, input: &Input, text: &str) -> Result<Input, Failure> {
    let coloured = class.color.on(&io::stderr());
    let loaded = tq::parse_text(&input.loaded.source.name, text)
        .map_err(|diagnostics| Failure::BadInput(diagnostics.render(coloured)))?;
    Ok(Input {
        loaded,
        class: input.class,
        actions: input.actions.clone(),
        notes: input.notes.clone(),
    })
}
