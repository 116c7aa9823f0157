//! Values.

use std::rc::Rc;

use num_bigint::{BigInt, BigUint};

use super::bits;
use super::map::MapValue;
use crate::boogie::typed::{BoogieType, TypedProgram};
use crate::reach::smt::Sexp;
use crate::reach::tables::{ELEMENT, integer};
use crate::reach::values::{bit_pattern, constructed};

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::reach) enum Value {
    /// A Boolean.
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A bitvector: what it is as a number, less than 2 to the power of its width, and that.
    Bits(BigUint, u32),
    /// A value of a type of which nothing is known but which of them are equal, as the solver calls it.
    Named(Rc<str>),
    /// A value of a datatype.
    Data(Rc<DataValue>),
    /// A map.
    Map(Rc<MapValue>),
    /// Not known.
    Unknown,
}

/// A value of a datatype.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::reach) struct DataValue {
    /// The number of its constructor.
    pub(super) made_by: usize,
    /// What it is made of.
    pub(super) fields: Vec<Value>,
    /// How many values are in it.
    size: usize,
}

/// Larger values of datatypes are not known, and so none is nested deeper. What is shared in one (`x := Pair(x, x)`) counts wherever it is, as
/// it is looked at there.
const MOST_DATA: usize = 2_000;

/// The same of maps.
pub(super) const MOST_ENTRIES: usize = 100_000;

/// Integers that are made up are less.
const MADE_UP: u64 = 6;

impl Value {
    /// The integer that it is.
    pub(in crate::reach) fn int(&self) -> Option<&BigInt> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    pub(super) fn bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    pub(super) fn not(self) -> Value {
        self.bool().map_or(Value::Unknown, |b| Value::Bool(!b))
    }

    /// How many values are in it, it among them.
    pub(super) fn size(&self) -> usize {
        match self {
            Value::Data(data) => data.size,
            Value::Map(map) => map.size(),
            _ => 1,
        }
    }

    /// How many values are in what has these in it; none if they are too many.
    pub(super) fn size_of<'v>(
        parts: impl IntoIterator<Item = &'v Value>,
        most: usize,
    ) -> Option<usize> {
        let size = parts.into_iter().map(Value::size).sum::<usize>() + 1;
        (size <= most).then_some(size)
    }

    /// The value that this constructor makes.
    pub(super) fn data(made_by: usize, fields: Vec<Value>) -> Value {
        match Value::size_of(&fields, MOST_DATA) {
            Some(size) => Value::Data(Rc::new(DataValue {
                made_by,
                fields,
                size,
            })),
            None => Value::Unknown,
        }
    }

    /// A value of a type, made up of a number. Not known where there is nothing to make up.
    pub(in crate::reach) fn made_up(ty: &BoogieType, number: u64) -> Value {
        match ty {
            BoogieType::Bool => Value::Bool(number % 2 == 1),
            BoogieType::Int => Value::Int((number % MADE_UP).into()),
            BoogieType::Map(_) => MapValue::made_up(number),
            _ => Value::Unknown,
        }
    }

    /// A value of a model, of a type of that program. Not known are reals, floating-point numbers and strings, and maps that are no tables.
    pub(in crate::reach) fn of_model(
        value: &Sexp,
        ty: &BoogieType,
        program: &TypedProgram,
    ) -> Value {
        let known = match (ty, value) {
            (BoogieType::Int, _) => integer(value).map(Value::Int),
            (BoogieType::Bool, Sexp::Atom(word)) => word.parse().ok().map(Value::Bool),
            (BoogieType::Bv(width), _) => {
                bit_pattern(value).map(|number| bits::of_width(number, *width))
            }
            (BoogieType::Map(map), _) => MapValue::of_model(value, map, program),
            (BoogieType::Con(con, args), _) => {
                let declared = program.types.at(*con).ok();
                match declared.and_then(|con| con.constructors.as_ref()) {
                    Some(all) => constructed(value, all).map(|(number, constructor, values)| {
                        let fields = constructor.fields.iter().zip(values);
                        let fields = fields.map(|(field, value)| {
                            let ty = field.ty.substitute(&constructor.params, args);
                            Value::of_model(value, &ty, program)
                        });
                        Value::data(number, fields.collect())
                    }),
                    None => element(value).map(Value::Named),
                }
            }
            _ => None,
        };
        known.unwrap_or(Value::Unknown)
    }

    /// Is it a known value of a type?
    pub(in crate::reach) fn is_of(&self, ty: &BoogieType) -> bool {
        match (self, ty) {
            (Value::Bool(_), BoogieType::Bool)
            | (Value::Int(_), BoogieType::Int)
            | (Value::Map(_), BoogieType::Map(_)) => true,
            (Value::Bits(_, width), BoogieType::Bv(of)) => width == of,
            _ => false,
        }
    }

    /// Whether two values are the same, as far as that is known.
    pub(in crate::reach) fn same(&self, other: &Value) -> Option<bool> {
        match (self, other) {
            (Value::Unknown, _) | (_, Value::Unknown) => None,
            (Value::Map(a), Value::Map(b)) => a.same(b),
            (Value::Data(a), Value::Data(b)) if a.made_by != b.made_by => Some(false),
            (Value::Data(a), Value::Data(b)) => {
                let fields = a.fields.iter().zip(&b.fields);
                all(fields.map(|(a, b)| a.same(b)))
            }
            _ => Some(self == other),
        }
    }

    /// Can it be told from all others by what it is made of? Maps cannot.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Value::Bool(_) | Value::Int(_) | Value::Bits(..) | Value::Named(_) => true,
            Value::Data(data) => data.fields.iter().all(Value::is_plain),
            Value::Map(_) | Value::Unknown => false,
        }
    }

    /// Is a value in it of which only the name is known?
    pub(super) fn has_names(&self) -> bool {
        match self {
            Value::Named(_) => true,
            Value::Data(data) => data.fields.iter().any(Value::has_names),
            Value::Map(map) => map.has_names(),
            Value::Bool(_) | Value::Int(_) | Value::Bits(..) | Value::Unknown => false,
        }
    }
}

