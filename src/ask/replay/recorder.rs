//! The choices that an engine recorded, as the interpreter asks for them.

use super::world::World;
use crate::ask::tables::TraceMap;
use crate::interp::{ChoiceRequest, Choices, Configuration, NoDecision, ObjectId, Purpose, Value};
use crate::ir::{ClassId, ExceptionId, FieldRef, RoutineRef};
use crate::query::Recorded;

/// The choices recorded on a trace, in the order made.
pub(super) struct Recorder<'r, 'a> {
    world: &'r mut World<'a>,
    class: ClassId,
    rest: &'r [Recorded],
    /// Whether more was asked for than there is.
    short: bool,
    /// Whether a value was asked for that is not known.
    guessed: bool,
    /// What there is before the call: what the fields of a new object under analysis start with.
    start: &'r Configuration,
    /// What is recorded of a field that is being changed in all objects.
    column: Option<&'r str>,
    /// The array that is being made, and how many of its elements are there.
    array: Option<(ObjectId, usize)>,
}

impl<'r, 'a> Recorder<'r, 'a> {
    /// What is left of a trace; the class under analysis, and the configuration before the call.
    pub(super) fn new(
        world: &'r mut World<'a>,
        class: ClassId,
        rest: &'r [Recorded],
        start: &'r Configuration,
    ) -> Self {
        Recorder {
            world,
            class,
            rest,
            short: false,
            guessed: false,
            start,
            column: None,
            array: None,
        }
    }

    /// Whether the run goes on where the trace has ended.
    pub(super) fn is_short(&self) -> bool {
        self.short
    }

    /// Whether the run took a value that is not known.
    pub(super) fn has_guessed(&self) -> bool {
        self.guessed
    }

    /// How many values have not been asked for.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    fn next(&mut self) -> Result<&'r str, NoDecision> {
        let Some((first, rest)) = self.rest.split_first() else {
            self.short = true;
            return Err(unknown("the choice"));
        };
        self.rest = rest;
        Ok(&first.value)
    }

    /// What a field of a new object starts with.
    fn initial(&mut self, request: &ChoiceRequest<'_>, field: FieldRef) -> Option<Value> {
        let is_own = field.class == self.class && request.now.this == last(request.now);
        match is_own {
            true => self.start.field(self.start.this?, field).cloned(),
            false => self.world.initial(request.now, field),
        }
    }

    /// What a routine without a body makes of a field of another object: it is recorded of all of them at once.
    fn changed(&mut self, request: &ChoiceRequest<'_>, object: ObjectId) -> Option<Value> {
        let text = self.column?;
        let found = match TraceMap::of(text) {
            // The object under analysis may be no object of the heap.
            None => self.world.chosen_value(request.now, request.ty, text),
            Some(column) => {
                let number = self.world.number(request.now, object)?.to_string();
                self.world
                    .chosen_content(request.now, request.ty, column.at(&number))
            }
        };
        found.or_else(|| self.world.guess(request.ty))
    }

    /// The next element of the array that was made last.
    fn element(&mut self, request: &ChoiceRequest<'_>) -> Option<Value> {
        let array = last(request.now)?;
        let index = match self.array {
            Some((known, index)) if known == array => index,
            _ => 0,
        };
        self.array = Some((array, index + 1));
        self.world.element(request.now, request.ty, index)
    }
}

/// What was made last.
fn last(now: &Configuration) -> Option<ObjectId> {
    now.objects().last().map(|(id, _)| id)
}

fn unknown(what: &str) -> NoDecision {
    NoDecision::Unknown(format!("{what} is not on the trace"))
}

impl Choices for Recorder<'_, '_> {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        self.guessed |= request.purpose == Purpose::Guess;
        let found = match request.purpose {
            // It has any value: what was never assigned says nothing.
            Purpose::Unassigned(_) => self.world.guess(request.ty),
            Purpose::InitialField(field) => self.initial(request, field),
            Purpose::NewElement => self.element(request),
            Purpose::Changed(routine, field, object) if routine.class != field.class => {
                self.changed(request, object)
            }
            Purpose::Havoc | Purpose::Guess | Purpose::Changed(..) | Purpose::Result(..) => {
                let text = self.next()?;
                self.world.chosen_value(request.now, request.ty, text)
            }
        };
        found.ok_or_else(|| unknown("a value"))
    }

    fn changes(&mut self, _: FieldRef) {
        self.column = self.next().ok();
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        let text = self.next()?;
        crate::ask::values::truth(text).ok_or_else(|| unknown("a branch"))
    }

    /// The trace has one choice an exception, up to the one that is taken.
    fn exit(
        &mut self,
        _: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        for exception in throws {
            if self.branch()? {
                return Ok(Some(*exception));
            }
        }
        Ok(None)
    }
}
