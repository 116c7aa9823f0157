//! What the commands on classes have in common: which file, class and actions, and which engine.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::analysis::{self, Analysis};
use crate::ask::Disagreement;
use crate::engine::{self, Choice, EngineConfig, EngineError, Versions};
use crate::epa::{self, Constructed};
use crate::ir::Diagnostics;
use crate::load::{self, Input, LoadRequest};
use crate::query::Limits;
use crate::workers::a_core_each;

use super::front::FrontArguments;
use super::output::{self, Colour};
use super::{Failure, cache, interrupt};

/// Which class, and which of its actions.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ClassArguments {
    /// The file: a class in `.tq` text, or its tree as JSON; a contract in Solidity, or what solc, Foundry or Hardhat have
    /// written of it; a Java class in a jar, a folder, a class file
    pub file: PathBuf,
    /// The class under analysis, or the contract [default: the last one in the file]
    #[arg(long, value_name = "NAME", visible_alias = "contract")]
    pub class: Option<String>,
    /// Study only these actions
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with = "without"
    )]
    pub actions: Vec<String>,
    /// Study all actions but these
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Tell states apart by this, too: a predicate over the fields, or a field of an enum; may be given several times
    #[arg(long = "states", value_name = "WHAT", hide_short_help = true)]
    pub marks: Vec<String>,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub color: Colour,
    #[command(flatten)]
    pub front: FrontArguments,
}

impl ClassArguments {
    /// The same words on the command line again.
    pub(super) fn words(&self) -> String {
        let file = self.file.display().to_string();
        let mut words = vec![file];
        if let Some(class) = &self.class {
            words.extend(["--class".to_owned(), class.clone()]);
        }
        for (flag, names) in [("--actions", &self.actions), ("--without", &self.without)] {
            if !names.is_empty() {
                words.extend([flag.to_owned(), names.join(",")]);
            }
        }
        for mark in &self.marks {
            words.extend(["--states".to_owned(), mark.clone()]);
        }
        let words = words.iter().map(|word| quoted(word));
        words.collect::<Vec<_>>().join(" ")
    }
}

/// A word as a POSIX shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-./,+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Which exceptional edges are looked for, as it is named on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Exceptional {
    /// None, nor whether operations themselves can fail
    None,
    /// Those of exceptions that the file declares; that an operation itself can fail is a finding
    #[default]
    Declared,
    /// Those of every exception: null dereference, index out of range, a failed assertion, …
    All,
}

impl From<Exceptional> for epa::Exceptions {
    fn from(which: Exceptional) -> Self {
        match which {
            Exceptional::None => epa::Exceptions::Ignored,
            Exceptional::Declared => epa::Exceptions::Declared,
            Exceptional::All => epa::Exceptions::All,
        }
    }
}

impl ClassArguments {
    /// That states are not told apart by more, for a command that shows no EPA.
    pub(super) fn without_marks(&self, instead: &str) -> Result<(), Failure> {
        match self.marks.is_empty() {
            true => Ok(()),
            false => Err(Failure::BadInput(format!(
                "error: --states tells the states of an EPA apart, which is not what is made here\nhelp: {instead}"
            ))),
        }
    }

    /// Reads the file and finds class and actions. What is to be said of how it was read is said.
    pub(super) fn load(&self, z3: Option<&Path>, jobs: Option<usize>) -> Result<Input, Failure> {
        let input = self.read(z3, jobs, None)?;
        for note in input.told() {
            output::complain(&format!("note: {note}"));
        }
        Ok(input)
    }

    /// Reads the file and finds class and actions. What actions require in a language without contracts is found with this
    /// solver, of so many of them at once; what is not found by then is left open.
    pub(super) fn read(
        &self,
        z3: Option<&Path>,
        jobs: Option<usize>,
        until: Option<Instant>,
    ) -> Result<Input, Failure> {
        let coloured = self.color.on(&io::stderr());
        let request = LoadRequest {
            path: self.file.clone(),
            class: self.class.clone(),
            actions: self.actions.clone(),
            without: self.without.clone(),
            marks: self.marks.clone(),
            solidity: self.front.solidity(),
            java: self.front.java(),
            z3: z3.map(Path::to_owned),
            jobs,
            until,
            interrupt: interrupt::token(),
        };
        let input = load::load(&request).map_err(|failure| self.color.told(failure))?;
        if !input.loaded.warnings.is_empty() {
            output::complain(&input.loaded.warnings.render(coloured));
        }
        Ok(input)
    }
}

/// Which engine, and how far it may go.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Engine")]
pub(super) struct EngineArguments {
    /// The engine that answers the questions (see `tranquera engines`)
    #[arg(long, value_name = "NAME", default_value = engine::DEFAULT)]
    pub engine: String,
    /// How often one procedure, or one loop, may recur on a stack
    #[arg(long, value_name = "N", default_value_t = Limits::DEFAULT.recursion_bound)]
    pub recursion_bound: u32,
    /// Where the recursion bound is hit, ask again with twice the bound, and again, up to N
    #[arg(long, value_name = "N")]
    pub deepen: Option<u32>,
    /// Seconds for one question
    #[arg(long, value_name = "SECONDS", default_value_t = Limits::DEFAULT.timeout.as_secs_f64(), value_parser = seconds)]
    pub timeout: f64,
    /// MiB of memory for one question
    #[arg(long, value_name = "MIB", default_value_t = Limits::DEFAULT.memory_mib, value_parser = clap::value_parser!(u64).range(64..))]
    pub memory: u64,
    /// Questions asked at once [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    /// Ask everything anew, and keep no answers (see `tranquera cache`)
    #[arg(long)]
    pub no_cache: bool,
    /// Keep every question's Boogie text and the engine's output in this folder
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// The Boogie executable [default: TRANQUERA_BOOGIE, then PATH]
    #[arg(long, value_name = "PATH")]
    pub boogie: Option<PathBuf>,
    /// The Corral executable [default: TRANQUERA_CORRAL, then PATH]
    #[arg(long, value_name = "PATH")]
    pub corral: Option<PathBuf>,
    /// The Z3 executable [default: TRANQUERA_Z3, then PATH]
    #[arg(long, value_name = "PATH")]
    pub z3: Option<PathBuf>,
    /// Shared by all engines of this command.
    #[arg(skip)]
    pub versions: Versions,
}

