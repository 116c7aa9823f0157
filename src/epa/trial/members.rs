//! Members of scalar sets to try: those that an object has heard of, and others that are nobody yet.
//!
//! With twenty addresses for who calls, runs of two calls are four hundred; but they differ only in whether it is the same who
//! calls twice.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use crate::interp::{Configuration, HeapObject, Value};
use crate::ir::scalarsets::{ScalarSet, ScalarSets, Shape};
use crate::ir::{ClassId, FieldRef};
use crate::query::{Callee, Subject};

/// No more members that an object has heard of are tried than these.
const MOST_KNOWN: usize = 12;

/// The members of the scalar sets of a class.
pub(super) struct Members {
    sets: ScalarSets,
    /// Which parameters take members.
    taken: BTreeMap<Callee, Vec<Option<ScalarSet>>>,
}

impl Members {
    pub(super) fn new(subject: &Subject) -> Self {
        let sets = ScalarSets::of(&subject.program);
        let constructors = subject.constructor_ids().map(Callee::Constructor);
        let callees = constructors.chain(subject.action_ids().map(Callee::Action));
        let taken = callees.filter_map(|callee| {
            let params = &subject.program.routine(subject.routine(callee)?).params;
            let taken = params.iter().map(|param| sets.of_var(*param));
            Some((callee, taken.collect()))
        });
        Members {
            taken: taken.collect(),
            sets,
        }
    }

    /// For each parameter the set that it takes a member of; none where it takes something else.
    pub(super) fn sets_of(&self, callee: Callee) -> &[Option<ScalarSet>] {
        self.taken.get(&callee).map_or(&[], Vec::as_slice)
    }

    /// The members of a set that the class or the objects of a configuration have heard of, and so many new ones.
    pub(super) fn known_and_new(
        &self,
        now: &Configuration,
        set: ScalarSet,
        new: usize,
    ) -> BTreeSet<BigInt> {
        let mut known: BTreeSet<BigInt> = self.sets.constants(set).cloned().collect();
        let held = now
            .objects()
            .flat_map(|(_, object)| self.held(now, object, set));
        known.extend(held.take(MOST_KNOWN));
        let numbers = (0_u32..).map(BigInt::from);
        let unknown: Vec<BigInt> = numbers.filter(|n| !known.contains(n)).take(new).collect();
        known.into_iter().chain(unknown).collect()
    }

    /// The integers in the fields of an object, or the elements of an array, that are not known to be members.
    pub(super) fn others<'o>(&self, object: &'o HeapObject) -> Vec<&'o BigInt> {
        let HeapObject::Instance { class, fields } = object else {
            return object.integers().collect();
        };
        let numbers = fields.iter().enumerate().filter_map(|(index, value)| {
            let is_member = matches!(self.shape(*class, index), Shape::Number(Some(_)));
            match value {
                Value::Int(n) if !is_member => Some(n),
                _ => None,
            }
        });
        numbers.collect()
    }

    fn shape(&self, class: ClassId, index: usize) -> &Shape<Option<ScalarSet>> {
        self.sets.of_field(FieldRef { class, index })
    }

    /// The members of a set that an object holds in its fields.
    fn held(&self, now: &Configuration, object: &HeapObject, set: ScalarSet) -> Vec<BigInt> {
        let HeapObject::Instance { class, fields } = object else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (index, value) in fields.iter().enumerate() {
            held_in(now, value, self.shape(*class, index), set, &mut found);
        }
        found
    }
}

/// The members of a set in a value. It calls itself as deep as the type is.
fn held_in(
    now: &Configuration,
    value: &Value,
    shape: &Shape<Option<ScalarSet>>,
    set: ScalarSet,
    found: &mut Vec<BigInt>,
) {
    match (shape, value) {
        (Shape::Number(Some(of)), Value::Int(n)) if *of == set => found.push(n.clone()),
        (Shape::Map(keys, values), Value::Map(map)) => {
            for key in map.exceptions().keys() {
                held_in(now, key, keys, set, found);
            }
            for value in map.values() {
                held_in(now, value, values, set, found);
            }
        }
        (Shape::Array(elements), Value::Ref(array)) => {
            for element in now.elements(*array).unwrap_or_default() {
                held_in(now, element, elements, set, found);
            }
        }
        _ => {}
    }
}
