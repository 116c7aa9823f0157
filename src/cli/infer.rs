//! `--infer-requires`, `--infer-invariants`: contracts from bodies, put into the class before it is studied.

use std::path::Path;

use crate::engine::EngineConfig;
use crate::front::tq::{self, Loaded};
use crate::load::{Contracts, GuardReading, Input, WrittenContracts};

use super::input::{ClassArguments, EngineArguments};
use super::{Failure, output};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Contracts from bodies")]
pub(super) struct InferArguments {
    /// Give each action and constructor requires clauses from its body
    #[arg(
        long,
        value_name = "READING",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "possible"
    )]
    infer_requires: Option<WantedClauses>,
    /// The exceptions by which a body refuses a call [default: all]
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        requires = "infer_requires"
    )]
    refusals: Vec<String>,
    /// Give the class invariants that every call is proved to keep
    #[arg(long)]
    infer_invariants: bool,
}

/// Which clauses are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WantedClauses {
    /// Those without which a call is refused: it can only end in an exception that a body raises, whatever `*` and routines
    /// without a body do
    Possible,
    /// Those without which a call may end in any exception
    Safe,
}

impl InferArguments {
    /// The input with the clauses that are asked for, which are told in its notes; and the text with them, if any are.
    pub(super) fn apply(
        &self,
        class: &ClassArguments,
        config: &EngineConfig,
        input: Input,
    ) -> Result<(Input, Option<WrittenContracts>), Failure> {
        let wanted = Contracts {
            requires: self.reading()?,
            invariants: self.infer_invariants,
        };
        if wanted == Contracts::default() {
            return Ok((input, None));
        }
        let found = input.with_contracts(&wanted, config);
        let (input, written) = found.map_err(|failure| class.color.told(failure))?;
        Ok((input, Some(written)))
    }

    /// The class of a command, with the clauses that are asked for; what they are goes to the messages.
    pub(super) fn load(
        &self,
        class: &ClassArguments,
        engine: &EngineArguments,
    ) -> Result<Input, Failure> {
        let input = engine.read(class, None)?;
        let (input, _) = self.apply(class, &engine.choice()?.config, input)?;
        for note in input.told() {
            output::complain(&format!("note: {note}"));
        }
        Ok(input)
    }

    fn reading(&self) -> Result<Option<GuardReading>, Failure> {
        match self.infer_requires {
            Some(WantedClauses::Safe) if !self.refusals.is_empty() => Err(Failure::BadInput(
                "error: --refusals goes with --infer-requires, not with --infer-requires=safe"
                    .into(),
            )),
            Some(WantedClauses::Safe) => Ok(Some(GuardReading::Safe)),
            Some(WantedClauses::Possible) => Ok(Some(GuardReading::Possible {
                refusing: self.refusals.clone(),
                neither: Vec::new(),
            })),
            None => Ok(None),
        }
    }
}

/// Writes the text with the clauses into the file.
pub(super) fn write_back(
    class: &ClassArguments,
    loaded: &Loaded,
    written: Option<&WrittenContracts>,
) -> Result<(), Failure> {
    let Some(written) = written else {
        return Err(Failure::BadInput(
            "error: --write goes with --infer-requires or --infer-invariants".into(),
        ));
    };
    for name in &written.kept_out {
        output::complain(&format!(
            "warning: the clauses of `{name}` are not written: bodies call it too, and would do something else with them"
        ));
    }
    let before = &loaded.source.text;
    if written.text == *before {
        return Ok(());
    }
    change(&class.file, loaded, &written.text)
}

/// Writes another text of a class into its file, formatted, if that was.
pub(super) fn change(file: &Path, loaded: &Loaded, text: &str) -> Result<(), Failure> {
    // Whoever keeps the class as JSON has a tool that makes it.
    if loaded.source.name != file.display().to_string() {
        return Err(Failure::BadInput(format!(
            "error: --write changes .tq text only, and {} is not",
            file.display()
        )));
    }
    let kept = as_formatted_as(&loaded.source.text, text);
    output::write(Some(file), kept.as_deref().unwrap_or(text))
}

/// The text, formatted, if the one before was.
fn as_formatted_as(before: &str, text: &str) -> Option<String> {
    let formatted = |text| tq::format("", text, tq::LINE_WIDTH).ok();
    formatted(before)
        .filter(|formatted| formatted == before)
        .and_then(|_| formatted(text))
}
