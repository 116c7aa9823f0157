//! `tranquera invariants`

use std::time::Duration;

use crate::epa::StateInvariants;
use crate::load::Input;
use crate::view;

use super::infer::{self, InferArguments};
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::TextOutput;
use super::{Failure, output};

/// How what was found is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// A list for a document
    Markdown,
    /// Members of the class: `state { a, b } assumes e;`
    Tq,
}

#[derive(Debug, clap::Args)]
pub(super) struct InvariantsArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: TextOutput,
    /// Write what was found into the file, as members of the class
    #[arg(long, conflicts_with = "output")]
    write: bool,
    /// Seconds in which it is looked for; what is not proved by then is not said
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = super::input::seconds)]
    invariant_time: f64,
    /// Which exceptional edges to look for
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    #[command(flatten)]
    infer: InferArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(arguments: &InvariantsArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let input = arguments.infer.load(&arguments.class, &arguments.engine)?;
    let before = input.clone();
    let options = arguments.engine.epa_options(arguments.exceptions);
    let analysis = arguments.engine.analysis(input)?;
    let made = arguments.engine.epa(&analysis, &options)?;
    let time = Duration::from_secs_f64(arguments.invariant_time);
    let (found, disagreements) = analysis.state_invariants(&made.abstraction, time)?;
    arguments.engine.report(&disagreements)?;
    if arguments.write {
        return write_into(arguments, &before, &found);
    }
    let text = match arguments.format {
        Format::Json => output::json(&found)?,
        Format::Markdown => view::state_invariants::markdown(&found),
        Format::Tq => view::state_invariants::tq(&found),
        Format::Text => {
            let options = arguments.output.view(arguments.class.color);
            view::state_invariants::text(&found, &options)
        }
    };
    arguments.output.write(&text)
}

/// Writes what was found into the class's file.
fn write_into(
    arguments: &InvariantsArguments,
    input: &Input,
    found: &StateInvariants,
) -> Result<(), Failure> {
    let text = input.text_with(&found.members());
    infer::change(&arguments.class.file, &input.loaded, &text)
}
