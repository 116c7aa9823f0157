//! `tranquera query`

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::analysis::Analysis;
use crate::encode::Encoding;
use crate::epa;
use crate::query::kinds::{self, KINDS, QuestionArguments, QuestionKind};
use crate::query::{
    AbstractState, ActionId, ConstructorId, EdgeId, EntryProcedure, Exit, Mark, Query,
    QuestionProgram, Subject, names_in,
};

use super::infer::InferArguments;
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::{Failure, output};

/// What is asked, as it is named on the command line.
#[derive(Clone, Copy, Debug)]
enum QueryArgument {
    Program,
    Question(&'static QuestionKind),
    Confirm,
}

const PROGRAM: &str = "program";
const CONFIRM: &str = "confirm";

/// The names: those of the kinds of question, and of what is no question, or of more than the class.
fn names() -> impl TypedValueParser<Value = QueryArgument> {
    let program = PossibleValue::new(PROGRAM).help("The class alone, without a question");
    let kinds = KINDS.iter();
    let kinds = kinds.map(|kind| PossibleValue::new(kind.name).help(kind.about));
    let confirm = PossibleValue::new(CONFIRM).help(
        "Is there a run of --calls calls, the last of which takes an edge of the EPA? (An engine finds the EPA first.)",
    );
    let all = std::iter::once(program).chain(kinds).chain([confirm]);
    PossibleValuesParser::new(all).try_map(|name| match name.as_str() {
        PROGRAM => Ok(QueryArgument::Program),
        CONFIRM => Ok(QueryArgument::Confirm),
        _ => {
            let mut kinds = KINDS.iter();
            let kind = kinds.find(|kind| kind.name == name);
            kind.map(QueryArgument::Question)
                .ok_or("there is no such kind")
        }
    })
}

#[derive(Debug, clap::Args)]
pub(super) struct QueryArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What is asked
    #[arg(long, value_parser = names(), required_unless_present = "all")]
    kind: Option<QueryArgument>,
    /// The source state: its enabled actions, separated by commas (empty for the state in which nothing can be called)
    #[arg(long, value_name = "STATE")]
    from: Option<String>,
    /// The target state; may be repeated for the questions after any other one
    #[arg(long, value_name = "STATE")]
    to: Vec<String>,
    /// The action that is called
    #[arg(long, value_name = "NAME", conflicts_with = "constructor")]
    action: Option<String>,
    /// The constructor that is called: its name, as `tranquera epa` shows it, or its number from 1
    #[arg(long, value_name = "NAME")]
    constructor: Option<String>,
    /// The action asked about
    #[arg(long, value_name = "NAME")]
    of: Option<String>,
    /// The exception that is raised
    #[arg(long, value_name = "NAME")]
    exception: Option<String>,
    /// The length of the run, in calls, the constructor counted
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    calls: u32,
    /// All questions that computing the EPA by the published algorithm asks (an engine answers them on the way)
    #[arg(long, conflicts_with = "kind", requires = "save")]
    all: bool,
    /// Save each question in this folder, as a file whose name says what it asks
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    #[command(flatten)]
    infer: InferArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

pub(super) fn run(arguments: &QueryArguments) -> Result<(), Failure> {
    let input = arguments.infer.load(&arguments.class, &arguments.engine)?;
    let analysis = arguments.engine.analysis(input)?;
    let encoding = analysis.encoding();
    match arguments.kind {
        Some(QueryArgument::Program) => arguments.deliver(&encoding.program(), None),
        Some(QueryArgument::Confirm) => arguments.confirm(&analysis),
        Some(QueryArgument::Question(kind)) => {
            let given = arguments.given(&encoding.subject)?;
            let query = (kind.query)(&encoding.subject, &given).map_err(|missing| {
                Failure::BadInput(format!("error: this kind of question needs {missing}"))
            })?;
            arguments.deliver_query(encoding, &encoding.program(), &query)
        }
        None => arguments.save_all(&analysis),
    }
}

fn cannot_encode(error: askama::Error) -> Failure {
    Failure::BadInput(format!("error: the question cannot be encoded: {error}"))
}

impl QueryArguments {
    /// Prints the text, or saves it.
    fn deliver(
        &self,
        program: &QuestionProgram,
        entry: Option<&EntryProcedure>,
    ) -> Result<(), Failure> {
        let (name, text) = match entry {
            Some(entry) => (entry.name.as_str(), program.with(entry)),
            None => (program.name.as_str(), program.text.clone()),
        };
        match &self.save {
            Some(folder) => output::save(folder, name, &text).map(|_| ()),
            None => output::write(None, &text),
        }
    }

