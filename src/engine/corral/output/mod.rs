//! The grammar of what Corral prints for a sequential program.
//!
//! ```text
//! output  = [ "Corral program verifier version V" ] [ "Single threaded program detected" ]
//!           ( tracking "Program has a potential bug: False bug" )* tracking answer statistic*
//! tracking = "Verifying program while tracking: {NAME, …}"
//! answer  = "Program has no bugs" [ "Reached recursion bound of N" ]
//!         | "Program has a potential bug: True bug"
//!           [ "PersistentProgram(l,1): " FAILS blank ] FILE(l,1) ": " FAILS blank
//!           "Execution trace:" "Format: (tid,k)  filename(line,col): blockName   (extra info)" event*
//! FAILS   = "error PF5001: This assertion can fail"
//! event   = "(1,0)  " INDENT FILE(l,c) ": " LABEL "  " [ "(" info ")" ]
//! info    = "CALL P" | "RETURN from P " | "Done" | NAME " = " VALUE | "ASSERTION FAILS " TEXT newline " "
//! statistic = blank | NAME ": " NUMBER [ " s" ], and "Total User CPU time: NUMBER s" as the last
//! ```
//! A line outside the grammar makes the whole output not understood: then it is only searched for the reason.

use super::super::external::{EngineDoubt, asks_at};
use super::super::lines::{BoogiePlace, Lines, indented, number, place};
use crate::query::{PathStep, Reason, Recorded, Trace, Verdict};

/// What the last line starts with.
pub(super) const LAST_LINE: &str = "Total User CPU time: ";

const FAILS: &str = ": error PF5001: This assertion can fail";
const FORMAT: &str = "Format: (tid,k)  filename(line,col): blockName   (extra info)";

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
    let mut lines = Lines::new(output);
    let verdict = answer(&mut lines, text, file, bound)
        .and_then(|verdict| statistics(&mut lines).map(|()| verdict));
    verdict.unwrap_or_else(|| {
        let detail = match lines.peek() {
            Some(line) => {
                let line: String = line.chars().take(300).collect();
                format!("the output has an odd line: {line}")
            }
            None => "the output breaks off".to_owned(),
        };
        Err(EngineDoubt::new(Reason::NotUnderstood, detail))
    })
}

/// Everything up to the statistics. `None` where the grammar is left.
fn answer(
    lines: &mut Lines<'_>,
    text: &str,
    file: &str,
    bound: u32,
) -> Option<Result<Verdict, EngineDoubt>> {
    lines.next_if_map(|line| line.strip_prefix("Corral program verifier version "));
    lines.next_if("Single threaded program detected");
    loop {
        lines.next_if_map(tracking)?;
        if !lines.next_if("Program has a potential bug: False bug") {
            break;
        }
    }
    if lines.next_if("Program has a potential bug: True bug") {
        let failing = failing_line(lines, file)?;
        let trace = trace(lines, file, failing)?;
        return Some(if asks_at(text, failing) {
            Ok(Verdict::Reached(trace))
        } else {
            let detail = format!("another assertion can fail, in line {failing}");
            Err(EngineDoubt::new(Reason::Rejected, detail))
        });
    }
    if !lines.next_if("Program has no bugs") {
        return None;
    }
    match lines.clone().next_if_map(bound_reached) {
        None => Some(Ok(Verdict::Unreachable)),
        Some(hit) if hit == bound => {
            lines.next();
            Some(Ok(Verdict::BoundHit { bound }))
        }
        Some(_) => None,
    }
}

/// `Verifying program while tracking: {assertsPassed, g}`
fn tracking(line: &str) -> Option<()> {
    line.strip_prefix("Verifying program while tracking: {")?
        .strip_suffix('}')
        .map(|_| ())
}

fn bound_reached(line: &str) -> Option<u32> {
    number(line.strip_prefix("Reached recursion bound of ")?)
}

/// The line of the assertion that fails. Corral may name it twice, first in a program of its own.
fn failing_line(lines: &mut Lines<'_>, file: &str) -> Option<u32> {
    let fails = |line: &str, file: &str| {
        let (place, rest) = place(line, file)?;
        (place.column == 1 && rest == FAILS).then_some(place.line)
    };
    if lines
        .next_if_map(|line| fails(line, "PersistentProgram"))
        .is_some()
        && !lines.next_if("")
    {
        return None;
    }
    let line = lines.next_if_map(|line| fails(line, file))?;
    lines.next_if("").then_some(line)
}

fn trace(lines: &mut Lines<'_>, file: &str, failing: u32) -> Option<Trace> {
    if !lines.next_if("Execution trace:") || !lines.next_if(FORMAT) {
        return None;
    }
    let mut trace = Trace::default();
    let mut failed = false;
    while let Some(event) = lines.next_if_map(|line| event(line, file)) {
        match event.info {
            Info::Value(name, value) => trace.values.push(Recorded {
                name: Some(name.to_owned()),
                value: value.to_owned(),
            }),
            Info::Fails => {
                // The assertion's text ends its line; the parenthesis is closed on the next.
                if failed || event.place.line != failing || !lines.next_if(" )") {
                    return None;
                }
                failed = true;
            }
            Info::None | Info::Call(_) | Info::Return(_) | Info::Done => {}
        }
        let step = event.step();
        // Corral prints an event for each command, most of them alike.
        if trace.steps.last() != Some(&step) {
            trace.steps.push(step);
        }
    }
    failed.then_some(trace)
}

/// A line of a trace.
#[derive(Clone, Copy, Debug)]
struct CorralTraceLine<'a> {
    place: BoogiePlace,
    depth: u32,
    label: &'a str,
    info: Info<'a>,
}

