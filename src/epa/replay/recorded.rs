//! The values that an engine recorded, as the interpreter takes them.

use std::collections::VecDeque;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::objection::Objection;
use crate::interp::{Choices, Configuration, Purpose, Refusal, Request, Value};
use crate::ir::{ExceptionId, RoutineRef, Type};
use crate::query::Recorded;

/// The recorded value, of this type.
///
/// # Errors
/// It is not one that the interpreter can start with: a reference, a map.
pub(crate) fn read(ty: &Type, recorded: &Recorded) -> Result<Value, Objection> {
    value(ty, &recorded.value).ok_or_else(|| {
        Objection::CannotTell(format!(
            "`{}` is not a value that can be run",
            recorded.value
        ))
    })
}

/// A recorded value of a type that can be recorded.
pub(crate) fn value(ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Bool => match text.to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Type::Enum(id) => Some(Value::Member(*id, text.parse().ok()?)),
        Type::Int | Type::Nat | Type::Machine(_) => Some(Value::Int(text.parse().ok()?)),
        Type::Class { .. } | Type::Array { .. } | Type::Null => {
            (text.parse::<BigInt>().ok()?.to_u64() == Some(0)).then_some(Value::Null)
        }
        Type::Opaque(_) | Type::Map(..) => None,
    }
}

/// The choices recorded on a trace, in the order made.
pub(crate) struct Recorder<'a> {
    chosen: VecDeque<&'a str>,
    /// The fields before the call: what a new object starts with.
    start: &'a Configuration,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(chosen: &'a [Recorded], start: &'a Configuration) -> Self {
        Recorder {
            chosen: chosen.iter().map(|r| r.value.as_str()).collect(),
            start,
        }
    }

    /// How many values have not been asked for.
    pub(crate) fn left(&self) -> usize {
        self.chosen.len()
    }

    fn next(&mut self, ty: &Type) -> Result<Value, Refusal> {
        let recorded = self.chosen.pop_front().and_then(|text| value(ty, text));
        recorded.ok_or_else(|| Refusal::Unknown("the choice is not on the trace".into()))
    }
}

impl Choices for Recorder<'_> {
    fn value(&mut self, request: &Request<'_>) -> Result<Value, Refusal> {
        match request.purpose {
            Purpose::Unassigned(_) => Err(Refusal::Unknown(
                "an unassigned result is not on the trace".into(),
            )),
            Purpose::InitialField(field) => {
                let value = self
                    .start
                    .this
                    .and_then(|this| self.start.field(this, field));
                value
                    .cloned()
                    .ok_or_else(|| Refusal::Unknown("the field is not on the trace".into()))
            }
            _ => self.next(request.ty),
        }
    }

    fn branch(&mut self) -> Result<bool, Refusal> {
        Ok(self.next(&Type::Bool)? == Value::Bool(true))
    }

    /// The trace has one choice an exception, up to the one that is taken.
    fn exit(
        &mut self,
        _: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, Refusal> {
        for exception in throws {
            if self.branch()? {
                return Ok(Some(*exception));
            }
        }
        Ok(None)
    }
}
