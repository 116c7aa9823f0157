//! `tranquera roles`

use crate::view;

use super::confirm::{BothPasses, nothing_contradicted};
use super::input::ClassArguments;
use super::output::TextOutput;
use super::{Failure, output};

/// How the matrix is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// A table for a document
    Markdown,
}

#[derive(Debug, clap::Args)]
pub(super) struct RolesArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    output: TextOutput,
    /// Make the second pass first, and leave out what it refutes
    #[arg(long)]
    confirm: bool,
    #[command(flatten)]
    passes: BothPasses,
}

pub(super) fn run(arguments: &RolesArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let passes = &arguments.passes;
    let input = passes.load(&arguments.class)?;
    let (analysis, epa, found) = match arguments.confirm {
        false => {
            let (analysis, made) = passes.first(input, false)?;
            (analysis, made.abstraction, None)
        }
        true => {
            let (analysis, found) = passes.run(input, false)?;
            (analysis, found.abstraction.clone(), Some(found))
        }
    };
    let (matrix, disagreements) = analysis.access(&epa)?;
    passes.report(&disagreements)?;
    let text = match arguments.format {
        Format::Json => output::json(&matrix)?,
        Format::Markdown => view::access::markdown(&matrix),
        Format::Text => {
            let options = arguments.output.view(arguments.class.color);
            view::access::text(&matrix, &options)
        }
    };
    arguments.output.write(&text)?;
    found.as_ref().map_or(Ok(()), nothing_contradicted)
}
