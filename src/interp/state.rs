//! Configurations: what an execution starts from and leaves behind.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::Signed;

use super::value::{Map, ObjectId, Value};
use crate::ir::{ClassId, FieldRef, Program, Type};
use crate::ir::{facts, facts::Fact};

/// An object or array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum HeapObject {
    /// An object of a class, with a value a field.
    Instance {
        /// Its class.
        class: ClassId,
        /// The values of its fields, in the order declared.
        fields: Vec<Value>,
    },
    /// An array.
    Array {
        /// The type of its elements.
        element: Type,
        /// Its elements.
        elements: Vec<Value>,
    },
}

impl HeapObject {
    /// The values of the fields, or the elements.
    pub(crate) fn values(&self) -> &[Value] {
        match self {
            HeapObject::Instance { fields, .. } => fields,
            HeapObject::Array { elements, .. } => elements,
        }
    }

    /// The integers among them.
    pub(crate) fn integers(&self) -> impl Iterator<Item = &BigInt> {
        self.values().iter().filter_map(|value| match value {
            Value::Int(n) => Some(n),
            _ => None,
        })
    }
}

/// The object under analysis and the heap around it. It is in the heap as any other object is, so that it may be
/// referred to by others. Cheap to clone: objects are shared until they are written.
///
/// Two configurations that are equal are the same; two that differ only in the names of their objects are equal
/// after [`Configuration::canonical`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The object under analysis; none before it is constructed.
    pub this: Option<ObjectId>,
    heap: Vec<Arc<HeapObject>>,
}

impl Configuration {
    /// A heap without objects.
    pub fn empty() -> Configuration {
        Configuration::default()
    }

    /// Only an object under analysis, with these values of its fields, in the order declared.
    pub fn with_this(class: ClassId, fields: Vec<Value>) -> Configuration {
        let mut configuration = Configuration::empty();
        configuration.this = Some(configuration.allocate(HeapObject::Instance { class, fields }));
        configuration
    }

    /// Adds an object.
    pub fn allocate(&mut self, object: HeapObject) -> ObjectId {
        self.heap.push(Arc::new(object));
        ObjectId(self.heap.len() - 1)
    }

    /// The object, if there is one of this name.
    pub fn object(&self, id: ObjectId) -> Option<&HeapObject> {
        self.heap.get(id.0).map(Arc::as_ref)
    }

