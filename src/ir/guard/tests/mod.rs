//! Elimination against trying everything.

mod contents;

use std::sync::Arc;

use proptest::prelude::*;

use super::guard;
use crate::front::tq::parse_text;
use crate::interp::{Configuration, Interpreter, ObjectId, Value};
use crate::ir::Quantifier;
use crate::ir::formula;
use crate::ir::{ClassId, ExprKind, FromBody, RoutineRef};

/// `a·p + b·q + c·x + d·y + e`, as text.
fn term() -> impl Strategy<Value = String> {
    let small = || -3i64..=3;
    (small(), small(), small(), small(), -4i64..=4).prop_map(|(p, q, x, y, constant)| {
        format!("({p} * p + q * {q} - x * {x} + {y} * y - ({constant}))")
    })
}

fn atom() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    let remainder = (
        term(),
        2i64..=4,
        -1i64..=3,
        prop::sample::select(vec!["==", "!="]),
    )
        .prop_map(|(t, k, r, op)| format!("{t} mod {k} {op} {r}"));
    let division = (
        term(),
        prop::sample::select(vec!["div", "mod"]),
        -3i64..=4,
        operator.clone(),
        term(),
    )
        .prop_filter("a divisor", |(_, _, k, _, _)| *k != 0)
        .prop_map(|(t, of, k, op, other)| format!("{t} {of} ({k}) {op} {other}"));
    prop_oneof![
        2 => division,
        5 => (term(), operator, term()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        2 => remainder,
        1 => Just("b".to_string()),
        1 => Just("p == x".to_string()),
        1 => (prop::sample::select(vec!["exists", "forall"]), -2i64..=1, 0i64..=3, term())
            .prop_map(|(quantifier, low, length, t)| {
                let high = low + length;
                let connective = if quantifier == "exists" { "&&" } else { "==>" };
                format!("({quantifier} k: int :: {low} <= k && k <= {high} {connective} k != x && {t} < 2 * k)")
            }),
    ]
}

fn formula() -> impl Strategy<Value = String> {
    let connective = prop::sample::select(vec!["&&", "||", "==>", "<==>", "!="]);
    atom().prop_recursive(2, 6, 2, move |inner| {
        prop_oneof![
            4 => (inner.clone(), connective.clone(), inner.clone())
                .prop_map(|(a, op, b)| format!("(({a}) {op} ({b}))")),
            1 => inner.clone().prop_map(|a| format!("!({a})")),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(c, a, b)| format!("(if {c} then {a} else {b})")),
        ]
    })
}

/// The range in which a parameter is tried: far beyond every bound that the small coefficients can set for small
/// fields, where the other parameter is bounded by a clause of its own.
const RANGE: std::ops::RangeInclusive<i64> = -70..=70;

proptest! {
    #![proptest_config(crate::random::cases(150))]

    #[test]
    fn an_eliminated_guard_is_what_trying_everything_gives(
        clauses in prop::collection::vec(formula(), 1..=2),
    ) {
        let requires: Vec<String> = clauses.iter().map(|c| format!("requires {c}")).collect();
        let text = format!(
            "class C {{ var x: int; var y: int; action a(p: int, q: int, b: bool) \
             requires 0 <= q && q <= 2 {} {{ }} }}",
            requires.join(" ")
        );
        let loaded = parse_text("c.tq", &text).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let program = &loaded.program;
        let action = RoutineRef { class: ClassId(0), index: 0 };
        let guard = guard(program, action);
        let interpreter = Interpreter::new(program);
        for (x, y) in [(0, 0), (1, 0), (0, -1), (2, 1), (-3, 2), (3, 3), (-2, -3)] {
            let now = Configuration::with_this(ClassId(0), vec![Value::int(x), Value::int(y)]);
            let this = ObjectId(0);
            let Ok(eliminated) = interpreter.all_hold(&now, this, [&guard.enabled]) else {
                // A quantifier is left, which is said.
                prop_assert!(guard.note.is_some(), "{text}");
                return Ok(());
            };
            let mut calls = RANGE.flat_map(|p| {
                (0i64..=2).flat_map(move |q| {
                    [false, true].map(|b| [Value::int(p), Value::int(q), Value::Bool(b)])
                })
            });
            let tried = calls.any(|args| {
                interpreter.may_call(&now, Some(this), action, &args) == Ok(true)
            });
            prop_assert_eq!(eliminated, tried, "x = {}, y = {}: {}", x, y, text);
            let disabled = interpreter.all_hold(&now, this, [&guard.disabled]);
            prop_assert_eq!(disabled, Ok(!tried), "x = {}, y = {}: {}", x, y, text);
        }
    }
}

/// A share of a parameter: the guard is not exact, but never says that all calls are refused where one is not, nor the other way.
#[test]
fn a_guard_over_shares_of_parameters_errs_to_neither_side() {
    for requires in [
        "p * x div y > 0",
        "p * x div y > 0 && p <= 4",
        "x > 0 && p > 0 && p * x div y == 0",
        "p <= 3 && p * x div y + y == q",
        "p * x div y <= q && p > y || q * x div 3 > 4",
        "p * x div y * x div 2 > 0 && p >= y",
        "p * x div y * x > 3 && p >= 0",
        "p * x div y div 2 > 0",
    ] {
        let text = format!(
            "class C {{ var x: nat; var y: nat; action a(p: nat, q: nat) \
             requires y > 0 && p <= 20 && q <= 2 && ({requires}) {{ }} }}"
        );
        let program = parse_text("c.tq", &text).expect("well-formed").program;
        let action = RoutineRef {
            class: ClassId(0),
            index: 0,
        };
        let guard = guard(&program, action);
        assert!(guard.note.is_some() && !guard.is_certain(), "{text}");
        let interpreter = Interpreter::new(&program);
        let mut surely = 0;
        for (x, y) in (0..=4).flat_map(|x| (0..=4).map(move |y| (x, y))) {
            let now = Configuration::with_this(ClassId(0), vec![Value::int(x), Value::int(y)]);
            let this = ObjectId(0);
            let holds = |e| interpreter.all_hold(&now, this, [e]) == Ok(true);
            let mut calls = (0..=20).flat_map(|p| (0..=2).map(move |q| [p, q].map(Value::int)));
            let tried =
                calls.any(|args| interpreter.may_call(&now, Some(this), action, &args) == Ok(true));
            let (enabled, disabled) = (holds(&guard.enabled), holds(&guard.disabled));
            assert!(enabled || !tried, "x = {x}, y = {y}: {text}");
            assert!(disabled || tried, "x = {x}, y = {y}: {text}");
            surely += usize::from(enabled != disabled);
        }
        assert!(surely > 0, "it says nothing: {text}");
    }
}