/// What a line of a trace adds to its place.
#[derive(Clone, Copy, Debug)]
enum Info<'a> {
    None,
    Call(&'a str),
    Return(&'a str),
    Value(&'a str, &'a str),
    Fails,
    Done,
}

impl CorralTraceLine<'_> {
    fn step(&self) -> PathStep {
        PathStep {
            line: self.place.line,
            event: match self.info {
                Info::Call(procedure) => format!("call {procedure}"),
                Info::Return(procedure) => format!("return {procedure}"),
                _ => self.label.to_owned(),
            },
            depth: self.depth,
        }
    }
}

/// An event of the only thread, in its only context.
fn event<'a>(line: &'a str, file: &str) -> Option<CorralTraceLine<'a>> {
    let (indent, rest) = indented(line.strip_prefix("(1,0)  ")?);
    let (place, rest) = place(rest, file)?;
    let (label, info) = rest.strip_prefix(": ")?.split_once("  ")?;
    if label.is_empty() || label.contains(' ') {
        return None;
    }
    Some(CorralTraceLine {
        place,
        depth: u32::try_from(indent.checked_sub(2)?).ok()?,
        label,
        info: information(info)?,
    })
}

fn information(text: &str) -> Option<Info<'_>> {
    if text.is_empty() {
        return Some(Info::None);
    }
    let open = text.strip_prefix('(')?;
    if open.starts_with("ASSERTION FAILS assert ") && open.ends_with(';') {
        return Some(Info::Fails);
    }
    let info = open.strip_suffix(')')?;
    let word = |word: &'static str| {
        let name = info.strip_prefix(word)?;
        (!name.is_empty() && !name.contains(' ')).then_some(name)
    };
    if info == "Done" {
        return Some(Info::Done);
    }
    if let Some(procedure) = word("CALL ") {
        return Some(Info::Call(procedure));
    }
    if info.starts_with("RETURN from ") {
        let procedure = info.strip_prefix("RETURN from ")?.strip_suffix(' ')?;
        return (!procedure.contains(' ')).then_some(Info::Return(procedure));
    }
    let (name, value) = info.split_once(" = ")?;
    (!value.is_empty() && !value.contains(" = ")).then_some(Info::Value(name, value))
}

/// The statistics, to the end. Nothing may follow their last line.
fn statistics(lines: &mut Lines<'_>) -> Option<()> {
    while lines
        .next_if_map(|line| (line.is_empty() || is_statistic(line)).then_some(()))
        .is_some()
    {}
    lines.next_if_map(|line| seconds(line.strip_prefix(LAST_LINE)?))?;
    (lines.rest().is_empty()).then_some(())
}

/// `Time spent checking a path (1): 0.06 s`, `Number of procedures inlined: 3`, but not the last.
fn is_statistic(line: &str) -> bool {
    let Some((name, value)) = line.split_once(": ") else {
        return false;
    };
    let known = [
        "Boogie verification time",
        "Time spent ",
        "Number of ",
        "Total Time",
    ];
    let is_known = known.iter().any(|known| name.starts_with(known));
    is_known && (number(value).is_some() || seconds(value).is_some())
}

/// `0.24 s`
fn seconds(text: &str) -> Option<()> {
    let digits = text.strip_suffix(" s")?;
    let is_decimal =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    (is_decimal(whole) && is_decimal(fraction)).then_some(())
}

/// Why Corral does not know, where it says so. Searched for only in outputs that hold no verdict, so these need
/// not be whole lines. The first in this list that occurs is the cause of the others.
pub(super) fn trouble(output: &str) -> Option<EngineDoubt> {
    const SIGNS: &[(&str, Reason)] = &[
        ("Cannot find specified prover", Reason::ProverMissing),
        ("Cannot find prover", Reason::ProverMissing),
        ("Usage error: ", Reason::Rejected),
        ("Error, Invalid input: ", Reason::Rejected),
        (": error: ", Reason::Rejected),
        (": Error: ", Reason::Rejected),
        ("InvalidProg", Reason::Rejected),
        ("out of memory", Reason::Memory),
        ("OutOfMemoryException", Reason::Memory),
        ("Z3 ran out of resources", Reason::Timeout),
        ("Timeout reached!", Reason::Timeout),
        ("z3 timed out", Reason::Timeout),
        ("Corral timed out", Reason::Timeout),
        ("z3 says inconclusive", Reason::SolverIncomplete),
        ("z3 unknown response", Reason::SolverIncomplete),
        (
            "InsufficientDetailsToConstructCexPath",
            Reason::SolverIncomplete,
        ),
        ("Unexpected prover response", Reason::NotUnderstood),
        ("Write fault on path", Reason::Crash),
        ("Prover error: ", Reason::Crash),
        ("Corral encountered a prover error", Reason::Crash),
        ("Error, internal bug: ", Reason::Crash),
        ("Refinement unable to make progress", Reason::Crash),
        ("VCGenException", Reason::Crash),
        ("Stopping: ", Reason::Crash),
        ("Unhandled ", Reason::Crash),
    ];
    SIGNS.iter().find_map(|(sign, reason)| {
        let (before, after) = output.split_at_checked(output.find(sign)?)?;
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = after
            .find('\n')
            .map_or(output.len(), |end| before.len() + end);
        let line = output.get(start..end)?;
        Some(EngineDoubt::new(
            *reason,
            line.trim().chars().take(300).collect::<String>(),
        ))
    })
}

#[cfg(test)]
mod tests;
