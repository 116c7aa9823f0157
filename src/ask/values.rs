//! Values as engines record them, as values of the input language.

use num_bigint::BigInt;
use num_traits::Signed;

use super::Named;
use super::tables::TraceMap;
use crate::encode::query::{RecordedPlace, TraceSlot};
use crate::interp::{Keys, Map, Value, wrap};
use crate::ir::{OpaqueId, Program, Type};
use crate::query::Recorded;

/// Who knows which object a number is.
pub(super) trait ObjectNumbers {
    /// The object or array of this type that an engine calls by this number; null for 0.
    fn object(&mut self, ty: &Type, number: &str) -> Option<Value>;

    /// The values of an opaque type that have names: what an engine calls each of them.
    fn named(&self, _: OpaqueId) -> Vec<&str> {
        Vec::new()
    }

    /// What stands for a reference of this type that leads nowhere. Nobody reads it before it is written.
    fn nowhere(&mut self, _: &Type) -> Value {
        Value::Null
    }
}

/// No object is known but null.
struct NoObjects;

impl ObjectNumbers for NoObjects {
    fn object(&mut self, _: &Type, number: &str) -> Option<Value> {
        (number == "0").then_some(Value::Null)
    }
}

/// A recorded value of a type.
pub(super) fn value(
    program: &Program,
    ty: &Type,
    text: &str,
    objects: &mut dyn ObjectNumbers,
) -> Option<Value> {
    match ty {
        Type::Bool => truth(text).map(Value::Bool),
        Type::Enum(id) => {
            let index: usize = text.parse().ok()?;
            let is_one = index < program.enums[id.0].members.len();
            is_one.then_some(Value::Member(*id, index))
        }
        Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
            Some(Value::Int(text.parse().ok()?))
        }
        Type::Class { .. } | Type::Array { .. } | Type::Null => objects.object(ty, text),
        Type::Opaque(id) => {
            let named = objects.named(*id);
            let number = match named.iter().position(|value| *value == text) {
                Some(number) => number as u64,
                // The others come behind all that have names.
                None => name_of(text)?.checked_add(program.opaques[id.0].values.len() as u64)?,
            };
            Some(Value::Opaque(*id, number))
        }
        Type::Map(key, result) => {
            let table = TraceMap::of(text)?;
            let default = content(program, result, table.default, objects)?;
            let keys = Keys::of(program, key);
            let mut map = Map::constant(keys.clone(), default);
            if let Some((bound, text)) = &table.below {
                let value = content(program, result, text, objects)?;
                for at in less_than(bound, key, &keys)? {
                    map = map.store(at, value.clone());
                }
            }
            for (at, text) in &table.entries {
                // What is no value of the key's type is never looked up.
                if let Some(at) = key_of(program, key, at, objects) {
                    map = map.store(at, content(program, result, text, objects)?);
                }
            }
            Some(Value::Map(map))
        }
    }
}

/// What is in a cell of a map, an array or an object. Before anything is written there it may be anything: what is read is
/// brought into the range of its type, and a reference that leads nowhere is never read.
pub(super) fn content(
    program: &Program,
    ty: &Type,
    text: &str,
    objects: &mut dyn ObjectNumbers,
) -> Option<Value> {
    match (ty, value(program, ty, text, objects)) {
        (Type::Machine(machine), Some(Value::Int(n))) => Some(Value::Int(wrap(*machine, &n))),
        (Type::Enum(id), None) => Some(Value::Member(*id, 0)),
        (Type::Class { .. } | Type::Array { .. }, None) => Some(objects.nowhere(ty)),
        (_, found) => found,
    }
}

/// The keys of a map that are less than a number; none where there is no end of them.
fn less_than(bound: &BigInt, ty: &Type, keys: &Keys) -> Option<Vec<Value>> {
    if *ty == Type::Nat && !bound.is_positive() {
        return Some(vec![]);
    }
    let is_less = |key: &&Value| match key {
        Value::Int(n) => n < bound,
        Value::Member(_, index) => BigInt::from(*index) < *bound,
        _ => false,
    };
    Some(keys.all()?.iter().filter(is_less).cloned().collect())
}

/// A key of a map; none where the text is no value of its type.
fn key_of(
    program: &Program,
    ty: &Type,
    text: &str,
    objects: &mut dyn ObjectNumbers,
) -> Option<Value> {
    let found = value(program, ty, text, objects)?;
    let is_one = match (ty, &found) {
        (Type::Machine(machine), Value::Int(n)) => wrap(*machine, n) == *n,
        _ => true,
    };
    is_one.then_some(found)
}

/// The number in the name of a value that can only be compared: `T@Doc!val!3`.
fn name_of(text: &str) -> Option<u64> {
    text.rsplit_once("!val!")?.1.parse().ok()
}

/// A recorded truth value.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// What is said of a reference that is not null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    /// That it is one.
    Unnamed,
    /// The number by which the engine calls the object: the same one is the same object.
    Numbered,
}

/// A recorded value, as it is shown; none for one that says nothing to a person.
pub(super) fn shown(
    program: &Program,
    ty: &Type,
    text: &str,
    references: References,
) -> Option<String> {
    match (ty, value(program, ty, text, &mut NoObjects)) {
        (_, Some(value)) => Some(value.display(program)),
        (Type::Class { .. } | Type::Array { .. } | Type::Null, None) => Some(match references {
            References::Unnamed => "a reference".to_owned(),
            References::Numbered => format!("#{text}"),
        }),
        (Type::Map(..) | Type::Opaque(_), None) => None,
        (_, None) => Some(text.to_owned()),
    }
}

/// The declared name and type of what a value is a value of; none for what the question itself looks at, and for other objects.
pub(super) fn declared<'p>(
    program: &'p Program,
    place: &RecordedPlace,
) -> Option<(&'p str, &'p Type)> {
    match place {
        RecordedPlace::Field(field) => {
            let declared = program.field(*field);
            Some((&declared.name, &declared.ty))
        }
        RecordedPlace::Argument(id) => {
            let declared = program.var(*id);
            Some((&declared.name, &declared.ty))
        }
        RecordedPlace::Heap(_) | RecordedPlace::Truth | RecordedPlace::Number => None,
    }
}

/// Values by the names of what they are values of.
pub(super) fn named(
    program: &Program,
    slots: &[TraceSlot],
    recorded: &[Recorded],
    references: References,
) -> Vec<Named> {
    let pairs = slots.iter().zip(recorded);
    let named = pairs.filter_map(|(slot, recorded)| {
        let (name, ty) = declared(program, &slot.place)?;
        Some(Named {
            name: name.to_owned(),
            value: shown(program, ty, &recorded.value, references)?,
        })
    });
    named.collect()
}