    fn deliver_query(
        &self,
        encoding: &Encoding,
        program: &QuestionProgram,
        query: &Query,
    ) -> Result<(), Failure> {
        let encoded = encoding.query(query).map_err(cannot_encode)?;
        self.deliver(program, Some(&encoded.entry))
    }

    /// The automaton as a program, and the question after a run of it.
    fn confirm(&self, analysis: &Analysis) -> Result<(), Failure> {
        let made = analysis.epa(&self.engine.epa_options(Exceptional::Declared))?;
        let encoding = analysis.encoding();
        let automaton = &made.abstraction.automaton;
        let edges: BTreeSet<EdgeId> = automaton.numbered().map(|(id, _)| id).collect();
        let Some(walk) = automaton.walks(None, self.calls as usize, &edges, &edges) else {
            return Err(Failure::BadInput(format!(
                "error: the automaton has no run of {} calls",
                self.calls
            )));
        };
        let program = encoding.automaton(automaton).map_err(cannot_encode)?;
        self.deliver_query(encoding, &program, &kinds::run(&encoding.subject, walk))
    }

    fn save_all(&self, analysis: &Analysis) -> Result<(), Failure> {
        let Some(folder) = &self.save else {
            return Err(Failure::BadInput("error: --all needs --save".into()));
        };
        let heard = analysis.questions(&epa::ConstructOptions {
            strategy: epa::Strategy::Enumerate,
            ..self.engine.epa_options(Exceptional::Declared)
        })?;
        let program = analysis.encoding().program();
        for (name, entry) in &heard {
            output::save(folder, name, &program.with(entry))?;
        }
        output::write(
            None,
            &format!("saved {} questions in {}\n", heard.len(), folder.display()),
        )
    }
}

/// What is given, found in the class by its name.
impl QueryArguments {
    fn given(&self, subject: &Subject) -> Result<QuestionArguments, Failure> {
        let action = |name: &Option<String>| {
            let name = name.as_deref();
            name.map(|name| action(subject, name)).transpose()
        };
        let from = self.from.as_deref();
        Ok(QuestionArguments {
            constructor: self.constructor(subject)?,
            action: action(&self.action)?,
            from: from.map(|text| state(subject, text)).transpose()?,
            exit: self.exit(subject)?,
            of: action(&self.of)?,
            to: (self.to.iter().map(|text| state(subject, text))).collect::<Result<_, _>>()?,
        })
    }

    /// The constructor that is named.
    fn constructor(&self, subject: &Subject) -> Result<Option<ConstructorId>, Failure> {
        let Some(name) = &self.constructor else {
            return Ok(None);
        };
        let mut ids = subject.constructor_ids();
        let by_name = ids.clone().find(|id| subject[*id].shown == *name);
        let number = name.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        let found = by_name.or_else(|| ids.find(|id| Some(id.0) == number));
        found.map(Some).ok_or_else(|| {
            let names = subject.constructors.iter().map(|c| c.shown.as_str());
            none("constructor", name, names)
        })
    }

    fn exit(&self, subject: &Subject) -> Result<Exit, Failure> {
        let Some(name) = &self.exception else {
            return Ok(Exit::Normal);
        };
        let exceptions = &subject.program.exceptions;
        match subject.program.exception_called(name) {
            Some(id) => Ok(Exit::Exception(id)),
            None => Err(none(
                "exception",
                name,
                exceptions.iter().map(String::as_str),
            )),
        }
    }
}

/// A state by its enabled actions, and the predicates that hold: `a,b`, with or without braces.
fn state(subject: &Subject, text: &str) -> Result<AbstractState, Failure> {
    let text = text.trim().trim_start_matches('{').trim_end_matches('}');
    let names = names_in(text).into_iter();
    names.map(|name| mark(subject, &name)).collect()
}

fn mark(subject: &Subject, name: &str) -> Result<Mark, Failure> {
    let mut marks = subject.marks();
    let names = subject.marks().map(|mark| subject.mark_name(mark));
    let action = subject.action_named(name);
    let found = marks.find(|mark| match mark {
        Mark::Enabled(id) => action == Some(*id),
        Mark::Holds(_) => subject.mark_name(*mark) == name,
    });
    found.ok_or_else(|| none("action", name, names))
}

fn action(subject: &Subject, name: &str) -> Result<ActionId, Failure> {
    let names = subject.actions.iter().map(|a| a.shown.as_str());
    let found = subject.action_named(name);
    found.ok_or_else(|| none("action", name, names))
}

/// There is nothing of this name.
fn none<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Failure {
    let names: Vec<&str> = names.collect();
    Failure::BadInput(format!(
        "error: there is no {what} `{name}` (there are: {})",
        names.join(", ")
    ))
}
