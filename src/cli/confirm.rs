//! `tranquera confirm`

use std::path::PathBuf;
use std::time::Duration;

use crate::encode::Encoding;
use crate::epa::confirm::{self, Confirmations, EdgeResult, Run, Status};
use crate::epa::{self, Constructed, Epa};
use crate::lang::Source;

use super::input::{
    ClassArguments, EngineArguments, Exceptional, Input, construct_failure, engine_failure, report,
};
use super::{Failure, output};

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
        encoding: &Encoding<'_>,
        source: &Source,
        epa: &Epa,
        engine: &EngineArguments,
    ) -> Result<Confirmations, Failure> {
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
            confirm::Failure::Engine(error) => engine_failure(&error),
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
    /// Constructs the EPA and makes the second pass.
    pub fn run(&self, input: &Input, encoding: &Encoding<'_>) -> Result<Confirmations, Failure> {
        let options = epa::Options {
            violations: false,
            ..self.engine.epa_options(self.exceptions)
        };
        let engine = self.engine.engine()?;
        let Constructed { epa, disagreements } =
            epa::construct(encoding, engine.as_ref(), &options).map_err(construct_failure)?;
        report(&disagreements, self.engine.keep.as_deref())?;
        self.extent
            .confirm(encoding, &input.loaded.source, &epa, &self.engine)
    }
}

/// Traces and proofs that were contradicted fail the command, after its output.
pub fn nothing_contradicted(found: &Confirmations) -> Result<(), Failure> {
    if found.errors.is_empty() {
        Ok(())
    } else {
        Err(Failure::DoesNotHold(format!(
            "failed: traces or proofs that were contradicted: {}",
            found.errors.len()
        )))
    }
}

/// How the result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
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
    let input = arguments.class.load()?;
    let encoding = input.encoding()?;
    let found = arguments.passes.run(&input, &encoding)?;
    let text = match arguments.format {
        Format::Text => text(&found),
        Format::Json => serde_json::to_string_pretty(&found)
            .map(|json| json + "\n")
            .map_err(|error| Failure::BadInput(format!("error: {error}")))?,
    };
    output::write(arguments.output.as_deref(), &text)?;
    nothing_contradicted(&found)
}

/// The result for people.
fn text(found: &Confirmations) -> String {
    let mut lines = vec![found.class.clone(), String::new()];
    for state in &found.states {
        lines.push(format!("{}  {{ {} }}", state.id, state.enabled.join(", ")));
        lines.push(format!("  {}", words(&state.status)));
    }
    for edge in &found.edges {
        lines.push(String::new());
        lines.push(edge.edge.clone());
        lines.push(format!("  {}", words(&edge.status)));
        if let Some(run) = &edge.run {
            lines.extend(run_lines(run));
        }
    }
    if let Some(proof) = &found.proof {
        lines.push(String::new());
        if proof.invariant.is_empty() {
            lines.push(
                "refuted without an invariant: no call does this where the class's own holds"
                    .into(),
            );
        } else {
            lines.push("refuted by this invariant, which every object keeps:".into());
            lines.extend(
                proof
                    .invariant
                    .iter()
                    .map(|clause| format!("  invariant {clause};")),
            );
        }
        let edges: Vec<&str> = proof
            .refutes
            .iter()
            .filter_map(|e| found.edges.get(*e))
            .map(|e: &EdgeResult| e.edge.as_str())
            .collect();
        lines.push(format!(
            "  where it holds, no call takes {}",
            edges.join(", ")
        ));
        lines.push(format!(
            "  checked by {} questions to the engine",
            proof.checked_by.len()
        ));
    }
    lines.push(String::new());
    lines.push(summary(found));
    if let Some(why) = &found.stopped {
        lines.push(format!("not all was found out: {why}"));
    }
    lines.join("\n") + "\n"
}

fn words(status: &Status) -> String {
    match status {
        Status::Confirmed { calls, shortest } => {
            let noun = if *calls == 1 { "call" } else { "calls" };
            let doubt = if *shortest {
                ""
            } else {
                " (there may be a shorter run)"
            };
            format!("confirmed, {calls} {noun}{doubt}")
        }
        Status::Refuted { unreached: false } => "refuted".into(),
        Status::Refuted { unreached: true } => "refuted: nothing leads there".into(),
        Status::Unconfirmed { bound } => format!("unconfirmed: no run of up to {bound} calls"),
    }
}

/// A run, a call a line: what is called with what, where it ends, and what the fields are then.
fn run_lines(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, call) in run.calls.iter().enumerate() {
        let list = |values: &[confirm::Named]| -> String {
            let texts: Vec<String> = values
                .iter()
                .map(|v| format!("{} = {}", v.name, v.value))
                .collect();
            texts.join(", ")
        };
        // A constructor is shown with the types of its parameters.
        let name = call.name.split('(').next().unwrap_or_default();
        let exception = call
            .exception
            .as_ref()
            .map_or(String::new(), |e| format!(" ! {e}"));
        let target = call.target.as_deref().unwrap_or("nothing");
        let mut line = format!(
            "  {}. {name}({}){exception} -> {target}",
            index + 1,
            list(&call.arguments)
        );
        if !call.fields.is_empty() {
            line.push_str(&format!("  [{}]", list(&call.fields)));
        }
        lines.push(line);
    }
    if let Some(why) = &run.not_replayed {
        lines.push(format!("  (not run by the interpreter: {why})"));
    }
    lines
}

fn summary(found: &Confirmations) -> String {
    let count = |test: fn(&Status) -> bool| found.edges.iter().filter(|e| test(&e.status)).count();
    format!(
        "{} edges: {} confirmed, {} refuted, {} unconfirmed",
        found.edges.len(),
        count(|s| matches!(s, Status::Confirmed { .. })),
        count(|s| matches!(s, Status::Refuted { .. })),
        count(|s| matches!(s, Status::Unconfirmed { .. })),
    )
}
