//! Guards over objects, arrays and maps, against trying every value of a small domain.
//!
//! What the clauses of these tests compare lies in 0..=2, and they look at a few places only: so few numbers, arrays of up
//! to three elements, and each possible new object beside those that are there, are all the cases that there are.

use proptest::prelude::*;

use crate::front::tq::parse_text;
use crate::interp::{
    Configuration, HeapObject, Interpreter, Keys, Locals, Map, Moment, ObjectId, Value,
};
use crate::ir::guard::guard;
use crate::ir::{ClassId, Program, RoutineRef, Type};

/// What can be said of a parameter of one kind: terms for integers, clauses, and a clause that a call is defined by.
struct Kind {
    ty: &'static str,
    integers: &'static [&'static str],
    clauses: &'static [&'static str],
}

const OBJECT: Kind = Kind {
    ty: "C?",
    integers: &["p.n", "p.next.n", "next.n", "other.n"],
    clauses: &[
        "p == null",
        "p != null",
        "p == this",
        "p != this",
        "p == next",
        "p != other",
        "p.open",
        "!p.open",
        "p.next == this",
        "p.next == p",
        "p.next != next",
        "p.next.open",
        "next == other",
        "p.next == null",
    ],
};

const ARRAY: Kind = Kind {
    ty: "array<int>",
    integers: &["p[0]", "p[n]", "p[p[0]]", "p.length", "q[0]", "q.length"],
    clauses: &["p == q", "p != q", "p.length == 0", "p[0] == p[1]"],
};

const MAP: Kind = Kind {
    ty: "map<int, int>",
    integers: &["p[0]", "p[n]", "p[m]", "t[0]", "t[n]", "p[p[0]]"],
    clauses: &["p == t", "p != t", "p[n] == p[m]"],
};

fn clause(kind: &'static Kind) -> impl Strategy<Value = String> {
    let integer = || {
        prop_oneof![
            3 => prop::sample::select(kind.integers).prop_map(str::to_owned),
            2 => prop::sample::select(vec!["n", "m", "k", "1", "2"]).prop_map(str::to_owned),
        ]
    };
    let operator = prop::sample::select(vec!["==", "!=", "<", "<="]);
    let atom = prop_oneof![
        2 => prop::sample::select(kind.clauses).prop_map(str::to_owned),
        2 => (integer(), operator, integer()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
    ];
    atom.prop_recursive(2, 4, 2, |inner| {
        let connective = prop::sample::select(vec!["&&", "||", "==>"]);
        prop_oneof![
            4 => (inner.clone(), connective, inner.clone()).prop_map(|(a, op, b)| format!("(({a}) {op} ({b}))")),
            1 => inner.prop_map(|a| format!("!({a})")),
        ]
    })
}

fn class(kind: &Kind, clauses: &[String]) -> String {
    let requires: Vec<String> = clauses.iter().map(|c| format!("requires {c} ")).collect();
    format!(
        "class C {{ var n: nat; var m: nat; var open: bool; var next: C?; var other: C?; var q: array<int>; var t: map<int, int>;
           action a(p: {}, k: int) requires 0 <= k && k <= 2 {} {{ }} }}",
        kind.ty,
        requires.concat()
    )
}

/// What the parameter's heap looks like: two objects and an array, by some small numbers.
fn heap_of(numbers: &[i64; 8]) -> Configuration {
    let mut heap = Configuration::empty();
    let reference = |n: i64| match n {
        0 => Value::Null,
        _ => Value::Ref(ObjectId(n as usize)),
    };
    let elements = (0..numbers[0]).map(|_| Value::int(numbers[1])).collect();
    let element = Type::Int;
    let q = heap.allocate(HeapObject::Array { element, elements });
    let t = Map::constant(integers(), Value::int(1)).store(Value::int(0), Value::int(numbers[7]));
    for (n, m, next, other) in [
        (numbers[2], numbers[3], numbers[4], numbers[5]),
        (1, 0, numbers[6], 1),
    ] {
        let fields = vec![
            Value::int(n),
            Value::int(m),
            Value::Bool(n == m),
            reference(next),
            reference(other),
            Value::Ref(q),
            Value::Map(t.clone()),
        ];
        heap.allocate(object(fields));
    }
    heap.this = Some(ObjectId(1));
    heap
}

/// The keys of a map of integers: nothing of a program plays a part in it.
fn integers() -> Keys {
    Keys::of(&Program::default(), &Type::Int)
}

fn object(fields: Vec<Value>) -> HeapObject {
    HeapObject::Instance {
        class: ClassId(0),
        fields,
    }
}

/// Each heap with each value that a parameter of this kind can have: one that is there, or a new one.
fn candidates(kind: &Kind, heap: &Configuration) -> Vec<(Configuration, Value)> {
    let here = |value: Value| (heap.clone(), value);
    match kind.ty {
        "C?" => {
            let mut all: Vec<_> = [
                Value::Null,
                Value::Ref(ObjectId(1)),
                Value::Ref(ObjectId(2)),
            ]
            .map(here)
            .into();
            for (n, open, next) in triples(4, 2, 7) {
                all.push(with_object(heap, n, open == 1, next));
            }
            all
        }
        "array<int>" => {
            let mut all = vec![here(Value::Ref(ObjectId(0)))];
            for length in 0..=3 {
                all.extend(tuples(length, -2..=3).into_iter().map(|elements| {
                    let mut heap = heap.clone();
                    let element = Type::Int;
                    let array = heap.allocate(HeapObject::Array { element, elements });
                    (heap, Value::Ref(array))
                }));
            }
            all
        }
        _ => {
            let mut all: Vec<_> = tuples(4, -1..=3)
                .into_iter()
                .map(|values| here(map(&values)))
                .collect();
            let this = heap.object(ObjectId(1));
            if let Some(HeapObject::Instance { fields, .. }) = this {
                all.extend(fields.last().cloned().map(here));
            }
            all
        }
    }
}

