//! The choices that an engine recorded, as the interpreter asks for them.

use crate::ask::values::value;
use crate::interp::{Choices, Configuration, Purpose, Refusal, Request, Value};
use crate::ir::{ClassId, ExceptionId, Program, RoutineKind, RoutineRef, Type};
use crate::query::{Recorded, Subject};

/// The choices recorded on a trace, in the order made.
pub(super) struct Recorder<'a> {
    subject: &'a Subject,
    rest: &'a [Recorded],
    /// Whether more was asked for than there is.
    short: bool,
    /// The fields before the call: what a new object starts with.
    start: &'a Configuration,
}

impl<'a> Recorder<'a> {
    /// What is left of a trace; the configuration before the call.
    pub(super) fn new(
        subject: &'a Subject,
        rest: &'a [Recorded],
        start: &'a Configuration,
    ) -> Self {
        Recorder {
            subject,
            rest,
            short: false,
            start,
        }
    }

    /// Whether the run goes on where the trace has ended.
    pub(super) fn is_short(&self) -> bool {
        self.short
    }

    /// How many values have not been asked for.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    fn next(&mut self, ty: &Type) -> Result<Value, Refusal> {
        let unknown = || Refusal::Unknown("the choice is not on the trace".into());
        let Some((first, rest)) = self.rest.split_first() else {
            self.short = true;
            return Err(unknown());
        };
        self.rest = rest;
        value(ty, &first.value).ok_or_else(unknown)
    }

    /// Whether what an object of another class starts with does not matter: whichever constructor makes it decides all.
    fn is_decided(&self, class: ClassId) -> bool {
        let mut constructors = self
            .subject
            .program
            .class(class)
            .routines_of(RoutineKind::Constructor)
            .peekable();
        let decides = |index| {
            let routine = RoutineRef { class, index };
            self.subject.effects.routine(routine).deterministic
        };
        constructors.peek().is_some() && constructors.all(decides)
    }
}

impl Choices for Recorder<'_> {
    fn value(&mut self, request: &Request<'_>) -> Result<Value, Refusal> {
        match request.purpose {
            Purpose::Unassigned(_) => Err(Refusal::Unknown(
                "an unassigned result is not on the trace".into(),
            )),
            Purpose::InitialField(field) => {
                let this = self.start.this;
                let value = this.and_then(|this| self.start.field(this, field)).cloned();
                let any = || match self.is_decided(field.class) {
                    true => any_value(&self.subject.program, request.ty),
                    false => None,
                };
                let unknown = || Refusal::Unknown("the field is not on the trace".into());
                value.or_else(any).ok_or_else(unknown)
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

/// Some value of a type, where there is one without a heap.
fn any_value(program: &Program, ty: &Type) -> Option<Value> {
    match ty {
        Type::Bool => Some(Value::Bool(false)),
        Type::Enum(id) => {
            (!program.enums[id.0].members.is_empty()).then_some(Value::Member(*id, 0))
        }
        Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => Some(Value::int(0)),
        Type::Class { nullable: true, .. } | Type::Array { nullable: true, .. } | Type::Null => {
            Some(Value::Null)
        }
        _ => None,
    }
}
