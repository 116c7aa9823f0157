//! The grammar of what Boogie 2.4 prints with `/nologo /stratifiedInline:1`.
//!
//! ```text
//! output   = noise* ( complaint | result* blank summary )
//! noise    = "Prover error: line N column N: unknown parameter 'model_compress'"
//!            "Legal parameters are:" ( "  NAME (TYPE)" [ " (default: VALUE)" ] )+
//! result   = noise | bound | error | lateness | trouble
//! bound    = "Stratified Inlining: Reached recursion bound of N"
//! error    = ( FILE(l,c) | (0,0) ) ": Error BP" N ": " TEXT [ FILE(l,c) ": Related location: " TEXT ] trace
//! lateness = ( FILE(l,c) | (0,0) ) ": Timed out on BP" N ": " TEXT trace
//! trace    = "Execution trace:" event*
//! event    = INDENT FILE(l,c) ": " LABEL | INDENT "value = " VALUE
//!          | INDENT "Inlined call to procedure P begins" event* INDENT "Inlined call to procedure P ends"
//! summary  = "Boogie program verifier finished with N verified, N errors" ( ", N " WHAT )*
//! ```
//! A line outside the grammar makes the whole output not understood. Every line must be whole.

use super::super::external::{EngineDoubt, asks_at};
use super::super::lines::{BoogiePlace, Lines, count, indented, number, place};
use crate::query::{PathStep, Reason, Recorded, Trace, Verdict};

/// What the last line starts with.
pub(super) const LAST_LINE: &str = "Boogie program verifier finished with ";

/// What an output says about the question whose whole text is given.
///
/// # Errors
/// A doubt, where it says anything but a verdict.
pub(super) fn verdict(
    output: &str,
    text: &str,
    file: &str,
    bound: u32,
) -> Result<Verdict, EngineDoubt> {
    let mut reader = OutputReader {
        lines: Lines::new(output),
        file,
    };
    while reader.noise()? {}
    if let Some(doubt) = reader.complaint() {
        return Err(doubt);
    }
    let mut results = BoogieResults::default();
    while reader.result(&mut results)? {}
    let summary = reader.summary(&results)?;
    results.verdict(&summary, text, bound)
}

/// What was printed before the summary.
#[derive(Debug, Default)]
struct BoogieResults {
    bound: Option<u32>,
    errors: Vec<BoogieError>,
    /// Why the engine does not know; the first one is the cause of the others.
    doubts: Vec<EngineDoubt>,
}

/// A reported error.
#[derive(Debug)]
struct BoogieError {
    code: u32,
    /// `None` for the end of the entry procedure.
    place: Option<BoogiePlace>,
    message: String,
    trace: Trace,
}

/// The last line.
#[derive(Debug, PartialEq, Eq)]
struct Summary {
    verified: u32,
    errors: u32,
    doubts: Vec<EngineDoubt>,
}

impl BoogieResults {
    fn verdict(
        mut self,
        summary: &Summary,
        text: &str,
        bound: u32,
    ) -> Result<Verdict, EngineDoubt> {
        self.doubts.extend(summary.doubts.iter().cloned());
        if let Some(doubt) = self.doubts.into_iter().next() {
            return Err(doubt);
        }
        let error = self.errors.pop();
        let others = self.errors.len();
        match (summary.verified, summary.errors, self.bound, error) {
            (1, 0, None, None) => Ok(Verdict::Unreachable),
            (1, 0, Some(hit), None) if hit == bound => Ok(Verdict::BoundHit { bound }),
            (0, 1, None, Some(error)) if others == 0 => error.reached(text),
            (0, 0, None, None) => Err(EngineDoubt::new(
                Reason::Rejected,
                "Boogie did not find the entry procedure",
            )),
            _ => Err(EngineDoubt::new(
                Reason::NotUnderstood,
                "the output contradicts itself",
            )),
        }
    }
}

