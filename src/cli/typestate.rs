//! `tranquera typestate`

use std::io;
use std::path::PathBuf;
use std::time::Instant;

use crate::ask::Answer;
use crate::engine::{self, EngineConfig};
use crate::query::Limits;
use crate::typestate::automaton::certify::{self, certify};
use crate::typestate::automaton::{Inference, infer};
use crate::typestate::precondition::{self, Analysis};
use crate::typestate::report::Typestate;
use crate::view;
use crate::view::picture::Format;

use super::input::{ClassArguments, Input, ask_failure, encoding, engine_failure, report};
use super::invariant::with_invariants;
use super::{Failure, interrupt, output};

/// The normal forms, as they are named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Mode {
    /// One case for each path through an action
    Path,
    /// Each case with as few conditions as the whole allows
    #[default]
    Prime,
}

impl From<Mode> for precondition::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Path => precondition::Mode::Path,
            Mode::Prime => precondition::Mode::Prime,
        }
    }
}

/// How far code is followed.
#[derive(Clone, Debug, clap::Args)]
pub struct Extent {
    /// How many rounds of a loop are followed; what goes on after them may do anything
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub bound: u32,
    /// The Z3 executable [default: TRANQUERA_Z3, then PATH]
    #[arg(long, value_name = "PATH")]
    pub z3: Option<PathBuf>,
}

impl Extent {
    /// How preconditions are computed.
    pub fn options(&self, mode: precondition::Mode) -> precondition::Options {
        precondition::Options {
            mode,
            bound: self.bound,
            z3: self.z3.clone(),
            interrupt: interrupt::token(),
            ..precondition::Options::default()
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    class: ClassArguments,
    /// How the conditions are put
    #[arg(long, value_enum, default_value_t)]
    mode: Mode,
    /// Take it that every object keeps this (an expression over the fields); may be given more than once
    #[arg(long, value_name = "EXPRESSION")]
    invariant: Vec<String>,
    /// Give up beyond this many states, the error counted
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1000))]
    max_states: u16,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: Format,
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show every edge, also those of which another edge says more (JSON always has them)
    #[arg(long)]
    all_edges: bool,
    /// Do not ask an engine whether some call escapes the preconditions
    #[arg(long)]
    no_certify: bool,
    #[command(flatten)]
    extent: Extent,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::spare(&[&arguments.class.file], arguments.output.as_deref())?;
    let start = Instant::now();
    let mut input = arguments.class.load(arguments.extent.z3.as_deref())?;
    if !arguments.invariant.is_empty() {
        input = with_invariants(&arguments.class, &input, &arguments.invariant)?;
    }
    let mode = arguments.mode.into();
    let options = arguments.extent.options(mode);
    let mut analysis = Analysis::new(&input.loaded.program, input.class, options)
        .map_err(|error| engine_failure(&error))?;
    let wanted = Inference {
        actions: input.actions.clone(),
        mode,
        max_states: arguments.max_states.into(),
    };
    let automaton = infer(&mut analysis, &wanted);
    let certificates = match arguments.no_certify {
        true => None,
        false => Some(certificates(&input, arguments, &automaton.preconditions)?),
    };
    interrupt::check()?;
    let wall_ms = start.elapsed().as_millis().try_into().unwrap_or(u64::MAX);
    let typestate = Typestate::new(&automaton, certificates.as_deref(), wall_ms);
    let view = view::Options {
        colour: arguments.output.is_none() && arguments.class.color.on(&io::stdout()),
        ..view::Options::default()
    };
    let text = view::typestate::render(&typestate, arguments.format, arguments.all_edges, &view)
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    output::write(arguments.output.as_deref(), &text)?;
    let refused = certificates
        .iter()
        .flatten()
        .find(|c| matches!(c.answer, Answer::Yes(_)));
    match refused {
        None => Ok(()),
        Some(_) => Err(Failure::DoesNotHold(
            "failed: preconditions that are too strong (see the notes)".into(),
        )),
    }
}

fn certificates(
    input: &Input,
    arguments: &Arguments,
    preconditions: &[crate::typestate::automaton::Found],
) -> Result<Vec<certify::Certificate>, Failure> {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: arguments.extent.bound,
            ..Limits::default()
        },
        z3: arguments.extent.z3.clone(),
        ..EngineConfig::default()
    };
    let engine = engine::Builtin::new(&config);
    let encoding = encoding(input)?;
    let (certificates, disagreements) =
        certify(&encoding, &engine, preconditions).map_err(ask_failure)?;
    report(&disagreements, None)?;
    Ok(certificates)
}
