//! What `tranquera reach` prints: Corral's result lines and trace, or JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::flags::{Flags, Style};
use super::sources::SourceFiles;
use crate::boogie::ast::Pos;
use crate::boogie::typed;
use crate::internal::Internal;
use crate::reach::error::{ReachError, Unsupported};
use crate::reach::graph::FailedCheck;
use crate::reach::search::{Happening, Replay, SearchAnswer, SearchExecution, SearchStats};
use crate::reach::smt::SolverFailure;
use crate::reach::values::show;

/// Said of an execution that [`SearchAnswer::Presumed`] has.
const PRESUMED: &str = "The axioms hold wherever this execution looks at them. That they can hold everywhere is presumed.\n";

/// An answer and where it comes from.
pub(super) struct ReachReport<'a> {
    pub sources: &'a SourceFiles,
    pub flags: &'a Flags,
    pub program: &'a typed::TypedProgram,
    pub answer: &'a SearchAnswer,
    /// Executions that fail elsewhere than the answer's, and than those before.
    pub more: &'a [SearchExecution],
    pub stats: SearchStats,
    /// The name of the entry.
    pub main: &'a str,
}

/// What is said of a construct that the engine cannot do.
pub(super) fn unsupported(sources: &SourceFiles, what: &Unsupported) -> String {
    let (file, pos) = sources.place(what.pos);
    match what.pos.line {
        0 => format!("Error, not supported: {file}: {}\n", what.what),
        _ => {
            let (line, col) = (pos.line, pos.col);
            format!("Error, not supported: {file}:{line}:{col}: {}\n", what.what)
        }
    }
}

/// What is said of a mistake of ours.
fn broken(bug: &Internal) -> String {
    format!("Error, {bug}\n")
}

/// What is said of a program that could not be prepared.
pub(super) fn not_prepared(sources: &SourceFiles, error: &ReachError) -> String {
    match error {
        ReachError::Unsupported(what) => unsupported(sources, what),
        ReachError::Internal(bug) => broken(bug),
    }
}

/// The reason for an answer that is none: a word, and a sentence with words that those look for who read what Corral says.
fn reason(failure: &SolverFailure) -> (&'static str, String) {
    match failure {
        SolverFailure::Timeout => ("timeout", "z3 timed out".into()),
        SolverFailure::Memory => ("memory", "z3 out of memory".into()),
        SolverFailure::Interrupted => ("interrupted", "interrupted".into()),
        SolverFailure::Died(how) => ("crash", format!("z3 ended: {how}")),
        SolverFailure::Incomplete(why) => {
            ("solver-incomplete", format!("z3 says inconclusive: {why}"))
        }
        SolverFailure::NotUnderstood(what) => {
            ("not-understood", format!("z3 unknown response: {what}"))
        }
    }
}

/// Why there is no answer. Corral calls every reason a bug of its own; a solver that finds no answer is none.
fn no_answer(failure: &SolverFailure) -> String {
    let why = reason(failure).1;
    match failure {
        SolverFailure::Died(_) | SolverFailure::NotUnderstood(_) => format!("internal bug: {why}"),
        SolverFailure::Timeout
        | SolverFailure::Memory
        | SolverFailure::Interrupted
        | SolverFailure::Incomplete(_) => format!("no answer: {why}"),
    }
}

