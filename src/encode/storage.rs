//! Where the values of a class live in Boogie: which global holds which field, and what its type is.
//!
//! - A field of the class under analysis is a global of its own: `VendingMachine.money: int`.
//! - A field of any other class is a map from objects: `Node.next: [Ref]Ref`. So are the fields of the class
//!   under analysis where the file also uses it as a type; the object itself is then `this`.
//! - Arrays of one element type share three globals: `array.int.length`, `array.int.elements`, `array.int.alloc`.
//! - Objects are numbered as they are made: those of class `C` are 1 to `C.#alloc`, and `null` is 0.
//!
//! No two names are the same whatever the source calls its classes and fields: only names of fields, and of enums'
//! values, have two parts that are both the source's.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ir::{ClassId, FieldRef, OpaqueId, Program, Type, facts};
use crate::query::SHORT;

use super::changed::{ChangedField, changed_outside};
use super::names::identifier;
use super::query::HeapCell;
use super::term::BoogieTerm;

/// Where the values of one class under study live.
#[derive(Clone, Debug)]
pub(super) struct Storage {
    /// The whole program.
    program: Arc<Program>,
    /// The class under study.
    pub class: ClassId,
    /// Whether its fields are plain globals.
    pub flat: bool,
    /// The element types of the arrays that the program mentions.
    pub arrays: BTreeSet<Type>,
    /// The element types of the arrays that it makes with a value everywhere.
    filled: BTreeSet<Type>,
    /// The classes and arrays of which the program makes new ones somewhere, without nullability.
    allocated: BTreeSet<Type>,
    /// The classes of whose objects something holds, and those whose objects lead to them.
    promising: BTreeSet<ClassId>,
    /// The fields that routines without a body change in all objects of another class.
    changed: BTreeSet<FieldRef>,
    /// Whether of shares only what is linear is said.
    pub linear_shares: bool,
    /// Whether runs go on behind values that are not known.
    pub guesses: bool,
}

/// A global that holds other objects than the one under analysis, or arrays; or a constant.
pub(super) struct Stored {
    /// What it holds.
    pub cell: HeapCell,
    /// What the procedure that records it has in its name.
    pub word: String,
    /// Its type in Boogie.
    pub ty: String,
    /// Its name.
    pub global: String,
}

/// The statement that leaves a value on the trace, by the procedure of this word.
pub(super) fn recording(label: &str, word: &str, value: &BoogieTerm) -> String {
    format!("call {{:cexpr \"{label}\"}} boogie_si_record_{word}({value});")
}

impl Storage {
    /// For a class.
    pub(super) fn new(program: Arc<Program>, class: ClassId) -> Self {
        let mentioned = program.mentioned_types();
        let is_own = |ty: &Type| matches!(ty, Type::Class { class: c, .. } if *c == class);
        let flat = !mentioned.iter().any(is_own);
        let made = program.made_types();
        let mut allocated: BTreeSet<Type> = made.iter().map(Type::with_null).collect();
        if !flat {
            // A question about a constructor makes one.
            allocated.insert(Type::Class {
                class,
                nullable: true,
            });
        }
        let arrays = mentioned.into_iter().filter_map(|ty| match ty {
            Type::Array { element, .. } => Some(*element),
            _ => None,
        });
        Storage {
            flat,
            arrays: arrays.collect(),
            filled: program.filled_types(),
            allocated,
            promising: promising(&program),
            changed: changed_outside(&program).collect(),
            linear_shares: false,
            guesses: true,
            program,
            class,
        }
    }

    /// The same, where of shares only what is linear is said.
    pub(super) fn with_linear_shares(self) -> Self {
        Storage {
            linear_shares: true,
            ..self
        }
    }

    /// The same, where no run goes on behind a value that is not known.
    pub(super) fn without_guesses(self) -> Self {
        Storage {
            guesses: false,
            ..self
        }
    }

    /// The whole program.
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// Whether objects of the class live in the heap.
    pub(super) fn in_heap(&self, class: ClassId) -> bool {
        class != self.class || !self.flat
    }

    /// The global that holds a field: `VendingMachine.money`.
    pub(super) fn field(&self, field: FieldRef) -> String {
        format!(
            "{}.{}",
            identifier(&self.program.class(field.class).name),
            self.program().field(field).name
        )
    }

    /// The Boogie type of the global that holds a field.
    pub(super) fn field_type(&self, field: FieldRef) -> String {
        let ty = self.boogie_type(&self.program().field(field).ty);
        if self.in_heap(field.class) {
            format!("[Ref]{ty}")
        } else {
            ty
        }
    }

