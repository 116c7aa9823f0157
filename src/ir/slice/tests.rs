//! What is kept, by hand.

use super::*;
use crate::front::tq;

/// What is left of a class, from its name on, without comments.
fn kept(members: &str) -> String {
    let text = format!(
        "exception Bad; exception Odd; class Helper {{ var n: int; }} class C {{ {members} }}"
    );
    let loaded = tq::parse_text("test", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let program = &loaded.program;
    let class = program.class_named("C").expect("it");
    let actions = program.class(class).routines_of(RoutineKind::Action);
    let actions: Vec<RoutineRef> = actions.map(|index| RoutineRef { class, index }).collect();
    let text = tq::text_of(
        &slice(program, class, &actions, &Which::All),
        &loaded.source,
    )
    .text;
    tq::parse_text("slice", &text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let (_, class) = text.split_once("class C {").expect("it");
    let lines = class.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .collect();
    let text = lines.join(" ");
    text.strip_suffix(" }").unwrap_or(&text).to_owned()
}

#[test]
fn a_counter_that_nobody_reads_is_dropped() {
    let found = kept(
        "var open: bool; var count: int; var last: int;
         action enter() { if (!open) { throw Bad; } count := count + 1; last := count; }
         action shut() { open := false; last := 0; }",
    );
    assert_eq!(
        found,
        "var open: bool; action enter() { if (!open) { throw Bad; } } action shut() { open := false; }"
    );
}

#[test]
fn what_decides_an_assignment_that_matters_is_kept() {
    let found = kept(
        "var open: bool; var count: int; var other: int;
         action enter() requires open { count := count + 1; other := count; if (count > 3) { open := false; } }",
    );
    assert_eq!(
        found,
        "var open: bool; var count: int; action enter() requires open { count := count + 1; \
         if (count > 3) { open := false; } }"
    );
}

#[test]
fn a_return_is_kept_where_it_leaves_out_what_is_kept() {
    let found = kept(
        "var open: bool; var n: int;
         action a(x: bool) { if (x) { return; } open := true; }
         action b(x: bool) { if (x) { return; } n := 1; }
         action c() requires open { }",
    );
    assert!(
        found.contains("action a(x: bool) { if (x) { return; } open := true; }"),
        "{found}"
    );
    assert!(found.contains("action b(x: bool) { }"), "{found}");
}

#[test]
fn a_loop_that_may_raise_keeps_the_ways_out_of_it() {
    let found = kept("action a(x: int) { while (10 div x > 0) { if (*) { break; } } }");
    assert_eq!(
        found,
        "action a(x: int) { l1: while (10 div x > 0) { if (*) { break l1; } } }"
    );
}

#[test]
fn an_exception_that_is_handled_elsewhere_leaves_out_what_is_behind_it() {
    // Nothing is done in the handler, and yet `n` is written only where nothing was raised.
    let found = kept(
        "var n: bool;
         procedure p(x: int) { var y: int := 1 div x; n := true; }
         action a(x: int) { try { p(x); } catch DivisionByZero { } }
         action b() requires n { }",
    );
    assert!(found.contains("1 div x"), "{found}");
}

#[test]
fn an_exception_that_nothing_depends_on_is_dropped_with_its_handler() {
    let found = kept(
        "var n: bool; var y: int;
         action a(x: int) { try { y := 1 div x; } catch DivisionByZero { y := 0; } n := true; }
         action b() requires n { }",
    );
    assert_eq!(
        found,
        "var n: bool; action a(x: int) { n := true; } action b() requires n { }"
    );
}

#[test]
fn parameters_and_results_of_procedures_that_do_not_matter_are_dropped() {
    let found = kept(
        "var open: bool; var size: int;
         procedure p(x: int, y: bool) returns (r: int, s: bool) { size := x; open := y; r := x; s := y; }
         action a(x: int, y: bool) { var r: int; var s: bool; r, s := p(x, y); if (s) { throw Bad; } }
         action b() requires open { }",
    );
    assert!(
        found.contains("procedure p(y: bool) returns (s: bool) { open := y; s := y; }"),
        "{found}"
    );
    assert!(found.contains("s := p(y);"), "{found}");
}

#[test]
fn what_an_argument_raises_is_kept() {
    let found = kept(
        "var size: int;
         procedure p(x: int) { size := x; throw Bad; }
         action a(h: Helper?) { p(h.n); }",
    );
    assert!(found.contains("p(h.n);"), "{found}");
}

#[test]
fn a_promise_that_may_be_broken_is_part_of_the_invariant() {
    let found = kept(
        "var left: nat; var right: nat; var open: bool;
         action a() { left := left - 1; right := 3; }
         action b() requires open { }",
    );
    assert_eq!(
        found,
        "var left: nat; var open: bool; action a() { left := left - 1; } action b() requires open { }"
    );
}

#[test]
fn what_a_routine_without_a_body_may_change_is_no_more_than_before() {
    let found = kept(
        "var f: bool; var g: int;
         procedure p() ensures !f modifies g
         action a() { p(); }
         action b() requires f { }",
    );
    assert!(found.contains("modifies g"), "{found}");
}

#[test]
fn a_field_of_an_object_that_may_be_null_is_written() {
    let found = kept("action a(h: Helper?) { h.n := 1; }");
    assert!(found.contains("h.n := 1;"), "{found}");
}

#[test]
fn what_goes_to_a_field_that_nobody_reads_goes_nowhere() {
    let found = kept(
        "var n: int; var open: bool;
         procedure p(x: int) returns (r: int) { r := 1 div x; }
         action a(x: int) { n := p(x); n := 1 div x; }
         action b() requires open { }",
    );
    assert!(!found.contains("var n:"), "{found}");
    assert!(found.contains("var any: int := 1 div x;"), "{found}");
    assert!(found.contains("p(x);"), "{found}");
}

#[test]
fn what_was_dropped_is_told() {
    let loaded = tq::parse_text(
        "test",
        "class C { var open: bool; var n: int; procedure p() { n := 1; }
         action a() requires open { while (*) { n := n + 1; } p(); open := false; } }",
    );
    let loaded = loaded.expect("well-formed");
    let class = ClassId(0);
    let action = RoutineRef { class, index: 1 };
    let found = slice(&loaded.program, class, &[action], &Which::All).dropped;
    let expected = [
        Dropped::Field(FieldRef { class, index: 1 }),
        Dropped::Routine(RoutineRef { class, index: 0 }),
        Dropped::Statements {
            routine: action,
            dropped: 3,
            all: 4,
            loops: 1,
        },
    ];
    assert_eq!(found, expected);
}

#[test]
fn depth_is_no_danger() {
    let depth = 200;
    let text = format!(
        "class C {{ var n: bool; action a() requires n {{ {} n := false; {} }} }}",
        "while (*) { try { ".repeat(depth / 2),
        "} catch { } }".repeat(depth / 2),
    );
    let loaded = tq::parse_text("deep", &text).expect("well-formed");
    let class = ClassId(0);
    let action = RoutineRef { class, index: 0 };
    let sliced = slice(&loaded.program, class, &[action], &Which::All);
    assert!(sliced.dropped.is_empty());
}
