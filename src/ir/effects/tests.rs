use std::collections::BTreeSet;

use super::{Effects, RoutineEffects, finite_support, thrown_when_legal};
use crate::ir::{ClassId, Program, RoutineRef, expr_text};

fn program(text: &str) -> Program {
    match crate::front::tq::parse_text("test.tq", text) {
        Ok(loaded) => std::sync::Arc::unwrap_or_clone(loaded.program),
        Err(diagnostics) => panic!("{diagnostics}\n{text}"),
    }
}

/// The effects of `m` of the last class.
fn of(text: &str) -> (Program, RoutineEffects) {
    let program = program(text);
    let class = ClassId(program.classes.len() - 1);
    let routines = &program.class(class).routines;
    let index = routines.iter().position(|r| r.name == "m").expect("`m`");
    let effects = Effects::of(&program);
    let found = effects.routine(RoutineRef { class, index }).clone();
    (program, found)
}

/// The exceptions of `m` with this body.
fn throws(body: &str) -> BTreeSet<String> {
    let (program, effects) = of(&format!(
        "exception E; exception F;
         class D {{ var v: int; function twice(): int {{ 2 * v }} function safe(): int {{ v div 2 }}
           function first(a: array<int>?): int {{ a[0] }}
           procedure p(a: int) requires a > 0 {{ }} procedure q() {{ v := 1; }} procedure n(a: nat) {{ }}
           procedure bodiless() throws E; }}
         class K {{ var elements: array<int>; var lost: array<int>; procedure lose(by: array<int>?) {{ lost := by; }}
           procedure first() returns (e: int) {{ e := elements[0]; }} }}
         class C {{ var x: int; var kept: K?; var d: D?; var a: array<int>?;
           procedure thrower() {{ if (x == 0) {{ throw E; }} else {{ throw F; }} }}
           procedure even(i: int) {{ if (i > 0) {{ odd(i - 1); }} }}
           procedure odd(i: int) {{ if (i > 0) {{ even(i - 1); }} else {{ throw F; }} }}
           procedure f() {{ }} procedure drop() {{ d := null; }} procedure e() returns (made: D?) {{ made := d; }}
           procedure given(k: D) returns (of: int) {{ of := k.v; }}
           action m(other: C) {{ {body} }} }}"
    ));
    let names = effects.throws.iter().map(|e| program.exception(*e));
    names.map(str::to_owned).collect()
}

fn check_throws(cases: &[(&str, &[&str])]) {
    for (body, expected) in cases {
        let expected: BTreeSet<String> = expected.iter().map(|e| (*e).to_owned()).collect();
        assert_eq!(throws(body), expected, "{body}");
    }
}

#[test]
fn exceptions_of_operations() {
    check_throws(&[
        ("x := 1;", &[]),
        ("this.x := this.x + 1;", &[]),
        ("x := x div 2 + x mod (-2);", &[]),
        ("x := x div x;", &["DivisionByZero"]),
        ("x := x mod 0;", &["DivisionByZero"]),
        ("x := d.v;", &["NullDereference"]),
        ("d.v := 1;", &["NullDereference"]),
        ("d := null;", &[]),
        ("x := a.length;", &["NullDereference"]),
        ("x := a[0];", &["NullDereference", "IndexOutOfRange"]),
        ("a[0] := 1;", &["NullDereference", "IndexOutOfRange"]),
        ("a := new int[3];", &[]),
        ("a := new int[x];", &["NegativeLength"]),
        ("assert x == 0;", &["AssertionFailure"]),
        ("assume 1 div x == 0;", &["DivisionByZero"]),
        ("while (1 div x == 0) { }", &["DivisionByZero"]),
        ("throw E;", &["E"]),
        ("x := d.twice();", &["NullDereference"]),
        ("x := d.safe();", &["NullDereference"]),
        ("x := d.first(a);", &["NullDereference", "IndexOutOfRange"]),
    ]);
}

