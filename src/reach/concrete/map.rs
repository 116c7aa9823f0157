//! Maps.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use num_bigint::BigInt;

use super::Value;
use super::value::{MOST_ENTRIES, all};
use crate::boogie::typed::{BoogieType, MapType, TypedProgram};
use crate::reach::smt::Sexp;
use crate::reach::tables::{ModelMap, table};

/// A map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::reach) struct MapValue {
    /// What it has at some keys; one key for each index.
    entries: BTreeMap<Vec<Value>, Value>,
    /// What it has at all others.
    other: Other,
    /// How many values are in it.
    size: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Other {
    /// The same everywhere.
    Same(Value),
    /// What a model says, by one index after the other.
    Table(Rc<KeyTable>),
    /// Nobody has said what: it is made up of this number and the keys, and the same whenever it is looked at.
    MadeUp(u64),
}

/// What is at the values of an index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct KeyTable {
    entries: BTreeMap<Value, Layer>,
    /// What is at all others that are less than a number, where that is something else.
    below: Option<(BigInt, Layer)>,
    default: Layer,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Layer {
    Value(Value),
    Table(Rc<KeyTable>),
}

impl MapValue {
    /// A map of which all is made up of a number.
    pub(super) fn made_up(number: u64) -> Value {
        MapValue::value(BTreeMap::new(), Other::MadeUp(number))
    }

    /// The map that is the same everywhere.
    pub(super) fn constant(value: Value) -> Value {
        MapValue::value(BTreeMap::new(), Other::Same(value))
    }

    /// A map; not known if it is too large.
    fn value(entries: BTreeMap<Vec<Value>, Value>, other: Other) -> Value {
        let rest: Vec<&Value> = match &other {
            Other::Same(value) => vec![value],
            Other::Table(table) => table.values(),
            Other::MadeUp(_) => Vec::new(),
        };
        let parts = entries.keys().flatten().chain(entries.values());
        match Value::size_of(parts.chain(rest), MOST_ENTRIES) {
            Some(size) => Value::Map(Rc::new(MapValue {
                entries,
                other,
                size,
            })),
            None => Value::Unknown,
        }
    }

    /// How many values are in it.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// A map of a model; none for what is no table, or has a key that is not known.
    pub(super) fn of_model(value: &Sexp, map: &MapType, program: &TypedProgram) -> Option<Value> {
        let found = table(value, map.domain.len()).filter(|_| map.params == 0)?;
        let other = match layer(&found, &map.domain, &map.range, program)? {
            // A map of no index is its value.
            Layer::Value(value) => return Some(value),
            Layer::Table(table) => match &table.default {
                Layer::Value(same) if table.below.is_none() => {
                    let entries = table.entries.iter();
                    let entries = entries.map(|(key, at)| match at {
                        Layer::Value(value) => Some((vec![key.clone()], value.clone())),
                        Layer::Table(_) => None,
                    });
                    let entries = entries.collect::<Option<_>>()?;
                    return Some(MapValue::value(entries, Other::Same(same.clone())));
                }
                _ => Other::Table(table),
            },
        };
        Some(MapValue::value(BTreeMap::new(), other))
    }

    /// Whether two maps are the same, as far as that is known.
    pub(super) fn same(&self, other: &MapValue) -> Option<bool> {
        let (Other::Same(rest), Other::Same(others)) = (&self.other, &other.other) else {
            return None;
        };
        let at = |map: &MapValue, keys: &Vec<Value>, rest: &Value| {
            map.entries.get(keys).unwrap_or(rest).clone()
        };
        let keys = self.entries.keys().chain(other.entries.keys());
        let entries = keys.map(|keys| at(self, keys, rest).same(&at(other, keys, others)));
        match all(entries) {
            // Where there are few keys, all of them may have entries.
            Some(true) => rest.same(others).filter(|same| *same),
            known => known,
        }
    }

    /// Is a value in it of which only the name is known?
    pub(super) fn has_names(&self) -> bool {
        let keys = self.entries.keys().flatten();
        keys.chain(self.entries.values()).any(Value::has_names)
            || match &self.other {
                Other::Same(value) => value.has_names(),
                Other::Table(table) => table.values().into_iter().any(Value::has_names),
                Other::MadeUp(_) => false,
            }
    }
}

impl KeyTable {
    fn at(&self, key: &Value) -> &Layer {
        match (self.entries.get(key), &self.below, key) {
            (Some(at), ..) => at,
            (None, Some((bound, below)), Value::Int(key)) if key < bound => below,
            _ => &self.default,
        }
    }

    /// The values in it, and its keys.
    fn values(&self) -> Vec<&Value> {
        let mut all: Vec<&Value> = self.entries.keys().collect();
        let below = self.below.iter().map(|(_, layer)| layer);
        for layer in self.entries.values().chain(below).chain([&self.default]) {
            match layer {
                Layer::Value(value) => all.push(value),
                Layer::Table(table) => all.extend(table.values()),
            }
        }
        all
    }
}

