//! `tranquera interface`

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::encode::Encoding;
use crate::epa;
use crate::front::tq::with_predicates;
use crate::interface::bounds::bounds;
use crate::interface::export::{self, Exported};
use crate::interface::model::Interface;
use crate::interface::synthesis::{
    self, Options, Precision, SupersetCheck, Synthesised, synthesise, synthesise_by_rounds,
};
use crate::ir::{ExceptionId, Expr, Program};
use crate::query::kinds::interface::{Abstracted, Forbidden, Params};
use crate::reproduce::interfaces::Subject;
use crate::view;
use crate::view::picture::Format as Picture;

use super::input::{
    ClassArguments, EngineArguments, Exceptional, Input, construct_failure, encoding,
    engine_failure, report,
};
use super::{Failure, interrupt, output};

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum Format {
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
enum Seen {
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
pub struct Arguments {
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
    precision: Seen,
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
    format: Format,
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::spare(&[&arguments.class.file], arguments.output.as_deref())?;
    let input = arguments.class.load(arguments.engine.z3.as_deref())?;
    let (synthesised, code) = arguments.synthesise(input)?;
    interrupt::check()?;
    report(&synthesised.disagreements, arguments.engine.keep.as_deref())?;
    let options = view::Options {
        colour: arguments.output.is_none() && arguments.class.color.on(&io::stdout()),
        ..view::Options::default()
    };
    let picture = match arguments.format {
        Format::Text => Picture::Text,
        Format::Json => Picture::Json,
        Format::Dot => Picture::Dot,
        Format::Svg => Picture::Svg,
        Format::Mermaid => Picture::Mermaid,
        Format::Rust | Format::Jatyc => {
            output::write(arguments.output.as_deref(), &code)?;
            return arguments.judge(&synthesised);
        }
    };
    let text = view::interface::render(&synthesised.interface, picture, &options)
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    output::write(arguments.output.as_deref(), &text)?;
    arguments.judge(&synthesised)
}

impl Arguments {
    /// The interface, and the code for it, if that is wanted.
    fn synthesise(&self, input: Input) -> Result<(Synthesised, String), Failure> {
        let prepared = Prepared::new(&self.class, input, &self.predicate, &self.exception)?;
        let subject = Arc::new(prepared.input.subject());
        let params = match self.params {
            Chosen::Forall => Params::Forall,
            Chosen::Exists => Params::Exists,
        };
        let forbidden = &prepared.forbidden;
        let abstracted = |predicates| {
            let subject = Arc::clone(&subject);
            Abstracted::new(subject, predicates, forbidden.clone(), params, self.blind)
        };
        // What is seen of calls does not depend on the predicates, which may be found on the way.
        let seen = abstracted(vec![]);
        let interface = abstracted(prepared.predicates.clone());
        let engine = self.engine.engine()?;
        let options = self.options();
        let mut synthesised = if self.predicate.is_empty() {
            let rounds = usize::from(self.rounds);
            synthesise_by_rounds(interface, engine.as_ref(), &options, rounds)
        } else {
            synthesise(&interface, engine.as_ref(), &options)
        }
        .map_err(synthesis_failure)?;
        if self.must {
            self.add_bounds(&encoding(&prepared.input)?, &mut synthesised)?;
        }
        let exported = Exported {
            interface: &seen,
            alphabet: &synthesised.explored.abstraction.alphabet,
            automaton: &synthesised.automaton,
        };
        let code = match self.format {
            Format::Rust => export::typestate(&exported),
            Format::Jatyc => export::protocol(&exported),
            _ => Ok(String::new()),
        };
        let code = code.map_err(|error| {
            Failure::DoesNotHold(format!("error: there is no such code for it: {error}"))
        })?;
        Ok((synthesised, code))
    }

    /// The EPA and Must(EPA) beside the interface.
    fn add_bounds(
        &self,
        encoding: &Encoding,
        synthesised: &mut Synthesised,
    ) -> Result<(), Failure> {
        let options = epa::Options {
            violations: false,
            ..self.engine.epa_options(Exceptional::All)
        };
        let engine = self.engine.engine()?;
        let mut constructed =
            epa::construct(encoding, engine.as_ref(), &options).map_err(construct_failure)?;
        synthesised
            .disagreements
            .append(&mut constructed.disagreements);
        let forbidden = &synthesised.interface.forbidden;
        let longest = usize::from(self.words);
        let bounds = bounds(
            &constructed.abstraction,
            forbidden,
            &synthesised.automaton,
            longest,
        )
        .map_err(|error| Failure::NoEngine(format!("error: {error}")))?;
        synthesised.interface.bounds = Some(bounds);
        Ok(())
    }

    fn options(&self) -> Options {
        Options {
            precision: match self.precision {
                Seen::Call => Precision::Call,
                Seen::Statement => Precision::Statement,
            },
            superset: match self.superset {
                Superset::Exact => SupersetCheck::Exact,
                Superset::Jist => SupersetCheck::Jist,
            },
            feasibility: self.feasibility,
            jobs: self.engine.jobs(),
            recursion_bound: self.engine.recursion_bound,
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

/// A class with predicates and what must not happen, from their texts.
struct Prepared {
    input: Input,
    predicates: Vec<Expr>,
    forbidden: Forbidden,
}

impl Prepared {
    fn new(
        class: &ClassArguments,
        mut input: Input,
        predicates: &[String],
        exceptions: &[String],
    ) -> Result<Self, Failure> {
        let coloured = class.color.on(&io::stderr());
        let predicates = with_predicates(&input.loaded, input.class, predicates)
            .map_err(|d| Failure::BadInput(d.render(coloured)))?;
        input.loaded.program = predicates.program;
        let forbidden = forbidden(&input.loaded.program, &class.file, exceptions)?;
        Ok(Prepared {
            input,
            predicates: predicates.exprs,
            forbidden,
        })
    }
}

/// What must never happen, by its names.
fn forbidden(program: &Program, file: &Path, names: &[String]) -> Result<Forbidden, Failure> {
    let mut forbidden = Forbidden::default();
    for name in names {
        match program.exceptions.iter().position(|e| e == name) {
            Some(id) => {
                forbidden.exceptions.insert(ExceptionId(id));
            }
            None if name == "requires" => forbidden.requires = true,
            None => {
                return Err(Failure::BadInput(format!(
                    "error: there is no exception `{name}` in {} (there are: {}; and `requires`)",
                    file.display(),
                    program.exceptions.join(", ")
                )));
            }
        }
    }
    Ok(forbidden)
}

/// The interface of a published case study, in the paper's precision.
pub fn reproduced(
    class: ClassArguments,
    engine: &EngineArguments,
    subject: &Subject,
    superset: SupersetCheck,
) -> Result<Interface, Failure> {
    let input = class.load(engine.z3.as_deref())?;
    let exceptions = [subject.exception.clone()];
    let prepared = Prepared::new(&class, input, &subject.predicates, &exceptions)?;
    let interface = Abstracted::new(
        Arc::new(prepared.input.subject()),
        prepared.predicates,
        prepared.forbidden,
        Params::Forall,
        false,
    );
    let options = Options {
        precision: Precision::Statement,
        superset,
        feasibility: false,
        jobs: engine.jobs(),
        recursion_bound: engine.recursion_bound,
        witnesses: false,
    };
    let synthesised = synthesise(&interface, engine.engine()?.as_ref(), &options);
    let synthesised = synthesised.map_err(synthesis_failure)?;
    report(&synthesised.disagreements, engine.keep.as_deref())?;
    Ok(synthesised.interface)
}

/// Why there is no interface, as a report.
fn synthesis_failure(failure: synthesis::Failure) -> Failure {
    match failure {
        synthesis::Failure::Engine(error) => engine_failure(&error),
        other => Failure::NoEngine(format!("error: {other}")),
    }
}
