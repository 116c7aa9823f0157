use super::{int, no, object, program, routine, yes};
use crate::interp::{
    ChoiceRequest, Choices, Configuration, Decision, Event, Execution, HeapObject, Interpreter,
    NoDecision, Outcome, Replay, Value,
};
use crate::ir::{BuiltinException, ExceptionId, Expr, Program, RoutineRef, StmtKind, formula};
use crate::ir::{
    BuiltinException::AssertionFailure, BuiltinException::DivisionByZero,
    BuiltinException::IndexOutOfRange, BuiltinException::NegativeLength,
    BuiltinException::NullDereference, BuiltinException::RequiresViolation,
};

/// Runs `m` of the last class.
fn run(text: &str, fields: &[Value], args: &[Value], decisions: &[Decision]) -> Execution {
    let program = program(text);
    let start = object(&program, fields);
    let this = start.this.expect("an object");
    let m = routine(&program, "m");
    let mut replay = Replay::new(decisions.to_vec());
    let execution = Interpreter::new(&program).call(&start, this, m, args.to_vec(), &mut replay);
    assert_eq!(replay.left(), 0, "{text}");
    execution
}

fn fields(execution: &Execution) -> Vec<Value> {
    let configuration = &execution.configuration;
    match configuration.this.and_then(|id| configuration.object(id)) {
        Some(HeapObject::Instance { fields, .. }) => fields.clone(),
        other => panic!("{other:?}"),
    }
}

/// Runs `m` with this body on `x = 0`, with the exceptions `E` and `F`; gives `x`.
fn body(statements: &str, decisions: &[Decision]) -> (Outcome, i64) {
    let text = format!(
        "exception E; exception F; class C {{ var x: int; action m() {{ {statements} }} }}"
    );
    let execution = run(&text, &[int(0)], &[], decisions);
    let x = match &fields(&execution)[0] {
        Value::Int(n) => i64::try_from(n).expect("small"),
        other => panic!("{other:?}"),
    };
    (execution.outcome, x)
}

fn normal() -> Outcome {
    Outcome::Normal(Vec::new())
}

fn raised(exception: BuiltinException) -> Outcome {
    Outcome::Exception(exception.id())
}

/// The first and second exception of the program's own.
const E: Outcome = Outcome::Exception(ExceptionId(6));
const F: Outcome = Outcome::Exception(ExceptionId(7));

fn value(n: i64) -> Decision {
    Decision::Value(int(n))
}

#[test]
fn a_switch_takes_one_branch() {
    let of = |n: i64| {
        body(
            &format!(
                "x := {n}; switch (x + 1) {{ case 1, 2 {{ x := 10; }} case -3 {{ x := 20; }} default {{ x := x + 30; }} }} x := x + 1;"
            ),
            &[],
        )
    };
    assert_eq!(of(0), (normal(), 11));
    assert_eq!(of(1), (normal(), 11));
    assert_eq!(of(-4), (normal(), 21));
    assert_eq!(of(2), (normal(), 33));
    // What is looked at may not be there, even where there is nothing to choose.
    let nothing = "switch (1 div x == 0) { case true, false { x := 1; } }";
    assert_eq!(body(nothing, &[]), (raised(DivisionByZero), 0));
    let left = "while (true) { switch (x) { case 3 { break; } default { x := x + 1; } } }";
    assert_eq!(body(left, &[]), (normal(), 3));
}

#[test]
fn straight_lines_and_branches() {
    assert_eq!(body("x := 1; x := x + 2;", &[]), (normal(), 3));
    assert_eq!(
        body("if (x == 0) { x := 1; } else { x := 2; }", &[]),
        (normal(), 1)
    );
    assert_eq!(
        body("if (x == 1) { x := 1; } else { x := 2; }", &[]),
        (normal(), 2)
    );
    assert_eq!(
        body("if (x == 1) { x := 1; } x := x + 5;", &[]),
        (normal(), 5)
    );
    assert_eq!(body("return; x := 1;", &[]), (normal(), 0));
    let star = "if (*) { x := 1; } else { x := 2; }";
    assert_eq!(body(star, &[Decision::Branch(true)]), (normal(), 1));
    assert_eq!(body(star, &[Decision::Branch(false)]), (normal(), 2));
}