impl BoogieError {
    /// An error is "reached" if it is the assertion that is asked about. Anything else that can fail in an
    /// entry does not belong there.
    fn reached(self, text: &str) -> Result<Verdict, EngineDoubt> {
        match self.place {
            Some(place) if self.code == 5001 && asks_at(text, place.line) => {
                Ok(Verdict::Reached(self.trace))
            }
            Some(place) => {
                let detail = format!("another error, in line {}: {}", place.line, self.message);
                Err(EngineDoubt::new(Reason::Rejected, detail))
            }
            None => {
                let detail = "the entry procedure can end without its `assert {:reached} false`";
                Err(EngineDoubt::new(Reason::Rejected, detail))
            }
        }
    }
}

/// Reads an output.
#[derive(Debug)]
struct OutputReader<'a> {
    lines: Lines<'a>,
    file: &'a str,
}

impl<'a> OutputReader<'a> {
    fn not_understood(&self) -> EngineDoubt {
        let detail = match self.lines.peek() {
            Some(line) => {
                let line: String = line.chars().take(300).collect();
                format!("the output has an odd line: {line}")
            }
            None => "the output breaks off".to_owned(),
        };
        EngineDoubt::new(Reason::NotUnderstood, detail)
    }

    /// Boogie 2.4.1 sets `model_compress`, which Z3 has not known since 4.8.7. Z3 answers with a list of
    /// the parameters it knows; Boogie prints it and goes on.
    fn noise(&mut self) -> Result<bool, EngineDoubt> {
        if self.lines.next_if_map(noise_head).is_none() {
            return Ok(false);
        }
        if !self.lines.next_if("Legal parameters are:")
            || self.lines.next_if_map(legal_parameter).is_none()
        {
            return Err(self.not_understood());
        }
        while self.lines.next_if_map(legal_parameter).is_some() {}
        Ok(true)
    }

    /// Boogie refused the program or the command line.
    fn complaint(&self) -> Option<EngineDoubt> {
        let mut lines = self.lines.clone();
        let first = lines.peek()?;
        if let Some(message) = first.strip_prefix("*** Error: ") {
            return Some(EngineDoubt::new(Reason::Rejected, message));
        }
        let mut last = None;
        while let Some(line) = lines.next_if_map(|line| self.rejection(line)) {
            last = Some(line);
        }
        // The count of errors is the last line of all; nothing was verified.
        let counted =
            last.is_some_and(|last| self.is_count_of_errors(last)) && lines.rest().is_empty();
        counted.then(|| EngineDoubt::new(Reason::Rejected, first))
    }

