//! Values as Solidity writes them.

use num_bigint::{BigInt, Sign};

use super::people::People;
use crate::interp::Value;
use crate::ir::{ArgumentType, Messages, Opaque, Program};

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
) -> Result<String, String> {
    match (ty, value) {
        (ArgumentType::Bool, Value::Bool(value)) => Ok(value.to_string()),
        (ArgumentType::Integer, Value::Int(number)) => Ok(number.to_string()),
        (ArgumentType::Address, Value::Int(number)) => Ok(people.address(messages, number)),
        (ArgumentType::Contract(name), Value::Int(number)) => {
            Ok(format!("{name}({})", people.address(messages, number)))
        }
        (ArgumentType::FixedBytes(size), Value::Int(number)) => {
            let bits = 8 * u32::from(*size);
            if number.sign() == Sign::Minus || number.bits() > u64::from(bits) {
                return Err(format!("it does not fit into {size} bytes"));
            }
            Ok(format!("bytes{size}(uint{bits}({number}))"))
        }
        (ArgumentType::Enum(name, members), Value::Member(_, index)) => {
            let member = members.get(*index).ok_or("there is no such value")?;
            Ok(format!("{name}.{member}"))
        }
        (ArgumentType::Bytes, Value::Opaque(id, number)) => {
            let bytes = bytes(messages, program.opaques.get(id.0), *number);
            Ok(format!("hex\"{}\"", hexadecimal(&bytes)))
        }
        (ArgumentType::String, Value::Opaque(id, number)) => {
            let bytes = bytes(messages, program.opaques.get(id.0), *number);
            Ok(text(&bytes))
        }
        (ArgumentType::Alias(name, inner), value) => {
            let inner = literal(messages, program, people, inner, value)?;
            Ok(format!("{name}.wrap({inner})"))
        }
        _ => Err("it is no value of the contract's".to_owned()),
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

fn text(bytes: &[u8]) -> String {
    let plain = |byte: &u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(plain) => format!("\"{text}\""),
        _ => format!("string(hex\"{}\")", hexadecimal(bytes)),
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A number of a value, if it is one.
pub(super) fn number(value: &Value) -> Option<&BigInt> {
    match value {
        Value::Int(number) => Some(number),
        _ => None,
    }
}
