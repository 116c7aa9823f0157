//! Who decides what a program leaves open.

use super::state::Configuration;
use super::value::{ObjectId, Value};
use crate::ir::{ExceptionId, FieldRef, Program, RoutineRef, Type, VarId};

/// Why a value is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `havoc`
    Havoc,
    /// `havoc?`: it is not known which values it can be.
    Guess,
    /// A result that is looked at before it is assigned. Asked for when that happens, not before.
    Unassigned(VarId),
    /// A field that has no initial value, when its object is made.
    InitialField(FieldRef),
    /// An element of a new array.
    NewElement,
    /// A field of an object that a routine without a body may change.
    Changed(RoutineRef, FieldRef, ObjectId),
    /// A result of a routine without a body.
    Result(RoutineRef, VarId),
}

/// A value is needed.
pub struct ChoiceRequest<'a> {
    /// The program.
    pub program: &'a Program,
    /// The configuration at this moment: a reference is to one of its objects.
    pub now: &'a Configuration,
    /// The declared type of the value; its typing and its invariant fact must hold.
    pub ty: &'a Type,
    /// What for.
    pub purpose: Purpose,
}

/// Why there is no decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoDecision {
    /// There is no value of the type: the execution is blocked, as by an `assume` that fails.
    NoValue,
    /// The decision is not known.
    Unknown(String),
}

/// Supplies every nondeterministic decision of an execution, in the order in which they come up.
pub trait Choices {
    /// A value.
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision>;

    /// Whether a branch on `*` is taken.
    fn branch(&mut self) -> Result<bool, NoDecision>;

    /// A routine without a body is about to change this field of all objects of another class: a value is asked for each of
    /// them next.
    fn changes(&mut self, field: FieldRef) {
        let _ = field;
    }

    /// How a routine without a body ends: normally, or in one of the exceptions that it throws (at least one).
    fn exit(
        &mut self,
        routine: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision>;
}

/// A decision that was made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// For [`Choices::value`].
    Value(Value),
    /// For [`Choices::branch`].
    Branch(bool),
    /// For [`Choices::exit`].
    Exit(Option<ExceptionId>),
}

/// Decisions known beforehand, one after the other. Any further decision is refused as unknown.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    decisions: std::collections::VecDeque<Decision>,
}

impl Replay {
    /// These decisions.
    pub fn new(decisions: impl IntoIterator<Item = Decision>) -> Replay {
        Replay {
            decisions: decisions.into_iter().collect(),
        }
    }

    /// How many decisions are left.
    pub fn left(&self) -> usize {
        self.decisions.len()
    }

    fn next<T>(
        &mut self,
        what: &str,
        wanted: impl Fn(Decision) -> Option<T>,
    ) -> Result<T, NoDecision> {
        let decision = self.decisions.pop_front();
        decision
            .and_then(wanted)
            .ok_or_else(|| NoDecision::Unknown(format!("no {what} was recorded")))
    }
}

impl Choices for Replay {
    fn value(&mut self, _: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        self.next("value", |decision| match decision {
            Decision::Value(value) => Some(value),
            _ => None,
        })
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        self.next("branch", |decision| match decision {
            Decision::Branch(taken) => Some(taken),
            _ => None,
        })
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        _: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        self.next("exit", |decision| match decision {
            Decision::Exit(exit) => Some(exit),
            _ => None,
        })
    }
}
