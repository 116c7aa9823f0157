//! What routines without a body leave in a field of all objects of another class: references that lead to objects there are.
//!
//! To say so of all objects at once takes a quantifier, and each such call one more; with a handful of them a solver finds no
//! object any more, or none within a minute. So the field is copied where it was changed, with how many objects there were, and
//! each cell that is read later is said to have led somewhere then.

use super::storage::Storage;
use super::term::BoogieTerm;
use crate::ir::{FieldRef, Program};

/// The copy of a field as it was changed last.
pub(super) struct ChangedField {
    field: String,
    /// The counter of the objects that have the field, and of what it leads to.
    counters: [String; 2],
}

impl ChangedField {
    /// The copy of a field; none where no routine without a body changes it in other objects, or where it does not lead to what
    /// the program makes anew.
    pub(super) fn of(storage: &Storage, field: FieldRef) -> Option<Self> {
        let ty = &storage.program().field(field).ty;
        let counts = storage.is_changed_outside(field) && storage.is_allocated(ty);
        // A promise is a part of the invariant, which a question may look at in all objects.
        let is_promised = !storage.promise(ty, &BoogieTerm::atom("null")).is_empty();
        if !counts || is_promised {
            return None;
        }
        Some(ChangedField {
            field: storage.field(field),
            counters: [storage.objects(field.class), storage.counter(ty)?],
        })
    }

    /// The globals of the copy: the values, and the two counters as they were.
    fn globals(&self) -> [String; 3] {
        let field = &self.field;
        [
            format!("changed.{field}"),
            format!("changed.{field}.objects"),
            format!("changed.{field}.targets"),
        ]
    }

    /// The same, with their types.
    pub(super) fn declared(&self) -> impl Iterator<Item = (String, String)> {
        let types = ["[Ref]Ref", "int", "int"].map(str::to_owned);
        self.globals().into_iter().zip(types)
    }

    /// The names of these globals.
    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.globals().into_iter()
    }

    /// The statements that make the copy.
    pub(super) fn copy(&self) -> impl Iterator<Item = String> {
        let [objects, targets] = &self.counters;
        let now = [self.field.clone(), objects.clone(), targets.clone()];
        let pairs = self.globals().into_iter().zip(now);
        pairs.map(|(copy, now)| format!("{copy} := {now};"))
    }

    /// That the cell of an object led to an object when the copy was made, if there was this object.
    pub(super) fn led_to(&self, object: BoogieTerm) -> BoogieTerm {
        let [values, objects, targets] = self.globals().map(BoogieTerm::atom);
        let cell = BoogieTerm::select(values, object.clone());
        led_to((object, objects), (cell, targets))
    }
}

/// That a cell leads to one of so many objects, if what it is in is one of so many.
pub(super) fn led_to(
    (container, containers): (BoogieTerm, BoogieTerm),
    (cell, targets): (BoogieTerm, BoogieTerm),
) -> BoogieTerm {
    let existed = BoogieTerm::binary("<=", container, containers);
    let leads = BoogieTerm::all([
        BoogieTerm::binary("<=", BoogieTerm::atom("0"), cell.clone()),
        BoogieTerm::binary("<=", cell, targets),
    ]);
    BoogieTerm::binary("==>", existed, leads)
}

/// The fields that a routine without a body changes in all objects of another class.
pub(super) fn changed_outside(program: &Program) -> impl Iterator<Item = FieldRef> + '_ {
    let classes = program.classes.iter().enumerate();
    classes.flat_map(|(class, declared)| {
        let bodiless = declared.routines.iter().filter(|r| r.body.is_none());
        let changed = bodiless.flat_map(|r| r.modifies.iter().flatten());
        changed.copied().filter(move |field| field.class.0 != class)
    })
}
