//! `tranquera typestate`

use std::path::PathBuf;

use crate::analysis::{Analysis, TypestateWanted};
use crate::engine::{Choice, EngineConfig};
use crate::query::Limits;
use crate::typestate::precondition;
use crate::view::{self, picture::PictureFormat};

use super::input::{ClassArguments, report};
use super::output::TextOutput;
use super::{Failure, interrupt};

/// The normal forms, as they are named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum NormalFormArgument {
    /// One case for each path through an action
    Path,
    /// Each case with as few conditions as the whole allows
    #[default]
    Prime,
}

impl From<NormalFormArgument> for precondition::NormalForm {
    fn from(mode: NormalFormArgument) -> Self {
        match mode {
            NormalFormArgument::Path => precondition::NormalForm::Path,
            NormalFormArgument::Prime => precondition::NormalForm::Prime,
        }
    }
}

/// How far code is followed.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct FollowArguments {
    /// How many rounds of a loop are followed; what goes on after them may do anything
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.recursion_bound, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub bound: u32,
    /// The Z3 executable [default: TRANQUERA_Z3, then PATH]
    #[arg(long, value_name = "PATH")]
    pub z3: Option<PathBuf>,
}

impl FollowArguments {
    /// The built-in engine within these limits.
    fn choice(&self) -> Choice {
        let config = EngineConfig {
            limits: Limits {
                recursion_bound: self.bound,
                ..Limits::DEFAULT
            },
            z3: self.z3.clone(),
            interrupt: interrupt::token(),
            ..EngineConfig::default()
        };
        Choice {
            config,
            ..Choice::default()
        }
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct TypestateArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// How the conditions are put
    #[arg(long, value_enum, default_value_t)]
    mode: NormalFormArgument,
    /// Take it that every object keeps this (an expression over the fields); may be given more than once
    #[arg(long, value_name = "EXPRESSION")]
    invariant: Vec<String>,
    /// Give up beyond this many states, the error counted
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1000))]
    max_states: u16,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: PictureFormat,
    #[command(flatten)]
    output: TextOutput,
    /// Show every edge, also those of which another edge says more (JSON always has them)
    #[arg(long)]
    all_edges: bool,
    /// Do not ask an engine whether some call escapes the preconditions
    #[arg(long)]
    no_certify: bool,
    #[command(flatten)]
    extent: FollowArguments,
}

pub(super) fn run(arguments: &TypestateArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let instead = "`tranquera epa` shows the states of a class";
    arguments.class.without_marks(instead)?;
    let mut input = arguments.class.load(arguments.extent.z3.as_deref(), None)?;
    if !arguments.invariant.is_empty() {
        let more = input.with_invariants(&arguments.invariant);
        input = more.map_err(|wrong| arguments.class.color.complaint(&wrong))?;
    }
    let analysis = Analysis::new(input, arguments.extent.choice())?;
    let found = analysis.typestate(&TypestateWanted {
        mode: arguments.mode.into(),
        max_states: arguments.max_states.into(),
        certify: !arguments.no_certify,
    })?;
    report(&found.disagreements, None)?;
    interrupt::check()?;
    let view = arguments.output.view(arguments.class.color);
    let text = view::typestate::render(
        &found.typestate,
        arguments.format,
        arguments.all_edges,
        &view,
    )
    .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    arguments.output.write(&text)?;
    match found.refused {
        false => Ok(()),
        true => Err(Failure::DoesNotHold(
            "failed: preconditions that are too strong (see the notes)".into(),
        )),
    }
}