#[test]
fn loops() {
    let sum = "var i: int := 0; while (i < 5) { i := i + 1; x := x + i; }";
    assert_eq!(body(sum, &[]), (normal(), 15));
    let odd = "var i: int := 0;
        while (true) { i := i + 1; if (i == 7) { break; } if (i mod 2 == 0) { continue; } x := x + i; }
        x := 10 * x;";
    assert_eq!(body(odd, &[]), (normal(), 90));
    let nested = "var i: int := 0;
        while (i < 3) { i := i + 1; var j: int := 0;
          while (true) { j := j + 1; if (j > i) { break; } x := x + 1; } }";
    assert_eq!(body(nested, &[]), (normal(), 6));
    let early = "while (true) { while (true) { x := x + 1; if (x == 4) { return; } } }";
    assert_eq!(body(early, &[]), (normal(), 4));
    let chance = "while (*) { x := x + 1; }";
    let twice = [true, true, false].map(Decision::Branch);
    assert_eq!(body(chance, &twice), (normal(), 2));
    assert_eq!(body("while (true) { x := 1; }", &[]).0, Outcome::OutOfFuel);
    // A loop's invariants are not executed.
    assert_eq!(
        body("while (x < 2) invariant x == 7 { x := x + 1; }", &[]),
        (normal(), 2)
    );
}

#[test]
fn exceptions() {
    assert_eq!(body("x := 1; throw E; x := 2;", &[]), (E, 1));
    assert_eq!(
        body("try { throw E; } catch E { x := 1; } x := x + 4;", &[]),
        (normal(), 5)
    );
    assert_eq!(body("try { throw E; } catch F { x := 1; }", &[]), (E, 0));
    assert_eq!(
        body(
            "try { throw F; } catch E { x := 1; } catch F { x := 2; }",
            &[]
        ),
        (normal(), 2)
    );
    assert_eq!(
        body(
            "try { try { throw E; } catch F { x := 1; } } catch E { x := 2; }",
            &[]
        ),
        (normal(), 2)
    );
    // A handler is outside its own `try`.
    assert_eq!(
        body(
            "try { throw E; } catch E { throw F; } catch F { x := 1; }",
            &[]
        ),
        (F, 0)
    );
    assert_eq!(
        body("try { x := 3; } catch E { x := 1; }", &[]),
        (normal(), 3)
    );
    // Out of a `try` it no longer catches.
    let left = "while (true) { try { break; } catch E { x := 1; } } throw E;";
    assert_eq!(body(left, &[]), (E, 0));
    let again = "while (x < 3) { try { x := x + 1; continue; } catch E { x := 9; } } throw E;";
    assert_eq!(body(again, &[]), (E, 3));
    let caught = "while (x < 3) { try { x := x + 1; throw E; } catch E { continue; } }";
    assert_eq!(body(caught, &[]), (normal(), 3));
}

#[test]
fn labels_handlers_and_last_statements() {
    let twice =
        "o: while (true) { x := x + 1; while (true) { if (x < 3) { continue o; } break o; } }";
    assert_eq!(body(twice, &[]), (normal(), 3));
    let block = "o: { p: { x := 1; break o; } x := 2; } x := x + 10;";
    assert_eq!(body(block, &[]), (normal(), 11));
    let past = "while (true) { o: { x := 1; break; } x := 2; }";
    assert_eq!(body(past, &[]), (normal(), 1));
    let several = "try { throw F; } catch E, F { x := 1; }";
    assert_eq!(body(several, &[]), (normal(), 1));
    let all = "try { x := 1 div x; } catch E { x := 1; } catch { x := 2; }";
    assert_eq!(body(all, &[]), (normal(), 2));
    let again = "try { throw F; } catch { try { throw E; } catch E { x := 1; } throw; }";
    assert_eq!(body(again, &[]), (F, 1));
    let last = |tried: &str| {
        body(
            &format!(
                "o: while (x < 5) {{ try {{ {tried} }} catch E {{ x := x + 1; }} finally {{ x := x + 2; }} x := 9; }} x := x + 10;"
            ),
            &[],
        )
    };
    assert_eq!(last("x := 1;"), (normal(), 19));
    assert_eq!(last("return;"), (normal(), 2));
    assert_eq!(last("break;"), (normal(), 12));
    assert_eq!(last("continue o;"), (normal(), 16));
    assert_eq!(last("throw E;"), (normal(), 19));
    assert_eq!(last("x := 1; throw F;"), (F, 3));
    // The last statements have the last word.
    let word = "while (true) { try { throw E; } finally { break; } } x := 4;";
    assert_eq!(body(word, &[]), (normal(), 4));
    let other = "try { throw E; } finally { throw F; }";
    assert_eq!(body(other, &[]), (F, 0));
    let nested = "try { try { return; } finally { x := 1; } } finally { x := x * 10; }";
    assert_eq!(body(nested, &[]), (normal(), 10));
}

