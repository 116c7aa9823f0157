//! Annotations (JVMS 4.7.16), as far as they are not nested too deeply to have been written by a person.

use std::sync::Arc;

use super::bytes::{Bytes, Result};
use super::pool::{Index, Pool};
use super::reference::PoolConstant;
use crate::front::java::types::JavaType;

/// Arrays and annotations in each other. A list of repeated annotations with arrays in them has three levels.
const DEEPEST: usize = 16;

/// An annotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// Its interface.
    pub ty: JavaType,
    /// What is said by name; what has its default value is not there.
    pub elements: Vec<(Arc<str>, ElementValue)>,
}

impl Annotation {
    /// The name of the annotation without its package: `EpaAction`.
    pub fn simple_name(&self) -> &str {
        match &self.ty {
            JavaType::Class(name) => name.simple(),
            _ => "",
        }
    }

    /// What is said by that name.
    pub fn element(&self, name: &str) -> Option<&ElementValue> {
        let found = self.elements.iter().find(|(found, _)| &**found == name);
        found.map(|(_, value)| value)
    }
}

/// The value of an element.
#[derive(Clone, Debug, PartialEq)]
pub enum ElementValue {
    /// A number, a truth value or a character, with the letter that its descriptor has.
    Constant(char, PoolConstant),
    /// A text.
    String(Arc<str>),
    /// A constant of an enum: its type and its name.
    Enum(Arc<str>, Arc<str>),
    /// A class, as a descriptor.
    Class(Arc<str>),
    /// An annotation.
    Annotation(Annotation),
    /// Several of them.
    Array(Vec<ElementValue>),
}

/// Reads a `Runtime(In)VisibleAnnotations`. Nothing where something in it is nested too deeply: it is skipped then.
pub(super) fn read(pool: &Pool, bytes: &mut Bytes) -> Result<Vec<Annotation>> {
    let read = bytes.list(|bytes| read_annotation(pool, bytes, DEEPEST));
    match read {
        Err(error) if error.what == TOO_DEEP => {
            bytes.take(bytes.left())?;
            Ok(Vec::new())
        }
        read => read,
    }
}

const TOO_DEEP: &str = "annotations are nested too deeply";

fn read_annotation(pool: &Pool, bytes: &mut Bytes, room: usize) -> Result<Annotation> {
    let ty = pool.field_type(Index(bytes.u2()?))?;
    let elements = bytes.list(|bytes| {
        let name = pool.name(Index(bytes.u2()?))?;
        Ok((name, read_value(pool, bytes, room)?))
    })?;
    Ok(Annotation { ty, elements })
}

fn read_value(pool: &Pool, bytes: &mut Bytes, room: usize) -> Result<ElementValue> {
    let Some(room) = room.checked_sub(1) else {
        return Err(bytes.malformed(TOO_DEEP));
    };
    let tag = char::from(bytes.u1()?);
    let name = |bytes: &mut Bytes| pool.name(Index(bytes.u2()?));
    Ok(match tag {
        'B' | 'C' | 'D' | 'F' | 'I' | 'J' | 'S' | 'Z' => {
            ElementValue::Constant(tag, pool.constant(Index(bytes.u2()?))?)
        }
        // The text itself, and no `String` constant.
        's' => ElementValue::String(pool.string(Index(bytes.u2()?))?.shown().into()),
        'e' => ElementValue::Enum(name(bytes)?, name(bytes)?),
        'c' => ElementValue::Class(name(bytes)?),
        '@' => ElementValue::Annotation(read_annotation(pool, bytes, room)?),
        '[' => ElementValue::Array(bytes.list(|bytes| read_value(pool, bytes, room))?),
        tag => return Err(bytes.malformed(format!("an annotation's value of kind {tag:?}"))),
    })
}