/// What is left of a map of a model where these types of indices are left.
fn layer(
    map: &ModelMap,
    keys: &[BoogieType],
    range: &BoogieType,
    program: &TypedProgram,
) -> Option<Layer> {
    let (table, key, keys) = match (map, keys) {
        (ModelMap::Value(value), []) => {
            return Some(Layer::Value(Value::of_model(value, range, program)));
        }
        (ModelMap::Table(table), [key, keys @ ..]) => (table, key, keys),
        _ => return None,
    };
    let layer = |at: &ModelMap| layer(at, keys, range, program);
    let mut entries = BTreeMap::new();
    for (at, value) in &table.entries {
        let at = Value::of_model(at, key, program);
        // The last one that was stored comes first.
        let entry = entries.entry(Some(at).filter(Value::is_plain)?);
        entry.or_insert(layer(value)?);
    }
    let below = match &table.below {
        Some((bound, value)) => Some((bound.clone(), layer(value)?)),
        None => None,
    };
    Some(Layer::Table(Rc::new(KeyTable {
        entries,
        below,
        default: layer(&table.default)?,
    })))
}

impl Value {
    /// What a map has at these keys; `range` is the type of that.
    pub(super) fn select(&self, keys: &[Value], range: &BoogieType) -> Value {
        let map = match self {
            value if keys.is_empty() => return value.clone(),
            Value::Map(map) if keys.iter().all(Value::is_plain) => map,
            _ => return Value::Unknown,
        };
        match (map.entries.get(keys), &map.other) {
            (Some(value), _) | (None, Other::Same(value)) => value.clone(),
            (None, Other::Table(table)) => {
                let mut table = table;
                for key in keys {
                    match table.at(key) {
                        Layer::Value(value) => return value.clone(),
                        Layer::Table(next) => table = next,
                    }
                }
                Value::Unknown
            }
            (None, Other::MadeUp(number)) => {
                let mut hasher = DefaultHasher::new();
                (number, keys).hash(&mut hasher);
                Value::made_up(range, hasher.finish())
            }
        }
    }

    /// The map with another value at these keys.
    pub(super) fn store(&self, keys: Vec<Value>, value: Value) -> Value {
        let map = match self {
            _ if keys.is_empty() => return value,
            Value::Map(map) if keys.iter().all(Value::is_plain) => map,
            _ => return Value::Unknown,
        };
        let mut entries = map.entries.clone();
        entries.insert(keys, value);
        MapValue::value(entries, map.other.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::smt::parse;

    fn int(n: i32) -> Value {
        Value::Int(n.into())
    }

    /// The map of a model that this text says.
    fn of(text: &str, domain: &[BoogieType]) -> Value {
        let map = MapType {
            params: 0,
            domain: domain.to_vec(),
            range: BoogieType::Int,
        };
        let term = parse(text).expect("a term");
        Value::of_model(
            &term,
            &BoogieType::Map(Box::new(map)),
            &TypedProgram::default(),
        )
    }

    fn at(map: &Value, keys: &[i32]) -> Value {
        let keys: Vec<Value> = keys.iter().map(|k| int(*k)).collect();
        map.select(&keys, &BoogieType::Int)
    }

    #[test]
    fn a_made_up_map_is_the_same_whenever_it_is_looked_at() {
        let map = MapValue::made_up(7);
        let stored = map.store(vec![int(1)], int(100));
        assert_eq!(at(&stored, &[1]), int(100));
        assert_eq!(at(&stored, &[2]), at(&map, &[2]));
        assert_ne!(at(&map, &[2]), Value::Unknown);
        assert_eq!(
            map.select(&[Value::Unknown], &BoogieType::Int),
            Value::Unknown
        );
    }

    #[test]
    fn maps_of_a_model_are_read_by_all_their_indices() {
        let zeros = "((as const (Array Int Int Int)) 0)";
        let map = of(
            &format!("(store (store {zeros} 1 2 7) 1 2 8)"),
            &[BoogieType::Int, BoogieType::Int],
        );
        assert_eq!(at(&map, &[1, 2]), int(8));
        assert_eq!(at(&map, &[1, 3]), int(0));
        assert_eq!(at(&map, &[2, 2]), int(0));
        let ordered = of(
            "(lambda ((x!1 Int)) (ite (<= x!1 7) 1 2))",
            &[BoogieType::Int],
        );
        assert_eq!(at(&ordered, &[-4]), int(1));
        assert_eq!(at(&ordered, &[7]), int(1));
        assert_eq!(at(&ordered, &[8]), int(2));
        assert_eq!(of("(_ as-array k!0)", &[BoogieType::Int]), Value::Unknown);
    }

    #[test]
    fn maps_are_the_same_if_they_are_at_all_keys() {
        let zeros = MapValue::constant(int(0));
        let back = zeros
            .store(vec![int(1)], int(5))
            .store(vec![int(1)], int(0));
        assert_eq!(zeros.same(&back), Some(true));
        let other = zeros.store(vec![int(1)], int(5));
        assert_eq!(zeros.same(&other), Some(false));
        // It may be a map of one key, which has an entry.
        let ones = MapValue::constant(int(1)).store(vec![int(1)], int(0));
        assert_eq!(zeros.same(&ones), None);
        let unknown = zeros.store(vec![int(1)], Value::Unknown);
        assert_eq!(zeros.same(&unknown), None);
    }
}