/// All triples of numbers below these.
fn triples(a: i64, b: i64, c: i64) -> impl Iterator<Item = (i64, i64, i64)> {
    (0..a).flat_map(move |x| (0..b).flat_map(move |y| (0..c).map(move |z| (x, y, z))))
}

/// All lists of so many numbers.
fn tuples(length: usize, range: std::ops::RangeInclusive<i64>) -> Vec<Vec<Value>> {
    let mut all = vec![vec![]];
    for _ in 0..length {
        let longer = |list: Vec<Value>| {
            let with = move |n: i64| list.iter().cloned().chain([Value::int(n)]).collect();
            range.clone().map(with).collect::<Vec<_>>()
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

/// The first value everywhere, but for the keys from 0.
fn map(values: &[Value]) -> Value {
    let map = Map::constant(integers(), values[0].clone());
    let keys = values[1..].iter().enumerate();
    Value::Map(keys.fold(map, |map, (key, value)| {
        map.store(Value::int(key), value.clone())
    }))
}

/// The heap with one more object, whose `next` is nothing, an object that is there, itself, or another new one.
fn with_object(heap: &Configuration, n: i64, open: bool, next: i64) -> (Configuration, Value) {
    let mut heap = heap.clone();
    let Some(HeapObject::Instance { fields, .. }) = heap.object(ObjectId(1)).cloned() else {
        panic!("the object under analysis");
    };
    let of = |n: i64, open: bool, next: Value| {
        let mut fields = fields.clone();
        (fields[0], fields[2], fields[3]) = (Value::int(n), Value::Bool(open), next);
        object(fields)
    };
    let beside = heap.allocate(of(next - 3, next % 2 == 0, Value::Null));
    let itself = ObjectId(beside.0 + 1);
    let next = match next {
        0 => Value::Null,
        1 | 2 => Value::Ref(ObjectId(next as usize)),
        3 => Value::Ref(itself),
        _ => Value::Ref(beside),
    };
    heap.allocate(of(n, open, next));
    (heap, Value::Ref(itself))
}

fn check(kind: &Kind, clauses: &[String], starts: &[[i64; 8]]) -> Result<(), TestCaseError> {
    let text = class(kind, clauses);
    let loaded = parse_text("c.tq", &text).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let class = ClassId(0);
    let action = RoutineRef { class, index: 0 };
    let guard = guard(&loaded.program, action);
    let interpreter = Interpreter::new(&loaded.program);
    for numbers in starts {
        let heap = heap_of(numbers);
        let this = ObjectId(1);
        let eliminated =
            interpreter.formula_holds(&Moment::of(&heap, &Locals::new()), &guard.enabled);
        let tried = candidates(kind, &heap).into_iter().any(|(heap, p)| {
            (0..=2).any(|k| {
                let args = [p.clone(), Value::int(k)];
                interpreter.may_call(&heap, Some(this), action, &args) == Ok(true)
            })
        });
        match guard.is_exact() {
            true => prop_assert_eq!(eliminated, Ok(tried), "{:?}: {}", numbers, text),
            // It became too long.
            false => prop_assert!(eliminated != Ok(false) || !tried, "{numbers:?}: {text}"),
        }
    }
    Ok(())
}

fn starts() -> impl Strategy<Value = Vec<[i64; 8]>> {
    let one = (
        0i64..=3,
        0i64..=2,
        0i64..=2,
        0i64..=2,
        0i64..=2,
        0i64..=2,
        0i64..=2,
        0i64..=2,
    );
    let one = one.prop_map(|(a, b, c, d, e, f, g, h)| [a, b, c, d, e, f, g, h]);
    prop::collection::vec(one, 8)
}

proptest! {
    #![proptest_config(crate::random::cases(80))]

    #[test]
    fn of_objects(clauses in prop::collection::vec(clause(&OBJECT), 1..=3), starts in starts()) {
        check(&OBJECT, &clauses, &starts)?;
    }

    #[test]
    fn of_arrays(clauses in prop::collection::vec(clause(&ARRAY), 1..=2), starts in starts()) {
        check(&ARRAY, &clauses, &starts)?;
    }

    #[test]
    fn of_maps(clauses in prop::collection::vec(clause(&MAP), 1..=2), starts in starts()) {
        check(&MAP, &clauses, &starts)?;
    }
}

/// A quantifier over objects speaks of those that are there: nobody can make one for it.
#[test]
fn objects_are_not_made_for_a_quantifier() {
    let text = "class D { var open: bool; }
        class C { action a() requires forall d: D :: !d.open { } }";
    let loaded = parse_text("c.tq", text).unwrap_or_else(|e| panic!("{e}"));
    let class = ClassId(1);
    let guard = guard(&loaded.program, RoutineRef { class, index: 0 });
    assert!(matches!(
        &*guard.enabled.kind,
        crate::ir::ExprKind::Quantified(..)
    ));
}
