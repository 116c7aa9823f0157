//! `tranquera diff`

use std::io;
use std::path::{Path, PathBuf};

use crate::epa::diff::{EpaDiff, Rename};
use crate::epa::{Epa, read};
use crate::ir::Source;
use crate::load::Language;
use crate::view::{self, picture::PictureFormat, xml};

use super::Failure;
use super::front::FrontArguments;
use super::infer::InferArguments;
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::{Colour, TextOutput};

#[derive(Debug, clap::Args)]
pub(super) struct DiffArguments {
    /// The old EPA: as JSON or XML, or a class whose EPA is computed
    old: PathBuf,
    /// The new EPA, likewise
    new: PathBuf,
    /// An action or constructor that has another name in the new EPA; may be given several times
    #[arg(long, value_name = "OLD=NEW", value_parser = rename)]
    rename: Vec<Rename>,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: PictureFormat,
    #[command(flatten)]
    output: TextOutput,
    /// The class under analysis, where a file is not an EPA [default: the last one in the file]
    #[arg(long, value_name = "NAME", visible_alias = "contract")]
    class: Option<String>,
    /// Tell states apart by this, too, where a file is not an EPA (see `tranquera epa --help`)
    #[arg(long = "states", value_name = "WHAT", hide_short_help = true)]
    marks: Vec<String>,
    /// Which exceptional edges to look for, where a file is not an EPA
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    #[command(flatten)]
    front: FrontArguments,
    #[command(flatten)]
    infer: InferArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

fn rename(text: &str) -> Result<Rename, String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok(Rename {
            old: old.to_owned(),
            new: new.to_owned(),
        }),
        _ => Err("a renaming is written OLD=NEW".into()),
    }
}

pub(super) fn run(arguments: &DiffArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.old, &arguments.new])?;
    let old = arguments.epa(&arguments.old)?;
    let new = arguments.epa(&arguments.new)?;
    let bad_input = |error: &dyn std::fmt::Display| Failure::BadInput(format!("error: {error}"));
    let diff = EpaDiff::of(&old, &new, &arguments.rename).map_err(|e| bad_input(&e))?;
    let options = arguments.output.view(arguments.color);
    let text = view::diff::render(&diff, arguments.format, &options).map_err(|e| bad_input(&e))?;
    arguments.output.write(&text)?;
    if diff.different {
        Err(Failure::DoesNotHold("the EPAs differ".to_owned()))
    } else {
        Ok(())
    }
}

impl DiffArguments {
    /// The EPA that a file holds, or that its class has. What a file is shows in its text, not in its name.
    fn epa(&self, path: &Path) -> Result<Epa, Failure> {
        // What is no text is a class in any case.
        if Language::of(path) != Language::Tq {
            return self.computed(path);
        }
        let coloured = self.color.on(&io::stderr());
        let source = Source::read(path).map_err(|d| Failure::BadInput(d.render(coloured)))?;
        let text = source.text.trim_start();
        if text.starts_with('<') {
            return from_xml(&source);
        }
        if text.starts_with('{') && read::names_schema(text) {
            return from_json(&source);
        }
        self.computed(path)
    }

    fn computed(&self, path: &Path) -> Result<Epa, Failure> {
        let class = ClassArguments {
            file: path.to_owned(),
            class: self.class.clone(),
            actions: Vec::new(),
            without: Vec::new(),
            marks: self.marks.clone(),
            color: self.color,
            front: self.front.clone(),
        };
        let input = self.infer.load(&class, &self.engine)?;
        let analysis = self.engine.analysis(input)?;
        let options = self.engine.epa_options(self.exceptions);
        Ok(self.engine.epa(&analysis, &options)?.epa())
    }
}

fn from_xml(source: &Source) -> Result<Epa, Failure> {
    xml::read(&source.text).map_err(|error| {
        let place = error.offset().map_or(String::new(), |offset| {
            let (line, column) = source.line_column(offset);
            format!(":{line}:{column}")
        });
        Failure::BadInput(format!("error: {}{place}: {error}", source.name))
    })
}

fn from_json(source: &Source) -> Result<Epa, Failure> {
    read::from_json(&source.text)
        .map_err(|error| Failure::BadInput(format!("error: {}: {error}", source.name)))
}
