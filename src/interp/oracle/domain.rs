//! Finite domains, and going through everything in them.

use std::ops::RangeInclusive;

use crate::interp::choices::{ChoiceRequest, Choices, NoDecision};
use crate::interp::odometer::Odometer;
use crate::interp::state::{Configuration, HeapObject};
use crate::interp::value::{Keys, Map, Value};
use crate::ir::{ExceptionId, OpaqueId, Program, RoutineRef, Type};

/// Which values are tried. The types `bool` and enums always have all of theirs.
#[derive(Clone, Debug)]
pub struct Domain {
    /// The integers that fields and elements have.
    pub fields: RangeInclusive<i64>,
    /// The integers that parameters have.
    pub parameters: RangeInclusive<i64>,
    /// The integers that are chosen inside an execution. Wider than `fields`, or an execution that leaves the
    /// domain by a choice is not seen.
    pub choices: RangeInclusive<i64>,
    /// How many values an opaque type has, besides those that have names.
    pub opaque: u64,
    /// How many objects there are around, of each class that the class under analysis refers to.
    pub objects: usize,
    /// How many arrays there are, of each element type that the class under analysis refers to.
    pub arrays: usize,
    /// The lengths that arrays have.
    pub lengths: RangeInclusive<usize>,
    /// No more configurations and executions than this are looked at.
    pub limit: u64,
}

impl Domain {
    /// The same integers everywhere, two opaque values, one object of a class, one array of up to two elements.
    pub fn integers(range: RangeInclusive<i64>) -> Domain {
        Domain {
            fields: range.clone(),
            parameters: range.clone(),
            choices: range,
            opaque: 2,
            objects: 1,
            arrays: 1,
            lengths: 0..=2,
            limit: 1_000_000,
        }
    }

    /// The values of a declared type with integers of this range, in this configuration; none where they are
    /// too many.
    pub(super) fn candidates(
        &self,
        program: &Program,
        now: &Configuration,
        ty: &Type,
        range: &RangeInclusive<i64>,
    ) -> Option<Vec<Value>> {
        let values = match ty {
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
                range.clone().map(Value::int).collect()
            }
            Type::Enum(id) => {
                let members = 0..program.enums[id.0].members.len();
                members.map(|index| Value::Member(*id, index)).collect()
            }
            Type::Opaque(id) => {
                let values = 0..self.opaque_values(program, *id);
                values.map(|n| Value::Opaque(*id, n)).collect()
            }
            Type::Class { .. } | Type::Array { .. } | Type::Null => std::iter::once(Value::Null)
                .chain(now.objects().map(|(id, _)| Value::Ref(id)))
                .collect(),
            Type::Map(key, value) => self.maps(program, now, (key, value), range)?,
        };
        let of_type = |value: &Value| now.conforms(program, ty, value);
        Some(values.into_iter().filter(of_type).collect())
    }

    /// The maps that have the same value at every key outside the domain.
    fn maps(
        &self,
        program: &Program,
        now: &Configuration,
        (key, value): (&Type, &Type),
        range: &RangeInclusive<i64>,
    ) -> Option<Vec<Value>> {
        const MANY: usize = 10_000;
        let keys = self.candidates(program, now, key, range)?;
        let values = self.candidates(program, now, value, range)?;
        let universe = Keys::of(program, key);
        let constant = |value: &Value| Map::constant(universe.clone(), value.clone());
        let mut maps: Vec<Map> = values.iter().map(constant).collect();
        for key in keys {
            let changed = maps
                .iter()
                .flat_map(|map| values.iter().map(|v| map.store(key.clone(), v.clone())));
            let mut changed: Vec<Map> = changed.take(MANY + 1).collect();
            if changed.len() > MANY {
                return None;
            }
            changed.sort();
            changed.dedup();
            maps = changed;
        }
        Some(maps.into_iter().map(Value::Map).collect())
    }

    /// Whether everything that `this` leads to is in the domain.
    pub(super) fn contains(&self, program: &Program, configuration: &Configuration) -> bool {
        let reached = configuration.canonical();
        reached.objects().all(|(_, object)| match object {
            HeapObject::Instance { class, fields } => {
                let of_class =
                    |o: &HeapObject| matches!(o, HeapObject::Instance { class: c, .. } if c == class);
                let count = reached.objects().filter(|(_, o)| of_class(o)).count();
                let is_this = reached
                    .this
                    .and_then(|id| reached.object(id))
                    .is_some_and(of_class);
                let declared = &program.class(*class).fields;
                count <= self.objects + usize::from(is_this)
                    && declared
                        .iter()
                        .zip(fields)
                        .all(|(f, v)| self.has(program, &f.ty, v))
            }
            HeapObject::Array { element, elements } => {
                let same =
                    |o: &HeapObject| matches!(o, HeapObject::Array { element: e, .. } if e == element);
                reached.objects().filter(|(_, o)| same(o)).count() <= self.arrays
                    && self.lengths.contains(&elements.len())
                    && elements.iter().all(|v| self.has(program, element, v))
            }
        })
    }

    fn opaque_values(&self, program: &Program, id: OpaqueId) -> u64 {
        self.opaque + program.opaques[id.0].values.len() as u64
    }

    fn has(&self, program: &Program, ty: &Type, value: &Value) -> bool {
        match (ty, value) {
            (_, Value::Int(n)) => i64::try_from(n).is_ok_and(|n| self.fields.contains(&n)),
            (_, Value::Opaque(id, n)) => *n < self.opaque_values(program, *id),
            (Type::Map(key, result), Value::Map(map)) => {
                map.exceptions().keys().all(|k| self.has(program, key, k))
                    && map.values().all(|v| self.has(program, result, v))
            }
            _ => true,
        }
    }
}

