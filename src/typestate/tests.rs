//! When calls end, worked out by hand, and by both analyses: backwards, and along paths.

use super::cases::Case;
use super::conditions::Conditions;
use super::precondition::{NormalForm, PathAnalysis, PreconditionOptions, PreconditionTarget};
use crate::front::tq;
use crate::ir::backwards::{WantedEnd, Which};
use crate::ir::{ClassId, Expr, Program, RoutineRef, expr_text, formula};

/// A call of `m` of the last class, or of its constructor, and where it is to end.
struct Call {
    program: std::sync::Arc<Program>,
    routine: RoutineRef,
    /// Nothing for the error.
    state: Option<Expr>,
}

impl Call {
    fn of(members: &str, target: &str) -> Self {
        let others = "exception Bad; exception Worse; class Cell { var value: int; var on: bool; var next: Cell?; }";
        let wanted = if target.is_empty() { "true" } else { target };
        let text =
            format!("{others} class C {{ {members} function wanted(): bool {{ {wanted} }} }}");
        let loaded = tq::parse_text("test", &text).expect("well-formed");
        let program = loaded.program;
        let class = ClassId(program.classes.len() - 1);
        let declared = program.class(class);
        let mut routines = declared.routines.iter();
        let index = routines.position(|r| r.name == "m" || r.name == "C");
        let index = index.expect("a routine");
        let wanted = declared.functions.iter().find(|f| f.name == "wanted");
        let state = (!target.is_empty()).then(|| wanted.expect("it").body.clone());
        Call {
            routine: RoutineRef { class, index },
            state,
            program,
        }
    }

    /// The cases as `fields | parameters`, with `?` behind those that are not certain.
    fn shown(&self, program: &Program, cases: &[Case]) -> Vec<String> {
        let show = |list: &[Expr]| {
            let texts = list.iter();
            let texts = texts.map(|e| expr_text(program, self.routine.class, e));
            texts.collect::<Vec<_>>().join(" && ")
        };
        let line = |c: &Case| {
            let mark = if c.is_certain() { "" } else { " ?" };
            format!("{} | {}{mark}", show(&c.fields), show(&c.params))
        };
        cases.iter().map(line).collect()
    }
}

/// The cases, found backwards.
fn backwards(members: &str, target: &str) -> Vec<String> {
    let call = Call::of(members, target);
    let class = call.routine.class;
    let mut analysis =
        Conditions::new(&call.program, class, &PreconditionOptions::default()).expect("Z3");
    let anywhere = formula::bool(true);
    let ends = match &call.state {
        None => WantedEnd {
            raised: Some((Which::All, anywhere.clone())),
            outside: Some(anywhere),
            refused: true,
            ..WantedEnd::default()
        },
        normal => WantedEnd {
            normal: normal.clone(),
            ..WantedEnd::default()
        },
    };
    let found = analysis.ends(Some(call.routine), &ends);
    call.shown(analysis.program(), &found)
}

/// The cases, found along paths.
fn along_paths(members: &str, target: &str, mode: NormalForm) -> Vec<String> {
    let call = Call::of(members, target);
    let options = PreconditionOptions {
        mode,
        ..PreconditionOptions::default()
    };
    let mut analysis = PathAnalysis::new(&call.program, call.routine.class, options).expect("Z3");
    let target = call
        .state
        .as_ref()
        .map_or(PreconditionTarget::Error, PreconditionTarget::State);
    let found = analysis.precondition(Some(call.routine), target);
    call.shown(analysis.program(), &found.cases)
}

/// The cases, the same either way.
fn cases(members: &str, target: &str) -> Vec<String> {
    let found = backwards(members, target);
    assert_eq!(along_paths(members, target, NormalForm::Prime), found);
    found
}

fn error(members: &str) -> Vec<String> {
    cases(members, "")
}

#[test]
fn one_case_a_path_or_as_few_conditions_as_possible() {
    let class = "var s: int; action m(p: int) {
        if (p < 0) { throw Bad; }
        if (s == 0) { throw Bad; }
    }";
    assert_eq!(
        along_paths(class, "", NormalForm::Path),
        [" | p < 0", "s == 0 | p >= 0"]
    );
    assert_eq!(error(class), [" | p < 0", "s == 0 | "]);
}

#[test]
fn values_are_put_in_and_comparisons_tidied() {
    let class = "var s: int; var t: int; action m(p: int) { var old_s: int := s; s := t + 1; t := old_s - p; }";
    assert_eq!(cases(class, "s == 3"), ["t == 2 | "]);
    assert_eq!(cases(class, "t >= 0"), [" | s - p >= 0"]);
    assert_eq!(cases(class, "s > t"), [" | t + 1 > s - p"]);
}

