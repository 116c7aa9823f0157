//! The values that calls are tried with: what the class mentions, what known runs are given, and what the object at hand
//! holds.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use num_bigint::BigInt;
use num_traits::Signed;

use super::members::Members;
use crate::epa::confirm::numbers_of_class;
use crate::epa::walk::Taken;
use crate::interp::{Configuration, HeapObject, Keys, Map, ObjectId, Value};
use crate::ir::{Program, Type};
use crate::query::{Callee, Subject};

/// No more integers are tried than these, of those that the class suggests, and of those that the object does.
const MOST_OF_CLASS: usize = 12;
const MOST_OF_OBJECT: usize = 8;
/// Nor of those that are hints from elsewhere.
const MOST_HINTED: usize = 12;
/// No more integers are tried than this for what a body chooses, mostly: there may be several choices in one call.
const MOST_CHOSEN: usize = 6;
/// No more combinations of arguments are tried than these, of so many that are looked at.
const MOST_ARGUMENTS: usize = 64;
const MOST_COMBINED: usize = 1_000;

/// One of so many members that are known is thrown.
const MOST_MEMBERS: usize = 4;

/// So often a value is thrown that need not be of the type.
const MOST_THROWN: usize = 4;

/// How long the arrays are that calls are given.
const LENGTHS: [usize; 2] = [0, 2];

/// What a call is made on: a configuration, with what it can be given.
pub(in crate::epa) struct Given {
    /// The configuration.
    pub now: Configuration,
    /// The arrays in it that only this call is given.
    made: Vec<ObjectId>,
}

/// An argument, whatever the objects of a configuration are called.
#[derive(Clone, Debug)]
pub(in crate::epa) enum Argument {
    /// The object under analysis.
    This,
    /// One of the arrays that only this call is given.
    Made(usize),
    /// A value.
    Value(Value),
}

impl Given {
    /// What a value is here.
    pub(in crate::epa) fn name(&self, value: &Value) -> Argument {
        let Value::Ref(id) = value else {
            return Argument::Value(value.clone());
        };
        if self.now.this == Some(*id) {
            return Argument::This;
        }
        let made = self.made.iter().position(|made| made == id);
        made.map_or_else(|| Argument::Value(value.clone()), Argument::Made)
    }

    /// What is called so here, if there is such a thing.
    pub(in crate::epa) fn value(&self, argument: &Argument) -> Option<Value> {
        match argument {
            Argument::This => self.now.this.map(Value::Ref),
            Argument::Made(index) => self.made.get(*index).copied().map(Value::Ref),
            Argument::Value(value) => Some(value.clone()),
        }
    }
}

/// Values to try.
pub(in crate::epa) struct Trial<'a> {
    program: &'a Program,
    /// Numbers of which the class only asks whether two are the same.
    members: Members,
    /// Integers around those that the class mentions, small ones first.
    numbers: Vec<BigInt>,
    /// How many integers are tried for what a body chooses.
    pub(super) most_chosen: usize,
    /// What calls are given in the runs that are known.
    known: BTreeMap<Callee, Vec<Vec<Value>>>,
}

impl<'a> Trial<'a> {
    /// The values that a class suggests, and these arguments.
    pub(in crate::epa) fn new(
        subject: &'a Subject,
        known: BTreeMap<Callee, Vec<Vec<Value>>>,
    ) -> Self {
        let mentioned = numbers_of_class(subject);
        let around = mentioned.iter().flat_map(|n| [n - 1, n.clone(), n + 1]);
        Trial {
            program: &subject.program,
            members: Members::new(subject),
            numbers: smallest(around, MOST_OF_CLASS),
            most_chosen: MOST_CHOSEN,
            known,
        }
    }

    /// The numbers that the class mentions, and that are too far from zero to be tried with the others.
    pub(in crate::epa) fn far_numbers(&self, subject: &Subject) -> BTreeSet<BigInt> {
        let mut mentioned = numbers_of_class(subject);
        mentioned.retain(|n| !self.numbers.contains(n));
        mentioned
    }