#[test]
fn what_an_operation_raises_can_be_caught() {
    assert_eq!(body("x := 1 div x;", &[]), (raised(DivisionByZero), 0));
    assert_eq!(body("if (1 mod x == 0) { }", &[]).0, raised(DivisionByZero));
    assert_eq!(
        body(
            "try { x := 1 div x; } catch DivisionByZero { x := 8; }",
            &[]
        ),
        (normal(), 8)
    );
    assert_eq!(body("assert x == 1;", &[]).0, raised(AssertionFailure));
    assert_eq!(body("assert x == 0; x := 1;", &[]), (normal(), 1));
    assert_eq!(body("assert 1 div x == 0;", &[]).0, raised(DivisionByZero));
}

#[test]
fn assumptions_and_havoc() {
    assert_eq!(body("assume x == 0; x := 1;", &[]), (normal(), 1));
    assert_eq!(body("assume x == 1; x := 1;", &[]), (Outcome::Blocked, 0));
    assert_eq!(body("assume 1 div x == 0;", &[]).0, raised(DivisionByZero));
    assert_eq!(body("havoc x; x := x + 1;", &[value(41)]), (normal(), 42));
    let local = "var y: int; x := y;";
    assert_eq!(body(local, &[value(3)]), (normal(), 3));
    let coin = "var b: bool := *; if (b) { x := 1; }";
    assert_eq!(body(coin, &[Decision::Value(yes())]), (normal(), 1));
    // A witness with a value outside the type is not believed.
    let nat = body("var y: nat; x := y;", &[value(-1)]);
    assert!(matches!(nat.0, Outcome::Undetermined(_)));
    // Nor one that says too little.
    assert!(matches!(body("havoc x;", &[]).0, Outcome::Undetermined(_)));
}

#[test]
fn calls_and_results() {
    let text = "class C { var x: int; var y: int;
        procedure swap(a: int, b: int) returns (c: int, d: int) { c := b; d := a; }
        procedure half(a: int) returns (h: int) requires a mod 2 == 0 { return a div 2; }
        action m(p: int) returns (r: int)
          { x, y := swap(p, 2 * p); var h: int := half(x); r := h + y; } }";
    let execution = run(text, &[int(0), int(0)], &[int(5)], &[]);
    assert_eq!(execution.outcome, Outcome::Normal(vec![int(10)]));
    assert_eq!(fields(&execution), [int(10), int(5)]);
    let text = text.replace("half(x)", "half(y)");
    let execution = run(&text, &[int(0), int(0)], &[int(5)], &[]);
    assert_eq!(execution.outcome, raised(RequiresViolation));
}

#[test]
fn a_result_without_a_value_is_chosen_when_it_is_looked_at() {
    let text = "class C { var x: int;
        procedure p(set: bool) returns (r: int) { if (set) { r := 1; } }
        action m(set: bool) { p(set); x := p(set); } }";
    assert_eq!(fields(&run(text, &[int(0)], &[yes()], &[])), [int(1)]);
    assert_eq!(
        fields(&run(text, &[int(0)], &[no()], &[value(6)])),
        [int(6)]
    );
    let text = "class C { action m() returns (r: int, s: int) { s := r + r; } }";
    let execution = run(text, &[], &[], &[value(4)]);
    assert_eq!(execution.outcome, Outcome::Normal(vec![int(4), int(8)]));
}