impl ReachReport<'_> {
    /// Corral's lines.
    ///
    /// # Errors
    ///
    /// The lines, where there is no answer.
    pub(super) fn text(&self) -> Result<String, String> {
        let mut out = String::new();
        if self.flags.recursion_bound.is_none() {
            out.push_str("Warning: Using default recursion bound of 1\n");
        }
        match self.answer {
            SearchAnswer::Unknown(failure) => {
                return Err(format!("{out}Error, {}\n", no_answer(failure)));
            }
            SearchAnswer::Unsupported(what) => {
                return Err(out + &unsupported(self.sources, what));
            }
            SearchAnswer::Broken(bug) => return Err(out + &broken(bug)),
            _ => {}
        }
        match self.flags.style {
            Style::Corral => self.corrals(&mut out),
            Style::Inlining => self.of_inlining(&mut out),
            Style::Driver => self.of_drivers(&mut out),
        }
        Ok(out)
    }

    /// The executions that were found.
    pub(super) fn executions(&self) -> Vec<&SearchExecution> {
        match self.answer {
            SearchAnswer::Reached(first) => std::iter::once(first).chain(self.more).collect(),
            SearchAnswer::Presumed(execution) => vec![execution],
            _ => Vec::new(),
        }
    }

    /// The lines that Corral usually prints.
    fn corrals(&self, out: &mut String) {
        let executions = self.executions();
        for execution in &executions {
            out.push_str("Program has a potential bug: True bug\n");
            self.presumption(out);
            if self.flags.trace {
                self.trace(execution, out);
            }
        }
        if executions.is_empty() {
            out.push_str("Program has no bugs\n");
        }
        if let SearchAnswer::BoundHit(bound) = self.answer {
            line(out, format_args!("Reached recursion bound of {bound}"));
        }
        line(
            out,
            format_args!("\nNumber of procedures inlined: {}", self.stats.inlined),
        );
    }

    fn presumption(&self, out: &mut String) {
        if let SearchAnswer::Presumed(_) = self.answer {
            out.push_str(PRESUMED);
        }
    }

    /// Those it prints with `/si`.
    fn of_inlining(&self, out: &mut String) {
        let executions = self.executions();
        let status = match self.answer {
            SearchAnswer::BoundHit(_) => "ReachedBound",
            _ if executions.is_empty() => "OK",
            _ => "NOK",
        };
        line(out, format_args!("Return status: {status}"));
        match executions.is_empty() {
            true => out.push_str("No bugs found\n"),
            false => out.push_str("Program has bugs\n"),
        }
        for execution in executions {
            line(out, format_args!("{} did not verify", self.main));
            self.presumption(out);
            if self.flags.trace {
                self.trace(execution, out);
            }
        }
        line(
            out,
            format_args!(
                "Number of procedures inlined: {}\n\nStopping: Done",
                self.stats.inlined
            ),
        );
    }

    /// Those it prints with `/sdv`, whose traces are in files.
    fn of_drivers(&self, out: &mut String) {
        match self.answer {
            SearchAnswer::Unreachable => out.push_str("No bugs found\nProof computed\n"),
            SearchAnswer::BoundHit(_) => out.push_str("No bugs found\nProof not computed\n"),
            _ => out.push_str("Program has bugs\n"),
        }
        self.presumption(out);
    }

    /// The answer as JSON.
    ///
    /// # Errors
    ///
    /// The JSON, where there is no answer.
    pub(super) fn json(&self) -> Result<String, String> {
        let mut value = json!({
            "schema": "tranquera/reach/1",
            "file": self.sources.main_file(),
            "result": "unknown",
            "reason": null,
            "bound": null,
            "presumed": false,
            "executed": null,
            "failure": null,
            "trace": null,
            "more": [],
            "stats": { "inlined": self.stats.inlined, "checks": self.stats.checks },
        });
        let mut set = |key: &str, to: Value| {
            if let Some(place) = value.get_mut(key) {
                *place = to;
            }
        };
        let mut known = true;
        match self.answer {
            SearchAnswer::Reached(execution) => {
                set("result", "bug".into());
                set("executed", executed(execution.replay));
                set("failure", self.failure_json(execution));
                set("trace", self.steps_json(execution));
                let more = self.more.iter().map(
                    |e| json!({ "failure": self.failure_json(e), "trace": self.steps_json(e) }),
                );
                set("more", Value::Array(more.collect()));
            }
            SearchAnswer::Presumed(execution) => {
                set("result", "bug".into());
                set("presumed", true.into());
                set("executed", executed(execution.replay));
                set("failure", self.failure_json(execution));
                set("trace", self.steps_json(execution));
            }
            SearchAnswer::Unreachable => set("result", "no-bugs".into()),
            SearchAnswer::BoundHit(bound) => {
                set("result", "bound-hit".into());
                set("bound", (*bound).into());
            }
            SearchAnswer::Unknown(failure) => {
                let (word, sentence) = reason(failure);
                set("reason", json!({ "kind": word, "detail": sentence }));
                known = false;
            }
            SearchAnswer::Broken(bug) => {
                let detail = bug.to_string();
                set("reason", json!({ "kind": "crash", "detail": detail }));
                known = false;
            }
            SearchAnswer::Unsupported(what) => {
                set(
                    "reason",
                    json!({ "kind": "rejected", "detail": what.to_string() }),
                );
                known = false;
            }
        }
        let text = format!("{value:#}\n");
        match known {
            true => Ok(text),
            false => Err(text),
        }
    }

    fn failure_json(&self, execution: &SearchExecution) -> Value {
        match &execution.failure {
            Some(why) => match described(why) {
                Some((pos, kind, text)) => {
                    let (file, pos) = self.sources.place(pos);
                    let mut failure =
                        json!({ "kind": kind, "line": pos.line, "column": pos.col, "text": text });
                    self.name_file(&mut failure, file);
                    failure
                }
                None => Value::Null,
            },
            None => Value::Null,
        }
    }

    /// Says which of several files a place is in.
    fn name_file(&self, place: &mut Value, file: &str) {
        if let (true, Some(place)) = (self.sources.several(), place.as_object_mut()) {
            place.insert("file".into(), file.into());
        }
    }

    fn steps_json(&self, execution: &SearchExecution) -> Value {
        let steps = execution.steps.iter().map(|step| {
            let (event, name, value) = match &step.event {
                Happening::Block(label) => ("block", Some(label.clone()), None),
                Happening::Command => ("command", None, None),
                Happening::Call(name) => ("call", Some(name.clone()), None),
                Happening::Return(name) => ("return", Some(name.clone()), None),
                Happening::Unwind(name) => ("unwind", Some(name.clone()), None),
                Happening::Record(name, value, ty) => {
                    ("value", name.clone(), Some(show(value, ty, self.program)))
                }
            };
            let (file, pos) = self.sources.place(step.pos);
            let mut step = json!({
                "event": event, "name": name, "value": value,
                "line": pos.line, "column": pos.col, "depth": step.depth,
            });
            self.name_file(&mut step, file);
            step
        });
        Value::Array(steps.collect())
    }
}

/// How many conditions held when the execution was executed, as JSON.
fn executed(replay: Replay) -> Value {
    match replay {
        Replay::Done { assumed, unknown } => json!({ "conditions": assumed, "unknown": unknown }),
        Replay::GivenUp | Replay::None => Value::Null,
    }
}

/// Writing to a string does not fail.
pub(super) fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}

/// The place, kind and text of what failed.
pub(super) fn described(why: &FailedCheck) -> Option<(Pos, &'static str, &str)> {
    match why {
        FailedCheck::Assert(pos, text) => Some((*pos, "assert", text)),
        FailedCheck::Requires(pos, text) => Some((*pos, "requires", text)),
        FailedCheck::Ensures(pos, text) => Some((*pos, "ensures", text)),
        FailedCheck::Callee => None,
    }
}