/// Whether all of these hold, as far as that is known.
pub(super) fn all(known: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for one in known {
        match one {
            Some(false) => return Some(false),
            Some(true) => {}
            None => all = None,
        }
    }
    all
}

/// The name of a value of a type of which the solver knows nothing. Other terms are not values: it repeats what it does not evaluate.
fn element(value: &Sexp) -> Option<Rc<str>> {
    match value {
        Sexp::Atom(name) if name.contains(ELEMENT) => Some(name.as_str().into()),
        Sexp::List(items) => match items.as_slice() {
            [Sexp::Atom(word), Sexp::Atom(name), _] if word == "as" && name.contains(ELEMENT) => {
                Some(name.as_str().into())
            }
            _ => None,
        },
        Sexp::Atom(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boogie::{check, parse as program};
    use crate::reach::smt::parse;

    #[test]
    fn what_would_be_too_large_is_not_known() {
        let mut tree = Value::Bool(true);
        for _ in 0..64 {
            tree = Value::data(0, vec![tree.clone(), tree]);
        }
        assert!(tree.size() <= MOST_DATA, "{}", tree.size());
        let mut map = MapValue::constant(Value::Bool(true));
        for _ in 0..64 {
            map = MapValue::constant(map.clone()).store(vec![Value::Int(1.into())], map);
        }
        assert!(map.size() <= MOST_ENTRIES, "{}", map.size());
    }

    #[test]
    fn values_of_a_model_are_read_by_their_types() {
        let text = "type T; datatype Cell { Empty(), Full(what: int, on: bool) }
                    var t: T; var c: Cell; var b: bv8; var r: real;";
        let program = check(&program(text).unwrap()).unwrap();
        let of = |global: &str, said: &str| {
            let mut all = program.globals.iter();
            let ty = &all.find(|g| g.name == global).unwrap().ty;
            Value::of_model(&parse(said).unwrap(), ty, &program)
        };
        assert_eq!(of("b", "#x0f"), Value::Bits(15u8.into(), 8));
        assert_eq!(of("b", "(_ bv15 8)"), Value::Bits(15u8.into(), 8));
        assert_eq!(of("t", "T@T!val!3"), Value::Named("T@T!val!3".into()));
        // What the solver repeats because it does not evaluate it is no value.
        assert_eq!(of("t", "(|f@f| v3)"), Value::Unknown);
        let fields = vec![Value::Int((-5).into()), Value::Bool(true)];
        let full = Value::data(1, fields);
        assert_eq!(of("c", "(|C@Full| (- 5) true)"), full);
        assert_eq!(of("c", "|C@Empty|"), Value::data(0, Vec::new()));
        assert_eq!(full.same(&of("c", "(|C@Full| (- 5) false)")), Some(false));
        assert_eq!(of("r", "(/ 1.0 3.0)"), Value::Unknown);
    }
}
