//! What the documentation of the class library promises of the numbers that its methods give, and which of them change no object. Who overrides such a method has
//! to keep the promise, and whoever calls it relies on that.

use super::World;
use crate::front::java::classfile::MethodRef;
use crate::front::java::types::{ClassName, JavaType};

/// What a result is at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Most {
    /// There is no such bound.
    Open,
    /// A number.
    Number(i32),
    /// The argument at this position.
    Argument(usize),
    /// The length of the array at this position.
    LengthOf(usize),
}

/// What is promised of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Promise {
    /// What it is at least.
    pub least: i32,
    /// What it is at most.
    pub most: Most,
    /// Whether nobody can break it: the class is final.
    pub is_certain: bool,
}

/// A method of a class, with so many parameters, and what it gives at least and at most.
type Row = (&'static str, &'static str, usize, i32, Most);

const OF_FINAL_CLASSES: [Row; 7] = [
    ("java/lang/String", "length", 0, 0, Most::Open),
    ("java/lang/StringBuffer", "length", 0, 0, Most::Open),
    ("java/lang/StringBuilder", "length", 0, 0, Most::Open),
    ("java/lang/String", "indexOf", 1, -1, Most::Open),
    ("java/lang/String", "indexOf", 2, -1, Most::Open),
    ("java/lang/String", "lastIndexOf", 1, -1, Most::Open),
    ("java/lang/String", "lastIndexOf", 2, -1, Most::Open),
];

const OF_OTHERS: [Row; 16] = [
    ("java/io/InputStream", "available", 0, 0, Most::Open),
    ("java/io/InputStream", "read", 0, -1, Most::Number(255)),
    ("java/io/InputStream", "read", 1, -1, Most::LengthOf(0)),
    ("java/io/InputStream", "read", 3, -1, Most::Argument(2)),
    ("java/io/Reader", "read", 0, -1, Most::Number(65_535)),
    ("java/io/Reader", "read", 1, -1, Most::LengthOf(0)),
    ("java/io/Reader", "read", 3, -1, Most::Argument(2)),
    ("java/lang/CharSequence", "length", 0, 0, Most::Open),
    ("java/util/Collection", "size", 0, 0, Most::Open),
    ("java/util/List", "indexOf", 1, -1, Most::Open),
    ("java/util/List", "lastIndexOf", 1, -1, Most::Open),
    ("java/util/Map", "size", 0, 0, Most::Open),
    ("java/util/zip/Deflater", "deflate", 3, 0, Most::Argument(2)),
    ("java/util/zip/Deflater", "deflate", 4, 0, Most::Argument(2)),
    ("java/util/zip/Inflater", "inflate", 3, 0, Most::Argument(2)),
    ("java/util/zip/Inflater", "getRemaining", 0, 0, Most::Open),
];

/// Static methods that may change the elements of arrays, but no objects that they are given or that these hold, and that call
/// nothing of them.
const LEAVE_OBJECTS_ALONE: [(&str, &str); 10] = [
    ("java/lang/System", "arraycopy"),
    ("java/util/Arrays", "copyOf"),
    ("java/util/Arrays", "copyOfRange"),
    ("java/util/Arrays", "fill"),
    ("java/util/Objects", "checkFromIndexSize"),
    ("java/util/Objects", "checkFromToIndex"),
    ("java/util/Objects", "checkIndex"),
    ("java/util/Objects", "isNull"),
    ("java/util/Objects", "nonNull"),
    ("java/util/Objects", "requireNonNull"),
];

/// Whether a method changes no object, whatever it is given. (Of what it is given to run, it runs something: that is no array.)
pub(crate) fn leaves_objects_alone(method: &MethodRef) -> bool {
    let class = method.class();
    let is_it = |(owner, name): &(&str, &str)| class.is(owner) && &*method.name == *name;
    let runs = method.signature.parameters.iter();
    let mut runs = runs.filter(|ty| **ty == JavaType::class("java/util/function/Supplier"));
    runs.next().is_none() && LEAVE_OBJECTS_ALONE.iter().any(is_it)
}

impl World {
    /// What is promised of the result of a method, by its class or one that its class is derived from.
    pub(crate) fn promise(&self, method: &MethodRef) -> Option<Promise> {
        let is_it = |row: &&Row| {
            let (_, name, parameters, ..) = row;
            &*method.name == *name && method.signature.parameters.len() == *parameters
        };
        let promise = |is_certain| {
            move |(_, _, _, least, most): &Row| Promise {
                least: *least,
                most: *most,
                is_certain,
            }
        };
        let class = method.class();
        let mut of_final = OF_FINAL_CLASSES.iter().filter(is_it);
        if let Some(row) = of_final.find(|(owner, ..)| class.is(owner)) {
            return Some(promise(true)(row));
        }
        let mut of_others = OF_OTHERS.iter().filter(is_it);
        let row = of_others
            .find(|(owner, ..)| self.is_subclass(&class, &ClassName::new(owner)) == Some(true));
        row.map(promise(false))
    }
}
