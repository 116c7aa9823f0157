//! `tranquera parse`

use std::io;
use std::path::PathBuf;

use crate::front::tq;

use super::Failure;
use super::output::{self, Colour};

/// How the tree is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// `.tq` text
    #[default]
    Text,
    /// The tree as JSON, which is accepted as input again
    Json,
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The file: `.tq` text, or its tree as JSON
    file: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Only say whether the file is correct
    #[arg(long)]
    check: bool,
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::spare(&[&arguments.file], arguments.output.as_deref())?;
    let coloured = arguments.color.on(&io::stderr());
    let loaded = tq::load(&arguments.file).map_err(|d| Failure::BadInput(d.render(coloured)))?;
    if !loaded.warnings.is_empty() {
        output::complain(&loaded.warnings.render(coloured));
    }
    if arguments.check {
        return Ok(());
    }
    let text = match arguments.format {
        Format::Text => tq::print(&loaded.file),
        Format::Json => tq::to_json(&loaded.file),
    };
    output::write(arguments.output.as_deref(), &text)
}