#[test]
fn parameter_types_are_requirements() {
    let text = "class C { var x: int; procedure p(n: nat) { }
        action m(a: int) { p(a); } }";
    assert_eq!(run(text, &[int(0)], &[int(0)], &[]).outcome, normal());
    assert_eq!(
        run(text, &[int(0)], &[int(-1)], &[]).outcome,
        raised(RequiresViolation)
    );
    let text = "class D { } class C { var d: D?; procedure p(d: D) { } action m() { p(d); } }";
    assert_eq!(
        run(text, &[Value::Null], &[], &[]).outcome,
        raised(RequiresViolation)
    );
}

#[test]
fn a_call_looks_at_the_receiver_first() {
    let text = "class D { procedure p(a: int) requires a == 1 { } }
        class C { var d: D?; action m() { d.p(1 div 0); } }";
    assert_eq!(
        run(text, &[Value::Null], &[], &[]).outcome,
        raised(NullDereference)
    );
}

#[test]
fn exceptions_leave_calls() {
    let text = "exception E; class C { var x: int;
        procedure p(n: int) { x := x + 1; if (n == 0) { throw E; } p(n - 1); x := 100; }
        action m() { try { p(3); } catch E { x := x * 10; } } }";
    let execution = run(text, &[int(0)], &[], &[]);
    assert_eq!(
        (execution.outcome.clone(), fields(&execution)),
        (normal(), vec![int(40)])
    );
}

#[test]
fn recursion_is_limited_by_fuel_only() {
    let text = "class C { var x: int;
        procedure p(n: int) { if (n > 0) { x := x + 1; p(n - 1); } }
        action m(n: int) { p(n); } }";
    let execution = run(text, &[int(0)], &[int(9000)], &[]);
    assert_eq!(
        (execution.outcome.clone(), fields(&execution)),
        (normal(), vec![int(9000)])
    );
    let execution = run(text, &[int(0)], &[int(1_000_000)], &[]);
    assert_eq!(execution.outcome, Outcome::OutOfFuel);
}

#[test]
fn objects() {
    let text = "class Node { var value: int; var next: Node?; const id: int; var zero: int := 0;
          constructor(v: int) requires v > 0 { value := v + zero; next := null; }
          constructor after(n: Node) { value := n.value + 1; next := n; }
          action bump() { value := value + 10; } }
        class C { var first: Node?; var x: int;
          action m(v: int) {
            first := new Node(v); first := new Node.after(first); first.next.bump();
            first.next.value := first.next.value + 100;
            x := first.value * 1000 + first.next.value; } }";
    // The fields without an initial value are chosen, in order: value, next, id.
    let choose = |id| [value(-1), Decision::Value(Value::Null), value(id)];
    let decisions = [choose(1), choose(2)].concat();
    let execution = run(text, &[Value::Null, int(0)], &[int(5)], &decisions);
    assert_eq!(execution.outcome, normal());
    assert_eq!(fields(&execution)[1], int(6115));
    let execution = run(text, &[Value::Null, int(0)], &[int(0)], &[]);
    assert_eq!(execution.outcome, raised(RequiresViolation));
    assert_eq!(fields(&execution)[0], Value::Null);
}

#[test]
fn objects_without_a_constructor() {
    let text = "class D { var v: int; initially v > 3; invariant v < 6; } class C { var d: D?; action m() { d := new D(); } }";
    let made = run(text, &[Value::Null], &[], &[value(4)]);
    assert_eq!(made.outcome, normal());
    assert_ne!(fields(&made)[0], Value::Null);
    assert_eq!(
        run(text, &[Value::Null], &[], &[value(3)]).outcome,
        Outcome::Blocked
    );
}

#[test]
fn references_are_shared() {
    let text = "class D { var v: int; constructor() { v := 0; } }
        class C { var x: int; action m() {
          var a: D := new D(); var b: D := a; var c: D := new D();
          b.v := 7; x := a.v; if (a == b && a != c) { x := x + c.v + 1; } } }";
    // Each `var` with a value is one assignment; each new object chooses its `v` first.
    let execution = run(text, &[int(0)], &[], &[value(1), value(2)]);
    assert_eq!(
        (execution.outcome.clone(), fields(&execution)),
        (normal(), vec![int(8)])
    );
}

