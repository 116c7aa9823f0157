//! `tranquera parse`

use std::io;
use std::path::PathBuf;

use crate::front::java::input::is_java;
use crate::front::tq;
use crate::ir::Diagnostics;

use super::Failure;
use super::java::{self, Places};
use super::output::{self, Colour};

/// How the tree is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// `.tq` text
    #[default]
    #[value(alias = "tq")]
    Text,
    /// The tree as JSON, which is accepted as input again
    Json,
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The file: `.tq` text, its tree as JSON, or what `tranquera java` takes
    file: PathBuf,
    /// The Java class: with its package or, where only one is called so, without
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    #[command(flatten)]
    places: Places,
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
    let bad_input = |d: Diagnostics| Failure::BadInput(d.render(coloured));
    if is_java(&arguments.file) {
        return arguments.java(coloured);
    }
    if arguments.class.is_some() {
        let text = "error: --class is for Java: all classes of a file are printed";
        return Err(Failure::BadInput(text.to_owned()));
    }
    let loaded = tq::load(&arguments.file).map_err(bad_input)?;
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

impl Arguments {
    /// A Java class. What is printed is read like any other text before.
    fn java(&self, coloured: bool) -> Result<(), Failure> {
        let source = java::text(&self.file, self.class.as_deref(), &self.places)?;
        let loaded = tq::parse_text(&source.name, &source.text).map_err(|wrong| {
            let shown = wrong.render(coloured);
            Failure::BadInput(format!(
                "{shown}\nerror: this is a mistake of tranquera: the class cannot be said in its language"
            ))
        })?;
        if self.check {
            return Ok(());
        }
        let text = match self.format {
            Format::Text => source.text,
            Format::Json => tq::to_json(&loaded.file),
        };
        output::write(self.output.as_deref(), &text)
    }
}
