//! What happened in an execution, for display.

use super::value::{ObjectId, Value};
use crate::ir::span::Span;
use crate::ir::{ExceptionId, FieldRef, RoutineRef};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A statement was started. A loop is started once, each look at its condition is a [`Event::Branch`].
    Statement(Span),
    /// A condition of an `if` or a `while` (the statement's place) was looked at.
    Branch(Span, bool),
    /// A routine was entered.
    Call {
        /// Which.
        routine: RoutineRef,
        /// The object it runs on.
        this: ObjectId,
        /// Its arguments.
        args: Vec<Value>,
    },
    /// A routine ended normally.
    Return {
        /// Which.
        routine: RoutineRef,
    },
    /// A field got another value.
    Field {
        /// The object.
        object: ObjectId,
        /// Its field.
        field: FieldRef,
        /// The value before.
        before: Value,
        /// The value now.
        after: Value,
    },
    /// An element got another value.
    Element {
        /// The array.
        array: ObjectId,
        /// The index.
        index: usize,
        /// The value before.
        before: Value,
        /// The value now.
        after: Value,
    },
    /// An object or array was made. Its fields and elements have their first values.
    New(ObjectId),
    /// An exception was raised.
    Raise(ExceptionId),
    /// An exception was caught.
    Catch(ExceptionId),
}

/// An [`Event`], with the number of calls around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// 1 in the routine that was asked for, 2 in what it calls, …
    pub depth: usize,
    /// What happened.
    pub event: Event,
}
