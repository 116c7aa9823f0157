//! `tranquera epa`

use std::ffi::OsStr;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::analysis::{Analysis, Drawn, PageOptions};
use crate::epa::diff::EpaDiff;
use crate::epa::findings::Finding;
use crate::epa::{self, Abstraction, Epa, Strategy};
use crate::view::{self, EpaFormat, ViewSubject};

use super::confirm::ExtentArguments;
use super::infer::{self, InferArguments};
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::TextOutput;
use super::{Failure, output, watch};

/// The strategies, as they are named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum StrategyName {
    /// Ask for any target not known yet, until there is none
    #[default]
    Guided,
    /// The published algorithm: necessarily enabled and disabled actions, then every candidate
    Enumerate,
}

/// What can make the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// An edge that is not certain
    Maybe,
    /// An action that can break the invariant
    Violation,
    /// A state in which nothing can be called
    Deadlock,
    /// Any finding
    Finding,
}

#[derive(Debug, clap::Args)]
pub(super) struct EpaArguments {
    #[command(flatten)]
    class: ClassArguments,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: EpaFormat,
    #[command(flatten)]
    output: TextOutput,
    /// Draw it again on every save of the file, and say what is different; Ctrl-C ends
    #[arg(long)]
    watch: bool,
    /// Seconds for all questions about calls, and before these for what bodies refuse: what is not known by then is drawn `?`, to
    /// every state that there is
    #[arg(long, value_name = "SECONDS", value_parser = super::input::seconds, conflicts_with = "strategy")]
    epa_time: Option<f64>,
    /// Which exceptional edges to look for
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    /// Draw exceptional edges too (JSON always has those that were looked for)
    #[arg(long)]
    show_exceptions: bool,
    /// Leave out the loops of actions that do nothing but loop
    #[arg(long)]
    hide_loops: bool,
    /// Exit with status 1 if there is any of this
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// How targets are found; the result is the same
    #[arg(long, value_enum, default_value_t)]
    strategy: StrategyName,
    /// Ask about pure actions too, which cannot change anything
    #[arg(long)]
    no_pure_shortcut: bool,
    /// Do not ask whether the invariant can be broken
    #[arg(long)]
    no_violations: bool,
    /// Give in the JSON, for every edge, what the engine answered (a page always has it)
    #[arg(long)]
    answers: bool,
    /// Make the second pass: confirm each edge by a run, or refute it by a proof
    #[arg(long)]
    confirm: bool,
    #[command(flatten)]
    extent: ExtentArguments,
    #[command(flatten)]
    infer: InferArguments,
    /// Write the clauses that were found into the file
    #[arg(long, conflicts_with = "watch", help_heading = "Contracts from bodies")]
    write: bool,
    #[command(flatten)]
    engine: EngineArguments,
}

/// The arguments by themselves, for a command that goes on with this one.
#[derive(Debug, clap::Parser)]
struct Alone {
    #[command(flatten)]
    arguments: EpaArguments,
}

/// Draws a page of the class of a file, and again on every save.
pub(super) fn watched_page(file: &Path, page: &Path) -> Result<(), Failure> {
    let flags = ["--watch", "--format", "html", "--output"].map(OsStr::new);
    let words = [OsStr::new("epa"), file.as_os_str()].into_iter();
    let words = words.chain(flags).chain([page.as_os_str()]);
    let alone =
        Alone::try_parse_from(words).map_err(|error| Failure::BadInput(error.to_string()))?;
    run(&alone.arguments)
}

pub(super) fn run(arguments: &EpaArguments) -> Result<(), Failure> {
    arguments.output.spare(&[&arguments.class.file])?;
    if arguments.watch {
        return arguments.watch();
    }
    let (drawn, text) = arguments.draw()?;
    arguments.output.write(&text)?;
    arguments.judge(&drawn)
}