/// Both values are there until the condition is known.
#[test]
fn a_choice_that_is_known_has_the_value_of_its_side() {
    for (start, wanted) in [("0", " | p > 5"), ("-1", " | p > 0")] {
        let class = format!(
            "var s: int; action m(p: int) {{
                s := {start};
                if (if s < 0 then p > 0 else p > 5) {{ throw Bad; }}
            }}"
        );
        assert_eq!(error(&class), [wanted]);
    }
}

#[test]
fn what_an_operation_raises_is_an_error() {
    assert_eq!(
        error("action m(a: array<int>?, i: int) { a[i] := 1; }"),
        [" | a == null", " | i < 0", " | i >= a.length"]
    );
    assert_eq!(
        error("var s: int; action m(p: int) { s := p div s; }"),
        ["s == 0 | "]
    );
    assert_eq!(
        error("var a: array<int>?; action m(n: int) { a := new int[n]; a[2] := n; }"),
        [" | n <= 2"]
    );
    assert_eq!(
        error("var s: int; action m() { assert s > 0; }"),
        ["s <= 0 | "]
    );
    assert_eq!(
        error("var c: Cell?; action m() { c.value := 1; }"),
        ["c == null | "]
    );
    assert!(error("var c: Cell; action m() { c.value := 1; }").is_empty());
}

#[test]
fn exceptions_are_caught_by_their_handlers() {
    let class = "var s: int; action m(p: int) {
        try {
            if (p == 1) { throw Bad; }
            if (p == 2) { throw Worse; }
            s := 1;
        } catch Bad { s := 2; }
    }";
    assert_eq!(error(class), [" | p == 2"]);
    assert_eq!(cases(class, "s == 2"), [" | p == 1"]);
}

#[test]
fn two_references_may_be_the_same_object() {
    let class = "var c: Cell; action m(d: Cell) { c.value := 1; d.value := 2; }";
    assert_eq!(cases(class, "c.value == 2"), [" | c == d"]);
    assert_eq!(cases(class, "c.value == 1"), [" | c != d"]);
    // A new object is none that was there before.
    let class = "var c: Cell; action m(d: Cell) { var n: Cell := new Cell(); n.value := 1; d.value := 2; c := n; }";
    assert_eq!(cases(class, "c.value == 1"), [" | "]);
    assert!(cases(class, "c.value == 2").is_empty());
}

#[test]
fn elements_of_arrays_are_told_apart_by_array_and_index() {
    let class = "var a: array<int>; action m(b: array<int>, i: int) requires a.length > 3 && 0 <= i < b.length
        { a[2] := 5; b[i] := 6; }";
    assert_eq!(
        cases(class, "a[2] == 6"),
        ["a.length > 3 | a == b && i == 2"]
    );
}

#[test]
fn calls_are_followed_and_contracts_stand_for_bodies() {
    let inlined = "var s: int;
        procedure half(x: int) returns (y: int) requires x >= 0 { y := x div 2; if (y == 7) { throw Bad; } }
        action m(p: int) { s := half(p); }";
    assert_eq!(error(inlined), [" | p < 0", " | p div 2 == 7"]);
    let contract = "var s: int;
        procedure some(x: int) returns (y: int) requires x >= 0 ensures y > x throws Worse;
        action m(p: int) { s := some(p); }";
    // It may throw whenever it is called; and there is a larger number for each.
    assert_eq!(error(contract), [" | "]);
    assert_eq!(cases(contract, "s > 10"), [" | p >= 0"]);
    assert_eq!(cases(contract, "s < 10"), [" | p >= 0 && p < 9"]);
    let frame = "var s: int; var t: int;
        procedure change() modifies s ensures s > old(s);
        action m() { change(); }";
    let (state, mode) = ("s == 5 && t == 1", NormalForm::Prime);
    assert_eq!(backwards(frame, state), ["s < 5 && t == 1 | "]);
    assert_eq!(along_paths(frame, state, mode), ["t == 1 && s < 5 | "]);
}

#[test]
fn a_choice_goes_either_way() {
    let class = "var s: int; action m() { if (*) { throw Bad; } havoc s; }";
    assert_eq!(error(class), [" | "]);
    assert_eq!(cases(class, "s == 3"), [" | "]);
}

