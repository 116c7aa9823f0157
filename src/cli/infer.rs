//! `--infer-requires`, `--infer-invariants`: contracts from bodies, put into the class before it is studied.

use crate::engine::EngineConfig;
use crate::front::tq::{self, Loaded};
use crate::load::{Contracts, Input, Reading};

use super::input::ClassArguments;
use super::{Failure, output};

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
    infer_requires: Option<Wanted>,
    /// Give the class invariants that every call is proved to keep
    #[arg(long)]
    infer_invariants: bool,
    /// Write the clauses into the file
    #[arg(long, conflicts_with = "watch")]
    write: bool,
}

/// Which clauses are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Wanted {
    /// Those without which a call may end in an exception, whatever `*` and what it calls do
    Safe,
    /// Those without which a call cannot end normally, whatever these do
    Possible,
}

impl From<Wanted> for Reading {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Safe => Reading::Safe,
            Wanted::Possible => Reading::Possible,
        }
    }
}

impl InferArguments {
    /// The input with the clauses that are asked for; they are told in its notes.
    pub fn apply(
        &self,
        class: &ClassArguments,
        config: &EngineConfig,
        input: Input,
    ) -> Result<Input, Failure> {
        let wanted = Contracts {
            requires: self.infer_requires.map(Reading::from),
            invariants: self.infer_invariants,
        };
        if wanted == Contracts::default() {
            return match self.write {
                true => Err(Failure::BadInput(
                    "error: --write goes with --infer-requires or --infer-invariants".into(),
                )),
                false => Ok(input),
            };
        }
        let found = input.with_contracts(&wanted, config);
        let found = found.map_err(|failure| class.color.told(failure))?;
        let before = &input.loaded.source.text;
        if self.write && found.loaded.source.text != *before {
            self.write_back(class, before, &found.loaded)?;
        }
        Ok(found)
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
