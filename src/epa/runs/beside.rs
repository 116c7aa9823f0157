//! What is put beside an object for bodies to choose.

use std::collections::BTreeSet;

use fastrand::Rng;

use super::Runs;
use crate::interp::{Configuration, HeapObject, Value};
use crate::ir::{Program, Type};

/// No more types of objects and arrays are put beside an object than these.
const MOST_BESIDE: usize = 24;

impl Runs<'_> {
    /// With an object of each other class, and arrays of each type, that bodies may choose, as far as these keep what is promised of
    /// all that there is.
    pub(super) fn with_others(&self, mut now: Configuration, dice: &mut Rng) -> Configuration {
        for ty in &self.types {
            for object in self.others(&now, ty, dice) {
                let mut more = now.clone();
                more.allocate(object);
                let interpreter = self.interpreter();
                let kept = interpreter.surroundings_hold(&more, self.subject().class);
                if kept == Ok(true) {
                    now = more;
                }
            }
        }
        now
    }

    fn others(&self, now: &Configuration, ty: &Type, dice: &mut Rng) -> Vec<HeapObject> {
        match ty {
            Type::Class { class, .. } if *class != self.subject().class => {
                let fields = self.subject().program.class(*class).fields.iter();
                let values = fields.map(|field| self.trial.any(now, &field.ty, dice));
                let values: Option<Vec<Value>> = values.collect();
                let object = values.map(|fields| HeapObject::Instance {
                    class: *class,
                    fields,
                });
                object.into_iter().collect()
            }
            Type::Array { element, .. } => {
                let mut of_length = |length| {
                    let elements = (0..length).map(|_| self.trial.any(now, element, dice));
                    Some(HeapObject::Array {
                        element: (**element).clone(),
                        elements: elements.collect::<Option<_>>()?,
                    })
                };
                [0, 2].into_iter().filter_map(&mut of_length).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The types of references that a program mentions, not too many of them.
pub(super) fn references(program: &Program) -> Vec<Type> {
    let types = program.mentioned_types().into_iter();
    let types: BTreeSet<Type> = types
        .filter(|ty| matches!(ty, Type::Class { .. } | Type::Array { .. }))
        .map(|ty| ty.with_null())
        .collect();
    types.into_iter().take(MOST_BESIDE).collect()
}