    /// The global that counts the objects of a class.
    pub(super) fn objects(&self, class: ClassId) -> String {
        format!("{}.#alloc", self.program().class(class).name)
    }

    /// The name that the globals of arrays of this element type share: `array.int`.
    pub(super) fn array(&self, element: &Type) -> String {
        format!("array.{}", self.type_word(element))
    }

    /// A type as part of a name.
    fn type_word(&self, ty: &Type) -> String {
        match ty {
            Type::Array { element, nullable } => {
                format!("array.{}{}", self.type_word(element), mark(*nullable))
            }
            Type::Map(key, value) => {
                format!("map.{}.{}", self.type_word(key), self.type_word(value))
            }
            ty => self.program().type_name(ty),
        }
    }

    /// The type in Boogie.
    pub(super) fn boogie_type(&self, ty: &Type) -> String {
        match ty {
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => "int".into(),
            Type::Bool => "bool".into(),
            Type::Enum(id) => identifier(&self.program().enums[id.0].name),
            Type::Opaque(id) => identifier(&self.program().opaques[id.0].name),
            Type::Class { .. } | Type::Array { .. } | Type::Null => "Ref".into(),
            Type::Map(key, value) => {
                format!("[{}]{}", self.boogie_type(key), self.boogie_type(value))
            }
        }
    }

    /// The constant that is a value with a name of an opaque type.
    pub(super) fn named(&self, id: OpaqueId, index: usize) -> BoogieTerm {
        let declared = &self.program.opaques[id.0];
        let ty = identifier(&declared.name);
        BoogieTerm::atom(format!("{ty}.{}", declared.values[index]))
    }

    /// The statement that leaves a value on the trace.
    pub(super) fn record(&self, ty: &Type, label: &str, value: &BoogieTerm) -> String {
        recording(label, &self.recorded_word(ty), value)
    }

    /// What the procedure that records values of a type has in its name.
    pub(super) fn recorded_word(&self, ty: &Type) -> String {
        match ty {
            Type::Bool => "bool".into(),
            Type::Opaque(_) => self.boogie_type(ty),
            Type::Map(key, value) => {
                let (key, value) = (self.recorded_word(key), self.recorded_word(value));
                format!("map.{key}.{value}")
            }
            _ => "int".into(),
        }
    }

    /// What the procedure that records a field of all objects of a class has in its name.
    pub(super) fn recorded_column(&self, field: FieldRef) -> String {
        let ty = &self.program().field(field).ty;
        format!("map.int.{}", self.recorded_word(ty))
    }

    /// The globals that hold other objects than the one under analysis, and arrays, and the values that have names: what it is,
    /// how it is recorded (a word and its type in Boogie), and its name.
    pub(super) fn heap(&self) -> Vec<Stored> {
        let counted = |cell, global| Stored {
            cell,
            word: "int".into(),
            ty: "int".into(),
            global,
        };
        let mut heap = Vec::new();
        for (id, declared) in self.program.opaques.iter().enumerate() {
            let id = OpaqueId(id);
            let ty = self.boogie_type(&Type::Opaque(id));
            heap.extend((0..declared.values.len()).map(|index| Stored {
                cell: HeapCell::Named(id, index),
                word: ty.clone(),
                ty: ty.clone(),
                global: self.named(id, index).to_string(),
            }));
        }
        for class in self.classes_in_heap() {
            heap.push(counted(HeapCell::Objects(class), self.objects(class)));
            for index in 0..self.program.class(class).fields.len() {
                let at = FieldRef { class, index };
                heap.push(Stored {
                    cell: HeapCell::Field(at),
                    word: self.recorded_column(at),
                    ty: self.field_type(at),
                    global: self.field(at),
                });
            }
        }
        for element in &self.arrays {
            let [(length, length_type), (elements, ty), (alloc, _)] = self.array_globals(element);
            heap.push(counted(HeapCell::Arrays(element.clone()), alloc));
            heap.push(Stored {
                cell: HeapCell::Length(element.clone()),
                word: "map.int.int".into(),
                ty: length_type,
                global: length,
            });
            heap.push(Stored {
                cell: HeapCell::Elements(element.clone()),
                word: match self.filled.contains(element) {
                    true => format!("map.int.map.int.{}", self.recorded_word(element)),
                    false => format!("map2.int.int.{}", self.recorded_word(element)),
                },
                ty,
                global: elements,
            });
        }
        heap
    }

