//! `tranquera reproduce`

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::interface::synthesis::SupersetCheck;
use crate::ir::Source;
use crate::reproduce::circumstances::Circumstances;
use crate::reproduce::interfaces::{self, InterfaceRow, InterfaceTable};
use crate::reproduce::published::Published;
use crate::reproduce::{FigureTable, Reproduction, Row};
use crate::view::{self, escape::visible, reproduction::ReproductionFormat};

use super::front::FrontArguments;
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::{Colour, TextOutput};
use super::{Failure, interface};

/// What is looked for in figures, to know what they are about.
#[derive(Deserialize)]
struct Head {
    schema: Option<String>,
}

/// The file of a folder that has the published figures.
const FIGURES: &str = "published.json";

#[derive(Debug, clap::Args)]
pub(super) struct ReproduceArguments {
    /// Folders with classes and their published.json, as they are in Tranquera's source
    #[arg(value_name = "FOLDER", default_values = ["fixtures/tosem-2013", "fixtures/tse-2012", "fixtures/jist-2005"])]
    folders: Vec<PathBuf>,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: ReproductionFormat,
    #[command(flatten)]
    output: TextOutput,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    #[command(flatten)]
    engine: EngineArguments,
}

/// What a folder's figures are about.
enum PublishedFigures {
    Epas(Published),
    Interfaces(interfaces::PublishedInterfaces),
}

pub(super) fn run(arguments: &ReproduceArguments) -> Result<(), Failure> {
    // All figures first: a folder that is not there shows at once, not after the first table.
    let published: Vec<PublishedFigures> = arguments
        .folders
        .iter()
        .map(|folder| arguments.published(folder))
        .collect::<Result<_, _>>()?;
    let (mut epas, mut interfaces) = (vec![], vec![]);
    for (published, folder) in published.iter().zip(&arguments.folders) {
        match published {
            PublishedFigures::Epas(published) => epas.push(arguments.table(published, folder)?),
            PublishedFigures::Interfaces(published) => {
                interfaces.push(arguments.interface_table(published, folder)?);
            }
        }
    }
    let made = Circumstances::now(&arguments.command());
    let reproduction =
        Reproduction::of(made, &arguments.engine.engine, epas).with_interfaces(interfaces);
    let options = arguments.output.view(arguments.color);
    let text = view::reproduction::render(&reproduction, arguments.format, &options)
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    arguments.output.write(&text)?;
    if reproduction.holds {
        return Ok(());
    }
    let sentences: Vec<String> = reproduction
        .wrong()
        .map(|(subject, wrong)| format!("failed: {subject}: {}", wrong.join("; ")))
        .map(|sentence| visible(&sentence))
        .collect();
    Err(Failure::DoesNotHold(sentences.join("\n")))
}

impl ReproduceArguments {
    /// The command as it could be repeated in Tranquera's source, but for where other folders are.
    fn command(&self) -> String {
        let format = match self.format {
            ReproductionFormat::Text => "",
            ReproductionFormat::Markdown => " --format markdown",
            ReproductionFormat::Json => " --format json",
        };
        let engine = match self.engine.engine.as_str() {
            "builtin" => String::new(),
            other => format!(" --engine {other}"),
        };
        format!("tranquera reproduce{format}{engine}")
    }

    fn published(&self, folder: &Path) -> Result<PublishedFigures, Failure> {
        let path = folder.join(FIGURES);
        if !path.exists() {
            return Err(Failure::BadInput(format!(
                "error: there is no {}\nhelp: name the folders that have the classes; in Tranquera's source they \
                 are fixtures/tosem-2013, fixtures/tse-2012 and fixtures/jist-2005",
                path.display()
            )));
        }
        let coloured = self.color.on(&io::stderr());
        let source = Source::read(&path).map_err(|d| Failure::BadInput(d.render(coloured)))?;
        let bad = |error: &dyn std::fmt::Display| {
            Failure::BadInput(format!("error: {}: {error}", source.name))
        };
        let is_interfaces = |head: Head| head.schema.as_deref() == Some(interfaces::SCHEMA);
        if serde_json::from_str(&source.text).is_ok_and(is_interfaces) {
            let published = serde_json::from_str(&source.text);
            return published
                .map(PublishedFigures::Interfaces)
                .map_err(|e| bad(&e));
        }
        let published = Published::parse(&source.text);
        published.map(PublishedFigures::Epas).map_err(|e| bad(&e))
    }

    fn class(&self, folder: &Path, name: &str) -> ClassArguments {
        ClassArguments {
            file: folder.join(format!("{name}.tq")),
            class: None,
            actions: Vec::new(),
            without: Vec::new(),
            marks: Vec::new(),
            color: self.color,
            front: FrontArguments::default(),
        }
    }

    fn interface_table(
        &self,
        published: &interfaces::PublishedInterfaces,
        folder: &Path,
    ) -> Result<InterfaceTable, Failure> {
        let rows = published.subjects.iter().map(|subject| {
            let found = |superset| {
                let class = self.class(folder, &subject.name);
                interface::reproduced(class, &self.engine, subject, superset)
            };
            let by_the_paper = found(SupersetCheck::Jist)?;
            let exactly = found(SupersetCheck::Exact)?;
            Ok::<_, Failure>(InterfaceRow::of(subject, &by_the_paper, &exactly))
        });
        Ok(InterfaceTable {
            source: published.source.clone(),
            machine: published.machine.clone(),
            rows: rows.collect::<Result<_, _>>()?,
        })
    }

    fn table(&self, published: &Published, folder: &Path) -> Result<FigureTable, Failure> {
        let rows = published.subjects.iter().map(|subject| {
            let class = self.class(folder, &subject.name);
            // An answer that was contradicted counts as uncertain.
            let analysis = self.engine.analysis(self.engine.load(&class)?)?;
            let options = self.engine.epa_options(Exceptional::All);
            let epa = self.engine.epa(&analysis, &options)?.epa();
            Ok::<_, Failure>(Row::of(subject, &epa))
        });
        Ok(FigureTable::of(published, rows.collect::<Result<_, _>>()?))
    }
}