#[test]
fn arrays() {
    let text = "class C { var a: array<int>?; var x: int;
        action m(n: int, i: int) { a := new int[n]; a[i] := a[i] + 1; x := a[i] * 10 + a.length; } }";
    let run = |n: i64, i: i64, decisions: &[Decision]| {
        run(text, &[Value::Null, int(0)], &[int(n), int(i)], decisions)
    };
    let execution = run(2, 1, &[value(3), value(5)]);
    assert_eq!(execution.outcome, normal());
    assert_eq!(fields(&execution)[1], int(62));
    assert_eq!(
        run(2, 2, &[value(3), value(5)]).outcome,
        raised(IndexOutOfRange)
    );
    assert_eq!(
        run(2, -1, &[value(3), value(5)]).outcome,
        raised(IndexOutOfRange)
    );
    assert_eq!(run(0, 0, &[]).outcome, raised(IndexOutOfRange));
    assert_eq!(run(-1, 0, &[]).outcome, raised(NegativeLength));
    assert_eq!(run(1 << 40, 0, &[]).outcome, Outcome::OutOfFuel);
}

#[test]
fn operands_of_a_place_then_the_value_then_the_place() {
    let m = |body: &str| {
        let text = format!(
            "class D {{ var v: int; }}
             class C {{ var a: array<int>?; var d: D?; var x: int;
               procedure p() returns (r: int) {{ x := x + 1; r := 1; }}
               procedure two() returns (r: int, s: int) {{ r := 1; s := 2; }}
               action m() {{ {body} }} }}"
        );
        let execution = run(&text, &[Value::Null, Value::Null, int(0)], &[], &[]);
        (execution.outcome.clone(), fields(&execution)[2].clone())
    };
    // The operands are before the value, the null check of the place is behind it.
    assert_eq!(
        m("a[1 div x] := a.length;"),
        (raised(DivisionByZero), int(0))
    );
    assert_eq!(
        m("a[a.length] := 1 div x;"),
        (raised(NullDereference), int(0))
    );
    assert_eq!(m("a[0] := 1 div x;"), (raised(DivisionByZero), int(0)));
    assert_eq!(m("d.v := 1 div x;"), (raised(DivisionByZero), int(0)));
    assert_eq!(m("a[0] := 1;"), (raised(NullDereference), int(0)));
    // The call is made before the place is found to be none.
    assert_eq!(m("a[0] := p();"), (raised(NullDereference), int(1)));
    assert_eq!(m("d.v := p();"), (raised(NullDereference), int(1)));
    assert_eq!(m("a[1 div x] := p();"), (raised(DivisionByZero), int(0)));
    // All places are checked before the first is written.
    assert_eq!(m("x, d.v := two();"), (raised(NullDereference), int(0)));
}

#[test]
fn an_index_is_what_it_was_before_the_call() {
    let text = "class C { var a: array<int>; var i: int;
        procedure p() returns (r: int) { i := 1; r := 9; }
        action m() { a := new int[2]; i := 0; a[i] := p(); i := a[0] * 10 + a[1]; } }";
    let execution = run(text, &[Value::Null, int(0)], &[], &[value(3), value(4)]);
    assert_eq!(fields(&execution)[1], int(94));
}

#[test]
fn maps() {
    let text = "class C { var m2: map<int, int>; var x: int;
        action m() { m2[3] := 4; x := m2[3] + m2[5]; } }";
    let program = program(text);
    let keys = crate::interp::Keys::of(&program, &crate::ir::Type::Int);
    let map = crate::interp::Map::constant(keys, int(30));
    let execution = run(text, &[Value::Map(map.clone()), int(0)], &[], &[]);
    assert_eq!(
        fields(&execution),
        [Value::Map(map.store(int(3), int(4))), int(34)]
    );
}