/// What was looked at is not null until somebody may have written to it.
#[test]
fn references_that_are_not_null() {
    let null: &[&str] = &["NullDereference"];
    check_throws(&[
        ("if (d != null) { x := d.v; }", &[]),
        ("if (d == null) { x := d.v; }", null),
        ("if (d == null) { return; } x := d.v; d.v := 2; d.q();", &[]),
        ("if (d == null || d.v == 0) { x := 1; }", &[]),
        ("if (d != null || d.v == 0) { x := 1; }", null),
        ("if (d == null ==> d.v == 0) { x := 1; }", null),
        ("if (d != null ==> d.v == 0) { x := 1; }", &[]),
        ("x := if d == null then 0 else d.v;", &[]),
        ("x := if d == null then d.v else 0;", null),
        ("if (!(d == null)) { x := d.v; }", &[]),
        ("assume d != null; x := d.v;", &[]),
        ("d := new D(); x := d.v;", &[]),
        ("a := new int[3]; x := a.length;", &[]),
        ("var e: D? := new D(); d := e; x := d.v;", &[]),
        ("if (d != null) { d := e(); x := d.v; }", null),
        ("if (d != null) { drop(); x := d.v; }", null),
        ("if (d != null) { f(); x := d.v; }", &[]),
        ("if (d != null) { other.d := null; x := d.v; }", null),
        ("if (d != null) { other.d := new D(); x := d.v; }", &[]),
        ("if (other.d != null) { x := other.d.v; }", null),
        ("if (d != null) { if (*) { d := null; } x := d.v; }", null),
        ("if (d == null) { d := new D(); } x := d.v;", &[]),
        ("while (d != null) { x := d.v; d := e(); }", &[]),
        ("while (x > 0) { x := 0; d := new D(); } x := d.v;", null),
        ("while (d == null) { d := e(); } x := d.v;", &[]),
        (
            "while (d == null) { if (*) { break; } d := e(); } x := d.v;",
            null,
        ),
        ("if (d != null) { while (*) { x := d.v; d := e(); } }", null),
        (
            "if (d != null) { try { drop(); throw E; } catch E { x := d.v; } }",
            null,
        ),
        (
            "if (d != null) { try { f(); throw E; } catch E { x := d.v; } }",
            &[],
        ),
        (
            "try { assume d != null; throw E; } catch E { x := d.v; }",
            null,
        ),
        ("var k: D? := d; assume k == d; x := k.v;", null),
        ("var k: D?; assume d != null && k == d; x := k.v;", &[]),
        (
            "x := kept.first();",
            &["NullDereference", "IndexOutOfRange"],
        ),
        (
            "kept.elements[0] := 1;",
            &["NullDereference", "IndexOutOfRange"],
        ),
        (
            "if (kept != null) { kept.elements[0] := 1; }",
            &["IndexOutOfRange"],
        ),
        (
            "if (kept != null) { kept.lost[0] := 1; }",
            &["NullDereference", "IndexOutOfRange"],
        ),
        (
            "if (kept != null) { x := kept.first(); }",
            &["IndexOutOfRange"],
        ),
        ("x := given(d);", &["RequiresViolation"]),
    ]);
}

#[test]
fn exceptions_of_calls() {
    check_throws(&[
        ("f();", &[]),
        ("d.q();", &["NullDereference"]),
        ("d.p(1);", &["NullDereference", "RequiresViolation"]),
        ("d.n(1);", &["NullDereference", "RequiresViolation"]),
        ("d.bodiless();", &["NullDereference", "E"]),
        ("thrower();", &["E", "F"]),
        ("even(3);", &["F"]),
        ("odd(3);", &["F"]),
    ]);
}

/// By hand: what the clause says of a field stays so where nothing in the call writes it.
#[test]
fn what_a_contract_excludes_is_not_thrown() {
    let cases: [(&str, &str, &[&str]); 14] = [
        ("!closed", "open();", &[]),
        ("closed", "open();", &["E"]),
        ("x > 0", "open();", &["E"]),
        ("!closed && x > 0", "open();", &[]),
        ("!closed || x > 0", "open();", &["E"]),
        // Somebody writes it: what holds in the end is not known.
        ("!closed", "close(); open();", &["E"]),
        (
            "!closed",
            "open(); d.closes(this);",
            &["E", "NullDereference"],
        ),
        // The field of another object is another one.
        ("!closed", "if (other != null) { other.open(); }", &["E"]),
        ("d != null", "if (d == null) { throw E; }", &[]),
        ("d == null", "if (d != null) { throw E; } throw F;", &["F"]),
        // A handler of what is not raised is not run.
        ("!closed", "try { open(); } catch E { throw F; }", &[]),
        ("closed", "try { open(); } catch E { throw F; }", &["F"]),
        ("!closed", "around();", &[]),
        (
            "!closed",
            "while (x > 0 || closed) { open(); if (closed) { throw F; } }",
            &[],
        ),
    ];
    for (requires, body, expected) in cases {
        let program = program(&format!(
            "exception E; exception F;
             class D {{ procedure closes(c: C?) {{ c.closed := true; }} }}
             class C {{ var x: int; var closed: bool; var d: D?; var other: C?;
               procedure open() {{ if (!closed) {{ return; }} throw E; }}
               procedure close() {{ closed := true; }}
               procedure around() {{ x := x - 1; if (x > 0) {{ around(); }} open(); }}
               action m() requires {requires} {{ {body} }} }}"
        ));
        let class = ClassId(1);
        let routines = &program.class(class).routines;
        let index = routines.iter().position(|r| r.name == "m").expect("`m`");
        let routine = RoutineRef { class, index };
        let found = thrown_when_legal(&program, &Effects::of(&program), routine);
        let found: BTreeSet<&str> = found.iter().map(|e| program.exception(*e)).collect();
        assert_eq!(
            found,
            expected.iter().copied().collect(),
            "{requires}: {body}"
        );
    }
}

