//! `tranquera reproduce`

use std::io;
use std::path::{Path, PathBuf};

use crate::epa::Constructed;
use crate::lang::Source;
use crate::reproduce::circumstances::Circumstances;
use crate::reproduce::published::Published;
use crate::reproduce::{Reproduction, Row, Table};
use crate::view::{self, escape::visible, reproduction::Format};

use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::Colour;
use super::{Failure, output};

/// The file of a folder that has the published figures.
const FIGURES: &str = "published.json";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Folders with classes and their published.json, as they are in Tranquera's source
    #[arg(value_name = "FOLDER", default_values = ["fixtures/tosem-2013", "fixtures/tse-2012"])]
    folders: Vec<PathBuf>,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    #[command(flatten)]
    engine: EngineArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    // All figures first: a folder that is not there shows at once, not after the first table.
    let published: Vec<Published> = arguments
        .folders
        .iter()
        .map(|folder| arguments.published(folder))
        .collect::<Result<_, _>>()?;
    let tables: Vec<Table> = published
        .iter()
        .zip(&arguments.folders)
        .map(|(published, folder)| arguments.table(published, folder))
        .collect::<Result<_, _>>()?;
    let made = Circumstances::now(&arguments.command());
    let reproduction = Reproduction::of(made, &arguments.engine.engine, tables);
    let options = view::Options {
        colour: arguments.output.is_none() && arguments.color.on(&io::stdout()),
        ..view::Options::default()
    };
    let text = view::reproduction::render(&reproduction, arguments.format, &options)
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    output::write(arguments.output.as_deref(), &text)?;
    if reproduction.holds {
        return Ok(());
    }
    let wrong = reproduction.rows().filter(|row| !row.wrong.is_empty());
    let sentences: Vec<String> = wrong
        .map(|row| format!("failed: {}: {}", row.subject, row.wrong.join("; ")))
        .map(|sentence| visible(&sentence))
        .collect();
    Err(Failure::DoesNotHold(sentences.join("\n")))
}

impl Arguments {
    /// The command as it could be repeated in Tranquera's source, but for where other folders are.
    fn command(&self) -> String {
        let format = match self.format {
            Format::Text => "",
            Format::Markdown => " --format markdown",
            Format::Json => " --format json",
        };
        let engine = match self.engine.engine.as_str() {
            "builtin" => String::new(),
            other => format!(" --engine {other}"),
        };
        format!("tranquera reproduce{format}{engine}")
    }

    fn published(&self, folder: &Path) -> Result<Published, Failure> {
        let path = folder.join(FIGURES);
        if !path.exists() {
            return Err(Failure::BadInput(format!(
                "error: there is no {}\nhelp: name the folders that have the classes; in Tranquera's source they \
                 are fixtures/tosem-2013 and fixtures/tse-2012",
                path.display()
            )));
        }
        let coloured = self.color.on(&io::stderr());
        let source = Source::read(&path).map_err(|d| Failure::BadInput(d.render(coloured)))?;
        Published::parse(&source.text)
            .map_err(|error| Failure::BadInput(format!("error: {}: {error}", source.name)))
    }

    fn table(&self, published: &Published, folder: &Path) -> Result<Table, Failure> {
        let rows = published.subjects.iter().map(|subject| {
            let class = ClassArguments {
                file: folder.join(format!("{}.tq", subject.name)),
                class: None,
                actions: Vec::new(),
                without: Vec::new(),
                color: self.color,
            };
            // An answer that was contradicted counts as uncertain.
            let Constructed { epa, .. } = self.engine.epa(&class, Exceptional::All)?;
            Ok(Row::of(subject, &epa))
        });
        Ok(Table::of(published, rows.collect::<Result<_, _>>()?))
    }
}
