//! Values. Two values of the same type are equal (`Eq`, `Hash`, `Ord`) exactly when they mean the same.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;

use crate::ir::{EnumId, MachineInt, OpaqueId, Program, Type};

/// The name of an object or array in a [`super::Configuration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub usize);

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// `null`
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer of any type; of a machine type it is within its range.
    Int(BigInt),
    /// A value of an enum, by its index.
    Member(EnumId, usize),
    /// A value of an opaque type.
    Opaque(OpaqueId, u64),
    /// A reference to an object or array.
    Ref(ObjectId),
    /// A total map.
    Map(Map),
}

impl Value {
    /// An integer.
    pub fn int(n: impl Into<BigInt>) -> Value {
        Value::Int(n.into())
    }

    /// The value as the input language writes it, where it can: `-5`, `true`, `Mode.Sign`, `null`, `Text.EMPTY`; else `T#3`
    /// for an opaque value without a name, `#7` for a reference and `[0 := 1, _ := 5]` for a map.
    pub fn display(&self, program: &Program) -> String {
        match self {
            Value::Null => "null".into(),
            Value::Bool(b) => b.to_string(),
            Value::Int(n) => n.to_string(),
            Value::Member(id, index) => {
                let declaration = &program.enums[id.0];
                let member = declaration.members.get(*index).map_or("?", String::as_str);
                format!("{}.{member}", declaration.name)
            }
            Value::Opaque(id, n) => {
                let declared = &program.opaques[id.0];
                let named = usize::try_from(*n)
                    .ok()
                    .and_then(|n| declared.values.get(n));
                match named {
                    Some(value) => format!("{}.{value}", declared.name),
                    None => format!("{}#{n}", declared.name),
                }
            }
            Value::Ref(id) => format!("#{}", id.0),
            Value::Map(map) => {
                let entries = map
                    .exceptions
                    .iter()
                    .map(|(k, v)| format!("{} := {}, ", k.display(program), v.display(program)));
                format!(
                    "[{}_ := {}]",
                    entries.collect::<String>(),
                    map.default.display(program)
                )
            }
        }
    }
}

/// The integer, wrapped into the range of the machine type.
pub fn wrap(machine: MachineInt, n: &BigInt) -> BigInt {
    let low = machine.min();
    (n - &low).mod_floor(&machine.modulus()) + low
}

/// All keys of a map, where there are few enough that an equality could depend on it.
///
/// The keys follow from the map's type. As only maps of one type are ever compared, they play no part in
/// comparisons.
#[derive(Clone, Debug)]
pub struct Keys(Option<Arc<[Value]>>);

/// Types with more values than this count as infinite: no execution changes a map at half as many keys.
const MANY: usize = 1 << 16;

impl Keys {
    /// The keys of a map type with this key type.
    pub fn of(program: &Program, key: &Type) -> Keys {
        Keys(all_values(program, key).map(Arc::from))
    }

    /// All of them, where there are few enough.
    pub fn all(&self) -> Option<&[Value]> {
        self.0.as_deref()
    }
}

impl PartialEq for Keys {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Keys {}

impl Hash for Keys {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl PartialOrd for Keys {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Keys {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

/// All values of a type in ascending order, where they are at most [`MANY`] and do not depend on the heap.
fn all_values(program: &Program, ty: &Type) -> Option<Vec<Value>> {
    match ty {
        Type::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Type::Enum(id) => {
            let members = 0..program.enums[id.0].members.len();
            Some(members.map(|index| Value::Member(*id, index)).collect())
        }
        Type::Machine(machine) if machine.bits <= 16 => {
            let (machine, mut all) = (*machine, Vec::new());
            let mut n = machine.min();
            while n <= machine.max() {
                all.push(Value::Int(n.clone()));
                n += 1;
            }
            Some(all)
        }
        Type::Map(key, value) => {
            let keys = Keys::of(program, key);
            let every = keys.0.clone()?;
            let values = all_values(program, value)?;
            let count = values.len().checked_pow(u32::try_from(every.len()).ok()?)?;
            (count <= MANY).then(|| all_maps(&keys, &every, &values))
        }
        _ => None,
    }
}

fn all_maps(keys: &Keys, every: &[Value], values: &[Value]) -> Vec<Value> {
    let Some(first) = values.first() else {
        return Vec::new();
    };
    let mut maps = vec![Map::constant(keys.clone(), first.clone())];
    for key in every {
        let changed = |map: &Map| -> Vec<Map> {
            values
                .iter()
                .map(|v| map.store(key.clone(), v.clone()))
                .collect()
        };
        maps = maps.iter().flat_map(changed).collect();
    }
    let mut all: Vec<Value> = maps.into_iter().map(Value::Map).collect();
    all.sort();
    all
}

/// A total map: a default, and the keys where it has another value.
///
/// Kept in a normal form, so that equal maps are equal data. Where the keys are finite, the default is
/// the value that most keys have (the least of those that equally many have); otherwise it is the value that
/// all but finitely many have.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Map {
    default: Box<Value>,
    exceptions: Arc<BTreeMap<Value, Value>>,
    keys: Keys,
}

impl Map {
    /// The map with the same value at every key.
    pub fn constant(keys: Keys, value: Value) -> Map {
        Map {
            default: Box::new(value),
            exceptions: Arc::default(),
            keys,
        }
    }

