//! Maps.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::Value;
use crate::boogie::typed::BoogieType;
use crate::reach::smt::Sexp;
use crate::reach::tables::{ModelMap, integer, table};

/// A map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::reach) struct MapValue {
    /// What it has at some keys; one key for each index.
    entries: BTreeMap<Vec<Value>, Value>,
    other: Other,
}

/// What a map has at all other keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Other {
    Same(Value),
    /// Nobody has said what: it is made up of this number and the keys, and the same whenever it is looked at.
    MadeUp(u64),
}

/// Integers that are made up are less.
const MADE_UP: u64 = 6;

impl Value {
    /// A value of a type, made up of a number. Not known where there is nothing to make up.
    pub(in crate::reach) fn made_up(ty: &BoogieType, number: u64) -> Value {
        match ty {
            BoogieType::Bool => Value::Bool(number % 2 == 1),
            BoogieType::Int => Value::Int((number % MADE_UP).into()),
            BoogieType::Map(_) => Value::map(BTreeMap::new(), Other::MadeUp(number)),
            _ => Value::Unknown,
        }
    }

    /// A value of a model. Of maps those of one index are known.
    pub(in crate::reach) fn of_model(value: &Sexp, ty: &BoogieType) -> Value {
        match (ty, value) {
            (BoogieType::Int, _) => integer(value).map_or(Value::Unknown, Value::Int),
            (BoogieType::Bool, Sexp::Atom(word)) => Value::Bool(word == "true"),
            (BoogieType::Map(map), _) => match (map.domain.as_slice(), table(value, 1)) {
                ([key], Some(ModelMap::Table(table))) => {
                    let inner = |at: &ModelMap| match at {
                        ModelMap::Value(value) => Value::of_model(value, &map.range),
                        ModelMap::Table(_) => Value::Unknown,
                    };
                    // The last one that was stored comes first.
                    let entries = table.entries.iter().rev();
                    let entries = entries.map(|(k, at)| (vec![Value::of_model(k, key)], inner(at)));
                    Value::map(entries.collect(), Other::Same(inner(&table.default)))
                }
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    fn map(entries: BTreeMap<Vec<Value>, Value>, other: Other) -> Value {
        Value::Map(Rc::new(MapValue { entries, other }))
    }

    /// What a map has at these keys; `range` is the type of that.
    pub(super) fn select(&self, keys: &[Value], range: &BoogieType) -> Value {
        let (Value::Map(map), false) = (self, keys.contains(&Value::Unknown)) else {
            return Value::Unknown;
        };
        match (map.entries.get(keys), &map.other) {
            (Some(value), _) | (None, Other::Same(value)) => value.clone(),
            (None, Other::MadeUp(number)) => {
                let mut hasher = DefaultHasher::new();
                (number, format!("{keys:?}")).hash(&mut hasher);
                Value::made_up(range, hasher.finish())
            }
        }
    }

    /// The map with another value at these keys.
    pub(super) fn store(&self, keys: Vec<Value>, value: Value) -> Value {
        let (Value::Map(map), false) = (self, keys.contains(&Value::Unknown)) else {
            return Value::Unknown;
        };
        let mut map = MapValue::clone(map);
        map.entries.insert(keys, value);
        Value::Map(Rc::new(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_up_map_is_the_same_whenever_it_is_looked_at() {
        let range = BoogieType::Int;
        let map = Value::map(BTreeMap::new(), Other::MadeUp(7));
        let at = |map: &Value, key: i32| map.select(&[Value::Int(key.into())], &range);
        let stored = map.store(vec![Value::Int(1.into())], Value::Int(100.into()));
        assert_eq!(at(&stored, 1), Value::Int(100.into()));
        assert_eq!(at(&stored, 2), at(&map, 2));
        assert_ne!(at(&map, 2), Value::Unknown);
        assert_eq!(map.select(&[Value::Unknown], &range), Value::Unknown);
    }
}