#[test]
fn routines_without_a_body() {
    let text = "exception E; class C { var x: int; var y: int;
        procedure p(a: int) returns (r: int) requires a > 0
          ensures x == old(x) + a && r == old(y)
        procedure q() throws E ensures x > 0;
        procedure z() modifies y;
        action m(a: int) { y := 7; y := p(a); try { q(); } catch E { y := y + 1; } z(); } }";
    let run = |a: i64, decisions: &[Decision]| run(text, &[int(1), int(0)], &[int(a)], decisions);
    let normal_exit = Decision::Exit(None);
    // p: x, r; q: exit, x; z: y
    let all = [value(5), value(7), normal_exit.clone(), value(9), value(3)];
    let execution = run(4, &all);
    assert_eq!(
        (execution.outcome.clone(), fields(&execution)),
        (normal(), vec![int(9), int(3)])
    );
    assert_eq!(run(4, &[value(6), value(7)]).outcome, Outcome::Blocked);
    assert_eq!(run(4, &[value(5), value(0)]).outcome, Outcome::Blocked);
    assert_eq!(run(0, &[]).outcome, raised(RequiresViolation));
    let blocked = [value(5), value(7), normal_exit, value(0)];
    assert_eq!(run(4, &blocked).outcome, Outcome::Blocked);
    // After an exception the frame is arbitrary and `ensures` says nothing.
    let thrown = Decision::Exit(Some(ExceptionId(6)));
    let execution = run(4, &[value(5), value(7), thrown, value(-2), value(3)]);
    assert_eq!(
        (execution.outcome.clone(), fields(&execution)),
        (normal(), vec![int(-2), int(3)])
    );
    // `q` does not throw this one.
    let wrong = Decision::Exit(Some(ExceptionId(0)));
    let execution = run(4, &[value(5), value(7), wrong]);
    assert!(matches!(execution.outcome, Outcome::Undetermined(_)));
}

#[test]
fn the_frame_is_this_object_and_all_objects_of_other_classes() {
    let text = "class D { var v: int; constructor(a: int) { v := a; } action up() ensures v == old(v) + 1; }
        class C { var x: int; procedure p() modifies D.v;
          action m() { var d: D := new D(1); var e: D := new D(2); d.up(); x := d.v * 10 + e.v; p(); x := x * 100 + d.v * 10 + e.v; } }";
    // Two fresh objects, up: only d.v; p: both.
    let decisions = [0, 0, 2, 5, 6].map(value);
    let execution = run(text, &[int(0)], &[], &decisions);
    assert_eq!(
        (execution.outcome.clone(), fields(&execution)),
        (normal(), vec![int(2256)])
    );
}

#[test]
fn constructors_start_with_initial_values() {
    let text = "class C { var x: int := 4; var y: int; const c: int;
        constructor(a: int) { y := x + a; x := 0; } action m() { } }";
    let program = program(text);
    let class = super::last_class(&program);
    let constructor = routine(&program, "C");
    let mut replay = Replay::new([value(77), value(8)]);
    let execution = Interpreter::new(&program).construct(
        &Configuration::empty(),
        class,
        Some(constructor),
        vec![int(3)],
        &mut replay,
    );
    assert_eq!(execution.outcome, normal());
    assert_eq!(fields(&execution), [int(0), int(7), int(8)]);
}

#[test]
fn a_constructor_without_a_body_chooses_each_field_once() {
    let text = "class C { var x: int; var y: int := 1; var z: int;
        constructor() ensures x > 3 && y > 1; action m() { } }";
    let program = program(text);
    let construct = |decisions: &[i64]| {
        let mut replay = Replay::new(decisions.iter().map(|n| value(*n)));
        let class = super::last_class(&program);
        let constructor = Some(routine(&program, "C"));
        let start = Configuration::empty();
        Interpreter::new(&program).construct(&start, class, constructor, vec![], &mut replay)
    };
    // z is arbitrary, then x and y may change.
    let made = construct(&[9, 4, 2]);
    assert_eq!(
        (made.outcome.clone(), fields(&made)),
        (normal(), vec![int(4), int(2), int(9)])
    );
    assert_eq!(construct(&[9, 3, 2]).outcome, Outcome::Blocked);
    assert_eq!(construct(&[9, 4, 1]).outcome, Outcome::Blocked);
}

/// Always the same integer, and every branch.
struct Constant(i64);

impl Choices for Constant {
    fn value(&mut self, _: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        Ok(int(self.0))
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        Ok(true)
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        _: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        Ok(None)
    }
}