    /// The procedures that record other values than numbers and truth values: what they have in their names, and the type.
    pub(super) fn recorders(&self) -> BTreeMap<String, String> {
        let types = self.program.mentioned_types().into_iter();
        let own = types.map(|ty| (self.recorded_word(&ty), self.boogie_type(&ty)));
        let heap = self
            .heap()
            .into_iter()
            .map(|stored| (stored.word, stored.ty));
        let mut all: BTreeMap<String, String> = own.chain(heap).collect();
        all.retain(|word, _| !["int", "bool"].contains(&word.as_str()));
        all
    }

    /// The globals of arrays, with their types.
    pub(super) fn array_globals(&self, element: &Type) -> [(String, String); 3] {
        let name = self.array(element);
        [
            (format!("{name}.length"), "[Ref]int".into()),
            (
                format!("{name}.elements"),
                match self.filled.contains(element) {
                    true => format!("[Ref][int]{}", self.boogie_type(element)),
                    false => format!("[Ref, int]{}", self.boogie_type(element)),
                },
            ),
            (format!("{name}.alloc"), "int".into()),
        ]
    }

    /// The cell of an element, in the map with the content of all arrays of the type. Where one is made with a value
    /// everywhere it is a map of maps, so that no quantifier says what the new one holds: it is set as a whole.
    pub(super) fn cell(
        &self,
        element: &Type,
        elements: BoogieTerm,
        array: BoogieTerm,
        index: BoogieTerm,
    ) -> BoogieTerm {
        match self.filled.contains(element) {
            true => BoogieTerm::select(BoogieTerm::select(elements, array), index),
            false => BoogieTerm::element(elements, array, index),
        }
    }

