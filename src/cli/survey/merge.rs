//! `tranquera survey merge`

use std::path::PathBuf;

use crate::survey::{self, SurveyTally};
use crate::view::survey as view;

use super::super::Failure;
use super::super::output::{self, Colour};
use super::lines::{self, OutputArguments};

#[derive(Debug, clap::Args)]
pub(super) struct MergeArguments {
    /// Files with the lines of surveys
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
}

pub(super) fn run(arguments: &MergeArguments) -> Result<(), Failure> {
    let merged = survey::merge([lines::read(&arguments.files)?]);
    let mut text = String::new();
    for line in &merged {
        text.push_str(&lines::text(line)?);
    }
    output::write(arguments.output.output.as_deref(), &text)?;
    lines::page(&arguments.output, &merged)?;
    let tally = SurveyTally::of(&merged);
    output::complain(&view::merged(
        &tally,
        arguments.color.on(&std::io::stderr()),
    ));
    super::judge(&tally)
}
