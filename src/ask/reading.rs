//! What a trace says, read by the layout of its question: which of its values is a value of what.

use super::values::truth;
use super::{Named, values::References, values::named};
use crate::encode::query::{CallLayout, RecordedPlace, TraceLayout, TraceSlot};
use crate::ir::Program;
use crate::query::{EdgeId, Query, Recorded, Trace};

const SHORT: Misread = Misread::Foreign("the trace does not have the values asked for");
const FOREIGN: Misread = Misread::Foreign("the trace has values that were not asked for");

/// Why a trace cannot be taken apart.
pub(super) enum Misread {
    /// It is the trace of another question, and in what that shows.
    Foreign(&'static str),
    /// It has what was asked for, but one of its truth values is no constant: a solver may say `forall …` of maps.
    Unreadable,
}

/// A trace, taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct TraceReading {
    /// The object where the question starts.
    pub(super) start: Vec<Recorded>,
    /// What is between there and what is looked at in the end: for each call its arguments (behind the first ones, what was
    /// watched there), what the bodies chose, and the object behind it.
    pub(super) calls: Vec<Recorded>,
    /// What is looked at where the question ends.
    pub(super) end: Vec<Recorded>,
}

impl TraceReading {
    /// Takes a trace apart.
    ///
    /// # Errors
    /// It does not have the values that the layout says.
    pub(super) fn of(
        layout: &TraceLayout,
        query: &Query,
        trace: &Trace,
    ) -> Result<TraceReading, Misread> {
        let last = trace
            .values
            .len()
            .checked_sub(layout.end.len())
            .ok_or(SHORT)?;
        let (before, end) = trace.values.split_at_checked(last).ok_or(SHORT)?;
        let (start, calls) = before.split_at_checked(layout.start.len()).ok_or(SHORT)?;
        let reading = TraceReading {
            start: labelled(&layout.start, start)?,
            calls: calls.to_vec(),
            end: labelled(&layout.end, end)?,
        };
        match layout.calls.as_slice() {
            // Behind the start, nothing is recorded but what is watched there.
            [] if query.walk.is_none() => {
                labelled(&layout.watched, &reading.calls)?;
            }
            [first, ..] => {
                let slots: Vec<TraceSlot> = first
                    .arguments
                    .iter()
                    .chain(&layout.watched)
                    .cloned()
                    .collect();
                let recorded = reading.calls.get(..slots.len()).ok_or(SHORT)?;
                labelled(&slots, recorded)?;
            }
            [] => {}
        }
        reading.readable(layout)?;
        Ok(reading)
    }

    /// All that is looked at is true or false, or a number.
    fn readable(&self, layout: &TraceLayout) -> Result<(), Misread> {
        let first = layout.calls.first().map_or(0, |call| call.arguments.len());
        let watched = self.calls.get(first..).unwrap_or_default();
        let looked_at = layout.watched.iter().zip(watched);
        let mut looked_at = looked_at.chain(layout.end.iter().zip(&self.end));
        match looked_at.all(|(slot, recorded)| is_constant(slot, recorded)) {
            true => Ok(()),
            false => Err(Misread::Unreadable),
        }
    }

    /// The values watched where the question starts: behind the first call's arguments.
    pub(super) fn watched(&self, layout: &TraceLayout) -> Vec<bool> {
        let first = layout.calls.first().map_or(0, |call| call.arguments.len());
        let watched = self.calls.get(first..first + layout.watched.len());
        truths(watched.unwrap_or_default())
    }

    /// The arguments of the first call.
    pub(super) fn arguments(&self, program: &Program, layout: &TraceLayout) -> Vec<Named> {
        let slots = layout.calls.first().map_or(&[][..], |call| &call.arguments);
        named(program, slots, &self.calls, References::Unnamed)
    }

    /// The object behind the only call.
    pub(super) fn after(&self, program: &Program, layout: &TraceLayout) -> Vec<Named> {
        let slots = layout.calls.last().map_or(&[][..], |call| &call.after);
        let first = self.calls.len().saturating_sub(slots.len());
        named(program, slots, &self.calls[first..], References::Unnamed)
    }

    /// The edges of a walk, which its last values number.
    pub(super) fn edges(&self) -> Option<Vec<EdgeId>> {
        let number = |r: &Recorded| r.value.parse::<usize>().ok()?.checked_sub(1).map(EdgeId);
        self.end.iter().map(number).collect()
    }
}

/// The values, if they are these: an engine that names them names them so.
fn labelled(slots: &[TraceSlot], recorded: &[Recorded]) -> Result<Vec<Recorded>, Misread> {
    if slots.len() != recorded.len() {
        return Err(FOREIGN);
    }
    let fits = |(slot, recorded): (&TraceSlot, &Recorded)| is_value_of(slot, recorded);
    match slots.iter().zip(recorded).all(fits) {
        true => Ok(recorded.to_vec()),
        false => Err(FOREIGN),
    }
}

/// Whether the value may be one of this slot.
pub(super) fn is_value_of(slot: &TraceSlot, recorded: &Recorded) -> bool {
    recorded
        .name
        .as_ref()
        .is_none_or(|name| *name == slot.label)
}

/// Whether the value says what this slot is to say.
fn is_constant(slot: &TraceSlot, recorded: &Recorded) -> bool {
    match slot.place {
        RecordedPlace::Truth => truth(&recorded.value).is_some(),
        RecordedPlace::Number => recorded.value.parse::<usize>().is_ok(),
        RecordedPlace::Field(_) | RecordedPlace::Argument(_) | RecordedPlace::Heap(_) => true,
    }
}

/// The truth values.
pub(super) fn truths(recorded: &[Recorded]) -> Vec<bool> {
    recorded
        .iter()
        .map(|r| truth(&r.value) == Some(true))
        .collect()
}

/// Takes the values of these slots off the front, if they come next by their names.
pub(super) fn take_labelled(slots: &[TraceSlot], rest: &mut &[Recorded]) -> Option<Vec<Recorded>> {
    let (here, behind) = rest.split_at_checked(slots.len())?;
    let names =
        |(slot, recorded): (&TraceSlot, &Recorded)| recorded.name.as_ref() == Some(&slot.label);
    slots.iter().zip(here).all(names).then(|| {
        *rest = behind;
        here.to_vec()
    })
}

/// What the calls are given and leave behind, as far as the names on the trace tell: what the bodies chose lies between.
pub(super) fn by_labels(
    program: &Program,
    layouts: &[CallLayout],
    mut rest: &[Recorded],
) -> Vec<(Vec<Named>, Vec<Named>)> {
    let show = |slots: &[TraceSlot], recorded: &[Recorded]| {
        named(program, slots, recorded, References::Numbered)
    };
    let calls = layouts.iter().map(|layout| {
        let arguments = take_labelled(&layout.arguments, &mut rest).unwrap_or_default();
        let mut after = Vec::new();
        while !layout.after.is_empty() && !rest.is_empty() {
            if let Some(taken) = take_labelled(&layout.after, &mut rest) {
                after = taken;
                break;
            }
            rest = rest.get(1..).unwrap_or_default();
        }
        (
            show(&layout.arguments, &arguments),
            show(&layout.after, &after),
        )
    });
    calls.collect()
}
