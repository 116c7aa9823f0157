//! `tranquera confirm`

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::ask;
use crate::encode::Encoding;
use crate::epa::confirm::{self, Confirmed};
use crate::epa::{self, Abstraction};
use crate::ir::Source;
use crate::view;

use super::input::{
    ClassArguments, EngineArguments, Exceptional, Input, construct_failure, encoding,
    engine_failure, report,
};
use super::output::Format;
use super::{Failure, interrupt, output};

/// How far the second pass may go.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Second pass")]
pub struct Extent {
    /// The longest run looked for, in calls, the constructor counted
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_calls: u32,
    /// The recursion bound for runs, if it is higher than --recursion-bound: it bounds the loops of the bodies only
    #[arg(long, value_name = "N", default_value_t = 24)]
    loop_bound: u32,
    /// Seconds for the whole second pass; a question that has begun is finished, and has a quarter of this
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = super::input::seconds)]
    confirm_time: f64,
}

impl Extent {
    /// Makes the second pass.
    pub fn confirm(
        &self,
        encoding: &Encoding,
        source: &Source,
        epa: &Abstraction,
        engine: &EngineArguments,
    ) -> Result<Confirmed, Failure> {
        // Else a single question could take longer than all of them may.
        let engine = &EngineArguments {
            timeout: engine.timeout.min(self.confirm_time / 4.0),
            ..engine.clone()
        };
        let prover = engine.engine()?;
        let searcher = engine.engine_with_bound(self.loop_bound.max(engine.recursion_bound))?;
        let options = confirm::Options {
            engine: prover.as_ref(),
            searcher: searcher.as_ref(),
            source,
            max_calls: self.max_calls,
            time: Duration::from_secs_f64(self.confirm_time),
        };
        let found = confirm::confirm(encoding, epa, &options).map_err(|failure| match failure {
            ask::Failure::Engine(error) => engine_failure(&error),
            other => Failure::BadInput(format!("error: {other}")),
        })?;
        report(&found.disagreements, engine.keep.as_deref())?;
        let silent = found.errors.len() > found.disagreements.len();
        if silent {
            output::complain(&format!("warning: {}", found.errors.join("\n")));
        }
        Ok(found)
    }
}

/// What a command needs that finds an EPA and makes the second pass.
#[derive(Debug, clap::Args)]
pub struct BothPasses {
    /// Which exceptional edges to look for
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    #[command(flatten)]
    extent: Extent,
    #[command(flatten)]
    engine: EngineArguments,
}

impl BothPasses {
    /// The solver that was named.
    pub fn z3(&self) -> Option<&Path> {
        self.engine.z3.as_deref()
    }

    /// Constructs the EPA and makes the second pass.
    pub fn run(&self, input: &Input, encoding: &Encoding) -> Result<Confirmed, Failure> {
        let options = epa::Options {
            violations: false,
            ..self.engine.epa_options(self.exceptions)
        };
        let engine = self.engine.engine()?;
        let made =
            epa::construct(encoding, engine.as_ref(), &options).map_err(construct_failure)?;
        interrupt::check()?;
        report(&made.disagreements, self.engine.keep.as_deref())?;
        let source = &input.loaded.source;
        self.extent
            .confirm(encoding, source, &made.abstraction, &self.engine)
    }
}

/// Traces and proofs that were contradicted fail the command, after its output.
pub fn nothing_contradicted(found: &Confirmed) -> Result<(), Failure> {
    if found.errors.is_empty() {
        Ok(())
    } else {
        Err(Failure::DoesNotHold(format!(
            "failed: traces or proofs that were contradicted: {}",
            found.errors.len()
        )))
    }
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    passes: BothPasses,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::spare(&[&arguments.class.file], arguments.output.as_deref())?;
    let input = arguments.class.load(arguments.passes.z3())?;
    let encoding = encoding(&input)?;
    let found = arguments.passes.run(&input, &encoding)?;
    let told = found.confirmations();
    let text = match arguments.format {
        Format::Text => view::confirmations::text(&told),
        Format::Json => output::json(&told)?,
    };
    output::write(arguments.output.as_deref(), &text)?;
    nothing_contradicted(&found)
}
