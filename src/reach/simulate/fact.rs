//! What is known of a value: that it is one of a few, or none of a few.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use crate::boogie::typed::{BinOp, BoogieType};
use crate::reach::concrete::{Value, binary};

/// So many values are told apart.
const FEW: usize = 6;

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Fact {
    /// It is one of these.
    OneOf(BTreeSet<Value>),
    /// It is none of these.
    NoneOf(BTreeSet<Value>),
}

impl Fact {
    /// Nothing but its type.
    pub(super) fn of_type(ty: &BoogieType) -> Self {
        match ty {
            BoogieType::Bool => Fact::either(),
            _ => Fact::NoneOf(BTreeSet::new()),
        }
    }

    fn either() -> Self {
        Fact::OneOf([false, true].map(Value::Bool).into())
    }

    /// That it is this one.
    pub(super) fn only(value: Value) -> Self {
        Fact::OneOf([value].into())
    }

    /// Whether it says no more than a type does.
    pub(super) fn is_nothing(&self) -> bool {
        match self {
            Fact::OneOf(_) => *self == Fact::either(),
            Fact::NoneOf(values) => values.is_empty(),
        }
    }

    /// Whether there is no such value.
    pub(super) fn is_absurd(&self) -> bool {
        matches!(self, Fact::OneOf(values) if values.is_empty())
    }

    /// The values that it may be, if these are few.
    pub(super) fn values(&self) -> Option<&BTreeSet<Value>> {
        match self {
            Fact::OneOf(values) => Some(values),
            Fact::NoneOf(_) => None,
        }
    }

    /// The only value that it may be.
    pub(super) fn value(&self) -> Option<&Value> {
        let values = self.values().filter(|values| values.len() == 1);
        values.and_then(|values| values.first())
    }

    /// That both hold, or one of them where it would be too much to say.
    pub(super) fn and(&self, other: &Fact) -> Fact {
        match (self, other) {
            (Fact::OneOf(a), Fact::OneOf(b)) => Fact::OneOf(a & b),
            (Fact::OneOf(a), Fact::NoneOf(b)) | (Fact::NoneOf(b), Fact::OneOf(a)) => {
                Fact::OneOf(a - b)
            }
            (Fact::NoneOf(a), Fact::NoneOf(b)) => {
                let both = a | b;
                match both.len() <= FEW {
                    true => Fact::NoneOf(both),
                    false => self.clone(),
                }
            }
        }
    }

    /// That one of them holds, or less where that would be too much to say.
    pub(super) fn or(&self, other: &Fact) -> Fact {
        match (self, other) {
            (Fact::OneOf(a), Fact::OneOf(b)) => {
                let both = a | b;
                if both.len() <= FEW {
                    return Fact::OneOf(both);
                }
                // Of pointers it is worth to know that they are not null.
                let null = Value::Int(BigInt::ZERO);
                Fact::NoneOf([null].into_iter().filter(|n| !both.contains(n)).collect())
            }
            (Fact::OneOf(a), Fact::NoneOf(b)) | (Fact::NoneOf(b), Fact::OneOf(a)) => {
                Fact::NoneOf(b - a)
            }
            (Fact::NoneOf(a), Fact::NoneOf(b)) => Fact::NoneOf(a & b),
        }
    }

    /// What is known of the result of an operation; nothing where it may be too many, or is not known of some.
    pub(super) fn operation(op: BinOp, left: &Fact, right: &Fact) -> Option<Fact> {
        let (left, right) = (left.values()?, right.values()?);
        let mut results = BTreeSet::new();
        for (l, r) in left.iter().flat_map(|l| right.iter().map(move |r| (l, r))) {
            results.insert(binary(op, l.clone(), r.clone()));
        }
        let is_known = results.len() <= FEW && !results.contains(&Value::Unknown);
        is_known.then_some(Fact::OneOf(results))
    }

    /// What is known of it where it stands in this relation to any of these values; nothing new where they are too many.
    pub(super) fn related(&self, op: BinOp, others: &Fact) -> Fact {
        let Some(others) = others.values() else {
            return self.clone();
        };
        // What is not known may be.
        let may_be = |value: &Value| {
            let mut others = others.iter();
            others.any(|o| binary(op, value.clone(), o.clone()) != Value::Bool(false))
        };
        match self {
            Fact::OneOf(values) => {
                Fact::OneOf(values.iter().filter(|v| may_be(v)).cloned().collect())
            }
            // Of all values only those can be named that it is compared with.
            Fact::NoneOf(_) => {
                let excluded = others.iter().filter(|v| !may_be(v)).cloned();
                self.and(&Fact::NoneOf(excluded.collect()))
            }
        }
    }
}
