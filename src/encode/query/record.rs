//! What is recorded on a trace, by typed places: whoever reads a trace finds there what each of its values is.

use crate::ir::{ClassId, FieldRef, OpaqueId, Type, VarId};

/// What the traces of a question record, in the order in which they do.
#[derive(Clone, Debug, Default)]
pub struct TraceLayout {
    /// The object, where the question starts, and the other objects and arrays that there are.
    pub start: Vec<TraceSlot>,
    /// Whether formulas hold there; behind the first call's arguments.
    pub watched: Vec<TraceSlot>,
    /// Each call.
    pub calls: Vec<CallLayout>,
    /// What is looked at where the question ends.
    pub end: Vec<TraceSlot>,
}

/// What is recorded of a call. Between the arguments and the object behind it is what the bodies choose, as much as there is.
#[derive(Clone, Debug, Default)]
pub struct CallLayout {
    /// Its arguments.
    pub arguments: Vec<TraceSlot>,
    /// Whether it is refused: then nothing comes behind.
    pub refused: Option<TraceSlot>,
    /// The object behind it; nothing where that does not matter.
    pub after: Vec<TraceSlot>,
}

/// A value on a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceSlot {
    /// How it is labelled.
    pub label: String,
    /// What it is a value of.
    pub place: RecordedPlace,
}

/// What a value on a trace is a value of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedPlace {
    /// A field of the object, at that moment.
    Field(FieldRef),
    /// What there is besides the object.
    Heap(HeapCell),
    /// An argument of the call.
    Argument(VarId),
    /// Whether something holds.
    Truth,
    /// A number that says which of several it is.
    Number,
}

/// A part of what there is besides the object under analysis: objects and arrays, numbered from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeapCell {
    /// The number of the object under analysis itself, where others may refer to it.
    This,
    /// How many objects of a class there are.
    Objects(ClassId),
    /// A field of the objects of a class, by their numbers.
    Field(FieldRef),
    /// How many arrays of these elements there are.
    Arrays(Type),
    /// How long they are, by their numbers.
    Length(Type),
    /// What is in them, by their numbers and the index.
    Elements(Type),
    /// A value with a name, of an opaque type.
    Named(OpaqueId, usize),
}
