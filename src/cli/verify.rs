//! `tranquera verify`

use std::path::PathBuf;

use crate::analysis::{self, Client};
use crate::front::tq;
use crate::ir::Source;
use crate::typestate::verify::VerifyReport;
use crate::view;

use super::Failure;
use super::input::EngineArguments;
use super::output::{self, Colour, ReportFormat, TextOutput};

#[derive(Debug, clap::Args)]
pub(super) struct VerifyArguments {
    /// The client: classes whose procedures create and call objects
    client: PathBuf,
    /// What the calls are checked against: the classes as .tq text, or an EPA or interface of one as JSON
    #[arg(long, value_name = "FILE")]
    against: PathBuf,
    /// The classes that the client uses, where they are not in the file that it is checked against
    #[arg(long, value_name = "FILE")]
    with: Option<PathBuf>,
    /// Start from these routines (`Client.main`) [default: those that no other one of the client calls]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    procedure: Vec<String>,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: ReportFormat,
    #[command(flatten)]
    output: TextOutput,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(arguments: &VerifyArguments) -> Result<(), Failure> {
    arguments
        .output
        .spare(&[&arguments.client, &arguments.against])?;
    let client = arguments.client()?;
    let (report, disagreements) = client.verify(&arguments.engine.choice()?)?;
    arguments.engine.report(&disagreements)?;
    let text = match arguments.format {
        ReportFormat::Json => output::json(&report)?,
        ReportFormat::Text => {
            let options = arguments.output.view(arguments.color);
            view::verification::render(&report, &options)
        }
    };
    arguments.output.write(&text)?;
    judge(&report)
}

fn judge(report: &VerifyReport) -> Result<(), Failure> {
    if report.verified {
        return Ok(());
    }
    let mut parts = Vec::new();
    if !report.findings.is_empty() {
        parts.push(format!("errors: {}", report.findings.len()));
    }
    if !report.undecided.is_empty() {
        parts.push(format!("not decided: {}", report.undecided.len()));
    }
    Err(Failure::does_not_hold(&parts))
}

impl VerifyArguments {
    /// The client, with what it is checked against.
    fn client(&self) -> Result<Client, Failure> {
        let complaint = |wrong| self.color.complaint(&wrong);
        let against = Source::read(&self.against).map_err(complaint)?;
        let is_automaton = against.text.trim_start().starts_with('{');
        let library = match (is_automaton, &self.with) {
            (true, with) => with.as_ref(),
            (false, None) => Some(&self.against),
            (false, Some(_)) => {
                let text = "error: --with goes with an automaton (JSON) as --against";
                return Err(Failure::BadInput(text.into()));
            }
        };
        let source = Source::read(&self.client).map_err(complaint)?;
        // By itself first: what is wrong with it is shown in it.
        let library = library.map(|path| tq::load(path)).transpose();
        let library = library.map_err(complaint)?;
        let mut client = Client::new(&source, library.as_ref()).map_err(complaint)?;
        if is_automaton {
            client = client.against(&against)?;
        }
        match self.procedure.as_slice() {
            [] => Ok(client),
            names => Ok(client.from(names).map_err(analysis::AnalysisError::from)?),
        }
    }
}