    /// A line of a refusal.
    fn rejection(&self, line: &'a str) -> Option<&'a str> {
        let message = || {
            let (_, rest) = place(line, self.file)?;
            let message = rest.strip_prefix(": ")?;
            message
                .starts_with("error: ")
                .then_some(())
                .or(message.starts_with("Error: ").then_some(()))
        };
        (self.is_count_of_errors(line) || message().is_some()).then_some(line)
    }

    fn is_count_of_errors(&self, line: &str) -> bool {
        let kinds = ["parse", "name resolution", "type checking"];
        let count = line.strip_suffix(self.file).and_then(|line| {
            kinds
                .iter()
                .find_map(|kind| line.strip_suffix(&format!(" {kind} errors detected in ")))
        });
        count.and_then(number).is_some()
    }

    fn result(&mut self, results: &mut BoogieResults) -> Result<bool, EngineDoubt> {
        if self.noise()? {
            return Ok(true);
        }
        if let Some(bound) = self.lines.next_if_map(bound) {
            return match results.bound.replace(bound) {
                None => Ok(true),
                Some(_) => Err(EngineDoubt::new(
                    Reason::NotUnderstood,
                    "the bound is reported twice",
                )),
            };
        }
        if let Some(doubt) = self.lines.next_if_map(|line| trouble(line, self.file)) {
            results.doubts.push(doubt);
            return Ok(true);
        }
        let file = self.file;
        let Some((place, kind, code, message)) =
            self.lines.next_if_map(|line| headline(line, file))
        else {
            return Ok(false);
        };
        let related = self.lines.next_if_map(|line| related(line, file));
        let trace = self.trace()?;
        match kind {
            Headline::Error => results.errors.push(BoogieError {
                code,
                place,
                message: related.unwrap_or(message).to_owned(),
                trace,
            }),
            Headline::TimedOut => results.doubts.push(EngineDoubt::new(
                Reason::Timeout,
                "the solver ran out of time",
            )),
        }
        Ok(true)
    }

    fn trace(&mut self) -> Result<Trace, EngineDoubt> {
        let mut trace = Trace::default();
        if !self.lines.next_if("Execution trace:") {
            return Err(self.not_understood());
        }
        let mut calls: Vec<&'a str> = Vec::new();
        while let Some(event) = self
            .lines
            .next_if_map(|line| event(line, self.file, &calls))
        {
            let depth = u32::try_from(calls.len()).unwrap_or(u32::MAX);
            let step = |line, event| PathStep { line, event, depth };
            match event {
                BoogieTraceEvent::Block(place, label) => {
                    trace.steps.push(step(place.line, label.to_owned()))
                }
                BoogieTraceEvent::Value(value) => trace.values.push(Recorded {
                    name: None,
                    value: value.to_owned(),
                }),
                BoogieTraceEvent::Call(procedure) => {
                    trace.steps.push(step(0, format!("call {procedure}")));
                    calls.push(procedure);
                }
                BoogieTraceEvent::Return(procedure) => {
                    calls.pop();
                    let depth = depth.saturating_sub(1);
                    let event = format!("return {procedure}");
                    trace.steps.push(PathStep {
                        line: 0,
                        event,
                        depth,
                    });
                }
            }
        }
        if calls.is_empty() {
            Ok(trace)
        } else {
            Err(self.not_understood())
        }
    }

    /// The summary is the end: nothing may follow.
    fn summary(&mut self, results: &BoogieResults) -> Result<Summary, EngineDoubt> {
        let start = self.lines.clone();
        let summary = self
            .lines
            .next_if("")
            .then(|| self.lines.next_if_map(summary))
            .flatten();
        match summary {
            Some(summary) if self.lines.rest().is_empty() => Ok(summary),
            _ => {
                self.lines = start;
                // An output that breaks off after trouble broke off because of it.
                let cause = results
                    .doubts
                    .first()
                    .filter(|_| self.lines.peek().is_none());
                Err(cause.cloned().unwrap_or_else(|| self.not_understood()))
            }
        }
    }
}

fn noise_head(line: &str) -> Option<()> {
    let rest = line.strip_prefix("Prover error: line ")?;
    let rest = rest.strip_suffix(": unknown parameter 'model_compress'")?;
    let (row, column) = rest.split_once(" column ")?;
    number(row).and(number(column)).map(|_| ())
}

/// `  smtlib2_compliant (bool) (default: false)`, `  unicode (bool)`.
fn legal_parameter(line: &str) -> Option<()> {
    let (name, rest) = line.strip_prefix("  ")?.split_once(" (")?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.".contains(&b));
    let (kind, default) = rest.split_once(')')?;
    let is_kind = !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ');
    let is_default =
        default.is_empty() || (default.starts_with(" (default: ") && default.ends_with(')'));
    (is_name && is_kind && is_default).then_some(())
}

fn bound(line: &str) -> Option<u32> {
    number(line.strip_prefix("Stratified Inlining: Reached recursion bound of ")?)
}

/// Lines that say that the engine does not know.
fn trouble(line: &str, file: &str) -> Option<EngineDoubt> {
    let doubt = |reason, detail: &str| Some(EngineDoubt::new(reason, detail));
    if let Some(error) = line.strip_prefix("Prover error: ") {
        let memory = error.contains("out of memory");
        // The one unknown parameter that is noise must come with its list.
        return (noise_head(line).is_none())
            .then(|| {
                doubt(
                    if memory {
                        Reason::Memory
                    } else {
                        Reason::NotUnderstood
                    },
                    line,
                )
            })
            .flatten();
    }
    if line.starts_with("Advisory: ") && line.contains(" SKIPPED because of internal error: ") {
        return doubt(Reason::Crash, line);
    }
    let line = place(line, file)
        .and_then(|(_, rest)| rest.strip_prefix(": "))
        .unwrap_or(line);
    let of_entry = |prefix: &str, suffix: &str| {
        line.strip_prefix(prefix)
            .and_then(|rest| rest.strip_suffix(suffix))
            .is_some_and(|name| !name.is_empty())
    };
    if of_entry("Verification inconclusive (", ")") {
        return doubt(Reason::SolverIncomplete, line);
    }
    if of_entry("Verification out of resource (", ")") {
        return doubt(Reason::Timeout, line);
    }
    if of_entry("Verification out of memory (", ")") {
        return doubt(Reason::Memory, line);
    }
    let late = line
        .strip_prefix("Verification of '")
        .and_then(|rest| rest.split_once("' timed out after "));
    let seconds = late.and_then(|(_, seconds)| count(seconds, "second", "seconds"));
    seconds.and_then(|_| doubt(Reason::Timeout, line))
}

/// What a headline announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Headline {
    Error,
    TimedOut,
}