    /// The same, and for what a body chooses all that is tried of arguments: also what comes right after what time it is.
    pub(in crate::epa) fn with_all_choices(self) -> Self {
        Trial {
            most_chosen: MOST_OF_CLASS + MOST_OF_OBJECT,
            ..self
        }
    }

    /// The same, and these numbers before those that are farther from zero.
    pub(in crate::epa) fn with_hints(mut self, hints: BTreeSet<BigInt>) -> Self {
        let others: Vec<BigInt> = hints
            .into_iter()
            .filter(|n| !self.numbers.contains(n))
            .collect();
        let numbers = self
            .numbers
            .into_iter()
            .chain(smallest(others, MOST_HINTED));
        self.numbers = smallest(numbers, MOST_OF_CLASS + MOST_HINTED);
        self
    }

    /// What a call with parameters of these types is made on: where there are arrays among them, with a short one and one
    /// without elements of each type.
    pub(in crate::epa) fn given(&self, mut now: Configuration, types: &[&Type]) -> Given {
        let mut made = Vec::new();
        let mut known = BTreeSet::new();
        for ty in types {
            let Type::Array { element, .. } = ty else {
                continue;
            };
            if !known.insert(element) {
                continue;
            }
            let value = self.values(&now, &[], element).into_iter().next();
            for length in LENGTHS {
                // An element that may not be null would have to be made itself.
                let elements = match (&value, length) {
                    (_, 0) => vec![],
                    (Some(value), _) => vec![value.clone(); length],
                    (None, _) => continue,
                };
                made.push(now.allocate(HeapObject::Array {
                    element: (**element).clone(),
                    elements,
                }));
            }
        }
        Given { now, made }
    }

    /// The arguments to try in a call, of those with which it may be made: those of known runs first, then combinations of
    /// values, those that come first of their types before others. And whether these are all that there are.
    pub(in crate::epa) fn arguments(
        &self,
        given: &Given,
        callee: Callee,
        types: &[&Type],
        may: &dyn Fn(&[Value]) -> Result<(), Taken>,
    ) -> (Vec<Vec<Value>>, bool) {
        let (candidates, are_all) = self.candidates(given, callee, types);
        let (mut tried, mut are_all) = (Vec::new(), are_all);
        for arguments in candidates {
            match may(&arguments) {
                Ok(()) if tried.contains(&arguments) => {}
                Ok(()) if tried.len() == MOST_ARGUMENTS => return (tried, false),
                Ok(()) => tried.push(arguments),
                Err(Taken::Refused) => {}
                // Nobody can tell what it does.
                Err(_) => are_all = false,
            }
        }
        (tried, are_all)
    }

    /// The arguments that may be tried, whether the call may be made with them or not; and whether there are no others.
    pub(in crate::epa) fn candidates(
        &self,
        given: &Given,
        callee: Callee,
        types: &[&Type],
    ) -> (impl Iterator<Item = Vec<Value>>, bool) {
        let known = self.known.get(&callee).into_iter().flatten().cloned();
        let sets = self.members.sets_of(callee);
        let values = types.iter().enumerate().map(|(at, ty)| {
            match sets.get(at).copied().flatten() {
                // Of those that the object has not heard of, one is as good as another.
                Some(set) => {
                    let new = sets.iter().filter(|other| **other == Some(set)).count();
                    let members = self.members.known_and_new(&given.now, set, new);
                    self.fitting(&given.now, ty, members.into_iter().map(Value::Int))
                }
                None => self.values(&given.now, &given.made, ty),
            }
        });
        let values: Vec<Vec<Value>> = values.collect();
        let mut count = values.iter().map(Vec::len);
        let count = count.try_fold(1_usize, usize::checked_mul);
        let are_few = count.is_some_and(|count| count <= MOST_COMBINED);
        let most = values.iter().map(Vec::len).sum();
        let combined = (0..=most).flat_map(move |distance| at_distance(&values, distance));
        let are_all = are_few && types.iter().all(|ty| is_finite(ty));
        (known.chain(combined.take(MOST_COMBINED)), are_all)
    }

