//! Values as engines record them, as values of the input language.

use num_bigint::BigInt;
use num_traits::Zero;

use super::Named;
use crate::encode::query::{Place, Slot};
use crate::interp::Value;
use crate::ir::{Program, Type};
use crate::query::Recorded;

/// A recorded value of a type; none where it is not one that the interpreter can begin with: a reference, a map.
pub(super) fn value(ty: &Type, text: &str) -> Option<Value> {
    match ty {
        Type::Bool => truth(text).map(Value::Bool),
        Type::Enum(id) => Some(Value::Member(*id, text.parse().ok()?)),
        Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
            Some(Value::Int(text.parse().ok()?))
        }
        Type::Class { .. } | Type::Array { .. } | Type::Null => text
            .parse::<BigInt>()
            .ok()?
            .is_zero()
            .then_some(Value::Null),
        Type::Opaque(_) | Type::Map(..) => None,
    }
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

/// A recorded value, as it is shown.
pub(super) fn shown(program: &Program, ty: &Type, text: &str, references: References) -> String {
    match value(ty, text) {
        // An engine's number for a member may be any.
        Some(Value::Member(id, index)) => {
            let declared = &program.enums[id.0];
            let member = declared.members.get(index);
            member.map_or_else(|| text.to_owned(), |m| format!("{}.{m}", declared.name))
        }
        Some(value) => value.display(program),
        None if matches!(ty, Type::Class { .. } | Type::Array { .. } | Type::Null) => {
            match references {
                References::Unnamed => "a reference".to_owned(),
                References::Numbered => format!("#{text}"),
            }
        }
        None => text.to_owned(),
    }
}

/// The declared name and type of what a value is a value of; none for what the question itself looks at.
pub(super) fn declared<'p>(program: &'p Program, place: &Place) -> Option<(&'p str, &'p Type)> {
    match place {
        Place::Field(field) => {
            let declared = program.field(*field);
            Some((&declared.name, &declared.ty))
        }
        Place::Argument(id) => {
            let declared = program.var(*id);
            Some((&declared.name, &declared.ty))
        }
        Place::Truth | Place::Number => None,
    }
}

/// Values by the names of what they are values of.
pub(super) fn named(
    program: &Program,
    slots: &[Slot],
    recorded: &[Recorded],
    references: References,
) -> Vec<Named> {
    let pairs = slots.iter().zip(recorded);
    let named = pairs.filter_map(|(slot, recorded)| {
        let (name, ty) = declared(program, &slot.place)?;
        Some(Named {
            name: name.to_owned(),
            value: shown(program, ty, &recorded.value, references),
        })
    });
    named.collect()
}
