//! `tranquera interface`

use crate::analysis::{InterfaceWanted, WithInterface};
use crate::interface::export;
use crate::interface::model::Interface;
use crate::interface::synthesis::{Precision, SupersetCheck, SynthesisOptions, Synthesised};
use crate::query::kinds::interface::Params;
use crate::reproduce::interfaces::InterfaceSubject;
use crate::view;
use crate::view::picture::PictureFormat as Picture;

use super::input::{ClassArguments, EngineArguments};
use super::output::TextOutput;
use super::{Failure, interrupt};

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum InterfaceFormat {
    /// A summary for a terminal
    #[default]
    Text,
    /// The data, as JSON (schema `tranquera/interface/1`)
    Json,
    /// A graph for Graphviz
    Dot,
    /// A picture that needs nothing else
    Svg,
    /// A `stateDiagram-v2` for Mermaid
    Mermaid,
    /// A Rust module with a type for each state
    Rust,
    /// A protocol for the Java Typestate Checker, JaTyC
    Jatyc,
}

/// How superset queries are answered, as it is named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Superset {
    /// Exactly
    #[default]
    Exact,
    /// As the paper's tool does: a sufficient condition, then one step further
    Jist,
}

/// How much of a call the abstraction sees at once, as it is named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum SeenArgument {
    /// All of it
    #[default]
    Call,
    /// One statement, as the paper's tool does
    Statement,
}

/// Who chooses the arguments of calls, as it is named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Chosen {
    /// A call is safe only if it is for all arguments
    #[default]
    Forall,
    /// The caller chooses arguments that meet the requires clauses, where there are some
    Exists,
}

#[derive(Debug, clap::Args)]
pub(super) struct InterfaceArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What must never happen: an exception of the file or of the language, or `requires`: a call whose requires
    /// clauses do not hold; may be given several times
    #[arg(long, short = 'e', value_name = "NAME", required = true)]
    exception: Vec<String>,
    /// A predicate over the fields to tell objects apart by; may be given several times [default: found in the class]
    #[arg(long, short, value_name = "EXPR")]
    predicate: Vec<String>,
    /// Where predicates are found: how often assignments are looked through for more
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=20))]
    rounds: u8,
    /// How the learner finds out whether something is missing
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    superset: Superset,
    /// How much of a call is abstracted at once
    #[arg(long, value_name = "UNIT", value_enum, default_value_t)]
    precision: SeenArgument,
    /// Who chooses the arguments of calls
    #[arg(long, value_name = "WHO", value_enum, default_value_t)]
    params: Chosen,
    /// The caller sees nothing of how a call ends: neither outcomes nor whether another exception is raised
    #[arg(long)]
    blind: bool,
    /// Tell states apart by what can be seen in them at all, as the paper does
    #[arg(long)]
    feasibility: bool,
    /// Show beside it what may happen (the EPA), what the EPA alone guarantees (Must), and how many histories lie between
    #[arg(long)]
    must: bool,
    /// With --must: count histories up to this length
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(0..=1000))]
    words: u16,
    /// Do not look for a run behind each prohibition; then no predicates are found beyond the guards
    #[arg(long)]
    no_witnesses: bool,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: InterfaceFormat,
    #[command(flatten)]
    output: TextOutput,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(arguments: &InterfaceArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    let instead = "--predicate tells objects apart here";
    arguments.class.without_marks(instead)?;
    let input = arguments.engine.load(&arguments.class)?;
    let analysis = arguments.engine.analysis(input)?;
    let found = analysis.interface(&arguments.wanted())?;
    let code = arguments.code(&found)?;
    let synthesised = found.synthesised;
    interrupt::check()?;
    arguments.engine.report(&synthesised.disagreements)?;
    let options = arguments.output.view(arguments.class.color);
    let picture = match arguments.format {
        InterfaceFormat::Text => Picture::Text,
        InterfaceFormat::Json => Picture::Json,
        InterfaceFormat::Dot => Picture::Dot,
        InterfaceFormat::Svg => Picture::Svg,
        InterfaceFormat::Mermaid => Picture::Mermaid,
        InterfaceFormat::Rust | InterfaceFormat::Jatyc => {
            arguments.output.write(&code)?;
            return arguments.judge(&synthesised);
        }
    };
    let text = view::interface::render(&synthesised.interface, picture, &options)
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    arguments.output.write(&text)?;
    arguments.judge(&synthesised)
}

impl InterfaceArguments {
    fn wanted(&self) -> InterfaceWanted {
        InterfaceWanted {
            forbidden: self.exception.clone(),
            predicates: self.predicate.clone(),
            rounds: self.rounds.into(),
            params: match self.params {
                Chosen::Forall => Params::Forall,
                Chosen::Exists => Params::Exists,
            },
            blind: self.blind,
            must: self.must.then_some(self.words.into()),
            options: self.options(),
        }
    }

    /// The code for the interface, if that is wanted.
    fn code(&self, found: &WithInterface) -> Result<String, Failure> {
        let code = match self.format {
            InterfaceFormat::Rust => export::typestate(&found.exported()),
            InterfaceFormat::Jatyc => export::protocol(&found.exported()),
            _ => Ok(String::new()),
        };
        code.map_err(|error| {
            Failure::DoesNotHold(format!("error: there is no such code for it: {error}"))
        })
    }

    fn options(&self) -> SynthesisOptions {
        SynthesisOptions {
            precision: match self.precision {
                SeenArgument::Call => Precision::Call,
                SeenArgument::Statement => Precision::Statement,
            },
            superset: match self.superset {
                Superset::Exact => SupersetCheck::Exact,
                Superset::Jist => SupersetCheck::Jist,
            },
            feasibility: self.feasibility,
            jobs: self.engine.jobs(),
            witnesses: !self.no_witnesses,
        }
    }

    /// An interface whose certificate fails, or answers that were contradicted, fail the command.
    fn judge(&self, synthesised: &Synthesised) -> Result<(), Failure> {
        let mut broken = Vec::new();
        if !synthesised.interface.certificate.holds {
            broken.push("the interface is not certified".to_string());
        }
        let contradicted = synthesised.disagreements.len();
        if contradicted > 0 {
            broken.push(format!("answers that were contradicted: {contradicted}"));
        }
        Failure::unless_well(&broken)
    }
}

/// The interface of a published case study, in the paper's precision.
pub(super) fn reproduced(
    class: ClassArguments,
    engine: &EngineArguments,
    subject: &InterfaceSubject,
    superset: SupersetCheck,
) -> Result<Interface, Failure> {
    let wanted = InterfaceWanted {
        forbidden: vec![subject.exception.clone()],
        predicates: subject.predicates.clone(),
        rounds: 0,
        params: Params::Forall,
        blind: false,
        must: None,
        options: SynthesisOptions {
            precision: Precision::Statement,
            superset,
            feasibility: false,
            jobs: engine.jobs(),
            witnesses: false,
        },
    };
    let found = engine.analysis(engine.load(&class)?)?;
    let found = found.interface(&wanted);
    let synthesised = found?.synthesised;
    engine.report(&synthesised.disagreements)?;
    Ok(synthesised.interface)
}
