//! One way through a routine, symbolically: what was decided on the way, and what everything holds now, both as
//! formulas over the configuration and the parameters that it started from.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ir::{ExceptionId, Expr, FieldRef, LabelId, Type, VarId};

/// A write to a field.
#[derive(Clone, Debug)]
pub(super) enum Write {
    /// This object's field has this value.
    One(Expr, Expr),
    /// The field has any value in every object: this unknown map says which.
    All(Expr),
}

/// What was written, the latest last. What is not in here is as it was at the start.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    pub(super) fields: BTreeMap<FieldRef, Vec<Write>>,
    /// By the type of the elements: array, index, value.
    pub(super) elements: BTreeMap<Type, Vec<(Expr, Expr, Expr)>>,
    /// The lengths of new arrays.
    pub(super) lengths: Vec<(VarId, Expr)>,
}

/// One way through a routine, so far.
#[derive(Clone, Debug)]
pub(super) struct RoutinePath {
    /// What was decided, in order. None of it follows from what is before it.
    pub(super) literals: Vec<Expr>,
    /// What was written.
    pub(super) heap: Heap,
    /// The heap that `old(…)` speaks of.
    pub(super) old: Option<Rc<Heap>>,
    /// Variables that have a value of their own. A parameter of the routine under analysis has none.
    pub(super) vars: BTreeMap<VarId, Expr>,
    /// The object whose routine is being run.
    pub(super) this: Expr,
}

/// How a statement is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completion {
    /// To the next one.
    Next,
    /// Out of the loop or block of this label.
    Break(LabelId),
    /// To the next round of the loop of this label.
    Continue(LabelId),
    /// Out of the routine.
    Return,
    /// By an exception.
    Throw(ExceptionId),
}

/// How a routine ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoutineEnd {
    /// Normally.
    Normal,
    /// In an exception.
    Exception(ExceptionId),
    /// It does not begin: what it requires does not hold.
    Refused,
}

/// All ways through a routine.
#[derive(Clone, Debug, Default)]
pub(super) struct RoutinePaths {
    /// Those that were followed to their end.
    pub(super) ends: Vec<(RoutinePath, RoutineEnd)>,
    /// Those that were given up: anything may happen on them.
    pub(super) given_up: Vec<RoutinePath>,
}
