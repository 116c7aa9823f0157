//! Who answers a question: given a Boogie program and an entry procedure, can its end be reached?
//!
//! An engine opens a program once and answers entries of it, from any number of threads. It knows Boogie text
//! and nothing of classes or automata. What it says is a [`Verdict`]; nothing an engine does (crash, hang,
//! nonsense) is an error of the question: it is the verdict [`Verdict::Unknown`] with its reason.

mod all;
mod boogie;
mod builtin;
pub mod cache;
mod choice;
mod corral;
pub mod deepen;
pub mod doctor;
mod external;
mod keep;
mod lines;
mod listening;
mod locate;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use crate::process::Interrupt;
use crate::query::{EntryProcedure, Limits, QuestionProgram, Verdict};
use crate::time::at_most;

pub use builtin::Builtin;
pub use choice::{Choice, NoSuchEngine};
use external::External;
pub use listening::Listening;
pub use locate::{Located, Tool, Versions};

/// An engine could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// An executable is missing.
    #[error("{engine}: cannot find `{executable}`")]
    Missing {
        /// The engine.
        engine: &'static str,
        /// What was looked for.
        executable: String,
        /// How to get it.
        hint: String,
    },
    /// A file or folder could not be made.
    #[error("{engine}: {what}: {source}")]
    Io {
        /// The engine.
        engine: &'static str,
        /// What was tried.
        what: String,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The engine refused the program: an error of ours.
    #[error("{engine}: the program was rejected: {message}")]
    Rejected {
        /// The engine.
        engine: &'static str,
        /// The first message.
        message: String,
    },
}

/// A reachability engine.
pub trait Engine: Send + Sync {
    /// `builtin`, `boogie`, `corral`.
    fn name(&self) -> &'static str;

    /// The engine's version, with its solver's, for reports and cache keys.
    fn version(&self) -> Result<String, EngineError>;

    /// How far it goes for one question.
    fn limits(&self) -> Limits;

    /// Prepares a program; its entries are asked through the session.
    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError>;
}

/// A program opened by an engine. Questions can be asked from several threads at once.
pub trait Session: Send + Sync {
    /// The answer to one question. Blocks for as long as the engine's limits allow.
    fn ask(&self, entry: &EntryProcedure) -> Verdict;

    /// The same for somebody who runs what is found, and asks ([`Session::ask`]) where that does not do what it should: an
    /// execution may come that is none ([`Verdict::Presumed`]), if it comes sooner.
    fn presume(&self, entry: &EntryProcedure) -> Verdict {
        self.ask(entry)
    }
}

/// How an engine is to be run.
#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// Bound, time and memory.
    pub limits: Limits,
    /// Where each question and its output are kept, if they are.
    pub keep_dir: Option<PathBuf>,
    /// Boogie's executable, if it was named.
    pub boogie: Option<PathBuf>,
    /// Corral's executable, if it was named.
    pub corral: Option<PathBuf>,
    /// Z3's executable, if it was named.
    pub z3: Option<PathBuf>,
    /// What is known of the executables' versions; engines that are to share it get the same.
    pub versions: Versions,
    /// Ends questions early.
    pub interrupt: Interrupt,
}

impl EngineConfig {
    /// How long the answer to a question that is put now may take.
    fn timeout(&self, entry: &EntryProcedure) -> Duration {
        at_most(self.limits.timeout, entry.limit)
    }

    /// The executable that was named.
    fn named(&self, tool: Tool) -> Option<&Path> {
        let named = match tool {
            Tool::Boogie => &self.boogie,
            Tool::Corral => &self.corral,
            Tool::Z3 => &self.z3,
        };
        named.as_deref()
    }
}

/// An engine that can be chosen by its name.
#[derive(Clone, Copy, Debug)]
pub struct EngineKind {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The executables that it needs.
    pub tools: &'static [Tool],
    /// Makes it. What it needs is looked for when it is used, so this does not fail.
    pub make: fn(&EngineConfig) -> Box<dyn Engine>,
}

/// The name of the engine that is asked where none is named.
pub const DEFAULT: &str = builtin::NAME;

/// The name of the engine that asks all others.
pub const ALL: &str = all::NAME;

/// All engines there are.
pub const ENGINES: &[EngineKind] = &[
    EngineKind {
        name: builtin::NAME,
        about: "stratified inlining in this program, and Z3",
        tools: &[Tool::Z3],
        make: |config| Box::new(Builtin::new(config)),
    },
    EngineKind {
        name: boogie::NAME,
        about: "Boogie 2.4 with stratified inlining, and Z3; processes",
        tools: &[Tool::Boogie, Tool::Z3],
        make: |config| Box::new(External::<boogie::Boogie>::new(config)),
    },
    EngineKind {
        name: corral::NAME,
        about: "Corral, and Z3; processes",
        tools: &[Tool::Corral, Tool::Z3],
        make: |config| Box::new(External::<corral::Corral>::new(config)),
    },
    EngineKind {
        name: all::NAME,
        about: "every engine that is present, checked against each other",
        tools: &[],
        make: |config| Box::new(all::All::new(config)),
    },
];

/// The engine of that name.
pub fn kind(name: &str) -> Option<&'static EngineKind> {
    ENGINES.iter().find(|kind| kind.name == name)
}
