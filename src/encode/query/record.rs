//! What is recorded on a trace, by typed places: whoever reads a trace finds there what each of its values is.

use crate::ir::{FieldRef, VarId};

/// What the traces of a question record, in the order in which they do.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The object, where the question starts.
    pub start: Vec<Slot>,
    /// Whether formulas hold there; behind the first call's arguments.
    pub watched: Vec<Slot>,
    /// Each call.
    pub calls: Vec<CallLayout>,
    /// What is looked at where the question ends.
    pub end: Vec<Slot>,
    /// Whether that is all that an execution depends on. What is not recorded cannot be run again.
    pub complete: bool,
}

/// What is recorded of a call. Between the arguments and the object behind it is what the bodies choose, as much as there is.
#[derive(Clone, Debug, Default)]
pub struct CallLayout {
    /// Its arguments.
    pub arguments: Vec<Slot>,
    /// Whether it is refused: then nothing comes behind.
    pub refused: Option<Slot>,
    /// The object behind it; nothing where that does not matter.
    pub after: Vec<Slot>,
}

/// A value on a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// How it is labelled.
    pub label: String,
    /// What it is a value of.
    pub place: Place,
}

/// What a value on a trace is a value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A field of the object, at that moment.
    Field(FieldRef),
    /// An argument of the call.
    Argument(VarId),
    /// Whether something holds.
    Truth,
    /// A number that says which of several it is.
    Number,
}