/// `FILE(l,c): Error BP5001: This assertion might not hold.`, `(0,0): Timed out on BP5001: …`
fn headline<'a>(
    line: &'a str,
    file: &str,
) -> Option<(Option<BoogiePlace>, Headline, u32, &'a str)> {
    let (place, rest) = match line.strip_prefix("(0,0)") {
        Some(rest) => (None, rest),
        None => place(line, file).map(|(place, rest)| (Some(place), rest))?,
    };
    let rest = rest.strip_prefix(": ")?;
    let (kind, rest) = match rest.strip_prefix("Error BP") {
        Some(rest) => (Headline::Error, rest),
        None => (Headline::TimedOut, rest.strip_prefix("Timed out on BP")?),
    };
    let (code, message) = rest.split_once(": ")?;
    Some((place, kind, number(code)?, message))
}

fn related<'a>(line: &'a str, file: &str) -> Option<&'a str> {
    place(line, file)?.1.strip_prefix(": Related location: ")
}

/// An event of a trace.
#[derive(Clone, Copy, Debug)]
enum BoogieTraceEvent<'a> {
    Block(BoogiePlace, &'a str),
    Value(&'a str),
    Call(&'a str),
    Return(&'a str),
}

/// Events are indented by four spaces, and four more for each open call.
fn event<'a>(line: &'a str, file: &str, calls: &[&str]) -> Option<BoogieTraceEvent<'a>> {
    let (indent, rest) = indented(line);
    let expected = 4 * (calls.len() + 1);
    if let Some(call) = rest.strip_prefix("Inlined call to procedure ") {
        let begins = call.strip_suffix(" begins").filter(|_| indent == expected);
        let ends = call
            .strip_suffix(" ends")
            .filter(|name| calls.last() == Some(name) && indent + 4 == expected);
        return begins
            .map(BoogieTraceEvent::Call)
            .or(ends.map(BoogieTraceEvent::Return));
    }
    if indent != expected {
        return None;
    }
    if let Some(value) = rest.strip_prefix("value = ") {
        return (!value.is_empty()).then_some(BoogieTraceEvent::Value(value));
    }
    let (place, rest) = place(rest, file)?;
    let label = rest.strip_prefix(": ")?;
    (!label.is_empty() && !label.contains(' ')).then_some(BoogieTraceEvent::Block(place, label))
}

fn summary(line: &str) -> Option<Summary> {
    let mut parts = line.strip_prefix(LAST_LINE)?.split(", ");
    let verified = number(parts.next()?.strip_suffix(" verified")?)?;
    let errors = count(parts.next()?, "error", "errors")?;
    let doubts = parts.map(|part| {
        let kinds = [
            ("time out", "time outs", Reason::Timeout),
            ("out of memory", "out of memory", Reason::Memory),
            ("out of resource", "out of resource", Reason::Timeout),
            ("inconclusive", "inconclusive", Reason::SolverIncomplete),
        ];
        kinds.iter().find_map(|(one, many, reason)| {
            count(part, one, many).map(|_| EngineDoubt::new(*reason, part))
        })
    });
    Some(Summary {
        verified,
        errors,
        doubts: doubts.collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests;
