//! A witness: what shows that the answer is yes.

use super::Named;
use super::reading::{TraceReading, by_labels, truths};
use super::replay::{Performed, PerformedCall};
use super::run::{fields, variables};
use super::values::{References, named};
use crate::encode::query::{CallLayout, TraceLayout};
use crate::ir::Program;
use crate::query::{EdgeId, Subject, Trace};

/// An execution that answers a question with yes: what the trace says, and what came of running it.
#[derive(Clone, Debug)]
pub struct Witness {
    /// What the engine says.
    pub trace: Trace,
    pub(super) reading: TraceReading,
    pub(super) layout: TraceLayout,
    /// What the interpreter did, or why it was not asked.
    pub(super) replayed: Result<Performed, String>,
    /// Whether no engine was asked: then there is no trace.
    pub(super) is_run: bool,
}

impl Witness {
    /// A call that was made in the interpreter, with no engine asked.
    pub(super) fn of_run(call: PerformedCall) -> Self {
        Witness {
            trace: Trace::default(),
            reading: TraceReading::default(),
            layout: TraceLayout::default(),
            replayed: Ok(Performed {
                start: call.before.clone(),
                calls: vec![call],
            }),
            is_run: true,
        }
    }

    /// Whether it is a call that was made in the interpreter, with no engine asked.
    pub fn is_run(&self) -> bool {
        self.is_run
    }

    /// What the interpreter did: the same as the engine says. None where it could not be asked.
    pub(crate) fn performed(&self) -> Option<&Performed> {
        self.replayed.as_ref().ok()
    }

    /// Why the interpreter could not be asked, where that is so.
    pub fn not_replayed(&self) -> Option<&str> {
        self.replayed.as_ref().err().map(String::as_str)
    }

    /// Whether what was watched at the beginning held there.
    pub fn held_before(&self) -> Vec<bool> {
        self.reading.watched(&self.layout)
    }

    /// Whether what was looked at in the end held there.
    pub fn held_after(&self) -> Vec<bool> {
        truths(&self.reading.end)
    }

    /// The positions of what was looked at in the end and did not hold there.
    pub(crate) fn broken_after(&self) -> impl Iterator<Item = usize> + use<> {
        let held = self.held_after().into_iter().enumerate();
        held.filter(|(_, held)| !held).map(|(index, _)| index)
    }

    /// What is seen of the call, where that is asked; and which predicates hold behind it.
    pub fn place(&self, seen: bool) -> Option<(usize, Vec<bool>)> {
        let (number, flags) = match seen {
            true => {
                let (first, flags) = self.reading.end.split_first()?;
                (first.value.parse().ok()?, flags)
            }
            false => (0, self.reading.end.as_slice()),
        };
        Some((number, truths(flags)))
    }

    /// The edges that a walk takes.
    pub fn edges(&self) -> Vec<EdgeId> {
        self.reading.edges().unwrap_or_default()
    }

    /// The fields where the question begins.
    pub fn before(&self, program: &Program) -> Vec<Named> {
        if let Some(performed) = self.performed() {
            return fields(program, &performed.start);
        }
        named(
            program,
            &self.layout.start,
            &self.reading.start,
            References::Unnamed,
        )
    }

    /// The arguments of the call.
    pub fn arguments(&self, subject: &Subject) -> Vec<Named> {
        let program = &subject.program;
        let run = self.performed().filter(|_| self.is_run());
        match run.and_then(|run| run.calls.first()) {
            Some(call) => variables(program, subject.params(call.callee), &call.arguments),
            None => self.reading.arguments(program, &self.layout),
        }
    }

    /// The fields behind the call.
    pub fn after(&self, program: &Program) -> Vec<Named> {
        if let Some(call) = self
            .performed()
            .and_then(|performed| performed.calls.last())
        {
            return fields(program, &call.end);
        }
        self.reading.after(program, &self.layout)
    }

    /// What the calls of a walk are given, and the fields behind each, as far as the names on the trace tell.
    pub fn calls_by_labels(
        &self,
        program: &Program,
        layouts: &[CallLayout],
    ) -> Vec<(Vec<Named>, Vec<Named>)> {
        by_labels(program, layouts, &self.reading.calls)
    }
}
