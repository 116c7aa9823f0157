//! `tranquera verify`

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::front::tq::{self, Loaded, ast};
use crate::ir::{ClassId, Program, RoutineRef};
use crate::ir::{Diagnostics, Source};
use crate::typestate::verify::monitor::Protocol;
use crate::typestate::verify::{self, Report, Wanted, entries};
use crate::view;

use super::Failure;
use super::input::{EngineArguments, ask_failure, report as complain_of};
use super::output::{self, Colour, Format};

#[derive(Debug, clap::Args)]
pub struct Arguments {
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
    format: Format,
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    #[command(flatten)]
    engine: EngineArguments,
}

/// The client and what it uses.
struct Whole {
    program: Arc<Program>,
    source: Arc<Source>,
    clients: Vec<ClassId>,
    watched: Vec<ClassId>,
    notes: Vec<String>,
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    output::spare(
        &[&arguments.client, &arguments.against],
        arguments.output.as_deref(),
    )?;
    let whole = arguments.load()?;
    let wanted = Wanted {
        entries: arguments.entries(&whole)?,
        clients: whole.clients,
        watched: whole.watched,
        notes: whole.notes,
    };
    let engine = arguments.engine.engine()?;
    let (report, disagreements) =
        verify::verify(&whole.program, &whole.source, &wanted, engine.as_ref())
            .map_err(ask_failure)?;
    complain_of(&disagreements, arguments.engine.keep.as_deref())?;
    let text = match arguments.format {
        Format::Json => output::json(&report)?,
        Format::Text => {
            let options = view::Options {
                colour: arguments.output.is_none() && arguments.color.on(&io::stdout()),
                ..view::Options::default()
            };
            view::verification::render(&report, &options)
        }
    };
    output::write(arguments.output.as_deref(), &text)?;
    judge(&report)
}

fn judge(report: &Report) -> Result<(), Failure> {
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

impl Arguments {
    fn bad(&self, diagnostics: &Diagnostics) -> Failure {
        Failure::BadInput(diagnostics.render(self.color.on(&io::stderr())))
    }

    fn load(&self) -> Result<Whole, Failure> {
        let against = Source::read(&self.against).map_err(|d| self.bad(&d))?;
        let is_automaton = against.text.trim_start().starts_with('{');
        let library = match (is_automaton, &self.with) {
            (true, with) => with.as_ref(),
            (false, None) => Some(&self.against),
            (false, Some(_)) => {
                let text = "error: --with goes with an automaton (JSON) as --against";
                return Err(Failure::BadInput(text.into()));
            }
        };
        let (loaded, clients, others) = self.together(library)?;
        if !is_automaton {
            return Ok(Whole {
                program: loaded.program,
                source: loaded.source,
                clients,
                watched: others,
                notes: Vec::new(),
            });
        }
        let not_read = |error: verify::monitor::ProtocolError| {
            Failure::BadInput(format!("error: {}: {error}", self.against.display()))
        };
        let protocol = Protocol::read(&against.text).map_err(not_read)?;
        let (program, class) = protocol.imposed_on(&loaded.program).map_err(not_read)?;
        Ok(Whole {
            program: Arc::new(program),
            source: loaded.source,
            clients: clients.into_iter().filter(|c| *c != class).collect(),
            watched: vec![class],
            notes: vec![verify::monitor::NOTE.into()],
        })
    }

    /// The client's text with the library's behind it, so that lines are the client's own. Also the client's
    /// classes, and the others.
    fn together(
        &self,
        library: Option<&PathBuf>,
    ) -> Result<(Loaded, Vec<ClassId>, Vec<ClassId>), Failure> {
        let client = Source::read(&self.client).map_err(|d| self.bad(&d))?;
        let mut text = client.text.clone();
        if let Some(library) = library {
            // By itself first: what is wrong with it is shown in it.
            let library = tq::load(library).map_err(|d| self.bad(&d))?;
            text.push('\n');
            text.push_str(&library.source.text);
        }
        let own = tq::parse_syntax(&client.name, &client.text).map_err(|d| self.bad(&d))?;
        let own = own.items.iter().filter_map(|item| match item {
            ast::Item::Class(class) => Some(class.name.name.clone()),
            _ => None,
        });
        let own: Vec<String> = own.collect();
        let loaded = tq::parse_text(&client.name, &text).map_err(|d| self.bad(&d))?;
        let all = (0..loaded.program.classes.len()).map(ClassId);
        let (clients, others) = all.partition(|c| own.contains(&loaded.program.class(*c).name));
        Ok((loaded, clients, others))
    }

    fn entries(&self, whole: &Whole) -> Result<Vec<RoutineRef>, Failure> {
        let found = entries(&whole.program, &whole.clients);
        let program = &whole.program;
        let all = whole.clients.iter().flat_map(|class| {
            let routines = 0..program.class(*class).routines.len();
            let class = *class;
            routines.map(move |index| RoutineRef { class, index })
        });
        let all: Vec<RoutineRef> = all.collect();
        if self.procedure.is_empty() {
            return if found.is_empty() {
                let text = format!("error: {} has no procedure", self.client.display());
                Err(Failure::BadInput(text))
            } else {
                Ok(found)
            };
        }
        let of_name = |name: &String| {
            let mut all = all.iter();
            let found = all.find(|r| {
                let (class, routine) = (program.class(r.class), program.routine(**r));
                *name == routine.name || *name == format!("{}.{}", class.name, routine.name)
            });
            found.copied().ok_or_else(|| {
                Failure::BadInput(format!("error: the client has no routine `{name}`"))
            })
        };
        self.procedure.iter().map(of_name).collect()
    }
}
