//! What has the same text does the same, and what does not has another.

use super::reading;
use crate::front::tq;
use crate::ir::{RoutineKind, RoutineRef};

/// The texts of the actions of a class with these members.
fn readings(members: &str) -> Vec<(String, String)> {
    let text = format!(
        "enum K {{ A, B }}
         exception E;
         class Box {{ constructor() {{ }} }}
         class C {{
           var n: int; var m: int; var on: map<K, bool>; var box: Box?;
           constructor() {{ n := 0; m := 0; on := map<K, bool>(true); box := null; }}
           {members}
         }}"
    );
    let loaded = tq::parse_text("c.tq", &text).unwrap_or_else(|errors| panic!("{errors}"));
    let program = &loaded.program;
    let class = program.class_named("C").unwrap();
    let actions = program.class(class).routines_of(RoutineKind::Action);
    actions
        .map(|index| {
            let routine = RoutineRef { class, index };
            let name = program.routine(routine).name.clone();
            (name, reading(program, routine).unwrap())
        })
        .collect()
}

fn is_alike(members: &str) -> bool {
    let texts = readings(members);
    texts.windows(2).all(|pair| pair[0].1 == pair[1].1)
}

fn all_differ(members: &str) {
    let texts = readings(members);
    for (i, (a, one)) in texts.iter().enumerate() {
        for (b, other) in &texts[..i] {
            assert_ne!(one, other, "{a}, {b}");
        }
    }
}

#[test]
fn names_and_what_nobody_reads_make_no_difference() {
    assert!(is_alike(
        "action a(x: int) requires x > n { n := x; }
         action b(unused: Box?, y: int) returns (r: int) requires y > n { r := m; n := y; }
         action c(z: int) requires z > n { var seen: int := z + 1; seen := m; n := z; }"
    ));
}

#[test]
fn what_is_called_last_is_what_it_does() {
    assert!(is_alike(
        "action a() { n := n + 1; }
         action b() { up(K.A); }
         action c() returns (r: int) { r := first(2); }
         action d() { var k: K := K.A; if (k == K.A) { up(k); } else { n := 7; } }
         procedure up(k: K) { if (k == K.B) { throw E; } n := n + 1; }
         procedure first(i: int) returns (r: int) { r := 3; up(K.A); return; }"
    ));
}

#[test]
fn how_far_a_quantifier_goes_makes_a_difference() {
    all_differ(
        "action a() { if (!(forall k: K :: on[k])) { n := 1; } }
         action b() { if (forall k: K :: !on[k]) { n := 1; } }
         action c() { if ((forall k: K :: on[k]) ==> m > 0) { n := 1; } }
         action d() { if (forall k: K :: (on[k] ==> m > 0)) { n := 1; } }",
    );
}

#[test]
fn values_and_their_order_make_a_difference() {
    all_differ(
        "action a(x: int, y: int) { n := x - y; m := x; }
         action b(x: int, y: int) { n := y - x; m := x; }
         action c(x: int, y: int) { m := x; n := x - y; m := y; }
         action d(x: u8, y: u8) { n := x - y; m := x; }
         action e(x: int, y: int) { if (x > y) { n := 1; } m := 2; }
         action f(x: int, y: int) { if (x > y) { n := 1; return; } m := 2; }
         action g(x: int, y: int) { if (x > y) { n := 1; } else { m := 2; } }",
    );
}

#[test]
fn what_may_raise_or_have_no_value_makes_a_difference() {
    all_differ(
        "action a() requires n == 0 { n := 1; }
         action b() returns (r: int) requires n == 0 { r := 1 div m; n := 1; }
         action c() returns (r: Box) requires n == 0 { n := 1; }
         action d(some: Box) requires n == 0 { n := 1; }
         action e() requires n == 0 { if (box == box) { n := 1; } n := 2; }
         action f(hidden now: int) requires n == now { n := 1; }
         action g(now: int) requires n == now { n := 1; }
         action h() requires n == 0 { boxed(); }
         procedure boxed() returns (r: Box) { n := 1; }",
    );
}

/// Each of these ends in ten calls of the next one.
#[test]
fn a_text_has_an_end() {
    let step = |i: usize| {
        let branches: String = (0..10)
            .map(|j| format!("if (n == {j}) {{ m := {j}; p{}(); }} else {{ ", i + 1))
            .collect();
        format!(
            "procedure p{i}() {{ {branches} n := {i}; {} }}",
            "}".repeat(10)
        )
    };
    let steps: String = (1..8).map(step).collect();
    let texts = readings(&format!(
        "action a() {{ p1(); }} {steps} procedure p8() {{ n := 8; }}"
    ));
    assert!(
        texts[0].1.len() < 10 * super::LONGEST,
        "{}",
        texts[0].1.len()
    );
}