    /// The classes whose objects are in the heap.
    pub(super) fn classes_in_heap(&self) -> impl Iterator<Item = ClassId> + '_ {
        let classes = (0..self.program.classes.len()).map(ClassId);
        classes.filter(|class| self.in_heap(*class))
    }

    /// The fields of objects, and the elements of arrays, of which it is said where they are read that they lead to objects
    /// that exist ([`Storage::is_to_exist`]). Each as its global and the global's type.
    pub(super) fn closed(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for class in self.classes_in_heap() {
            for (index, field) in self.program().class(class).fields.iter().enumerate() {
                if self.is_to_exist(&field.ty) {
                    let at = FieldRef { class, index };
                    found.push((self.field(at), self.field_type(at)));
                }
            }
        }
        for element in self.arrays.iter().filter(|e| self.is_to_exist(e)) {
            let [_, elements, _] = self.array_globals(element);
            found.push(elements);
        }
        found
    }

    /// The counters of what the program makes anew.
    pub(super) fn counters(&self) -> Vec<String> {
        self.allocated
            .iter()
            .filter_map(|ty| self.counter(ty))
            .collect()
    }

    /// Whether the program makes new objects or arrays of this type.
    pub(super) fn is_allocated(&self, ty: &Type) -> bool {
        self.allocated.contains(&ty.with_null())
    }

    /// Whether it matters that a reference of this type leads to an object that exists. Of what the program makes anew, a new
    /// object could be confused with one that was there before; and what holds of all objects there are would not hold of
    /// one that is not there.
    pub(super) fn is_to_exist(&self, ty: &Type) -> bool {
        self.is_allocated(ty) || leads_to_promising(&self.promising, ty)
    }

    /// Whether a routine without a body changes the field in all objects of another class.
    pub(super) fn is_changed_outside(&self, field: FieldRef) -> bool {
        self.changed.contains(&field) && self.in_heap(field.class)
    }

    /// The fields that routines without a body change so, as they were left last.
    pub(super) fn changed(&self) -> impl Iterator<Item = ChangedField> + '_ {
        let fields = self.changed.iter();
        fields.filter_map(|field| ChangedField::of(self, *field))
    }

    /// The global that counts the objects or arrays of a type.
    pub(super) fn counter(&self, ty: &Type) -> Option<String> {
        match ty {
            Type::Class { class, .. } => Some(self.objects(*class)),
            Type::Array { element, .. } => Some(format!("{}.alloc", self.array(element))),
            _ => None,
        }
    }

    /// How many objects or arrays of a type there are when a question starts.
    pub(super) fn counted_at_start(&self, ty: &Type) -> BoogieTerm {
        let counter = self.counter(ty).unwrap_or_default();
        BoogieTerm::atom(if self.is_allocated(ty) {
            format!("start.{counter}")
        } else {
            counter
        })
    }

    /// What is true of every value of a type, wherever it is stored: the range of a machine integer or an enum,
    /// and that a reference leads to an object that exists.
    pub(super) fn typing(&self, ty: &Type, value: &BoogieTerm) -> Vec<BoogieTerm> {
        let within = |low: BoogieTerm, high: BoogieTerm| {
            vec![
                BoogieTerm::binary("<=", low, value.clone()),
                BoogieTerm::binary("<=", value.clone(), high),
            ]
        };
        let zero = BoogieTerm::atom("0");
        match ty {
            Type::Machine(m) => within(BoogieTerm::int(&(*m).min()), BoogieTerm::int(&(*m).max())),
            Type::Enum(id) => within(
                zero,
                BoogieTerm::atom(
                    (self.program().enums[id.0].members.len().saturating_sub(1)).to_string(),
                ),
            ),
            Type::Class { class, .. } if self.in_heap(*class) => {
                within(zero, BoogieTerm::atom(self.objects(*class)))
            }
            Type::Array { element, .. } => within(
                zero,
                BoogieTerm::atom(format!("{}.alloc", self.array(element))),
            ),
            _ => vec![],
        }
    }

    /// What a declared type promises beyond that: `nat` is not negative, `int in u8` is in its range, a type without `?` is
    /// not `null`, and so for every value of a map.
    pub(super) fn promise(&self, ty: &Type, value: &BoogieTerm) -> Vec<BoogieTerm> {
        match ty {
            Type::Nat => vec![BoogieTerm::binary(
                "<=",
                BoogieTerm::atom("0"),
                value.clone(),
            )],
            Type::Within(m) => vec![
                BoogieTerm::binary("<=", BoogieTerm::int(&(*m).min()), value.clone()),
                BoogieTerm::binary("<=", value.clone(), BoogieTerm::int(&(*m).max())),
            ],
            Type::Class {
                nullable: false, ..
            }
            | Type::Array {
                nullable: false, ..
            } => {
                vec![BoogieTerm::binary(
                    "!=",
                    value.clone(),
                    BoogieTerm::atom("null"),
                )]
            }
            Type::Map(key, element) => {
                let bound = format!("key#{}", depth(element));
                let inner = self.promise(
                    element,
                    &BoogieTerm::select(value.clone(), BoogieTerm::atom(&bound)),
                );
                if inner.is_empty() {
                    return vec![];
                }
                let typed = self.typing(key, &BoogieTerm::atom(&bound));
                let body = if typed.is_empty() {
                    BoogieTerm::all(inner)
                } else {
                    BoogieTerm::binary("==>", BoogieTerm::all(typed), BoogieTerm::all(inner))
                };
                let vars = format!("{bound}: {}", self.boogie_type(key));
                vec![BoogieTerm::Quantified("forall", vars, Box::new(body))]
            }
            _ => vec![],
        }
    }

    /// Whether a value of the type is a reference to an object of the class, which lives in the heap.
    pub(super) fn leads_to(&self, ty: &Type, class: ClassId) -> bool {
        matches!(ty, Type::Class { class: c, .. } if *c == class) && self.in_heap(class)
    }

    /// That a field of another class has values of its declared type in all objects there are; none where that
    /// says nothing.
    pub(super) fn every_object(&self, field: FieldRef) -> Option<BoogieTerm> {
        let ty = &self.program().field(field).ty;
        let object = BoogieTerm::atom("object#");
        let value = self.read_from_cell(
            ty,
            BoogieTerm::select(BoogieTerm::atom(self.field(field)), object.clone()),
        );
        let facts = self.declared(ty, &value);
        if facts.is_empty() {
            return None;
        }
        let exists = BoogieTerm::binary(
            "&&",
            BoogieTerm::binary("<", BoogieTerm::atom("0"), object.clone()),
            BoogieTerm::binary("<=", object, BoogieTerm::atom(self.objects(field.class))),
        );
        let body = BoogieTerm::binary("==>", exists, BoogieTerm::all(facts));
        Some(BoogieTerm::Quantified(
            "forall",
            "object#: Ref".into(),
            Box::new(body),
        ))
    }

    /// That a new array's elements are values of their declared type; none where that says nothing.
    pub(super) fn every_element(&self, element: &Type, array: &BoogieTerm) -> Option<BoogieTerm> {
        let elements = BoogieTerm::atom(format!("{}.elements", self.array(element)));
        let index = BoogieTerm::atom("index#");
        let cell = self.cell(element, elements, array.clone(), index);
        let facts = self.declared(element, &self.read_from_cell(element, cell));
        let body = Box::new(BoogieTerm::all(facts.iter().cloned()));
        (!facts.is_empty()).then(|| BoogieTerm::Quantified("forall", "index#: int".into(), body))
    }

    /// That the elements of all arrays there are keep what their type promises; none where it promises nothing.
    pub(super) fn every_array(&self, element: &Type) -> Option<BoogieTerm> {
        let name = self.array(element);
        let (array, index) = (BoogieTerm::atom("array#"), BoogieTerm::atom("index#"));
        let elements = BoogieTerm::atom(format!("{name}.elements"));
        let cell = self.cell(element, elements, array.clone(), index.clone());
        let kept = self.promise(element, &cell);
        if kept.is_empty() {
            return None;
        }
        let length = BoogieTerm::select(BoogieTerm::atom(format!("{name}.length")), array.clone());
        let alloc = BoogieTerm::atom(format!("{name}.alloc"));
        let zero = BoogieTerm::atom("0");
        let bounds = BoogieTerm::all([
            BoogieTerm::binary("<", zero.clone(), array.clone()),
            BoogieTerm::binary("<=", array, alloc),
            BoogieTerm::binary("<=", zero, index.clone()),
            BoogieTerm::binary("<", index, length),
        ]);
        let body = BoogieTerm::binary("==>", bounds, BoogieTerm::all(kept));
        let variables = "array#: Ref, index#: int".to_string();
        Some(BoogieTerm::Quantified("forall", variables, Box::new(body)))
    }

    /// That no array is long.
    pub(super) fn short_arrays(&self) -> impl Iterator<Item = String> + '_ {
        self.arrays.iter().map(|element| {
            let array = BoogieTerm::atom("array#");
            let length = BoogieTerm::select(
                BoogieTerm::atom(format!("{}.length", self.array(element))),
                array,
            );
            let body = BoogieTerm::binary("<=", length, BoogieTerm::atom(SHORT.to_string()));
            let every = BoogieTerm::Quantified("forall", "array#: Ref".into(), Box::new(body));
            every.to_string()
        })
    }

    /// What is true of an arbitrary value of a declared type, where the value is in its type's range anyway: what
    /// a reference leads to, and what the type promises.
    fn declared(&self, ty: &Type, value: &BoogieTerm) -> Vec<BoogieTerm> {
        let typing = match ty {
            Type::Class { .. } | Type::Array { .. } => self.typing(ty, value),
            _ => vec![],
        };
        typing.into_iter().chain(self.promise(ty, value)).collect()
    }

    /// A value read from the heap, an array or a map, brought into its type's range. The content of a cell
    /// before anything is written is arbitrary; this makes any number stand for a value of the type, so that no
    /// quantified fact about all cells is needed.
    pub(super) fn read_from_cell(&self, ty: &Type, value: BoogieTerm) -> BoogieTerm {
        match ty {
            Type::Machine(m) => BoogieTerm::Apply(format!("wrap.{}", m.name()), vec![value]),
            Type::Enum(_) => BoogieTerm::Apply(format!("{}.of", self.boogie_type(ty)), vec![value]),
            _ => value,
        }
    }
}