    /// The value at a key.
    pub fn get(&self, key: &Value) -> &Value {
        self.exceptions.get(key).unwrap_or(&self.default)
    }

    /// The map, changed at a key.
    #[must_use]
    pub fn store(&self, key: Value, value: Value) -> Map {
        let mut map = self.clone();
        let exceptions = Arc::make_mut(&mut map.exceptions);
        if value == *map.default {
            exceptions.remove(&key);
        } else {
            exceptions.insert(key, value);
        }
        map.normalise();
        map
    }

    /// The value at every key without an entry in [`Map::exceptions`].
    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// The keys with a value other than the default, with their values.
    pub fn exceptions(&self) -> &BTreeMap<Value, Value> {
        &self.exceptions
    }

    /// Every value the map has at some key.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        // In normal form the default is the value of at least one key.
        std::iter::once(self.default.as_ref()).chain(self.exceptions.values())
    }

    /// The map with its keys and values renamed. The renaming must be injective.
    #[must_use]
    pub(super) fn rename(&self, rename: &mut dyn FnMut(&Value) -> Value) -> Map {
        let mut map = Map::constant(self.keys.clone(), rename(&self.default));
        map.exceptions = Arc::new(
            self.exceptions
                .iter()
                .map(|(k, v)| (rename(k), rename(v)))
                .collect(),
        );
        map.normalise();
        map
    }

    fn normalise(&mut self) {
        let Some(every) = &self.keys.0 else {
            return;
        };
        if every.len() > 2 * self.exceptions.len() {
            return;
        }
        let mut counts: BTreeMap<&Value, usize> = BTreeMap::new();
        for key in every.iter() {
            *counts.entry(self.get(key)).or_default() += 1;
        }
        let most = counts.values().copied().max();
        let Some((&default, _)) = counts.iter().find(|(_, count)| Some(**count) == most) else {
            return;
        };
        let (default, every) = (default.clone(), every.clone());
        let exceptions = every
            .iter()
            .map(|key| (key.clone(), self.get(key).clone()))
            .filter(|(_, value)| *value != default)
            .collect();
        *self.default = default;
        self.exceptions = Arc::new(exceptions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Enum;

    fn map(key: &Type, default: i64, entries: &[(Value, i64)]) -> Map {
        let program = Program {
            enums: vec![Enum {
                name: "E".into(),
                members: vec!["A".into(), "B".into(), "C".into()],
            }],
            ..Program::default()
        };
        entries.iter().fold(
            Map::constant(Keys::of(&program, key), Value::int(default)),
            |m, (k, v)| m.store(k.clone(), Value::int(*v)),
        )
    }

    #[test]
    fn wrapping_is_modular() {
        let i8 = MachineInt {
            signed: true,
            bits: 8,
        };
        let u8 = MachineInt {
            signed: false,
            bits: 8,
        };
        for n in -1000..1000i32 {
            assert_eq!(wrap(i8, &n.into()), BigInt::from(n as i8), "i8 {n}");
            assert_eq!(wrap(u8, &n.into()), BigInt::from(n as u8), "u8 {n}");
        }
        let u64 = MachineInt {
            signed: false,
            bits: 64,
        };
        assert_eq!(wrap(u64, &BigInt::from(-1)), BigInt::from(u64::MAX));
    }

    #[test]
    fn maps_over_infinitely_many_keys() {
        let changed = map(
            &Type::Int,
            0,
            &[(Value::int(1), 5), (Value::int(2), 6), (Value::int(1), 0)],
        );
        assert_eq!(changed, map(&Type::Int, 0, &[(Value::int(2), 6)]));
        assert_ne!(changed, map(&Type::Int, 1, &[(Value::int(2), 6)]));
        assert_eq!(changed.get(&Value::int(2)), &Value::int(6));
        assert_eq!(changed.get(&Value::int(3)), &Value::int(0));
    }

    #[test]
    fn maps_over_all_keys_forget_their_default() {
        let (no, yes) = (Value::Bool(false), Value::Bool(true));
        let both = [(no.clone(), 1), (yes.clone(), 2)];
        assert_eq!(map(&Type::Bool, 0, &both), map(&Type::Bool, 7, &both));
        assert_eq!(
            map(&Type::Bool, 0, &[(yes.clone(), 1)]),
            map(&Type::Bool, 1, &[(no, 0)])
        );
        let e = Type::Enum(EnumId(0));
        let member = |i| Value::Member(EnumId(0), i);
        assert_eq!(
            map(&e, 0, &[(member(0), 1), (member(1), 1)]),
            map(&e, 1, &[(member(2), 0)])
        );
    }

    #[test]
    fn equality_of_maps_is_equality_at_every_key() {
        // All maps over three keys with values 0..3, each built in several orders from every default.
        let e = Type::Enum(EnumId(0));
        let member = |i| Value::Member(EnumId(0), i);
        let mut seen: BTreeMap<[i64; 3], Map> = BTreeMap::new();
        for n in 0..27 {
            let v = [n % 3, n / 3 % 3, n / 9];
            for default in 0..4 {
                for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
                    let entries = order.map(|i| (member(i), v[i]));
                    let built = map(&e, default, &entries);
                    let known = seen.entry(v).or_insert_with(|| built.clone());
                    assert_eq!(*known, built);
                }
            }
        }
        let distinct: std::collections::BTreeSet<_> = seen.values().collect();
        assert_eq!(distinct.len(), 27);
    }
}