    /// All objects with their names.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &HeapObject)> {
        self.heap
            .iter()
            .enumerate()
            .map(|(i, object)| (ObjectId(i), object.as_ref()))
    }

    /// The value of an object's field; none where there is no such object, or it is of another class.
    pub fn field(&self, object: ObjectId, field: FieldRef) -> Option<&Value> {
        match self.object(object)? {
            HeapObject::Instance { class, fields } if *class == field.class => {
                fields.get(field.index)
            }
            _ => None,
        }
    }

    /// The elements of an array; none where there is no such array.
    pub fn elements(&self, array: ObjectId) -> Option<&[Value]> {
        match self.object(array)? {
            HeapObject::Array { elements, .. } => Some(elements),
            HeapObject::Instance { .. } => None,
        }
    }

    /// Writes a field; gives the value before. Does nothing where there is no such field.
    pub fn set_field(&mut self, object: ObjectId, field: FieldRef, value: Value) -> Option<Value> {
        match Arc::make_mut(self.heap.get_mut(object.0)?) {
            HeapObject::Instance { class, fields } if *class == field.class => {
                let slot = fields.get_mut(field.index)?;
                Some(std::mem::replace(slot, value))
            }
            _ => None,
        }
    }

    /// Writes an element; gives the value before. Does nothing where there is no such element.
    pub fn set_element(&mut self, array: ObjectId, index: usize, value: Value) -> Option<Value> {
        match Arc::make_mut(self.heap.get_mut(array.0)?) {
            HeapObject::Array { elements, .. } => {
                let slot = elements.get_mut(index)?;
                Some(std::mem::replace(slot, value))
            }
            HeapObject::Instance { .. } => None,
        }
    }

    /// Whether the value is one of this type, by its typing fact only: a `null` of a non-null type is.
    pub fn is_of_type(&self, program: &Program, ty: &Type, value: &Value) -> bool {
        let shape = match (ty, value) {
            (Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_), Value::Int(_))
            | (Type::Bool, Value::Bool(_))
            | (Type::Class { .. } | Type::Array { .. } | Type::Null, Value::Null) => true,
            (Type::Enum(a), Value::Member(b, _)) => a == b,
            (Type::Opaque(a), Value::Opaque(b, _)) => a == b,
            (Type::Class { class, .. }, Value::Ref(id)) => {
                matches!(self.object(*id), Some(HeapObject::Instance { class: c, .. }) if c == class)
            }
            (Type::Array { element, .. }, Value::Ref(id)) => {
                matches!(self.object(*id), Some(HeapObject::Array { element: e, .. }) if *e == **element)
            }
            (Type::Map(key, result), Value::Map(map)) => {
                let exceptions = map.exceptions();
                exceptions.keys().all(|k| self.is_of_type(program, key, k))
                    && map.values().all(|v| self.is_of_type(program, result, v))
            }
            _ => false,
        };
        shape && satisfies(value, facts::typing(program, ty).as_ref())
    }

    /// Whether the value is an arbitrary value of this declared type: its typing and its invariant fact hold.
    pub fn conforms(&self, program: &Program, ty: &Type, value: &Value) -> bool {
        self.is_of_type(program, ty, value) && satisfies(value, facts::invariant(ty).as_ref())
    }

    /// The configuration without the objects that `this` does not lead to, and the others named in the order
    /// they are found, breadth first. Configurations with the same canonical form are the same up to the names
    /// of objects. (The converse fails only for maps with references as keys, where the order can depend on the
    /// names before.)
    #[must_use]
    pub fn canonical(&self) -> Configuration {
        self.canonical_with([])
    }

    /// The same, with what these lead to as well: they are named after `this`, in their order.
    #[must_use]
    pub(super) fn canonical_with(&self, kept: impl IntoIterator<Item = ObjectId>) -> Configuration {
        let mut search = ObjectSearch::default();
        for id in self.this.into_iter().chain(kept) {
            search.name(id);
        }
        while let Some(id) = search.open.pop_front() {
            for value in self.object(id).map_or(&[][..], HeapObject::values) {
                search.value(value);
            }
        }
        let mut rename = |value: &Value| search.renamed(value);
        let heap = search
            .order
            .iter()
            .filter_map(|id| self.object(*id))
            .map(|object| {
                Arc::new(match object {
                    HeapObject::Instance { class, fields } => HeapObject::Instance {
                        class: *class,
                        fields: fields.iter().map(&mut rename).collect(),
                    },
                    HeapObject::Array { element, elements } => HeapObject::Array {
                        element: element.clone(),
                        elements: elements.iter().map(&mut rename).collect(),
                    },
                })
            })
            .collect();
        Configuration {
            this: self.this.map(|_| ObjectId(0)),
            heap,
        }
    }
}

/// Whether the fact holds of the value; no fact always does.
pub fn satisfies(value: &Value, fact: Option<&Fact>) -> bool {
    match (fact, value) {
        (None, _) => true,
        (Some(Fact::Range { low, high }), Value::Int(n)) => {
            low.as_ref().is_none_or(|low| n >= low) && high.as_ref().is_none_or(|high| n <= high)
        }
        (Some(Fact::Members(count)), Value::Member(_, index)) => index < count,
        (Some(Fact::NonNull), value) => *value != Value::Null,
        (Some(Fact::EveryKey { value: fact, .. }), Value::Map(map)) => {
            map.values().all(|v| satisfies(v, Some(fact)))
        }
        (Some(Fact::Range { .. } | Fact::Members(_) | Fact::EveryKey { .. }), _) => false,
    }
}

/// The objects found so far, in order, with their new names.
#[derive(Default)]
struct ObjectSearch {
    names: BTreeMap<ObjectId, ObjectId>,
    order: Vec<ObjectId>,
    open: VecDeque<ObjectId>,
}