impl EpaArguments {
    /// Draws the EPA again on every save of the file. What is different since the last time goes to the messages.
    fn watch(&self) -> Result<(), Failure> {
        if self.format != EpaFormat::Text && self.output.is_standard() {
            let text = "error: --watch draws text in the terminal only\nhelp: --output FILE says where another format goes";
            return Err(Failure::BadInput(text.into()));
        }
        let mut last: Option<Epa> = None;
        let draw = || self.draw();
        let show = |(drawn, text): (Drawn, String)| {
            self.output.write(&text)?;
            if let Some(last) = &last {
                let bad_input = |error| Failure::BadInput(format!("error: {error}"));
                let diff = EpaDiff::of(last, &drawn.epa, &[]).map_err(bad_input)?;
                let options = view::ViewOptions {
                    colour: self.class.color.on(&io::stderr()),
                    ..view::ViewOptions::default()
                };
                output::complain(&format!("\n{}", view::diff::brief(&diff, &options)));
            }
            let judged = self.judge(&drawn);
            last = Some(drawn.epa);
            judged
        };
        watch::on_every_save(&self.class.file, draw, show)
    }

    /// Computes the EPA and what is to be shown of it, and shows it as a text.
    fn draw(&self) -> Result<(Drawn, String), Failure> {
        let time = self.epa_time.map(Duration::from_secs_f64);
        let until = time.and_then(|time| Instant::now().checked_add(time));
        let input = self.engine.read(&self.class, until)?;
        let choice = self.engine.choice()?;
        let (input, written) = self.infer.apply(&self.class, &choice.config, input)?;
        if self.write {
            infer::write_back(&self.class, &input.loaded, written.as_ref())?;
        }
        let analysis = Analysis::new(input, choice)?;
        let wanted = PageOptions {
            epa: self.options(),
            confirm: self.confirm.then(|| self.extent.extent()),
            answers: self.answers,
            page: self.format == EpaFormat::Html,
        };
        let mut drawn = analysis.draw(&wanted)?;
        self.engine.report(&drawn.disagreements)?;
        output::warn(drawn.untold.as_deref());
        if let Some(background) = &mut drawn.background {
            background.named = self.class.words();
        }
        let subject = ViewSubject {
            epa: &drawn.epa,
            background: drawn.background.as_ref(),
        };
        let text = view::render(subject, self.format, &self.view())
            .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
        Ok((drawn, text))
    }

    fn options(&self) -> epa::ConstructOptions {
        epa::ConstructOptions {
            strategy: match self.strategy {
                StrategyName::Guided => Strategy::Guided,
                StrategyName::Enumerate => Strategy::Enumerate,
            },
            pure_shortcut: !self.no_pure_shortcut,
            violations: !self.no_violations,
            time: self.epa_time.map(Duration::from_secs_f64),
            ..self.engine.epa_options(self.exceptions)
        }
    }

    fn view(&self) -> view::ViewOptions {
        view::ViewOptions {
            idle_loops: !self.hide_loops,
            exceptional: self.show_exceptions,
            reloads: self.watch,
            ..self.output.view(self.class.color)
        }
    }

    /// Whether what was asked to hold does, and no answer was contradicted.
    fn judge(&self, drawn: &Drawn) -> Result<(), Failure> {
        self.judge_epa(&drawn.abstraction)?;
        if drawn.contradicted == 0 {
            Ok(())
        } else {
            Err(Failure::DoesNotHold(format!(
                "failed: answers that were contradicted: {}",
                drawn.contradicted
            )))
        }
    }

    /// Whether what was asked to hold does.
    fn judge_epa(&self, epa: &Abstraction) -> Result<(), Failure> {
        let findings = |wanted: fn(&Finding) -> bool| {
            let found = epa.findings.iter().filter(|f| wanted(f));
            found.count()
        };
        let mut broken = Vec::new();
        for what in &self.fail_on {
            let (count, noun) = match what {
                FailOn::Maybe => {
                    let maybe = epa.edges().filter(|(.., known)| known.doubt.is_some());
                    (maybe.count(), "uncertain edges")
                }
                FailOn::Violation => {
                    let violating = epa.edges().filter(|(.., known)| known.violates_invariant);
                    let always = findings(|f| matches!(f, Finding::AlwaysViolates(..)));
                    (
                        violating.count() + always,
                        "edges that can break the invariant",
                    )
                }
                FailOn::Deadlock => {
                    let deadlocks = findings(|f| matches!(f, Finding::Deadlock { .. }));
                    (deadlocks, "deadlock states")
                }
                FailOn::Finding => (epa.findings.len(), "findings"),
            };
            if count > 0 {
                broken.push(format!("{noun}: {count}"));
            }
        }
        Failure::unless_well(&broken)
    }
}
