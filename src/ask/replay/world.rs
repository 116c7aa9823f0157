//! The objects that a trace speaks of, made in the interpreter as far as something leads to them.
//!
//! A trace calls objects and arrays by numbers, and has what there is where the question starts: their fields, lengths and
//! elements, by these numbers. What is made later has the next numbers.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::{CANNOT_RUN, Objection};
use crate::ask::tables::TraceMap;
use crate::ask::values::{ObjectNumbers, content, value};
use crate::encode::Encoding;
use crate::encode::query::{HeapCell, RecordedPlace, TraceSlot};
use crate::interp::{Configuration, HeapObject, Keys, Map, ObjectId, Value};
use crate::ir::{FieldRef, OpaqueId, Program, Type};
use crate::query::Recorded;

/// No more fields and elements than this are made for one trace: a solver may choose any length.
const MOST_VALUES: usize = 50_000;
/// So often a run begins again at most.
const MOST_CHOSEN: usize = 100;

/// The objects of a trace.
pub(super) struct World<'a> {
    encoding: &'a Encoding,
    /// What is recorded of them.
    cells: Vec<(&'a HeapCell, &'a str)>,
    /// Those that have been made, by their types and numbers.
    known: BTreeMap<(Type, BigInt), ObjectId>,
    /// Those to which nothing leads until a body chooses them.
    chosen: BTreeSet<(Type, BigInt)>,
    /// One that a body chose, and that was not there.
    missing: Option<(Type, BigInt)>,
    /// How many more fields and elements may be made.
    room: usize,
    /// Those of them that have no content yet.
    open: Vec<(Type, BigInt, ObjectId)>,
    /// Whether some value is one that the trace does not have, chosen here.
    pub(super) guessed: bool,
    /// Whether something is left out for its size.
    pub(super) is_too_large: bool,
}

impl<'a> World<'a> {
    /// What the values at the start of a trace say.
    pub(super) fn new(
        encoding: &'a Encoding,
        slots: &'a [TraceSlot],
        recorded: &'a [Recorded],
    ) -> Self {
        let pairs = slots.iter().zip(recorded);
        let cells = pairs.filter_map(|(slot, recorded)| match &slot.place {
            RecordedPlace::Heap(cell) => Some((cell, recorded.value.as_str())),
            _ => None,
        });
        World {
            encoding,
            cells: cells.collect(),
            known: BTreeMap::new(),
            chosen: BTreeSet::new(),
            room: MOST_VALUES,
            missing: None,
            open: Vec::new(),
            guessed: false,
            is_too_large: false,
        }
    }