#[test]
fn decisions_replay() {
    let text = "class C { var x: int; procedure p() ensures x < 100;
        action m() returns (r: int) { havoc x; if (*) { x := x + 1; } p(); } }";
    let program = program(text);
    let start = object(&program, &[int(0)]);
    let this = start.this.expect("an object");
    let interpreter = Interpreter::new(&program).with_log();
    let m = routine(&program, "m");
    let first = interpreter.call(&start, this, m, vec![], &mut Constant(8));
    assert_eq!(first.outcome, Outcome::Normal(vec![int(8)]));
    let mut replay = Replay::new(first.decisions.clone());
    let second = interpreter.call(&start, this, m, vec![], &mut replay);
    assert_eq!(first, second);
}

fn events(program: &Program, execution: &Execution) -> Vec<String> {
    let log = execution.log.as_ref().expect("a log");
    let show = |value: &Value| value.display(program);
    let line = |event: &Event| match event {
        Event::Statement(_) => "statement".to_owned(),
        Event::Branch(_, taken) => format!("branch {taken}"),
        Event::Call { routine, args, .. } => {
            let args: Vec<_> = args.iter().map(show).collect();
            format!(
                "call {}({})",
                program.routine(*routine).name,
                args.join(", ")
            )
        }
        Event::Return { routine } => format!("return {}", program.routine(*routine).name),
        Event::Field {
            field,
            before,
            after,
            ..
        } => {
            let name = &program.field(*field).name;
            format!("{name}: {} -> {}", show(before), show(after))
        }
        Event::Element {
            index,
            before,
            after,
            ..
        } => format!("[{index}]: {} -> {}", show(before), show(after)),
        Event::New(_) => "new".to_owned(),
        Event::Raise(e) => format!("raise {}", program.exception(*e)),
        Event::Catch(e) => format!("catch {}", program.exception(*e)),
    };
    log.iter()
        .map(|entry| format!("{} {}", entry.depth, line(&entry.event)))
        .collect()
}

#[test]
fn the_log_tells_what_happened() {
    let text = "exception E; class C { var x: int;
        procedure p(a: int) { x := a; if (a > 1) { throw E; } }
        action m() { p(1); try { p(2); } catch E { x := 2; } } }";
    let program = program(text);
    let start = object(&program, &[int(0)]);
    let this = start.this.expect("an object");
    let m = routine(&program, "m");
    let interpreter = Interpreter::new(&program).with_log();
    let execution = interpreter.call(&start, this, m, vec![], &mut Replay::default());
    let expected = [
        "0 call m()",
        "1 statement",
        "1 call p(1)",
        "2 statement",
        "2 x: 0 -> 1",
        "2 statement",
        "2 branch false",
        "1 return p",
        "1 statement",
        "1 statement",
        "1 call p(2)",
        "2 statement",
        "2 x: 1 -> 2",
        "2 statement",
        "2 branch true",
        "2 statement",
        "2 raise E",
        "1 catch E",
        // The value does not change.
        "1 statement",
        "0 return m",
    ];
    assert_eq!(events(&program, &execution), expected);
}

/// One condition less, of those that an `assume` asks for, and only there.
#[test]
fn a_condition_is_left_out() {
    let program = program(
        "class C { var x: int; action m(a: int, b: int) { assume a > 0 && b > 0; assume a > 0; x := 1; } }",
    );
    let start = object(&program, &[int(0)]);
    let this = start.this.expect("an object");
    let m = routine(&program, "m");
    let body = program.routine(m).body.as_ref().expect("a body");
    let assumed = body.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Assume(condition) => Some(condition),
        _ => None,
    });
    let conditions: Vec<&Expr> = assumed.flat_map(formula::conjuncts).collect();
    assert_eq!(conditions.len(), 3);
    let made = |without: Option<usize>, a: i64, b: i64| {
        let interpreter = Interpreter::new(&program);
        let interpreter = without.map_or(interpreter, |at| interpreter.without(conditions[at]));
        let mut nothing = Replay::new(Vec::new());
        let execution = interpreter.call(&start, this, m, vec![int(a), int(b)], &mut nothing);
        execution.outcome != Outcome::Blocked
    };
    assert!(made(None, 1, 1) && !made(None, 0, 1) && !made(None, 1, 0));
    // The second `assume` reads like the first one's first part, and is asked for all the same.
    assert!(!made(Some(0), 0, 1) && !made(Some(2), 0, 1));
    assert!(made(Some(1), 1, 0) && !made(Some(1), 0, 0));
}
