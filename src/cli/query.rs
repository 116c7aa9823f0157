//! `tranquera query`

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::encode::{Encoding, Exit, Question, Step};
use crate::engine::{Engine, EngineError, Session};
use crate::epa;
use crate::query::ActionSet;
use crate::query::{Entry, Program, Verdict};

use super::input::{ClassArguments, EngineArguments, Exceptional, construct_failure};
use super::{Failure, output};

/// The kinds of question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// The class alone, without a question
    Program,
    /// Can --constructor end in --to?
    InitialState,
    /// Can --action, called in --from, end in --to?
    Transition,
    /// Can --action, called in --from, raise --exception and leave the object in --to?
    ExceptionalExit,
    /// Is --of enabled whenever --action, called in --from, has ended?
    NecessarilyEnabled,
    /// Is --of disabled whenever --action, called in --from, has ended?
    NecessarilyDisabled,
    /// Can --action, called in --from, end in none of the --to?
    AnyOtherTarget,
    /// Can --action, called in --from (or anywhere), break the invariant?
    InvariantViolation,
    /// Is there a configuration in --to at all?
    ConsistentState,
    /// Is there a configuration in none of the --to?
    AnyOtherState,
    /// Is there a run of --calls calls, the last of which takes an edge of the EPA? (An engine finds the EPA first.)
    Confirm,
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What is asked
    #[arg(long, value_enum, required_unless_present = "all")]
    kind: Option<Kind>,
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
    engine: EngineArguments,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let input = arguments.class.load()?;
    let encoding =
        Encoding::new(&input.loaded.program, input.class, &input.actions).map_err(cannot_encode)?;
    match arguments.kind {
        Some(Kind::Program) => arguments.deliver(&encoding.program(), None),
        Some(Kind::Confirm) => arguments.confirm(&encoding),
        Some(kind) => {
            let question = Asked {
                encoding: &encoding,
                arguments,
            }
            .question(kind)?;
            let encoded = encoding.question(&question).map_err(cannot_encode)?;
            arguments.deliver(&encoding.program(), Some(&encoded.entry))
        }
        None => arguments.save_all(&encoding),
    }
}

fn cannot_encode(error: askama::Error) -> Failure {
    Failure::BadInput(format!("error: the question cannot be encoded: {error}"))
}

fn missing(option: &str) -> Failure {
    Failure::BadInput(format!("error: this kind of question needs {option}"))
}

impl Arguments {
    /// Prints the text, or saves it.
    fn deliver(&self, program: &Program, entry: Option<&Entry>) -> Result<(), Failure> {
        let (name, text) = match entry {
            Some(entry) => (entry.name.as_str(), program.with(entry)),
            None => (program.name.as_str(), program.text.clone()),
        };
        match &self.save {
            Some(folder) => output::save(folder, name, &text).map(|_| ()),
            None => output::write(None, &text),
        }
    }

    /// The automaton as a program, and the question after a run of it.
    fn confirm(&self, encoding: &Encoding<'_>) -> Result<(), Failure> {
        let engine = self.engine.engine()?;
        let options = self.engine.epa_options(Exceptional::Declared);
        let epa = epa::construct(encoding, engine.as_ref(), &options).map_err(construct_failure)?;
        let another = || Failure::BadInput("error: the EPA found is not one of the class".into());
        let automaton = epa::confirm::automaton_of(encoding, &epa.epa).ok_or_else(another)?;
        let edges = (0..automaton.edges.len()).collect();
        let Some(runs) = automaton.runs(self.calls as usize, &edges, &edges) else {
            return Err(Failure::BadInput(format!(
                "error: the automaton has no run of {} calls",
                self.calls
            )));
        };
        let program = encoding.automaton(&automaton).map_err(cannot_encode)?;
        let encoded = encoding.runs(&automaton, &runs).map_err(cannot_encode)?;
        self.deliver(&program, Some(&encoded.entry))
    }

    fn save_all(&self, encoding: &Encoding<'_>) -> Result<(), Failure> {
        let Some(folder) = &self.save else {
            return Err(missing("--save"));
        };
        let engine = self.engine.engine()?;
        let listening = Listening {
            engine: engine.as_ref(),
            heard: Mutex::default(),
        };
        let options = epa::Options {
            strategy: epa::Strategy::Enumerate,
            ..self.engine.epa_options(Exceptional::Declared)
        };
        epa::construct(encoding, &listening, &options).map_err(construct_failure)?;
        let program = encoding.program();
        let heard = listening
            .heard
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        for (name, entry) in &heard {
            output::save(folder, name, &program.with(entry))?;
        }
        output::write(
            None,
            &format!("saved {} questions in {}\n", heard.len(), folder.display()),
        )
    }
}

/// A question put together from what was given.
struct Asked<'a> {
    encoding: &'a Encoding<'a>,
    arguments: &'a Arguments,
}

