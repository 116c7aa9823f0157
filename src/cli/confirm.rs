//! `tranquera confirm`

use std::time::Duration;

use crate::analysis::Analysis;
use crate::ask::Disagreement;
use crate::epa::confirm::Confirmed;
use crate::epa::{self, Constructed};
use crate::load::Input;
use crate::query::Extent;
use crate::view;

use super::infer::InferArguments;
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::{ReportFormat, TextOutput};
use super::{Failure, output};

/// How far the second pass may go.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Second pass")]
pub(super) struct ExtentArguments {
    /// The longest run looked for, in calls, the constructor counted
    #[arg(long, value_name = "N", default_value_t = Extent::DEFAULT.max_calls, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_calls: u32,
    /// The recursion bound for runs, if it is higher than --recursion-bound: it bounds the loops of the bodies only
    #[arg(long, value_name = "N", default_value_t = Extent::DEFAULT.loop_bound)]
    loop_bound: u32,
    /// Seconds for the whole second pass; a question that has begun is finished, and has a quarter of this at most
    #[arg(long, value_name = "SECONDS", default_value_t = Extent::DEFAULT.time.as_secs_f64(), value_parser = super::input::seconds)]
    confirm_time: f64,
}

impl ExtentArguments {
    /// How far it may go.
    pub(super) fn extent(&self) -> Extent {
        Extent {
            max_calls: self.max_calls,
            loop_bound: self.loop_bound,
            time: Duration::from_secs_f64(self.confirm_time),
        }
    }
}

/// What a command needs that finds an EPA and makes the second pass.
#[derive(Debug, clap::Args)]
pub(super) struct BothPasses {
    /// Which exceptional edges to look for
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    #[command(flatten)]
    extent: ExtentArguments,
    #[command(flatten)]
    infer: InferArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

impl BothPasses {
    /// The class, with what is found in its bodies where that is asked for.
    pub(super) fn load(&self, class: &ClassArguments) -> Result<Input, Failure> {
        self.infer.load(class, &self.engine)
    }

    /// Constructs the EPA, asking whether the invariant can be broken or not.
    pub(super) fn first(
        &self,
        input: Input,
        violations: bool,
    ) -> Result<(Analysis, Constructed), Failure> {
        let options = epa::ConstructOptions {
            violations,
            ..self.engine.epa_options(self.exceptions)
        };
        let analysis = self.engine.analysis(input)?;
        let made = self.engine.epa(&analysis, &options)?;
        Ok((analysis, made))
    }

    /// Keeps the questions whose answers were contradicted, and says so.
    pub(super) fn report(&self, disagreements: &[Disagreement]) -> Result<(), Failure> {
        self.engine.report(disagreements)
    }

    /// Constructs the EPA, asking whether the invariant can be broken or not, and makes the second pass.
    pub(super) fn run(
        &self,
        input: Input,
        violations: bool,
    ) -> Result<(Analysis, Confirmed), Failure> {
        let (analysis, made) = self.first(input, violations)?;
        let found = analysis.confirm(&made.abstraction, &self.extent.extent())?;
        self.engine.report(&found.disagreements)?;
        output::warn(found.untold().as_deref());
        Ok((analysis, found))
    }
}

/// Traces and proofs that were contradicted fail the command, after its output.
pub(super) fn nothing_contradicted(found: &Confirmed) -> Result<(), Failure> {
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
pub(super) struct ConfirmArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: ReportFormat,
    #[command(flatten)]
    output: TextOutput,
    #[command(flatten)]
    passes: BothPasses,
}

pub(super) fn run(arguments: &ConfirmArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let input = arguments.passes.load(&arguments.class)?;
    let (_, found) = arguments.passes.run(input, true)?;
    let told = found.confirmations();
    let text = match arguments.format {
        ReportFormat::Text => view::confirmations::text(&told),
        ReportFormat::Json => output::json(&told)?,
    };
    arguments.output.write(&text)?;
    nothing_contradicted(&found)
}
