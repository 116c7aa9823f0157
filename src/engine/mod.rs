//! Who answers a question: given a Boogie program and an entry procedure, can its end be reached?
//!
//! An engine opens a program once and answers entries of it, from any number of threads. It knows Boogie text
//! and nothing of classes or automata. What it says is a [`Verdict`]; nothing an engine does (crash, hang,
//! nonsense) is an error of the question: it is the verdict [`Verdict::Unknown`] with its reason.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A Boogie program to which entry procedures are added.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is called: a class's name, used in file names.
    pub name: String,
    /// The Boogie text: everything but the entry procedures.
    pub text: String,
}

/// One question: an entry procedure of a program. The question is whether `assert {:reached} false`, the last
/// statement of the entry, can be reached.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of the entry procedure; also used in file names (a legal Boogie identifier).
    pub name: String,
    /// The Boogie text of the entry procedure, with `{:entrypoint}`.
    pub text: String,
}

/// What an engine says about an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// There is an execution to the end; how it goes, as far as the engine tells.
    Reached(Trace),
    /// There is none, of any length.
    Unreachable,
    /// There is none within the bound, and the bound cut some off.
    BoundHit {
        /// The recursion bound.
        bound: u32,
    },
    /// The engine does not know.
    Unknown(Unknown),
}

/// Why an engine does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unknown {
    /// The kind of failure.
    pub reason: Reason,
    /// One line for a person; empty when the reason says it all.
    pub detail: String,
    /// What the engine printed, cut to a readable length.
    pub output: String,
}

/// The kinds of failure of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Out of time.
    Timeout,
    /// Out of memory.
    Memory,
    /// The solver gave up.
    SolverIncomplete,
    /// The engine's solver is missing.
    ProverMissing,
    /// The engine ended by a signal or an error of its own.
    Crash,
    /// The engine refused the program: an error of ours.
    Rejected,
    /// The engine's output was not understood.
    NotUnderstood,
    /// The question was interrupted.
    Interrupted,
    /// The witness did not replay: the engine's "reached" was not confirmed.
    NotReplayed,
}

/// An execution that reaches the end of an entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The values recorded by calls of `boogie_si_record…`, in the order executed.
    pub values: Vec<Recorded>,
    /// The path, as far as the engine tells.
    pub steps: Vec<Step>,
}

/// A value recorded on a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// What the call's `{:cexpr "…"}` names, where the engine prints it.
    pub name: Option<String>,
    /// The value as the engine prints it: `6`, `-5`, `true`, …
    pub value: String,
}

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The line of the Boogie text (program and entry together), from 1; 0 if unknown.
    pub line: u32,
    /// What happens: the block's label, or `call p`, `return p`.
    pub event: String,
    /// How deep in the calls, from 0.
    pub depth: u32,
}

/// What is asked of every engine alike.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How often one procedure (a loop's iteration is one) may recur on a stack.
    pub recursion_bound: u32,
    /// Wall-clock time for one question.
    pub timeout: Duration,
    /// Memory for one question, in MiB.
    pub memory_mib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            recursion_bound: 3,
            timeout: Duration::from_secs(60),
            memory_mib: 4096,
        }
    }
}

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

    /// Prepares a program; its entries are asked through the session.
    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, EngineError>;
}

/// A program opened by an engine. Questions can be asked from several threads at once.
pub trait Session: Send + Sync {
    /// The answer to one question. Blocks for as long as the engine's limits allow.
    fn ask(&self, entry: &Entry) -> Verdict;
}
