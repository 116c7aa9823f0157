use super::{int, last_class, program};
use crate::interp::{Configuration, EvalError, HeapObject, Interpreter, Value};
use crate::ir::Type;

/// Whether the clause holds of an object with `x = 3`, `a = [1, 4, 9]`, `none = null`, and `n` that is 7 at 5, 8 at -2, and 0
/// everywhere else.
fn holds(clause: &str) -> Result<bool, EvalError> {
    let program = program(&format!(
        "enum Colour {{ Red, Green, Blue }}
         class C {{ var x: int; var a: array<int>; var none: array<int>?; var m: map<Colour, bool>; var n: map<int, int>;
           function colour(i: int): Colour {{ if i == 0 then Colour.Red else Colour.Green }}
           invariant {clause}; }}"
    ));
    let mut now = Configuration::empty();
    let array = now.allocate(HeapObject::Array {
        element: Type::Int,
        elements: vec![int(1), int(4), int(9)],
    });
    let colours = crate::interp::Keys::of(&program, &Type::Enum(crate::ir::EnumId(0)));
    let red = Value::Member(crate::ir::EnumId(0), 0);
    let only_red =
        crate::interp::Map::constant(colours, Value::Bool(false)).store(red, Value::Bool(true));
    let numbers = crate::interp::Keys::of(&program, &Type::Int);
    let numbers = crate::interp::Map::constant(numbers, int(0));
    let numbers = numbers.store(int(5), int(7)).store(int(-2), int(8));
    let this = now.allocate(HeapObject::Instance {
        class: last_class(&program),
        fields: vec![
            int(3),
            Value::Ref(array),
            Value::Null,
            Value::Map(only_red),
            Value::Map(numbers),
        ],
    });
    now.this = Some(this);
    let clauses = &program.class(last_class(&program)).invariants;
    Interpreter::new(&program).all_hold(&now, this, clauses)
}

fn check(cases: &[(&str, bool)]) {
    for (clause, expected) in cases {
        assert_eq!(holds(clause), Ok(*expected), "{clause}");
    }
}

fn undetermined(clauses: &[&str]) {
    for clause in clauses {
        let answer = holds(clause);
        assert!(
            matches!(answer, Err(EvalError::Undetermined(_))),
            "{clause}: {answer:?}"
        );
    }
}

#[test]
fn over_types_with_few_values() {
    check(&[
        ("forall b: bool :: b || !b", true),
        ("forall b: bool :: b", false),
        ("exists b: bool :: b", true),
        ("exists b: bool, c: bool :: b && !c", true),
        ("exists b: bool :: b && !b", false),
        ("forall c: Colour :: m[c] <==> c == Colour.Red", true),
        ("exists c: Colour :: m[c] && c != Colour.Red", false),
        ("forall u: u8 :: u <= 255 && u + 1 != u", true),
        ("exists u: i8 :: u < 0 && -u == u", true),
        ("exists u: u8 :: u * u == 144 && u > 12", true),
    ]);
}

