//! What an engine says about an entry: a verdict, with its trace or its reason.

use serde::{Deserialize, Serialize};

/// What an engine says about an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// There is an execution to the end; how it goes, as far as the engine tells.
    Reached(Trace),
    /// There is one as far as the engine looked: what is said of all values of a kind, it looked at for some of them. It is
    /// to be run before anything is concluded from it.
    Presumed(Trace),
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

impl Unknown {
    /// The kind of failure, and the line for a person if there is one: `timeout`, `crash: …`.
    pub fn words(&self) -> String {
        let kind = serde_json::to_value(self.reason)
            .ok()
            .and_then(|v| v.as_str().map(str::to_string));
        let kind = kind.unwrap_or_else(|| "unknown".into());
        if self.detail.is_empty() {
            kind
        } else {
            format!("{kind}: {}", self.detail)
        }
    }
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
    /// Two engines contradict each other.
    Disagreement,
}

/// An execution that reaches the end of an entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// The values recorded by calls of `boogie_si_record…`, in the order executed.
    pub values: Vec<Recorded>,
    /// The path, as far as the engine tells.
    pub steps: Vec<PathStep>,
    /// What an engine that is a process printed, cut to a readable length.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
    /// Whether the answer was kept from an earlier run. Then the path and the output are gone.
    #[serde(skip)]
    pub kept: bool,
}

impl Trace {
    /// What the engine said, for a person: what it printed; else the values and the path, a line each.
    pub fn text(&self) -> String {
        if !self.output.is_empty() {
            return self.output.clone();
        }
        let values = self.values.iter().map(|recorded| match &recorded.name {
            Some(name) => format!("{name} = {}", recorded.value),
            None => recorded.value.clone(),
        });
        let steps = self.steps.iter().map(|step| {
            let indent = "  ".repeat(step.depth as usize);
            format!("line {}: {indent}{}", step.line, step.event)
        });
        values.chain(steps).collect::<Vec<_>>().join("\n")
    }
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
pub struct PathStep {
    /// The line of the Boogie text (program and entry together), from 1; 0 if unknown.
    pub line: u32,
    /// What happens: the block's label, or `call p`, `return p`.
    pub event: String,
    /// How deep in the calls, from 0.
    pub depth: u32,
}
