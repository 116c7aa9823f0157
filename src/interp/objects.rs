//! What has no statements of its own: making objects and arrays, and routines without a body.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::choices::Purpose;
use super::eval::{EvalScope, Locals};
use super::exec::{Outcome, fields_of, invariant_holds};
use super::log::Event;
use super::machine::{Interruption, Machine, Progress, Then, ill_typed};
use super::state::{Configuration, HeapObject};
use super::value::{ObjectId, Value};
use crate::ir::effects::walk;
use crate::ir::{BuiltinException, ClassId, ExprKind, FieldRef, Routine, RoutineRef, Type};

impl Machine<'_, '_> {
    /// A new object whose fields have no values yet.
    pub(super) fn allocate(&mut self, class: ClassId) -> ObjectId {
        let fields = vec![Value::Null; self.program.class(class).fields.len()];
        self.now.allocate(HeapObject::Instance { class, fields })
    }

    /// Gives the fields of a new object their first values and runs the constructor.
    pub(super) fn make(
        &mut self,
        object: ObjectId,
        class: ClassId,
        constructor: Option<RoutineRef>,
        args: Vec<Value>,
        then: Then,
    ) -> Progress {
        let program = self.program;
        for (field, declaration) in fields_of(program, class) {
            let chosen_later =
                constructor.is_some_and(|c| is_chosen_later(program.routine(c), field));
            if declaration.value.is_none() && !chosen_later {
                let value = self.choose(&declaration.ty, Purpose::InitialField(field))?;
                self.start_with(object, field, value)?;
            }
        }
        for (field, declaration) in fields_of(program, class) {
            if let Some(value) = &declaration.value {
                let value = self.scope(object, &Locals::new(), None).evaluate(value)?;
                self.start_with(object, field, value)?;
            }
        }
        self.note(|| Event::New(object));
        if let Some(routine) = constructor {
            return self.enter(routine, object, args, then);
        }
        let initially = &program.class(class).initially;
        let locals = Locals::new();
        let scope = self.scope(object, &locals, None);
        if !scope.all_hold(initially)? || !invariant_holds(&scope, object)? {
            return Err(Interruption::End(Outcome::Blocked));
        }
        self.resume(Vec::new(), then)
    }

    /// Gives a field its first value: no change that a log would tell of.
    fn start_with(&mut self, object: ObjectId, field: FieldRef, value: Value) -> Progress {
        let before = self.now.set_field(object, field, value);
        before.map(drop).ok_or_else(ill_typed)
    }

    /// A new array, with this value everywhere or with arbitrary elements.
    pub(super) fn new_array(
        &mut self,
        element: &Type,
        length: &BigInt,
        fill: Option<Value>,
    ) -> Result<ObjectId, Interruption> {
        if length.is_negative() {
            return Err(BuiltinException::NegativeLength.into());
        }
        // Each element costs a step, so that there is memory for whatever there is fuel for.
        self.fuel.spend_many(length.to_u64().unwrap_or(u64::MAX))?;
        let length = length.to_usize().unwrap_or(usize::MAX);
        let array = self.now.allocate(HeapObject::Array {
            element: element.clone(),
            elements: vec![fill.clone().unwrap_or(Value::Null); length],
        });
        for index in 0..if fill.is_some() { 0 } else { length } {
            let value = self.choose(element, Purpose::NewElement)?;
            self.now
                .set_element(array, index, value)
                .ok_or_else(ill_typed)?;
        }
        self.note(|| Event::New(array));
        Ok(array)
    }

    /// Runs a routine that has no body: its frame and its results get values that its contract allows.
    pub(super) fn contract(
        &mut self,
        reference: RoutineRef,
        this: ObjectId,
        mut locals: Locals,
    ) -> Result<Vec<Value>, Interruption> {
        let routine = self.program.routine(reference);
        let old = self.now.clone();
        let exception = match routine.throws.as_slice() {
            [] => None,
            throws => self.choose_exit(reference, throws)?,
        };
        self.change_frame(reference, this)?;
        if let Some(exception) = exception {
            return Err(Interruption::Raise(exception));
        }
        let mut results = Vec::new();
        for result in &routine.results {
            let purpose = Purpose::Result(reference, *result);
            let value = self.choose(&self.program.var(*result).ty, purpose)?;
            locals.insert(*result, value.clone());
            results.push(value);
        }
        let scope = self.scope(this, &locals, Some(&old));
        if !scope.all_hold(&routine.ensures)? {
            return Err(Interruption::End(Outcome::Blocked));
        }
        Ok(results)
    }

    /// Arbitrary values for the fields that the routine may change: its own class's on `this`, others on every
    /// object.
    fn change_frame(&mut self, reference: RoutineRef, this: ObjectId) -> Progress {
        let program = self.program;
        let routine = program.routine(reference);
        for field in routine.modifies.iter().flatten() {
            let declaration = program.field(*field);
            let own = field.class == reference.class;
            if declaration.constant {
                continue;
            }
            let objects = match own {
                true => vec![this],
                false => {
                    self.changes(*field);
                    instances(&self.now, *field)
                }
            };
            for object in objects {
                let purpose = Purpose::Changed(reference, *field, object);
                let value = self.choose(&declaration.ty, purpose)?;
                self.write_field(object, *field, value)?;
            }
        }
        Ok(())
    }

    fn scope<'a>(
        &'a self,
        this: ObjectId,
        locals: &'a Locals,
        old: Option<&'a Configuration>,
    ) -> EvalScope<'a> {
        EvalScope {
            program: self.program,
            now: &self.now,
            old,
            this: Some(this),
            locals,
            fuel: &self.fuel,
        }
    }
}

/// A constructor without a body chooses the values of the fields in its frame itself. What they were before
/// makes a difference only to `old`.
fn is_chosen_later(constructor: &Routine, field: FieldRef) -> bool {
    let mut looks_back = false;
    for clause in &constructor.ensures {
        walk::visit(clause, |e| {
            looks_back |= matches!(*e.kind, ExprKind::Old(_));
        });
    }
    let in_frame = |frame: &Vec<FieldRef>| frame.contains(&field);
    constructor.body.is_none() && !looks_back && constructor.modifies.as_ref().is_some_and(in_frame)
}

fn instances(now: &Configuration, field: FieldRef) -> Vec<ObjectId> {
    now.objects()
        .filter(|(id, _)| now.field(*id, field).is_some())
        .map(|(id, _)| id)
        .collect()
}
