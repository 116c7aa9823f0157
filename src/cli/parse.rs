//! `tranquera parse`

use std::io;
use std::path::PathBuf;

use crate::front::tq::{self, Loaded};
use crate::load::Language;

use super::Failure;
use super::front::FrontArguments;
use super::input::ClassArguments;
use super::output::{self, Colour, TextOutput};

/// How the tree is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum TreeFormat {
    /// `.tq` text
    #[default]
    #[value(alias = "tq")]
    Text,
    /// The tree as JSON, which is accepted as input again
    Json,
}

#[derive(Debug, clap::Args)]
pub(super) struct ParseArguments {
    /// The file: `.tq` text, or its tree as JSON; a contract in Solidity, or what solc, Foundry or Hardhat have written of it;
    /// what `tranquera java` takes
    file: PathBuf,
    /// The contract, or the Java class: with its package or, where only one is called so, without
    #[arg(long, value_name = "NAME", visible_alias = "contract")]
    class: Option<String>,
    /// Leave out these functions of a contract
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    without: Vec<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: TreeFormat,
    /// Only say whether the file is correct
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    output: TextOutput,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    #[command(flatten)]
    front: FrontArguments,
}

pub(super) fn run(arguments: &ParseArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.file])?;
    let language = Language::of(&arguments.file);
    let loaded = match language {
        Language::Tq => arguments.all()?,
        Language::Solidity | Language::Java => arguments.one()?,
    };
    if arguments.check {
        return Ok(());
    }
    let text = match (arguments.format, language) {
        (TreeFormat::Json, _) => tq::to_json(&loaded.file),
        (TreeFormat::Text, Language::Tq) => tq::print(&loaded.file),
        // What a front end made has remarks in it.
        (TreeFormat::Text, _) => loaded.source.text.clone(),
    };
    arguments.output.write(&text)
}

impl ParseArguments {
    /// All classes of a file in the language.
    fn all(&self) -> Result<Loaded, Failure> {
        if self.class.is_some() || !self.without.is_empty() {
            let text = "error: --class and --without are for Solidity and Java: all classes of a file are printed";
            return Err(Failure::BadInput(text.to_owned()));
        }
        let coloured = self.color.on(&io::stderr());
        let loaded = tq::load(&self.file).map_err(|d| Failure::BadInput(d.render(coloured)))?;
        if !loaded.warnings.is_empty() {
            output::complain(&loaded.warnings.render(coloured));
        }
        Ok(loaded)
    }

    /// A contract, or a class of Java, as it is studied.
    fn one(&self) -> Result<Loaded, Failure> {
        let class = ClassArguments {
            file: self.file.clone(),
            class: self.class.clone(),
            actions: Vec::new(),
            without: self.without.clone(),
            marks: Vec::new(),
            color: self.color,
            front: self.front.clone(),
        };
        class.load(None, None).map(|input| input.loaded)
    }
}