/// One run after the other through all combinations of choices: a run takes its choices by [`Enumeration::pick`],
/// [`Enumeration::advance`] goes to the next one.
pub(super) struct Enumeration<'a> {
    domain: &'a Domain,
    odometer: Odometer,
}

impl<'a> Enumeration<'a> {
    pub(super) fn new(domain: &'a Domain) -> Enumeration<'a> {
        Enumeration {
            domain,
            odometer: Odometer::default(),
        }
    }

    /// One of `count`, which is at least one.
    pub(super) fn pick(&mut self, count: usize) -> usize {
        self.odometer.pick(count)
    }

    /// Goes to the next run, if there is one.
    pub(super) fn advance(&mut self) -> bool {
        self.odometer.advance()
    }

    /// A value of a declared type.
    pub(super) fn value_in(
        &mut self,
        program: &Program,
        now: &Configuration,
        ty: &Type,
        range: &RangeInclusive<i64>,
    ) -> Result<Value, NoDecision> {
        let mut values = self
            .domain
            .candidates(program, now, ty, range)
            .ok_or_else(|| NoDecision::Unknown("too many maps to try them all".into()))?;
        if values.is_empty() {
            return Err(NoDecision::NoValue);
        }
        Ok(values.swap_remove(self.pick(values.len())))
    }
}

impl Choices for Enumeration<'_> {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        let range = &self.domain.choices;
        self.value_in(request.program, request.now, request.ty, range)
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        Ok(self.pick(2) == 1)
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        let exit = self.pick(throws.len() + 1);
        Ok(exit.checked_sub(1).map(|i| throws[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_the_values_of_the_declared_type() {
        let (program, now) = (Program::default(), Configuration::empty());
        let domain = Domain::integers(-2..=1);
        let count = |ty: &Type| {
            let range = &domain.fields;
            domain
                .candidates(&program, &now, ty, range)
                .map(|v| v.len())
        };
        assert_eq!(count(&Type::Int), Some(4));
        assert_eq!(count(&Type::Nat), Some(2));
        let to_bool = |key| Type::Map(Box::new(key), Box::new(Type::Bool));
        // 2 defaults and 4 keys; over `bool` keys a default says nothing.
        assert_eq!(count(&to_bool(Type::Int)), Some(32));
        assert_eq!(count(&to_bool(Type::Bool)), Some(4));
    }
}
