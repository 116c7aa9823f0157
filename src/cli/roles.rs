//! `tranquera roles`

use std::io;
use std::path::PathBuf;

use crate::view;

use super::confirm::{BothPasses, nothing_contradicted};
use super::input::ClassArguments;
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
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make the second pass first, and leave out what it refutes
    #[arg(long)]
    confirm: bool,
    #[command(flatten)]
    passes: BothPasses,
}

pub(super) fn run(arguments: &RolesArguments) -> Result<(), Failure> {
    output::spare(&[&arguments.class.file], arguments.output.as_deref())?;
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
            let options = view::ViewOptions {
                colour: arguments.output.is_none() && arguments.class.color.on(&io::stdout()),
                ..view::ViewOptions::default()
            };
            view::access::text(&matrix, &options)
        }
    };
    output::write(arguments.output.as_deref(), &text)?;
    found.as_ref().map_or(Ok(()), nothing_contradicted)
}