#[test]
fn loops_are_followed_up_to_the_bound_and_widened_behind_it() {
    let class =
        "var s: int; action m() { while (s > 0) { s := s - 1; } if (s < 0) { throw Bad; } }";
    // However many rounds there are, only a negative number at the start leads to the error: backwards, that shows after a few.
    assert_eq!(backwards(class, ""), ["s < 0 | "]);
    let found = along_paths(class, "", NormalForm::Prime);
    assert_eq!(found, ["s < 0 | ", "s > 3 |  ?"]);
    let constant = "var s: int; action m() { var i: int := 0; while (i < 10) { i := i + 1; } }";
    assert!(backwards(constant, "").is_empty());
    assert_eq!(along_paths(constant, "", NormalForm::Prime), [" |  ?"]);
    // An odd number leads to the error too.
    let by_two = class.replace("s - 1", "s - 2");
    let odd = [
        "s > 0 && s < 2 | ",
        "s > 2 && s < 4 | ",
        "s > 4 && s < 6 | ",
        "s < 0 | ",
        "s > 6 |  ?",
    ];
    assert_eq!(backwards(&by_two, ""), odd);
    let short = "var s: int; action m() { var i: int := 0; while (i < 3) { i := i + 1; } s := i; }";
    assert!(error(short).is_empty());
    assert_eq!(cases(short, "s == 3"), [" | "]);
}

#[test]
fn recursion_is_followed_up_to_the_bound() {
    let class = "var s: int;
        procedure down(n: int) { if (n == 0) { throw Bad; } if (n > 0) { down(n - 1); } }
        action m(p: int) { down(p); }";
    let either = [
        (backwards(class, ""), " | p > 3 ?"),
        (
            along_paths(class, "", NormalForm::Prime),
            " | p > 0 && p != 1 && p != 2 && p != 3 ?",
        ),
    ];
    for (found, beyond) in either {
        assert_eq!(found.last().map(String::as_str), Some(beyond));
        assert!(found.contains(&" | p == 2".to_string()), "{found:?}");
    }
}

#[test]
fn a_constructor_starts_from_any_values() {
    let class = "var s: int; var t: int := 4; constructor(p: int) { if (p > s) { throw Bad; } }";
    // Some value of `s` is smaller than any `p`.
    assert_eq!(error(class), [" | "]);
    assert_eq!(cases(class, "t == 4"), [" | "]);
    assert!(cases(class, "t == 5").is_empty());
}

#[test]
fn the_invariant_is_known_before_a_call() {
    let class =
        "var s: int; invariant 0 <= s <= 3; action m() { if (s < 0) { throw Bad; } s := s + 1; }";
    assert!(error(class).is_empty());
    assert_eq!(cases(class, "s >= 3"), ["s >= 2 | "]);
}

#[test]
fn machine_integers_wrap() {
    let class = "var s: u8; action m() { s := s + 1; }";
    assert_eq!(backwards(class, "s == 0").len(), 1);
    assert_eq!(along_paths(class, "s == 0", NormalForm::Path).len(), 1);
    // Each says in its own way that it is the largest.
    let class = "var s: u8; action m() { s := s + 1; if (s < 1) { throw Bad; } assert s != 0; }";
    assert_eq!(backwards(class, "").len(), 1);
    assert_eq!(along_paths(class, "", NormalForm::Prime).len(), 1);
}

#[test]
fn a_value_that_doubles_does_not_fill_the_memory() {
    let doubled = "s := s + s; ".repeat(40);
    let class = format!("var s: int; action m() {{ {doubled} if (s == 1) {{ throw Bad; }} }}");
    // Along paths, what it is is not known any more; so it may be 1.
    assert!(backwards(&class, "").is_empty(), "it is even");
    assert_eq!(along_paths(&class, "", NormalForm::Prime), [" | "]);
    let squared = class.replace("s + s", "s * s");
    assert_eq!(backwards(&squared, ""), [" |  ?"]);
}

/// Thousands of paths are not followed, but none is forgotten.
#[test]
fn what_has_too_many_paths_is_widened() {
    let params: Vec<String> = (0..12).map(|i| format!("p{i}: int")).collect();
    let branches: Vec<String> = (0..12)
        .map(|i| format!("if (p{i} > {i}) {{ s := s + {i}; }}"))
        .collect();
    let class = format!(
        "var s: int; action m({}) {{ {} if (s > 100) {{ throw Bad; }} }}",
        params.join(", "),
        branches.join(" ")
    );
    for found in [
        backwards(&class, ""),
        along_paths(&class, "", NormalForm::Prime),
    ] {
        assert!(found.iter().any(|case| case.ends_with('?')), "{found:?}");
    }
}

#[test]
fn what_is_nested_too_deep_is_widened() {
    let deep = |inner: &str| format!("{}{inner}{}", "if (s > 0) { ".repeat(60), " }".repeat(60));
    let class = format!(
        "var s: int; procedure p() {{ {} }} procedure q() {{ {} }} action m() {{ {} }}",
        deep("throw Bad;"),
        deep("p();"),
        deep("q();")
    );
    assert_eq!(error(&class), ["s > 0 |  ?"]);
}
