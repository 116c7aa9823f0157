//! What `tranquera reach` prints: Corral's result lines and trace, or JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use super::flags::Flags;
use super::sources::{SourceFiles, short};
use crate::boogie::ast::Pos;
use crate::boogie::typed;
use crate::internal::Internal;
use crate::reach::error::{ReachError, Unsupported};
use crate::reach::graph::FailedCheck;
use crate::reach::search::{Happening, SearchAnswer, SearchExecution, SearchStats};
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
            SearchAnswer::Reached(execution) => {
                for execution in std::iter::once(execution).chain(self.more) {
                    out.push_str("Program has a potential bug: True bug\n");
                    if self.flags.trace {
                        self.trace(execution, &mut out);
                    }
                }
            }
            SearchAnswer::Presumed(execution) => {
                out.push_str("Program has a potential bug: True bug\n");
                out.push_str(PRESUMED);
                if self.flags.trace {
                    self.trace(execution, &mut out);
                }
            }
            SearchAnswer::Unreachable => out.push_str("Program has no bugs\n"),
            SearchAnswer::BoundHit(bound) => {
                line(&mut out, format_args!("Program has no bugs"));
                line(&mut out, format_args!("Reached recursion bound of {bound}"));
            }
            SearchAnswer::Unknown(failure) => {
                return Err(format!("{out}Error, {}\n", no_answer(failure)));
            }
            SearchAnswer::Unsupported(what) => {
                return Err(out + &unsupported(self.sources, what));
            }
            SearchAnswer::Broken(bug) => return Err(out + &broken(bug)),
        }
        line(
            &mut out,
            format_args!("\nNumber of procedures inlined: {}", self.stats.inlined),
        );
        Ok(out)
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

    /// Corral's trace.
    fn trace(&self, execution: &SearchExecution, out: &mut String) {
        if let Some((pos, ..)) = execution.failure.as_ref().and_then(described) {
            let (file, pos) = self.sources.place(pos);
            line(
                out,
                format_args!(
                    "{}({},1): error PF5001: This assertion can fail\n",
                    short(file),
                    pos.line
                ),
            );
        }
        out.push_str(
            "Execution trace:\nFormat: (tid,k)  filename(line,col): blockName   (extra info)\n",
        );
        // The block of each active procedure, and the place of its last call.
        let mut frames: Vec<(String, Pos)> = vec![(String::new(), Pos::default())];
        let mut failed = false;
        // The failing assertion has a line of its own.
        let fails_at = execution
            .failure
            .as_ref()
            .and_then(described)
            .map(|(pos, ..)| pos);
        let last = execution
            .steps
            .iter()
            .rposition(|s| !matches!(s.event, Happening::Unwind(_)));
        let is_failing = |i: usize, pos: Pos| {
            Some(i) == last && fails_at.is_some_and(|at| (at.line, at.col) == (pos.line, pos.col))
        };
        for (i, step) in execution.steps.iter().enumerate() {
            let depth = step.depth as usize;
            frames.resize(depth + 1, (String::new(), Pos::default()));
            let unwinds = matches!(step.event, Happening::Unwind(_));
            if unwinds && !failed {
                failed = true;
                self.failing(execution, &frames, depth + 1, out);
            }
            let Some((label, called)) = frames.last_mut() else {
                continue;
            };
            let mut pos = step.pos;
            let extra = match &step.event {
                Happening::Block(name) => {
                    label.clone_from(name);
                    String::new()
                }
                Happening::Command if is_failing(i, step.pos) => continue,
                Happening::Command => String::new(),
                Happening::Call(name) => {
                    *called = step.pos;
                    format!("(CALL {name})")
                }
                Happening::Return(name) | Happening::Unwind(name) => {
                    pos = *called;
                    format!("(RETURN from {name} )")
                }
                Happening::Record(..) if !self.flags.values => continue,
                Happening::Record(name, value, ty) => {
                    let value = show(value, ty, self.program);
                    format!("({} = {value})", name.as_deref().unwrap_or("value"))
                }
            };
            self.trace_line(out, depth, pos, label, &extra);
        }
        if !failed {
            frames.truncate(1);
            self.failing(execution, &frames, 0, out);
        }
        let last = execution
            .steps
            .iter()
            .rev()
            .find(|s| s.depth == 0 && s.pos.line > 0);
        let label = frames.first().map_or("", |(label, _)| label);
        let pos = last.map_or(Pos::default(), |s| s.pos);
        self.trace_line(out, 0, pos, label, "(Done)");
    }

    /// The line of the failing assertion.
    fn failing(
        &self,
        execution: &SearchExecution,
        frames: &[(String, Pos)],
        depth: usize,
        out: &mut String,
    ) {
        let Some((pos, kind, text)) = execution.failure.as_ref().and_then(described) else {
            return;
        };
        let label = frames.last().map_or("", |(label, _)| label);
        let what = match kind {
            "assert" => format!("(ASSERTION FAILS {text}\n )"),
            "requires" => "(ASSERTION FAILS: Requires)".to_string(),
            _ => "(ASSERTION FAILS: Ensures)".to_string(),
        };
        self.trace_line(out, depth, pos, label, &what);
    }

    /// A line of the trace.
    fn trace_line(&self, out: &mut String, depth: usize, pos: Pos, label: &str, extra: &str) {
        let blanks = " ".repeat(depth);
        let (file, pos) = self.sources.place(pos);
        line(
            out,
            format_args!(
                "(1,0)    {blanks}{}({},{}): {label}  {extra}",
                short(file),
                pos.line,
                pos.col
            ),
        );
    }
}

/// Writing to a string does not fail.
fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = writeln!(out, "{text}");
}

/// The place, kind and text of what failed.
fn described(why: &FailedCheck) -> Option<(Pos, &'static str, &str)> {
    match why {
        FailedCheck::Assert(pos, text) => Some((*pos, "assert", text)),
        FailedCheck::Requires(pos, text) => Some((*pos, "requires", text)),
        FailedCheck::Ensures(pos, text) => Some((*pos, "ensures", text)),
        FailedCheck::Callee => None,
    }
}