/// A positive number of seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(n) if n.is_finite() && n > 0.0 && n <= 1e6 => Ok(n),
        _ => Err("a number of seconds above 0, at most 1000000".into()),
    }
}

impl EngineArguments {
    /// The engine chosen, and how it is to be run.
    pub(super) fn choice(&self) -> Result<Choice, Failure> {
        let config = EngineConfig {
            limits: Limits {
                recursion_bound: self.recursion_bound,
                timeout: Duration::from_secs_f64(self.timeout),
                memory_mib: self.memory,
                ..Limits::DEFAULT
            },
            keep_dir: self.keep.clone(),
            boogie: self.boogie.clone(),
            corral: self.corral.clone(),
            z3: self.z3.clone(),
            versions: self.versions.clone(),
            interrupt: interrupt::token(),
        };
        let choice = Choice::named(&self.engine, config).map_err(analysis::AnalysisError::from)?;
        Ok(Choice {
            deepen: self.deepen,
            answers: cache::store().filter(|_| !self.no_cache),
            ..choice
        })
    }

    /// The analysis of a class.
    pub(super) fn analysis(&self, input: Input) -> Result<Analysis, Failure> {
        Ok(Analysis::new(input, self.choice()?)?)
    }

    /// How an EPA is found in the usual way.
    pub(super) fn epa_options(&self, exceptions: Exceptional) -> epa::ConstructOptions {
        epa::ConstructOptions {
            jobs: self.jobs(),
            exceptions: exceptions.into(),
            ..epa::ConstructOptions::default()
        }
    }

    /// The whole EPA of a class. Answers that were not believed are reported.
    pub(super) fn epa(
        &self,
        analysis: &Analysis,
        options: &epa::ConstructOptions,
    ) -> Result<Constructed, Failure> {
        let made = analysis.epa(options)?;
        interrupt::check()?;
        self.report(&made.disagreements)?;
        Ok(made)
    }

    /// Says which answers of the engine were not believed, and saves the questions.
    pub(super) fn report(&self, disagreements: &[Disagreement]) -> Result<(), Failure> {
        report(disagreements, self.keep.as_deref())
    }

    /// Loads a class: what its actions require is found with the engine's solver.
    pub(super) fn load(&self, class: &ClassArguments) -> Result<Input, Failure> {
        class.load(self.z3.as_deref(), self.jobs.map(usize::from))
    }

    /// Reads a class: what its actions require is found with the engine's solver; what is not found by then is left open.
    pub(super) fn read(
        &self,
        class: &ClassArguments,
        until: Option<Instant>,
    ) -> Result<Input, Failure> {
        class.read(self.z3.as_deref(), self.jobs.map(usize::from), until)
    }

    /// How many questions to ask at once.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.map_or_else(a_core_each, usize::from)
    }
}

impl From<analysis::AnalysisError> for Failure {
    fn from(failure: analysis::AnalysisError) -> Self {
        use analysis::AnalysisError as Why;
        match failure {
            Why::Engine(error) => error.into(),
            Why::Load(failure) => Colour::Auto.told(failure),
            Why::GivenUp(why) => Failure::NoEngine(format!("error: {why}")),
            other => Failure::BadInput(format!("error: {other}")),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let help = match &error {
            EngineError::Missing { hint, .. } => format!("\nhelp: {hint}"),
            _ => String::new(),
        };
        Failure::NoEngine(format!("error: {error}{help}"))
    }
}

impl Colour {
    /// What is wrong with a text, as a report.
    pub(super) fn complaint(self, wrong: &Diagnostics) -> Failure {
        Failure::BadInput(wrong.render(self.on(&io::stderr())))
    }

    /// Why there is no class to study, as a report.
    pub(super) fn told(self, failure: load::LoadError) -> Failure {
        match failure {
            load::LoadError::Engine(error) => error.into(),
            load::LoadError::Interrupted => Failure::Interrupted,
            other => Failure::BadInput(other.render(self.on(&io::stderr()))),
        }
    }
}

/// Says which answers of the engine were not believed, and saves the questions.
pub(super) fn report(disagreements: &[Disagreement], keep: Option<&Path>) -> Result<(), Failure> {
    let folder = keep.unwrap_or(Path::new("tranquera-disagreements"));
    for disagreement in disagreements {
        let file = output::save(folder, &disagreement.name, &disagreement.text)?;
        output::complain(&format!(
            "warning: {}\n  see {}",
            disagreement.message,
            file.display()
        ));
    }
    Ok(())
}