#[test]
fn over_guarded_integers() {
    check(&[
        ("forall i: int :: 0 <= i && i < a.length ==> a[i] > 0", true),
        ("forall i: int :: 0 <= i < a.length ==> a[i] > 1", false),
        (
            "forall i: int :: i >= 0 ==> i < 3 ==> a[i] == (i + 1) * (i + 1)",
            true,
        ),
        ("forall i: int :: a.length > i && -1 < i ==> a[i] > 0", true),
        ("exists i: int :: 0 <= i && i < a.length && a[i] == 4", true),
        ("exists i: int :: 0 <= i < a.length && a[i] == 5", false),
        ("exists i: int :: i == x - 1 && a[i] == 9", true),
        ("forall i: int :: i == x ==> i == 3", true),
        // Nothing between.
        ("forall i: int :: 2 < i && i < 2 ==> 1 div 0 == 1", true),
        ("exists i: int :: 2 < i && i < 2", false),
        // Several variables, the bounds of one by another.
        (
            "forall i: int, j: int :: 0 <= i < j && j < 3 && 0 <= j ==> a[i] < a[j]",
            true,
        ),
        (
            "exists i: int, j: int :: 0 <= i < 3 && i < j < 3 && a[i] + a[j] == 13",
            true,
        ),
        (
            "exists i: int, j: int :: 0 <= i < 3 && i < j < 3 && a[i] + a[j] == 8",
            false,
        ),
        (
            "forall i: int :: 0 <= i < 3 ==> (exists j: int :: 0 <= j <= 9 && a[i] == j)",
            true,
        ),
        // One end by the type.
        ("forall i: nat :: i < 3 ==> a[i] > 0", true),
        ("exists i: u64 :: i < 4 && i * i == 9", true),
        // What is not a bound stands between.
        (
            "forall i: int :: i != 1 && 0 <= i && i < 3 ==> a[i] != 4",
            true,
        ),
        // A guard before the bounds.
        (
            "forall i: int :: none != null && 0 <= i && i < none.length ==> none[i] > 0",
            true,
        ),
        (
            "exists i: int :: none != null && 0 <= i && i < none.length",
            false,
        ),
    ]);
}

#[test]
fn undefined_at_one_value_is_undefined() {
    // Neither the clause nor its negation holds.
    for body in [
        "forall i: int :: 0 <= i && i < 4 ==> a[i] > 0",
        "forall i: int :: 0 <= i && i < 4 ==> a[i] < 0",
        "exists i: int :: 0 <= i && i < 4 && a[i] == 1",
        "forall i: int :: 0 <= i && i < none.length ==> i == i",
        "exists u: u8 :: 1 div (u - 7) == 0",
    ] {
        assert_eq!(holds(body), Ok(false), "{body}");
        assert_eq!(holds(&format!("!({body})")), Ok(false), "not {body}");
    }
}

#[test]
fn what_finitely_many_values_do_not_decide_is_undetermined() {
    undetermined(&[
        "forall i: int :: i * i >= 0",
        "exists i: int :: i * i == 9",
        "forall i: int :: 0 <= i ==> i * i + 1 > 0",
        "forall i: int :: 0 <= i < 1000000 ==> i * i >= 0",
        "exists i: u64 :: i == i",
        "exists c: C :: c.x == 3",
        // Before the bounds something is undefined at values outside.
        "exists i: int :: a[i] > 0 && 0 <= i && i < 3",
        // A disjunction is no bound.
        "exists i: int :: (i == 1 || i == 2) && a[i] == 4",
        "exists i: int, j: int :: 0 <= i < j && a[0] == 1",
    ]);
}

#[test]
fn over_the_keys_of_maps() {
    check(&[
        ("exists k: int :: n[k] == 7", true),
        ("exists k: int :: n[k] == 9", false),
        ("exists k: int :: n[k] == 7 && k != 5", false),
        ("exists k: int :: n[k] == 0 && k > 5", true),
        ("exists k: nat :: n[k] == 8", false),
        ("forall k: int :: n[k] >= 0", true),
        ("forall k: int :: k < x ==> n[k] == 0 || n[k] == 8", true),
        ("forall k: int :: k < x ==> n[k] == 0", false),
        // Between 3 and 5, and between 5 and 7, there is one number each.
        ("exists k: int :: k > x && k < 5 && n[k] == 0", true),
        ("exists k: int :: k > 5 && k < 7 && n[k] == 0", true),
        ("exists k: int :: k > 5 && k < 6 && n[k] == 0", false),
        ("forall u: i64 :: n[u] < 9", true),
        (
            "exists k: int :: n[k] == 7 && (exists j: int :: n[j] == 8 && j < x)",
            true,
        ),
    ]);
    // More is asked of the variable.
    undetermined(&[
        "exists k: int :: n[k] == k + 2",
        "exists k: int :: n[k + 1] == 7",
        "exists k: int :: n[k] == 7 && (exists j: int :: n[j] == 8 && j < k)",
    ]);
}