impl ObjectSearch {
    fn name(&mut self, id: ObjectId) {
        if !self.names.contains_key(&id) {
            self.names.insert(id, ObjectId(self.order.len()));
            self.order.push(id);
            self.open.push_back(id);
        }
    }

    /// Names what a value refers to. The nesting of values is that of their types.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Ref(id) => self.name(*id),
            Value::Map(map) => self.map(map),
            _ => {}
        }
    }

    /// Entries whose keys have names already come first, in the order of the new names.
    fn map(&mut self, map: &Map) {
        self.value(map.default_value());
        let (mut known, unknown): (Vec<_>, Vec<_>) = map
            .exceptions()
            .iter()
            .partition(|(key, _)| self.knows(key));
        known.sort_by_cached_key(|(key, _)| self.renamed(key));
        for (key, result) in known.into_iter().chain(unknown) {
            self.value(key);
            self.value(result);
        }
    }

    fn knows(&self, value: &Value) -> bool {
        match value {
            Value::Ref(id) => self.names.contains_key(id),
            Value::Map(map) => {
                map.exceptions().keys().all(|k| self.knows(k))
                    && map.values().all(|v| self.knows(v))
            }
            _ => true,
        }
    }

    fn renamed(&self, value: &Value) -> Value {
        match value {
            Value::Ref(id) => Value::Ref(self.names.get(id).copied().unwrap_or(*id)),
            Value::Map(map) => Value::Map(map.rename(&mut |v| self.renamed(v))),
            other => other.clone(),
        }
    }
}

/// The size of a number in bits, its sign apart.
pub(super) fn bits(n: &num_bigint::BigInt) -> u64 {
    n.abs().bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(next: Option<usize>, value: i64) -> HeapObject {
        HeapObject::Instance {
            class: ClassId(0),
            fields: vec![
                next.map_or(Value::Null, |i| Value::Ref(ObjectId(i))),
                Value::int(value),
            ],
        }
    }

    fn heap(this: usize, objects: Vec<HeapObject>) -> Configuration {
        let mut configuration = Configuration::empty();
        for object in objects {
            configuration.allocate(object);
        }
        configuration.this = Some(ObjectId(this));
        configuration
    }

    #[test]
    fn canonical_forgets_names_and_garbage() {
        let a = heap(0, vec![node(Some(1), 1), node(Some(0), 2)]);
        let b = heap(2, vec![node(Some(2), 2), node(None, 9), node(Some(0), 1)]);
        assert_ne!(a, b);
        assert_eq!(a.canonical(), b.canonical());
        assert_eq!(b.canonical().objects().count(), 2);
        let other = heap(0, vec![node(Some(1), 1), node(Some(1), 2)]);
        assert_ne!(a.canonical(), other.canonical());
    }

    #[test]
    fn clones_share_until_written() {
        let a = heap(0, vec![node(None, 1)]);
        let mut b = a.clone();
        let value = FieldRef {
            class: ClassId(0),
            index: 1,
        };
        assert_eq!(
            b.set_field(ObjectId(0), value, Value::int(5)),
            Some(Value::int(1))
        );
        assert_eq!(a.field(ObjectId(0), value), Some(&Value::int(1)));
        assert_eq!(b.field(ObjectId(0), value), Some(&Value::int(5)));
    }

    #[test]
    fn conforming_values() {
        let program = Program::default();
        let c = heap(0, vec![node(None, 1)]);
        let class = |nullable| Type::Class {
            class: ClassId(0),
            nullable,
        };
        assert!(c.conforms(&program, &class(true), &Value::Null));
        assert!(!c.conforms(&program, &class(false), &Value::Null));
        assert!(c.is_of_type(&program, &class(false), &Value::Null));
        assert!(c.conforms(&program, &class(false), &Value::Ref(ObjectId(0))));
        assert!(!c.conforms(&program, &class(false), &Value::Ref(ObjectId(1))));
        assert!(!c.conforms(&program, &Type::Nat, &Value::int(-1)));
        assert!(c.is_of_type(&program, &Type::Nat, &Value::int(-1)));
        assert!(!c.conforms(&program, &Type::Bool, &Value::int(1)));
    }
}
