//! `tranquera tests`

use std::path::PathBuf;
use std::sync::Arc;

use crate::suite::{self, CodeError, Coverage, TestLanguage, WrittenIn};

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
    /// Solidity for Foundry, of a contract
    Foundry,
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
    /// The type under test, for code: `crate::parking::Gate`, `org.example.Gate`, `src/Gate.sol:Gate` [default: named like the
    /// class; the contract in its file]
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
        Format::Text | Format::Json | Format::Foundry => None,
        Format::Rust => Some(TestLanguage::Rust),
        Format::Junit => Some(TestLanguage::Java),
        Format::Xunit => Some(TestLanguage::CSharp),
    };
    let is_code = language.is_some() || arguments.format == Format::Foundry;
    if arguments.subject.is_some() && !is_code {
        return Err(Failure::BadInput(
            "error: --subject is for code: --format rust, junit, xunit or foundry".into(),
        ));
    }
    let input = arguments.passes.load(&arguments.class)?;
    let written = match (arguments.format, &input.messages) {
        (Format::Foundry, None) => {
            let file = arguments.class.file.display();
            return Err(Failure::BadInput(format!(
                "error: --format foundry is for contracts, and {file} is none\nhelp: name a .sol file, or what its compiler has written"
            )));
        }
        (Format::Foundry, Some(messages)) => Some(Arc::clone(messages)),
        _ => None,
    };
    let (analysis, found) = arguments.passes.run(input, false)?;
    let options = suite::SuiteOptions {
        cover: match arguments.cover {
            Covered::Transitions => Coverage::Transitions,
            Covered::Pairs => Coverage::Pairs,
            Covered::States => Coverage::States,
        },
        written: match (language, &written) {
            (Some(language), _) => Some(WrittenIn::Language(language)),
            (None, Some(messages)) => Some(WrittenIn::Foundry(messages)),
            (None, None) => None,
        },
    };
    let suite = analysis.tests(&found, &options);
    let path = arguments.subject.as_deref();
    let text = match (options.written, arguments.format) {
        (Some(written), _) => written
            .render(analysis.subject(), &suite, path)
            .map_err(|error: CodeError| Failure::BadInput(format!("error: {error}")))?,
        (None, Format::Json) => output::json(&suite)?,
        (None, _) => suite::text(&suite),
    };
    output::write(arguments.output.as_deref(), &text)?;
    nothing_contradicted(&found)
}