    /// The values of a declared type to try where this is so, and there are these objects to be given.
    pub(in crate::epa) fn values(
        &self,
        now: &Configuration,
        made: &[ObjectId],
        ty: &Type,
    ) -> Vec<Value> {
        let values = match ty {
            Type::Bool => [false, true].map(Value::Bool).to_vec(),
            Type::Enum(id) => {
                let members = self.program.enums.get(id.0).map_or(0, |e| e.members.len());
                (0..members).map(|i| Value::Member(*id, i)).collect()
            }
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
                let mut numbers = self.numbers.clone();
                for n in self.held(now) {
                    if !numbers.contains(&n) {
                        numbers.push(n);
                    }
                }
                numbers.into_iter().map(Value::Int).collect()
            }
            Type::Opaque(id) => {
                let named = self.program.opaques.get(id.0).map_or(0, |o| o.values.len());
                let all = 0..u64::try_from(named).unwrap_or(0) + 2;
                all.map(|n| Value::Opaque(*id, n)).collect()
            }
            Type::Class { .. } | Type::Array { .. } | Type::Null => {
                // Other objects have other names in other configurations.
                let made = made.iter().copied();
                let objects = now.this.into_iter().chain(made).map(Value::Ref);
                [Value::Null].into_iter().chain(objects).collect()
            }
            Type::Map(key, value) => {
                let keys = Keys::of(self.program, key);
                // The type is as deep as the parser let it be.
                let values = self.values(now, &[], value).into_iter().take(3);
                let map = |value| Value::Map(Map::constant(keys.clone(), value));
                values.map(map).collect()
            }
        };
        self.fitting(now, ty, values)
    }

    /// Any value of a declared type to try where this is so; none where there is none. Of references, to any object there is.
    pub(in crate::epa) fn any(
        &self,
        now: &Configuration,
        ty: &Type,
        dice: &mut Rng,
    ) -> Option<Value> {
        for _ in 0..MOST_THROWN {
            let value = self.thrown(now, ty, dice)?;
            if now.conforms(self.program, ty, &value) {
                return Some(value);
            }
        }
        let mut values = self.values(now, &[], ty);
        (!values.is_empty()).then(|| values.swap_remove(dice.usize(..values.len())))
    }

    /// Any argument to try for a parameter of a call.
    pub(in crate::epa) fn any_argument(
        &self,
        now: &Configuration,
        (callee, at, ty): (Callee, usize, &Type),
        dice: &mut Rng,
    ) -> Option<Value> {
        let set = self.members.sets_of(callee).get(at).copied().flatten();
        if let (Some(set), true) = (set, dice.bool()) {
            let members = self.members.known_and_new(now, set, 1);
            let member = members.into_iter().nth(dice.usize(..MOST_MEMBERS));
            let member = member.map(Value::Int);
            let fits = |value: &Value| now.conforms(self.program, ty, value);
            if let Some(value) = member.filter(fits) {
                return Some(value);
            }
        }
        self.any(now, ty, dice)
    }

    /// Some value, mostly of the type. Maps have one value everywhere: what the engine takes for granted of others, that they have
    /// another value at some keys only, nobody else looks at.
    fn thrown(&self, now: &Configuration, ty: &Type, dice: &mut Rng) -> Option<Value> {
        Some(match ty {
            Type::Bool => Value::Bool(dice.bool()),
            Type::Enum(id) => {
                let members = self.program.enums.get(id.0)?.members.len();
                Value::Member(*id, index_in(members, dice)?)
            }
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
                let of_object = match dice.u8(..4) {
                    0 => self.held_by_one(now, dice),
                    _ => None,
                };
                Value::Int(match (of_object, index_in(self.numbers.len(), dice)) {
                    (Some(held), _) => held + dice.i8(-1..=1),
                    (None, Some(at)) => self.numbers[at].clone(),
                    (None, None) => BigInt::ZERO,
                })
            }
            Type::Opaque(id) => {
                let named = self.program.opaques.get(id.0)?.values.len();
                Value::Opaque(*id, dice.u64(..u64::try_from(named).ok()? + 2))
            }
            Type::Class { .. } | Type::Array { .. } | Type::Null => {
                let such = |id: &ObjectId| now.is_of_type(self.program, ty, &Value::Ref(*id));
                let such: Vec<ObjectId> = now.objects().map(|(id, _)| id).filter(such).collect();
                match (dice.u8(..4), index_in(such.len(), dice)) {
                    (0, _) | (_, None) => Value::Null,
                    (_, Some(at)) => Value::Ref(such[at]),
                }
            }
            Type::Map(key, value) => {
                let keys = Keys::of(self.program, key);
                // The type is as deep as the parser let it be.
                Value::Map(Map::constant(keys, self.any(now, value, dice)?))
            }
        })
    }

    /// An integer that some object holds, or the length of an array.
    fn held_by_one(&self, now: &Configuration, dice: &mut Rng) -> Option<BigInt> {
        let id = ObjectId(index_in(now.objects().count(), dice)?);
        let object = now.object(id)?;
        if let (HeapObject::Array { elements, .. }, true) = (object, dice.bool()) {
            return Some(BigInt::from(elements.len()));
        }
        let numbers: Vec<&BigInt> = object.integers().collect();
        Some(numbers[index_in(numbers.len(), dice)?].clone())
    }

    /// The values of a declared type to try where this is so, and these numbers, if they are of it.
    pub(in crate::epa) fn others(
        &self,
        now: &Configuration,
        ty: &Type,
        numbers: &BTreeSet<BigInt>,
    ) -> Vec<Value> {
        let numbers = numbers.iter().cloned().map(Value::Int);
        let mut values = self.values(now, &[], ty);
        values.extend(self.fitting(now, ty, numbers));
        values
    }

    /// Those of the values that are of a declared type.
    fn fitting(
        &self,
        now: &Configuration,
        ty: &Type,
        values: impl IntoIterator<Item = Value>,
    ) -> Vec<Value> {
        let fits = |value: &Value| now.conforms(self.program, ty, value);
        values.into_iter().filter(fits).collect()
    }

    /// Integers around those that the object and what belongs to it hold, and the lengths of its arrays.
    fn held(&self, now: &Configuration) -> Vec<BigInt> {
        let mut found = BTreeSet::new();
        for (_, object) in now.objects().take(MOST_OF_OBJECT) {
            if let HeapObject::Array { elements, .. } = object {
                found.insert(BigInt::from(elements.len()));
            }
            let numbers = self.members.others(object);
            for n in numbers.into_iter().take(MOST_OF_OBJECT) {
                found.extend([n - 1, n.clone(), n + 1]);
            }
        }
        smallest(found, MOST_OF_OBJECT)
    }
}

