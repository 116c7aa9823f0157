//! Values as arguments of messages, before they are written in a language.

use num_bigint::{BigInt, Sign};

use super::people::{People, Person};
use crate::interp::Value;
use crate::ir::{ArgumentType, Messages, Opaque, Program};

/// An argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    /// A truth value.
    Bool(bool),
    /// A number.
    Integer(BigInt),
    /// An address.
    Address(Person),
    /// The address of a contract of this name.
    Contract(String, Person),
    /// So many bytes, as a number; none where any will do.
    FixedBytes(u8, Option<BigInt>),
    /// A member of the enum of this name; none where any will do.
    Enum(String, Option<Member>),
    /// `bytes`
    Bytes(Vec<u8>),
    /// The bytes of a string.
    String(Vec<u8>),
    /// A value of the user's type of this name.
    Alias(String, Box<Literal>),
}

/// A member of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub name: String,
    /// Its place among the members.
    pub index: usize,
}

/// A value as an argument of a type.
///
/// # Errors
/// Why it cannot be written, in words.
pub(super) fn literal(
    messages: &Messages,
    program: &Program,
    people: &mut People,
    ty: &ArgumentType,
    value: &Value,
) -> Result<Literal, String> {
    let bytes = |id: usize, number| bytes(messages, program.opaques.get(id), number);
    Ok(match (ty, value) {
        (ArgumentType::Bool, Value::Bool(value)) => Literal::Bool(*value),
        (ArgumentType::Integer, Value::Int(number)) => Literal::Integer(number.clone()),
        (ArgumentType::Address, Value::Int(number)) => {
            Literal::Address(people.person(messages, number))
        }
        (ArgumentType::Contract(name), Value::Int(number)) => {
            Literal::Contract(name.clone(), people.person(messages, number))
        }
        (ArgumentType::FixedBytes(size), Value::Int(number)) => {
            let bits = 8 * u64::from(*size);
            if number.sign() == Sign::Minus || number.bits() > bits {
                return Err(format!("it does not fit into {size} bytes"));
            }
            Literal::FixedBytes(*size, Some(number.clone()))
        }
        (ArgumentType::Enum(name, members), Value::Member(_, index)) => {
            let member = members.get(*index).ok_or("there is no such value")?;
            let member = Member {
                name: member.clone(),
                index: *index,
            };
            Literal::Enum(name.clone(), Some(member))
        }
        (ArgumentType::Bytes, Value::Opaque(id, number)) => Literal::Bytes(bytes(id.0, *number)),
        (ArgumentType::String, Value::Opaque(id, number)) => Literal::String(bytes(id.0, *number)),
        (ArgumentType::Alias(name, inner), value) => {
            let inner = literal(messages, program, people, inner, value)?;
            Literal::Alias(name.clone(), Box::new(inner))
        }
        _ => return Err("it is no value of the contract's".to_owned()),
    })
}

/// Some value of a type.
pub(super) fn any(ty: &ArgumentType) -> Literal {
    let somebody = Person::Numbered(1);
    match ty {
        ArgumentType::Bool => Literal::Bool(false),
        ArgumentType::Integer => Literal::Integer(BigInt::ZERO),
        ArgumentType::Address => Literal::Address(somebody),
        ArgumentType::Contract(name) => Literal::Contract(name.clone(), somebody),
        ArgumentType::FixedBytes(size) => Literal::FixedBytes(*size, None),
        ArgumentType::Enum(name, _) => Literal::Enum(name.clone(), None),
        ArgumentType::Bytes => Literal::Bytes(Vec::new()),
        ArgumentType::String => Literal::String(Vec::new()),
        ArgumentType::Alias(name, inner) => Literal::Alias(name.clone(), Box::new(any(inner))),
    }
}

/// The bytes of a string of which only is known which others it equals: those that the contract names, or some that it does not.
fn bytes(messages: &Messages, declared: Option<&Opaque>, number: u64) -> Vec<u8> {
    let named = usize::try_from(number).ok();
    let name = named.and_then(|at| declared?.values.get(at));
    if let Some(known) = name.and_then(|name| messages.texts.get(name)) {
        return known.clone();
    }
    let mut other = format!("text {number}").into_bytes();
    while messages.texts.values().any(|known| *known == other) {
        other.push(b'.');
    }
    other
}

/// Whether all bytes stand for themselves between quotes, in any language.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    bytes.iter().all(is_plain)
}

/// Bytes in hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A number of a value, if it is one.
pub(super) fn number(value: &Value) -> Option<&BigInt> {
    match value {
        Value::Int(number) => Some(number),
        _ => None,
    }
}