impl Asked<'_> {
    fn question(&self, kind: Kind) -> Result<Question, Failure> {
        let any_source = matches!(kind, Kind::InvariantViolation);
        Ok(match kind {
            Kind::Program | Kind::Confirm => return Err(missing("another --kind")),
            Kind::InitialState => Question::Transition(self.construct()?, self.target()?),
            Kind::Transition | Kind::ExceptionalExit => {
                Question::Transition(self.step(any_source)?, self.target()?)
            }
            Kind::NecessarilyEnabled => {
                Question::NecessarilyEnabled(self.step(any_source)?, self.of()?)
            }
            Kind::NecessarilyDisabled => {
                Question::NecessarilyDisabled(self.step(any_source)?, self.of()?)
            }
            Kind::AnyOtherTarget => {
                Question::AnyOtherTarget(self.step(any_source)?, self.targets()?)
            }
            Kind::InvariantViolation => Question::InvariantViolation(self.step(any_source)?),
            Kind::ConsistentState => Question::ConsistentState(self.target()?),
            Kind::AnyOtherState => Question::AnyOtherState(self.targets()?),
        })
    }

    /// The call: of the action or the constructor given.
    fn step(&self, any_source: bool) -> Result<Step, Failure> {
        if self.arguments.constructor.is_some() {
            return self.construct();
        }
        let name = self
            .arguments
            .action
            .as_deref()
            .ok_or_else(|| missing("--action (or --constructor)"))?;
        let source = match &self.arguments.from {
            Some(text) => Some(self.state(text)?),
            None if any_source => None,
            None => return Err(missing("--from")),
        };
        Ok(Step::Call {
            source,
            action: self.action(name)?,
            exit: self.exit()?,
        })
    }

    fn construct(&self) -> Result<Step, Failure> {
        let constructors = &self.encoding.constructors;
        let constructor = match &self.arguments.constructor {
            None if constructors.len() == 1 => 0,
            None => return Err(missing("--constructor")),
            Some(name) => {
                let by_name = constructors.iter().position(|c| c.display == *name);
                let by_number = name.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                by_name
                    .or(by_number.filter(|n| *n < constructors.len()))
                    .ok_or_else(|| {
                        let names: Vec<&str> =
                            constructors.iter().map(|c| c.display.as_str()).collect();
                        Failure::BadInput(format!(
                            "error: there is no constructor `{name}` (there are: {})",
                            names.join(", ")
                        ))
                    })?
            }
        };
        Ok(Step::Construct {
            constructor,
            exit: self.exit()?,
        })
    }

    fn exit(&self) -> Result<Exit, Failure> {
        let Some(name) = &self.arguments.exception else {
            return Ok(Exit::Normal);
        };
        let exceptions = &self.encoding.source().exceptions;
        match exceptions.iter().position(|e| e == name) {
            Some(index) => Ok(Exit::Exception(crate::ir::ExceptionId(index))),
            None => Err(Failure::BadInput(format!(
                "error: there is no exception `{name}` (there are: {})",
                exceptions.join(", ")
            ))),
        }
    }

    fn of(&self) -> Result<usize, Failure> {
        self.action(
            self.arguments
                .of
                .as_deref()
                .ok_or_else(|| missing("--of"))?,
        )
    }

    fn target(&self) -> Result<ActionSet, Failure> {
        match self.arguments.to.as_slice() {
            [one] => self.state(one),
            _ => Err(missing("one --to")),
        }
    }

    fn targets(&self) -> Result<BTreeSet<ActionSet>, Failure> {
        self.arguments
            .to
            .iter()
            .map(|text| self.state(text))
            .collect()
    }

    /// A state by its enabled actions: `a,b`, with or without braces.
    fn state(&self, text: &str) -> Result<ActionSet, Failure> {
        let text = text.trim().trim_start_matches('{').trim_end_matches('}');
        text.split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(|name| self.action(name))
            .collect()
    }

    fn action(&self, name: &str) -> Result<usize, Failure> {
        self.encoding
            .actions
            .iter()
            .position(|a| a.name == name)
            .ok_or_else(|| {
                let names: Vec<&str> = self
                    .encoding
                    .actions
                    .iter()
                    .map(|a| a.name.as_str())
                    .collect();
                Failure::BadInput(format!(
                    "error: there is no action `{name}` (there are: {})",
                    names.join(", ")
                ))
            })
    }
}

/// An engine that remembers what it was asked.
struct Listening<'a> {
    engine: &'a dyn Engine,
    heard: Mutex<BTreeMap<String, Entry>>,
}

struct ListeningSession<'a> {
    session: Box<dyn Session + 'a>,
    heard: &'a Mutex<BTreeMap<String, Entry>>,
}

impl Engine for Listening<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn version(&self) -> Result<String, EngineError> {
        self.engine.version()
    }

    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(ListeningSession {
            session: self.engine.open(program)?,
            heard: &self.heard,
        }))
    }
}

impl Session for ListeningSession<'_> {
    fn ask(&self, entry: &Entry) -> Verdict {
        let mut heard = self
            .heard
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        heard.insert(entry.name.clone(), entry.clone());
        drop(heard);
        self.session.ask(entry)
    }
}