/// Whether all values of the type are tried.
pub(super) fn is_finite(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Enum(_))
}

/// So many of the numbers that are nearest to zero, each once.
fn smallest(numbers: impl IntoIterator<Item = BigInt>, most: usize) -> Vec<BigInt> {
    let distinct: BTreeSet<(BigInt, BigInt)> = numbers.into_iter().map(|n| (n.abs(), -n)).collect();
    let nearest = distinct.into_iter().take(most);
    nearest.map(|(_, n)| -n).collect()
}

/// The combinations of values of which the positions add up to this.
fn at_distance(values: &[Vec<Value>], distance: usize) -> Vec<Vec<Value>> {
    let Some((first, rest)) = values.split_first() else {
        return match distance {
            0 => vec![vec![]],
            _ => vec![],
        };
    };
    let mut found = Vec::new();
    for (position, value) in first.iter().enumerate().take(distance + 1) {
        for behind in at_distance(rest, distance - position) {
            found.push([value.clone()].into_iter().chain(behind).collect());
            if found.len() > MOST_COMBINED {
                return found;
            }
        }
    }
    found
}

/// Any of so many positions.
pub(in crate::epa) fn index_in(count: usize, dice: &mut Rng) -> Option<usize> {
    (count > 0).then(|| dice.usize(..count))
}
