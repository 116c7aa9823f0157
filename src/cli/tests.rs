//! `tranquera tests`

use std::path::PathBuf;

use crate::suite::{self, CodeError, Coverage, TestLanguage};

use super::confirm::{BothPasses, nothing_contradicted};
use super::input::ClassArguments;
use super::{Failure, output};

/// What the tests cover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Covered {
    /// Each constructor's edges and each transition
    #[default]
    Transitions,
    /// Each two of them that follow each other
    Pairs,
    /// Each state
    States,
}

/// How the tests are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// Rust, for `cargo test`
    Rust,
    /// Java with JUnit 5
    Junit,
    /// C# with xUnit
    Xunit,
}

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What the tests are to cover
    #[arg(long, value_name = "WHAT", value_enum, default_value_t)]
    cover: Covered,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
    /// The type under test, for code: `crate::parking::Gate`, `org.example.Gate` [default: named like the class]
    #[arg(long, value_name = "TYPE")]
    subject: Option<String>,
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    passes: BothPasses,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::spare(&[&arguments.class.file], arguments.output.as_deref())?;
    let language = match arguments.format {
        Format::Text | Format::Json => None,
        Format::Rust => Some(TestLanguage::Rust),
        Format::Junit => Some(TestLanguage::Java),
        Format::Xunit => Some(TestLanguage::CSharp),
    };
    if arguments.subject.is_some() && language.is_none() {
        return Err(Failure::BadInput(
            "error: --subject is for code: --format rust, junit or xunit".into(),
        ));
    }
    let input = arguments.passes.load(&arguments.class)?;
    let (analysis, found) = arguments.passes.run(input)?;
    let options = suite::SuiteOptions {
        cover: match arguments.cover {
            Covered::Transitions => Coverage::Transitions,
            Covered::Pairs => Coverage::Pairs,
            Covered::States => Coverage::States,
        },
        language,
    };
    let suite = analysis.tests(&found, &options);
    let text = match (language, arguments.format) {
        (Some(language), _) => language
            .render(analysis.subject(), &suite, arguments.subject.as_deref())
            .map_err(|error: CodeError| Failure::BadInput(format!("error: {error}")))?,
        (None, Format::Json) => output::json(&suite)?,
        (None, _) => suite::text(&suite),
    };
    output::write(arguments.output.as_deref(), &text)?;
    nothing_contradicted(&found)
}