    fn program(&self) -> &'a Program {
        &self.encoding.subject.program
    }

    fn cell(&self, wanted: &HeapCell) -> Option<&'a str> {
        let mut found = self.cells.iter().filter(|(cell, _)| *cell == wanted);
        found.next().map(|(_, text)| *text)
    }

    /// What the trace calls the values of an opaque type that have names.
    fn named(&self, id: OpaqueId) -> Vec<&str> {
        let values = 0..self.program().opaques[id.0].values.len();
        let cells = values.map(|index| self.cell(&HeapCell::Named(id, index)));
        cells.map(Option::unwrap_or_default).collect()
    }

    /// The type of the object under analysis.
    fn own(&self) -> Type {
        Type::Class {
            class: self.encoding.subject.class,
            nullable: true,
        }
    }

    /// The number of the object under analysis, where it has one.
    fn this(&self) -> Option<BigInt> {
        self.cell(&HeapCell::This)?.parse().ok()
    }

    /// A recorded value, in a configuration to which it adds the objects that it leads to.
    ///
    /// # Errors
    /// It is none that can be run.
    pub(super) fn value(
        &mut self,
        now: &mut Configuration,
        ty: &Type,
        text: &str,
    ) -> Result<Value, Objection> {
        let program = self.program();
        let found = value(
            program,
            ty,
            text,
            &mut Making {
                world: self,
                now,
                is_content: false,
            },
        );
        self.fill(now)?;
        let found = found.or_else(|| self.guess(ty));
        found.ok_or_else(|| Objection::CannotTell(format!("`{text}` {CANNOT_RUN}")))
    }

    /// A recorded value, where it leads to no object that has not been made yet.
    pub(super) fn known_value(&self, now: &Configuration, ty: &Type, text: &str) -> Option<Value> {
        value(self.program(), ty, text, &mut Looking { world: self, now })
    }

    /// A value that a body chose.
    pub(super) fn chosen_value(
        &mut self,
        now: &Configuration,
        ty: &Type,
        text: &str,
    ) -> Option<Value> {
        value(self.program(), ty, text, &mut Choosing { world: self, now })
    }

    /// What a body chose for a cell of an object.
    pub(super) fn chosen_content(
        &mut self,
        now: &Configuration,
        ty: &Type,
        text: &str,
    ) -> Option<Value> {
        content(self.program(), ty, text, &mut Choosing { world: self, now })
    }

    /// Whether a run has to begin again because an object was missing that can be made; the world is then as new.
    pub(super) fn begins_again(&mut self) -> bool {
        let Some(missing) = self.missing.take() else {
            return false;
        };
        // One that is missing although it was to be made is too large.
        if self.chosen.len() >= MOST_CHOSEN || !self.chosen.insert(missing) {
            return false;
        }
        self.known = BTreeMap::new();
        (self.guessed, self.is_too_large) = (false, false);
        self.open.clear();
        self.room = MOST_VALUES;
        true
    }

    /// Makes the objects that bodies are known to choose.
    ///
    /// # Errors
    /// What is in one of them cannot be run.
    pub(super) fn make_chosen(&mut self, now: &mut Configuration) -> Result<(), Objection> {
        for (ty, number) in self.chosen.clone() {
            self.make(now, &ty, &number);
        }
        self.fill(now)
    }

    /// The object under analysis, where it is there already and others may refer to it.
    pub(super) fn object(
        &mut self,
        now: &mut Configuration,
    ) -> Result<Option<ObjectId>, Objection> {
        let Some(number) = self.cell(&HeapCell::This) else {
            return Ok(None);
        };
        match self.value(now, &self.own(), number)? {
            Value::Ref(id) => Ok(Some(id)),
            _ => Ok(None),
        }
    }

    /// The object under analysis has been made.
    pub(super) fn is_made(&mut self, id: ObjectId) {
        if let Some(number) = self.this() {
            self.known.insert((self.own(), number), id);
        }
    }

    /// Some value of a type, for one that the trace does not have.
    pub(super) fn guess(&mut self, ty: &Type) -> Option<Value> {
        self.guessed = true;
        any_value(self.program(), ty)
    }

    /// What a field of the object that was made last starts with.
    pub(super) fn initial(&mut self, now: &Configuration, field: FieldRef) -> Option<Value> {
        let class = Type::Class {
            class: field.class,
            nullable: true,
        };
        let number = self.latest(now, &class)?;
        let ty = &self.program().field(field).ty;
        self.guessed = true;
        let table = self.cell(&HeapCell::Field(field)).and_then(TraceMap::of);
        let text = table.map(|table| table.at(&number.to_string()));
        text.and_then(|text| self.known_content(now, ty, text))
            .or_else(|| any_value(self.program(), ty))
    }

    /// What an element of the array that was made last starts with.
    pub(super) fn element(
        &mut self,
        now: &Configuration,
        element: &Type,
        index: usize,
    ) -> Option<Value> {
        let array = Type::Array {
            element: Box::new(element.clone()),
            nullable: true,
        };
        let number = self.latest(now, &array)?.to_string();
        self.guessed = true;
        let rows = self.cell(&HeapCell::Elements(element.clone()));
        let row = rows.and_then(TraceMap::of).map(|rows| rows.at(&number));
        let cell = row
            .and_then(TraceMap::of)
            .map(|row| row.at(&index.to_string()));
        cell.and_then(|text| self.known_content(now, element, text))
            .or_else(|| any_value(self.program(), element))
    }

    /// The number of an object.
    pub(super) fn number(&self, now: &Configuration, id: ObjectId) -> Option<BigInt> {
        if now.this == Some(id)
            && let Some(number) = self.this()
        {
            return Some(number);
        }
        let mut known = self.known.iter();
        if let Some(((_, number), _)) = known.find(|(_, known)| **known == id) {
            return Some(number.clone());
        }
        let HeapObject::Instance { class, .. } = now.object(id)? else {
            return None;
        };
        let ty = Type::Class {
            class: *class,
            nullable: true,
        };
        let position = self.later(now, &ty).position(|later| later == id)?;
        Some(self.count(&ty)? + position + 1)
    }

    pub(super) fn known_content(
        &self,
        now: &Configuration,
        ty: &Type,
        text: &str,
    ) -> Option<Value> {
        content(self.program(), ty, text, &mut Looking { world: self, now })
    }

    /// How many objects or arrays of a type there are where the question starts.
    fn count(&self, ty: &Type) -> Option<BigInt> {
        let cell = match ty {
            Type::Class { class, .. } => HeapCell::Objects(*class),
            Type::Array { element, .. } => HeapCell::Arrays((**element).clone()),
            _ => return None,
        };
        self.cell(&cell)?.parse().ok()
    }

    /// The objects of a type that were made by calls, in the order in which they were.
    fn later<'c>(
        &'c self,
        now: &'c Configuration,
        ty: &'c Type,
    ) -> impl Iterator<Item = ObjectId> + 'c {
        let known = |id: ObjectId| self.known.values().any(|known| *known == id);
        let objects = now.objects().filter(move |(_, object)| is_of(object, ty));
        let ids = objects.map(|(id, _)| id);
        ids.filter(move |id| !known(*id) && now.this != Some(*id))
    }

    /// The number of the object of a type that was made last.
    fn latest(&self, now: &Configuration, ty: &Type) -> Option<BigInt> {
        Some(self.count(ty)? + self.later(now, ty).count())
    }

    /// The object of this number that is there already.
    fn found(&self, now: &Configuration, ty: &Type, number: &BigInt) -> Option<Value> {
        if number.is_zero() {
            return Some(Value::Null);
        }
        let ty = ty.with_null();
        if ty == self.own() && self.this().as_ref() == Some(number) {
            return now.this.map(Value::Ref);
        }
        if let Some(id) = self.known.get(&(ty.clone(), number.clone())) {
            return Some(Value::Ref(*id));
        }
        let behind: BigInt = number - self.count(&ty)? - 1;
        let position = behind.to_usize()?;
        self.later(now, &ty).nth(position).map(Value::Ref)
    }

    /// Whether there is an object of this number where the question starts. Of a type of which nothing is ever made, each
    /// number may be one.
    fn is_there(&self, ty: &Type, number: &BigInt) -> bool {
        let is_counted = self.encoding.makes(ty);
        let within = || self.count(ty).is_some_and(|count| *number <= count);
        !is_counted || (number.is_positive() && within())
    }

    /// The object of this number, made without its content if it is not there already.
    fn make(&mut self, now: &mut Configuration, ty: &Type, number: &BigInt) -> Option<Value> {
        if let Some(found) = self.found(now, ty, number) {
            return Some(found);
        }
        match self.is_there(ty, number) {
            true => self.allocate(now, ty, number),
            false => None,
        }
    }

    /// An object of a number that is none of those there are. A solver gives a field any number where nothing in the question
    /// looks at the object behind it; what the trace has at that number is as good as what is at any other.
    fn invent(&mut self, now: &mut Configuration, ty: &Type, number: &BigInt) -> Option<Value> {
        self.guessed = true;
        match number.is_positive() {
            true => self.allocate(now, ty, number),
            false => None,
        }
    }

    fn allocate(&mut self, now: &mut Configuration, ty: &Type, number: &BigInt) -> Option<Value> {
        let object = match ty {
            Type::Class { class, .. } => {
                let fields = self.program().class(*class).fields.len();
                HeapObject::Instance {
                    class: *class,
                    fields: vec![Value::Null; fields],
                }
            }
            Type::Array { element, .. } => {
                let lengths = self.cell(&HeapCell::Length((**element).clone()));
                let length = lengths.and_then(TraceMap::of)?.at(&number.to_string());
                // A length below zero stands for none.
                let length: BigInt = length.parse().ok()?;
                let length = length.max(BigInt::zero()).to_usize()?;
                if length > self.room {
                    self.is_too_large = true;
                    return None;
                }
                HeapObject::Array {
                    element: (**element).clone(),
                    elements: vec![Value::Null; length],
                }
            }
            _ => return None,
        };
        let Some(room) = self.room.checked_sub(object.values().len() + 1) else {
            self.is_too_large = true;
            return None;
        };
        self.room = room;
        let id = now.allocate(object);
        self.known.insert((ty.with_null(), number.clone()), id);
        self.open.push((ty.with_null(), number.clone(), id));
        Some(Value::Ref(id))
    }

    /// Gives all objects their content.
    fn fill(&mut self, now: &mut Configuration) -> Result<(), Objection> {
        while let Some((ty, number, id)) = self.open.pop() {
            match &ty {
                Type::Class { class, .. } => {
                    for index in 0..self.program().class(*class).fields.len() {
                        let at = FieldRef {
                            class: *class,
                            index,
                        };
                        let ty = &self.program().field(at).ty;
                        let column = self.cell(&HeapCell::Field(at)).and_then(TraceMap::of);
                        let text = column.map(|column| column.at(&number.to_string()));
                        let value = self.content(now, ty, text)?;
                        now.set_field(id, at, value);
                    }
                }
                Type::Array { element, .. } => {
                    let rows = self.cell(&HeapCell::Elements((**element).clone()));
                    let row = rows
                        .and_then(TraceMap::of)
                        .map(|rows| rows.at(&number.to_string()));
                    let row = row.and_then(TraceMap::of);
                    for index in 0..now.elements(id).map_or(0, <[Value]>::len) {
                        let text = row.as_ref().map(|row| row.at(&index.to_string()));
                        let value = self.content(now, element, text)?;
                        now.set_element(id, index, value);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn content(
        &mut self,
        now: &mut Configuration,
        ty: &Type,
        text: Option<&str>,
    ) -> Result<Value, Objection> {
        let program = self.program();
        let read = text.and_then(|text| {
            content(
                program,
                ty,
                text,
                &mut Making {
                    world: &mut *self,
                    now,
                    is_content: true,
                },
            )
        });
        read.or_else(|| self.guess(ty))
            .ok_or_else(|| Objection::CannotTell(format!("what an object has in it {CANNOT_RUN}")))
    }
}

/// Whether an object or array is one of this type.
fn is_of(object: &HeapObject, ty: &Type) -> bool {
    match (object, ty) {
        (HeapObject::Instance { class, .. }, Type::Class { class: wanted, .. }) => class == wanted,
        (
            HeapObject::Array { element, .. },
            Type::Array {
                element: wanted, ..
            },
        ) => *element == **wanted,
        _ => false,
    }
}

/// Objects are made where something leads to them.
struct Making<'w, 'a> {
    world: &'w mut World<'a>,
    now: &'w mut Configuration,
    /// Whether the value is in an object or array where the question starts.
    is_content: bool,
}

impl ObjectNumbers for Making<'_, '_> {
    fn object(&mut self, ty: &Type, number: &str) -> Option<Value> {
        let number = number.parse().ok()?;
        let found = self.world.make(self.now, ty, &number);
        match self.is_content {
            true => found.or_else(|| self.world.invent(self.now, ty, &number)),
            false => found,
        }
    }

    fn named(&self, id: OpaqueId) -> Vec<&str> {
        self.world.named(id)
    }

    /// Where the type has no null, one of the objects that there are.
    fn nowhere(&mut self, ty: &Type) -> Value {
        let is_nullable = *ty == ty.with_null();
        if is_nullable {
            return Value::Null;
        }
        self.world.guessed = true;
        let first = self.world.make(self.now, ty, &BigInt::from(1));
        first.unwrap_or(Value::Null)
    }
}

/// No objects are made.
struct Looking<'w, 'a> {
    world: &'w World<'a>,
    now: &'w Configuration,
}

impl ObjectNumbers for Looking<'_, '_> {
    fn object(&mut self, ty: &Type, number: &str) -> Option<Value> {
        self.world.found(self.now, ty, &number.parse().ok()?)
    }

    fn named(&self, id: OpaqueId) -> Vec<&str> {
        self.world.named(id)
    }
}

/// No objects are made; one that is missing and can be made will be there when the run begins again.
struct Choosing<'w, 'a> {
    world: &'w mut World<'a>,
    now: &'w Configuration,
}

impl ObjectNumbers for Choosing<'_, '_> {
    fn object(&mut self, ty: &Type, number: &str) -> Option<Value> {
        let number = number.parse().ok()?;
        let found = self.world.found(self.now, ty, &number);
        if found.is_none() && self.world.is_there(ty, &number) {
            self.world.missing = Some((ty.with_null(), number));
        }
        found
    }

    fn named(&self, id: OpaqueId) -> Vec<&str> {
        self.world.named(id)
    }
}

/// Some value of a type, where there is one without a heap.
fn any_value(program: &Program, ty: &Type) -> Option<Value> {
    match ty {
        Type::Bool => Some(Value::Bool(false)),
        Type::Enum(id) => {
            (!program.enums[id.0].members.is_empty()).then_some(Value::Member(*id, 0))
        }
        Type::Int | Type::Nat | Type::Machine(_) => Some(Value::int(0)),
        Type::Within(machine) => Some(Value::Int((*machine).min().max(BigInt::zero()))),
        Type::Opaque(id) => Some(Value::Opaque(*id, 0)),
        Type::Map(key, result) => {
            let result = any_value(program, result)?;
            Some(Value::Map(Map::constant(Keys::of(program, key), result)))
        }
        Type::Class { nullable: true, .. } | Type::Array { nullable: true, .. } | Type::Null => {
            Some(Value::Null)
        }
        Type::Class { .. } | Type::Array { .. } => None,
    }
}