/// The classes of whose objects something holds: an invariant, or what the type of a field promises; and those whose objects
/// lead to one of these.
fn promising(program: &Program) -> BTreeSet<ClassId> {
    let mut found = BTreeSet::new();
    loop {
        let classes = program.classes.iter().enumerate();
        let such = classes.filter(|(_, class)| {
            let says = |ty: &Type| facts::invariant(ty).is_some() || leads_to_promising(&found, ty);
            !class.invariants.is_empty() || class.fields.iter().any(|field| says(&field.ty))
        });
        let all: BTreeSet<ClassId> = such.map(|(id, _)| ClassId(id)).collect();
        if all == found {
            return found;
        }
        found = all;
    }
}

/// Whether a type is one of references to objects of such a class, or to arrays whose elements promise something or lead to one.
fn leads_to_promising(promising: &BTreeSet<ClassId>, ty: &Type) -> bool {
    match ty {
        Type::Class { class, .. } => promising.contains(class),
        Type::Array { element, .. } => {
            facts::invariant(element).is_some() || leads_to_promising(promising, element)
        }
        _ => false,
    }
}

fn mark(nullable: bool) -> &'static str {
    if nullable { "?" } else { "" }
}

/// How often maps are nested in a type.
fn depth(ty: &Type) -> usize {
    match ty {
        Type::Map(_, value) => 1 + depth(value),
        _ => 0,
    }
}