/// Most of what is linear is eliminated: no quantifier is left in any of these.
#[test]
fn what_is_linear_is_eliminated() {
    for requires in [
        "2 * x < 3 * p && 3 * p < 2 * x + 2",
        "p mod 3 == x mod 2 && p > y",
        "x <= p && p <= y && (p + x) mod 4 != 1",
        "p + q == x && p - q == y",
        "(p + x) div 3 == y && p mod -2 != (q + 1) mod 3",
        "(p == x || p == y) && p != q && q == x",
        "if p > x then q == y else q == p",
        "(exists k: int :: 0 <= k && k <= 2 && x == k + p)",
        "(forall k: nat :: k < 3 ==> x + k != p) && (forall b: bool :: b || (exists k: int :: 2 * k == q))",
    ] {
        let text = format!(
            "class C {{ var x: int; var y: int; action a(p: int, q: int) requires {requires} {{ }} }}"
        );
        let loaded = parse_text("c.tq", &text).unwrap_or_else(|e| panic!("{e}"));
        let action = RoutineRef {
            class: ClassId(0),
            index: 0,
        };
        assert_eq!(guard(&loaded.program, action).note, None, "{requires}");
    }
}

/// A parameter that can be eliminated does not stay under the quantifier of one that cannot: there is always another
/// value, so only the key matters.
#[test]
fn one_parameter_keeps_a_quantifier_and_the_other_does_not() {
    let text = "type Value;
        class Table {
          var at: map<int, Value>;
          var has: map<int, bool>;
          constructor() { }
          action change(key: int, value: Value) requires has[key] && at[key] != value { }
        }";
    let loaded = parse_text("table.tq", text).expect("correct");
    let (class, index) = (ClassId(0), 1);
    let found = guard(&loaded.program, RoutineRef { class, index });
    let ExprKind::Quantified(Quantifier::Exists, vars, body) = &*found.enabled.kind else {
        panic!("no quantifier: {:?}", found.enabled);
    };
    let names = vars.iter().map(|v| loaded.program.var(*v).name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["key"]);
    let compared = formula::contains(body, &mut |e| matches!(&*e.kind, ExprKind::Compare(..)));
    assert!(!compared, "{body:?}");
    assert!(found.is_exact());
    let note = found.note.expect("a note");
    assert!(note.contains("a quantifier over `key`"), "{note}");
}

/// What a token asks of who calls: no amount in a map is negative, and who has a thing is somebody.
#[test]
fn amounts_and_owners_leave_no_quantifier_over_who_calls() {
    for (requires, left) in [
        ("by != 0 && n <= held[by]", None),
        ("by != 0 && n <= held[id] && n <= may[id][by]", None),
        (
            "owner[id] != 0 && by != 0 && (by == owner[id] || may[owner[id]][by] > 0)",
            Some("`id`"),
        ),
        ("by != 0 && n <= held[by] && held[by] > 0", Some("`by`")),
    ] {
        let text = format!(
            "class C {{ var held: map<nat, nat>; var owner: map<nat, nat>; var may: map<nat, map<nat, nat>>;
               action a(id: nat, n: nat, by: nat) requires {requires} {{ }} }}"
        );
        let loaded = parse_text("c.tq", &text).unwrap_or_else(|e| panic!("{e}"));
        let action = RoutineRef {
            class: ClassId(0),
            index: 0,
        };
        let found = guard(&loaded.program, action);
        assert!(found.is_exact(), "{requires}");
        let note = found.note.unwrap_or_default();
        match left {
            Some(left) => assert!(
                note.contains(&format!("a quantifier over {left}:")),
                "{note}"
            ),
            None => assert_eq!(note, "", "{requires}"),
        }
    }
}

/// By hand. Where it is not known of all calls whether they are refused, but in each state of some that they are not, it is
/// known when the action can be called.
#[test]
fn that_some_calls_are_not_refused_is_enough() {
    let guard_where = |certain: &str| {
        let text = format!(
            "class C {{ var x: int; action a(n: int) requires x == 0 ==> n <= 0 requires {certain} {{ }} }}"
        );
        let mut program = parse_text("c.tq", &text).expect("well-formed").program;
        let (class, index) = (ClassId(0), 0);
        let routine = &mut Arc::make_mut(&mut program).classes[0].routines[index];
        routine.from_body = Some(FromBody {
            clauses: 1,
            certain: routine.requires.pop(),
        });
        guard(&program, RoutineRef { class, index })
    };
    assert!(guard_where("n <= 0").is_certain());
    assert!(guard_where("n <= 0").note.is_none());
    assert!(!guard_where("n > 0").is_certain());
    assert!(!guard_where("n <= 0 && x > 1").is_certain());
}
