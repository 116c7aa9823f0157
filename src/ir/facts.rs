//! What a declared type says about its values, as data: the encoder turns a fact into a formula, the interpreter
//! checks it on a value.
//!
//! There are two kinds. The *typing* fact holds of every value of the type, always: no operation can break it
//! (a machine integer is in its range, an enum's value is one of its members). The *invariant* fact is what the
//! type promises beyond that, and what an assignment can break: the sign of a `nat`, the range of an `int in u8`, a
//! reference that is not null. For a field it belongs to the class invariant, for a parameter to the requires clauses. An *arbitrary*
//! value of a declared type (`havoc`, a field before a constructor assigns it, the result of a routine without
//! a body, an element of a new array) satisfies both.
//!
//! A fact is about the value itself. A reference's fact says nothing about the object or the elements behind it.

use num_bigint::BigInt;

use super::{MachineInt, Program, Type};

/// A fact about a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// An integer within these bounds, both included; an open end is unbounded.
    Range {
        /// The smallest value.
        low: Option<BigInt>,
        /// The largest value.
        high: Option<BigInt>,
    },
    /// A value of an enum with this many members.
    Members(usize),
    /// A reference that is not null.
    NonNull,
    /// Of a map: the fact holds of its value at every key of this type.
    EveryKey {
        /// The type of the keys.
        key: Type,
        /// What holds of each value.
        value: Box<Fact>,
    },
}

/// What is always true of a value of this type; none where that is nothing.
pub fn typing(program: &Program, ty: &Type) -> Option<Fact> {
    fact(ty, &|leaf| match leaf {
        Type::Machine(machine) => Some(range(*machine)),
        Type::Enum(id) => Some(Fact::Members(program.enums[id.0].members.len())),
        _ => None,
    })
}

/// What a declaration with this type promises beyond [`typing`]; none where that is nothing.
pub fn invariant(ty: &Type) -> Option<Fact> {
    fact(ty, &|leaf| match leaf {
        Type::Nat => Some(Fact::Range {
            low: Some(BigInt::from(0)),
            high: None,
        }),
        Type::Within(machine) => Some(range(*machine)),
        Type::Class {
            nullable: false, ..
        }
        | Type::Array {
            nullable: false, ..
        } => Some(Fact::NonNull),
        _ => None,
    })
}

fn range(machine: MachineInt) -> Fact {
    Fact::Range {
        low: Some(machine.min()),
        high: Some(machine.max()),
    }
}

/// The fact that `of` gives for a type that is not a map, carried to every key of the maps around it.
fn fact(ty: &Type, of: &dyn Fn(&Type) -> Option<Fact>) -> Option<Fact> {
    let mut keys = Vec::new();
    let mut leaf = ty;
    while let Type::Map(key, value) = leaf {
        keys.push(key.as_ref());
        leaf = value;
    }
    let innermost = of(leaf)?;
    Some(
        keys.into_iter()
            .rev()
            .fold(innermost, |fact, key| Fact::EveryKey {
                key: key.clone(),
                value: Box::new(fact),
            }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{ClassId, Enum, EnumId};

    fn program() -> Program {
        Program {
            enums: vec![Enum {
                name: "Mode".into(),
                members: vec!["A".into(), "B".into(), "C".into()],
            }],
            ..Program::default()
        }
    }

    fn range(low: i64, high: i64) -> Fact {
        Fact::Range {
            low: Some(low.into()),
            high: Some(high.into()),
        }
    }

    #[test]
    fn typing_is_what_no_operation_can_break() {
        let p = program();
        let i8 = Type::Machine(MachineInt {
            signed: true,
            bits: 8,
        });
        assert_eq!(typing(&p, &i8), Some(range(-128, 127)));
        assert_eq!(typing(&p, &Type::Enum(EnumId(0))), Some(Fact::Members(3)));
        assert_eq!(typing(&p, &Type::Nat), None);
        let within = Type::Within(MachineInt {
            signed: true,
            bits: 8,
        });
        assert_eq!(typing(&p, &within), None);
        assert_eq!(invariant(&within), Some(range(-128, 127)));
        assert_eq!(typing(&p, &Type::Int), None);
    }

    #[test]
    fn invariant_is_sign_and_not_null() {
        let sign = Fact::Range {
            low: Some(0.into()),
            high: None,
        };
        assert_eq!(invariant(&Type::Nat), Some(sign.clone()));
        let class = |nullable| Type::Class {
            class: ClassId(0),
            nullable,
        };
        assert_eq!(invariant(&class(false)), Some(Fact::NonNull));
        assert_eq!(invariant(&class(true)), None);
        let nats = Type::Array {
            element: Box::new(Type::Nat),
            nullable: true,
        };
        assert_eq!(invariant(&nats), None);
        let nested = Type::Map(
            Box::new(Type::Int),
            Box::new(Type::Map(Box::new(Type::Bool), Box::new(Type::Nat))),
        );
        assert_eq!(
            invariant(&nested),
            Some(Fact::EveryKey {
                key: Type::Int,
                value: Box::new(Fact::EveryKey {
                    key: Type::Bool,
                    value: Box::new(sign),
                }),
            })
        );
    }
}