#[test]
fn catching_removes_exactly_what_is_caught() {
    check_throws(&[
        ("try { thrower(); } catch E { }", &["F"]),
        ("try { thrower(); } catch E { } catch F { }", &[]),
        ("try { try { thrower(); } catch E { } } catch F { }", &[]),
        ("try { throw E; } catch E { throw E; }", &["E"]),
        ("try { throw E; } catch E { throw F; } catch F { }", &["F"]),
        ("try { x := 1 div x; } catch DivisionByZero { }", &[]),
        (
            "try { x := d.v; } catch DivisionByZero { }",
            &["NullDereference"],
        ),
        ("try { x := 1; } catch E { } throw E;", &["E"]),
        (
            "if (x == 0) { try { thrower(); } catch E { } } else { throw E; }",
            &["E", "F"],
        ),
    ]);
}

#[test]
fn reads_and_writes_through_calls() {
    let (program, effects) = of("class D { var v: int; var w: int; const k: int; var i: int := 3;
            constructor() { v := k; } action set(a: array<bool>) { a[0] := true; }
            function get(): int { w } }
        class C { var x: int; var y: int; var z: int; var d: D?; var a: array<bool>; var b: array<int>?;
          procedure p() { d := new D(); q(); }
          procedure q() { d.set(a); if (y > d.get()) { p(); } b := new int[1]; }
          procedure by_contract() ensures x == old(z);
          action m() requires b == null { p(); by_contract(); } }");
    let names = |fields: &BTreeSet<_>| {
        let name = |f: &crate::ir::FieldRef| {
            format!("{}.{}", program.class(f.class).name, program.field(*f).name)
        };
        fields.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(
        names(&effects.writes),
        ["D.v", "D.w", "D.k", "D.i", "C.x", "C.d", "C.b"]
    );
    assert_eq!(
        names(&effects.reads),
        ["D.w", "D.k", "C.x", "C.y", "C.z", "C.d", "C.a", "C.b"]
    );
    let types = |set: &BTreeSet<_>| {
        let name = |ty: &_| program.type_name(ty);
        set.iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(types(&effects.writes_elements), ["int", "bool"]);
    assert_eq!(types(&effects.allocates_arrays), ["int"]);
    assert_eq!(effects.allocates, [ClassId(0)].into());
    assert!(effects.reads_elements.is_empty());
}

fn deterministic(members: &str) -> bool {
    of(&format!(
        "exception E; class C {{ var x: int; var a: array<int>?; {members} }}"
    ))
    .1
    .deterministic
}

#[test]
fn what_is_deterministic() {
    for members in [
        "action m() { x := x + 1; }",
        "action m() returns (r: int) { r := x; }",
        "action m() returns (r: int) { if (x == 0) { return 1; } r := 2; }",
        "action m() returns (r: int) { if (x == 0) { r := 1; } else { throw E; } }",
        "action m() { var y: int; y := 3; x := y; }",
        "action m() { var y: int; if (x == 0) { y := 1; } else { y := 2; } x := y; }",
        "action m() { var y: int; while (true) { y := 1; break; } x := 1; }",
        "action m() { var y: int := 0; while (y < 3) { y := y + 1; } x := y; }",
        "action m() { var y: int; y := 0; try { x := 1 div x; y := 1; } catch DivisionByZero { } x := y; }",
        "action m() { p(3); } procedure p(n: int) { if (n > 0) { p(n - 1); } }",
        "constructor m() { x := 1; a := null; }",
    ] {
        assert!(deterministic(members), "{members}");
    }
}

#[test]
fn what_is_not_deterministic() {
    for members in [
        "action m() { havoc x; }",
        "action m() { if (*) { x := 1; } }",
        "action m() { while (*) { x := x + 1; } }",
        "action m() { var y: int; x := y; }",
        "action m() { var y: int; if (x == 0) { y := 1; } x := y; }",
        "action m() { var y: int; while (x < 3) { y := 1; x := x + 1; } x := y; }",
        "action m() { var y: int := 1; while (x < 3) { x := x + y; havoc y; } }",
        "action m() { var y: int; try { x := 1 div x; y := 1; } catch DivisionByZero { } x := y; }",
        "action m() returns (r: int) { x := 1; }",
        "action m() returns (r: int) { if (x == 0) { return; } r := 2; }",
        "action m() returns (r: int) { x := r; r := 1; }",
        "action m() { a := new int[2]; }",
        "action m() { p(); } procedure p() { q(); } procedure q() { havoc x; }",
        "action m() { p(); } procedure p() modifies x;",
        "constructor m() { a := null; }",
        "constructor m() { x := x + 1; a := null; }",
        "constructor m() { p(); x := 1; a := null; } procedure p() { if (x > 0) { throw E; } }",
    ] {
        assert!(!deterministic(members), "{members}");
    }
}

#[test]
fn a_chain_of_calls_of_any_length() {
    let n = 3000;
    let links: String = (0..n)
        .map(|i| format!("procedure p{i}() {{ p{}(); }}\n", i + 1))
        .collect();
    let text = format!(
        "exception E; class C {{ var x: int; action m() {{ p0(); }} {links} procedure p{n}() {{ havoc x; throw E; }} }}"
    );
    let (_, effects) = of(&text);
    assert_eq!(effects.throws.len(), 1);
    assert_eq!(effects.writes.len(), 1);
    assert!(!effects.deterministic);
}

/// A fact, what is in a constructor and an action, and the maps that have one value at all keys but a few.
type SupportCase<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

/// The maps of a class that have one value at all keys but a few, with that value.
fn supported(fact: &str, constructor: &str, action: &str) -> Vec<(String, String)> {
    let program = program(&format!(
        "class C {{ var m: map<int, nat>; var o: map<int, nat>; var two: map<int, map<int, bool>>; var b: map<bool, nat>;
           fact {fact};
           constructor(p: int, given: map<int, nat>) {{
             o := map<int, nat>(0); two := map<int, map<int, bool>>(map<int, bool>(false)); b := map<bool, nat>(0);
             {constructor}
           }}
           action a(k: int, v: nat, given: map<int, nat>) {{ {action} }} }}"
    ));
    let class = ClassId(program.classes.len() - 1);
    let found = finite_support(&program, &Effects::of(&program), class);
    let texts = found.iter().map(|(field, value)| {
        let name = program.field(*field).name.clone();
        (name, expr_text(&program, class, value))
    });
    texts.collect()
}

