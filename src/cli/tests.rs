//! `tranquera tests`

use crate::suite::{self, CodeError, ContractTests, Coverage, TestLanguage, WrittenIn};

use super::confirm::{BothPasses, nothing_contradicted};
use super::input::ClassArguments;
use super::output::TextOutput;
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
    /// JavaScript for Hardhat, of a contract
    Hardhat,
}

/// What code is written in.
#[derive(Clone, Copy, Debug)]
enum Code {
    /// For a class.
    Class(TestLanguage),
    /// For a contract.
    Contract(ContractTests),
}

impl Format {
    fn code(self) -> Option<Code> {
        match self {
            Format::Text | Format::Json => None,
            Format::Rust => Some(Code::Class(TestLanguage::Rust)),
            Format::Junit => Some(Code::Class(TestLanguage::Java)),
            Format::Xunit => Some(Code::Class(TestLanguage::CSharp)),
            Format::Foundry => Some(Code::Contract(ContractTests::Foundry)),
            Format::Hardhat => Some(Code::Contract(ContractTests::Hardhat)),
        }
    }

    /// As it is chosen.
    fn name(self) -> String {
        let value = clap::ValueEnum::to_possible_value(&self);
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
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
    #[command(flatten)]
    output: TextOutput,
    #[command(flatten)]
    passes: BothPasses,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let code = arguments.format.code();
    if arguments.subject.is_some() && code.is_none() {
        return Err(Failure::BadInput(
            "error: --subject is for code: --format rust, junit, xunit, foundry or hardhat".into(),
        ));
    }
    let input = arguments.passes.load(&arguments.class)?;
    let (messages, java) = (input.messages.clone(), input.java_calls.clone());
    if matches!(code, Some(Code::Contract(_))) && messages.is_none() {
        let (format, file) = (arguments.format.name(), arguments.class.file.display());
        return Err(Failure::BadInput(format!(
            "error: --format {format} is for contracts, and {file} is none\nhelp: name a .sol file, or what its compiler has written"
        )));
    }
    let (analysis, found) = arguments.passes.run(input, false)?;
    let options = suite::SuiteOptions {
        cover: match arguments.cover {
            Covered::Transitions => Coverage::Transitions,
            Covered::Pairs => Coverage::Pairs,
            Covered::States => Coverage::States,
        },
        written: match (code, &messages, &java) {
            (Some(Code::Class(TestLanguage::Java)), _, Some(java)) => Some(WrittenIn::Java(java)),
            (Some(Code::Class(language)), ..) => Some(WrittenIn::Language(language)),
            (Some(Code::Contract(tests)), Some(messages), _) => {
                Some(WrittenIn::Contract(tests, messages))
            }
            _ => None,
        },
        messages: messages.as_deref(),
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
    arguments.output.write(&text)?;
    nothing_contradicted(&found)
}
