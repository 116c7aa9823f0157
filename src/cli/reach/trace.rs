//! Executions as text: Corral's trace of the Boogie program; its trace of the sources that this was made from; and the files
//! that the Static Driver Verifier reads.

use super::flags::TracePlaces;
use super::origins::SourcePlace;
use super::report::{ReachReport, described, line};
use super::sources::short;
use crate::boogie::ast::Pos;
use crate::reach::search::{Happening, SearchExecution};
use crate::reach::values::show;

/// One line of a trace.
struct TraceEvent {
    /// How deep in the calls.
    depth: usize,
    pos: Pos,
    /// The block.
    label: String,
    /// What is said of it, between parentheses; nothing of most.
    extra: String,
    kind: EventKind,
}

/// What a line of a trace is about.
enum EventKind {
    /// An assumption, assertion or other command was executed, or failed.
    Command,
    /// A value was recorded: its name, and how it is shown.
    Recorded(String, String),
    /// Anything else.
    Other,
}

impl TraceEvent {
    fn is_record(&self) -> bool {
        matches!(self.kind, EventKind::Recorded(..))
    }
}

impl ReachReport<'_> {
    /// An execution, as the flags ask for it.
    pub(super) fn trace(&self, execution: &SearchExecution, out: &mut String) {
        match self.flags.places {
            TracePlaces::Boogie => self.boogie_trace(execution, out),
            TracePlaces::Sources | TracePlaces::Driver => self.source_trace(execution, out),
        }
    }

    /// What happens, in order, with the failure and the unwinding behind it.
    fn events(&self, execution: &SearchExecution) -> Vec<TraceEvent> {
        let mut events = Vec::new();
        // The block of each active procedure, and the place of its last call.
        let mut frames: Vec<(String, Pos)> = vec![(String::new(), Pos::default())];
        let mut failed = false;
        // The failing assertion has a line of its own.
        let failure = execution.failure.as_ref().and_then(described);
        let last = execution
            .steps
            .iter()
            .rposition(|s| !matches!(s.event, Happening::Unwind(_)));
        let is_failing = |i: usize, pos: Pos| {
            let same = |(at, ..): (Pos, _, _)| (at.line, at.col) == (pos.line, pos.col);
            Some(i) == last && failure.is_some_and(same)
        };
        for (i, step) in execution.steps.iter().enumerate() {
            let depth = step.depth as usize;
            frames.resize(depth + 1, (String::new(), Pos::default()));
            let unwinds = matches!(step.event, Happening::Unwind(_));
            if unwinds && !failed {
                failed = true;
                events.extend(failing(execution, &frames, depth + 1));
            }
            let Some((label, called)) = frames.last_mut() else {
                continue;
            };
            let mut pos = step.pos;
            let mut kind = EventKind::Other;
            let extra = match &step.event {
                Happening::Block(name) => {
                    label.clone_from(name);
                    String::new()
                }
                Happening::Command if is_failing(i, step.pos) => continue,
                Happening::Command => {
                    kind = EventKind::Command;
                    String::new()
                }
                Happening::Call(name) => {
                    *called = step.pos;
                    format!("CALL {name}")
                }
                Happening::Return(name) | Happening::Unwind(name) => {
                    pos = *called;
                    format!("RETURN from {name} ")
                }
                Happening::Record(name, value, ty) => {
                    let value = show(value, ty, self.program);
                    let name = name.clone().unwrap_or_else(|| "value".into());
                    let extra = format!("{name} = {value}");
                    kind = EventKind::Recorded(name, value);
                    extra
                }
            };
            let label = label.clone();
            events.push(TraceEvent {
                depth,
                pos,
                label,
                extra,
                kind,
            });
        }
        if !failed {
            frames.truncate(1);
            events.extend(failing(execution, &frames, 0));
        }
        let last = execution
            .steps
            .iter()
            .rev()
            .find(|s| s.depth == 0 && s.pos.line > 0);
        events.push(TraceEvent {
            depth: 0,
            pos: last.map_or(Pos::default(), |s| s.pos),
            label: frames.first().map_or("", |(label, _)| label).into(),
            extra: "Done".into(),
            kind: EventKind::Other,
        });
        events
    }

    /// Corral's trace.
    fn boogie_trace(&self, execution: &SearchExecution, out: &mut String) {
        if let Some((pos, ..)) = execution.failure.as_ref().and_then(described) {
            let (file, pos) = self.sources.place(pos);
            can_fail(short(file), pos.line, out);
        }
        out.push_str(
            "Execution trace:\nFormat: (tid,k)  filename(line,col): blockName   (extra info)\n",
        );
        for event in self.events(execution) {
            if event.is_record() && !self.flags.values {
                continue;
            }
            let blanks = " ".repeat(event.depth);
            let (file, pos) = self.sources.place(event.pos);
            let extra = match event.extra.is_empty() {
                true => String::new(),
                false => format!("({})", event.extra),
            };
            let (file, label) = (short(file), event.label);
            line(
                out,
                format_args!(
                    "(1,0)    {blanks}{file}({},{}): {label}  {extra}",
                    pos.line, pos.col
                ),
            );
        }
    }

    /// The events with the source places where they happen. Each active procedure is where it last said it was.
    fn at_sources(&self, execution: &SearchExecution) -> Vec<(TraceEvent, Option<&SourcePlace>)> {
        let mut frames: Vec<Option<&SourcePlace>> = Vec::new();
        let events = self.events(execution).into_iter().map(|event| {
            frames.resize(event.depth + 1, None);
            let said = self.sources.source_place(event.pos);
            let Some(here) = frames.last_mut() else {
                return (event, None);
            };
            *here = said.or(*here);
            (event, *here)
        });
        events.collect()
    }

    /// Corral's trace of the sources.
    fn source_trace(&self, execution: &SearchExecution, out: &mut String) {
        let events = self.at_sources(execution);
        let fails = |(event, _): &&(TraceEvent, _)| event.extra.starts_with("ASSERTION FAILS");
        match events.iter().find(fails) {
            Some((_, Some(place))) => can_fail(short(&place.file), place.line, out),
            Some((event, None)) => {
                let (file, pos) = self.sources.place(event.pos);
                can_fail(short(file), pos.line, out);
            }
            None => {}
        }
        out.push_str("Execution trace:\n");
        let mut before = String::new();
        for (event, place) in events {
            let Some(place) = place else { continue };
            if event.is_record() && !self.flags.values {
                continue;
            }
            let (file, column) = (short(&place.file), place.column);
            let text = format!(
                "{file}({},{column}): Trace: Thread=1  ({})",
                place.line, event.extra
            );
            if text != before {
                line(out, format_args!("{text}"));
                before = text;
            }
        }
    }

    /// The files that the flags ask for, with their texts: for each execution the way through the sources, `defect.tt`,
    /// and the calls on it, `stack.txt`.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        if self.flags.places != TracePlaces::Driver || !self.flags.trace_files {
            return Vec::new();
        }
        let executions = self.executions().into_iter().enumerate();
        let files = executions.flat_map(|(i, execution)| {
            let number = if i == 0 { String::new() } else { i.to_string() };
            let (defect, stack) = self.of_driver(execution);
            [
                (format!("defect{number}.tt"), defect),
                (format!("stack{number}.txt"), stack),
            ]
        });
        files.collect()
    }

    /// An execution as the Static Driver Verifier reads it.
    fn of_driver(&self, execution: &SearchExecution) -> (String, String) {
        let mut defect = String::from("0 \"?\" 0 false ^ Call \"OS\" \"main\"\n");
        let mut stack = String::from("Driver is entered:\n");
        let mut message = "";
        let mut values = String::new();
        let mut number = 0;
        for event in self.events(execution) {
            match event.kind {
                EventKind::Recorded(name, value) => {
                    values.push_str(&format!("^{}={value}", name.replace(' ', "_")));
                    continue;
                }
                EventKind::Command => {}
                EventKind::Other => continue,
            }
            let Some(place) = self.sources.source_place(event.pos) else {
                continue;
            };
            number += 1;
            let extra = place.print.as_deref().unwrap_or("Atomic Continuation");
            let extra = extra.replace("\\\"", "\"");
            let (file, at) = (&place.file, place.line);
            line(
                &mut defect,
                format_args!("{number} \"{file}\" {at} true {values}^====Auto===== {extra}"),
            );
            values.clear();
            if let Some(said) = &place.abort {
                message = said;
            }
            if let Some(calls) = calls(&extra) {
                let at = format!("[{}@{at}]", short(file));
                line(&mut stack, format_args!("{at:<25} {calls}"));
            }
        }
        line(&mut defect, format_args!("Error {message}"));
        line(&mut stack, format_args!("Error {message}"));
        (defect, stack)
    }
}

/// `Call "a" "b"` as a sentence.
fn calls(extra: &str) -> Option<String> {
    let names = extra.strip_prefix("Call ")?;
    let names = names.strip_prefix('"')?.strip_suffix('"')?;
    let (caller, callee) = names.split_once("\" \"")?;
    Some(format!("{caller} calls {callee}"))
}

fn can_fail(file: &str, at: u32, out: &mut String) {
    line(
        out,
        format_args!("{file}({at},1): error PF5001: This assertion can fail\n"),
    );
}

/// The line of the failing assertion.
fn failing(
    execution: &SearchExecution,
    frames: &[(String, Pos)],
    depth: usize,
) -> Option<TraceEvent> {
    let (pos, kind, text) = execution.failure.as_ref().and_then(described)?;
    let extra = match kind {
        "assert" => format!("ASSERTION FAILS {text}\n "),
        "requires" => "ASSERTION FAILS: Requires".to_string(),
        _ => "ASSERTION FAILS: Ensures".to_string(),
    };
    let label = frames.last().map_or("", |(label, _)| label).into();
    Some(TraceEvent {
        depth,
        pos,
        label,
        extra,
        kind: EventKind::Command,
    })
}