#[test]
fn a_map_that_begins_with_one_value_and_is_written_key_by_key_keeps_it_at_most_keys() {
    let begins = "m := map<int, nat>(0);";
    let some_key = "exists k: int :: k != 0 && m[k] == 0";
    let m = [("m", "0")];
    let cases: &[SupportCase<'_>] = &[
        (some_key, begins, "m[k] := v;", &m),
        (some_key, begins, "m[k] := m[k] + v; m[0] := 7;", &m),
        (some_key, begins, "m := map<int, nat>(0);", &m),
        (
            "exists k: int :: 0 == m[k] && o[k] == 0",
            begins,
            "m[k] := v;",
            &[("m", "0"), ("o", "0")],
        ),
        // Nobody says that there is such a key.
        ("true", begins, "m[k] := v;", &[]),
        (
            "forall k: int :: m[k] == 0 || m[k] > 0",
            begins,
            "m[k] := v;",
            &[],
        ),
        ("exists k: int :: m[k + 1] == 0", begins, "m[k] := v;", &[]),
        // Another value than the one that it begins with.
        ("exists k: int :: m[k] == 1", begins, "m[k] := v;", &[]),
        // It begins with any value, on some way at least.
        (some_key, "m := given;", "m[k] := v;", &[]),
        (some_key, "havoc m;", "m[k] := v;", &[]),
        (
            some_key,
            "if (p > 0) { return; } m := map<int, nat>(0);",
            "m[k] := v;",
            &[],
        ),
        (
            some_key,
            "if (p > 0) { m := map<int, nat>(0); }",
            "m[k] := v;",
            &[],
        ),
        // It is written as a whole.
        (some_key, begins, "m := given;", &[]),
        (some_key, begins, "m := o;", &[]),
        (some_key, begins, "havoc m;", &[]),
        (some_key, begins, "m := map<int, nat>(1);", &[]),
        // A map of maps; and one in which there may be no such key.
        (
            "exists k: int :: two[k] == map<int, bool>(false)",
            begins,
            "two[k][k] := true;",
            &[("two", "map<int, bool>(false)")],
        ),
        ("exists k: bool :: b[k] == 0", begins, "b[true] := 1;", &[]),
    ];
    for (fact, constructor, action, expected) in cases {
        let found = supported(fact, constructor, action);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(m, v)| (m.as_str(), v.as_str()))
            .collect();
        assert_eq!(found, *expected, "fact {fact}; {constructor} | {action}");
    }
}
