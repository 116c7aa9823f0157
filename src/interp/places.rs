//! The places that are assigned.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::log::Event;
use super::machine::{Interruption, Machine, Progress, ill_typed};
use super::value::{ObjectId, Value};
use crate::ir::{BuiltinException, FieldRef, Place, VarId};

/// A place whose operands are evaluated, but not checked.
pub(super) enum EvaluatedPlace {
    Var(VarId),
    Field(Value, FieldRef),
    Element(Value, BigInt),
}

impl Machine<'_, '_> {
    /// Evaluates the operands of a place.
    pub(super) fn target(&mut self, place: &Place) -> Result<EvaluatedPlace, Interruption> {
        match place {
            Place::Var(v) => Ok(EvaluatedPlace::Var(*v)),
            Place::Field(object, field) => Ok(EvaluatedPlace::Field(self.value(object)?, *field)),
            Place::Element(array, index) => {
                let array = self.value(array)?;
                Ok(EvaluatedPlace::Element(array, self.integer(index)?))
            }
        }
    }

    /// Raises what the place itself raises.
    pub(super) fn check(&self, target: &EvaluatedPlace) -> Progress {
        match target {
            EvaluatedPlace::Var(_) => Ok(()),
            EvaluatedPlace::Field(object, _) => dereference(object).map(drop),
            EvaluatedPlace::Element(array, index) => self.element(array, index).map(drop),
        }
    }

    fn element(&self, array: &Value, index: &BigInt) -> Result<(ObjectId, usize), Interruption> {
        let array = dereference(array)?;
        let length = self.now.elements(array).map_or(0, <[Value]>::len);
        match index.to_usize().filter(|i| *i < length) {
            Some(index) => Ok((array, index)),
            None => Err(BuiltinException::IndexOutOfRange.into()),
        }
    }

    /// Checks the place and writes the value.
    pub(super) fn assign(&mut self, target: EvaluatedPlace, value: Value) -> Progress {
        match target {
            EvaluatedPlace::Var(v) => {
                let frame = self.frame_mut()?;
                frame.unassigned.remove(&v);
                frame.locals.insert(v, value);
                Ok(())
            }
            EvaluatedPlace::Field(object, field) => {
                let object = dereference(&object)?;
                self.write_field(object, field, value)
            }
            EvaluatedPlace::Element(array, index) => {
                let (array, index) = self.element(&array, &index)?;
                self.write_element(array, index, value)
            }
        }
    }

    fn write_element(&mut self, array: ObjectId, index: usize, value: Value) -> Progress {
        let after = self.log.is_some().then(|| value.clone());
        let before = self
            .now
            .set_element(array, index, value)
            .ok_or_else(ill_typed)?;
        if let Some(after) = after.filter(|after| *after != before) {
            self.note(|| Event::Element {
                array,
                index,
                before,
                after,
            });
        }
        Ok(())
    }

    pub(super) fn write_field(
        &mut self,
        object: ObjectId,
        field: FieldRef,
        value: Value,
    ) -> Progress {
        let after = self.log.is_some().then(|| value.clone());
        let before = self
            .now
            .set_field(object, field, value)
            .ok_or_else(ill_typed)?;
        if let Some(after) = after.filter(|after| *after != before) {
            self.note(|| Event::Field {
                object,
                field,
                before,
                after,
            });
        }
        Ok(())
    }
}

/// The object that a reference leads to.
pub(super) fn dereference(value: &Value) -> Result<ObjectId, Interruption> {
    match value {
        Value::Ref(id) => Ok(*id),
        Value::Null => Err(BuiltinException::NullDereference.into()),
        _ => Err(ill_typed()),
    }
}
