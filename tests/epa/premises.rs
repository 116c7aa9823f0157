//! What an EPA takes for granted, checked: the invariant, and what is assumed of states. Expected values are
//! worked out by hand.

use tranquera::epa::{Epa, Strategy};

use crate::support::program::root;
use crate::text;

fn epa(text: &str) -> Epa {
    text::construct(text, Strategy::Guided).expect("constructed")
}

/// The findings of these kinds, as `state action: message`.
fn found(epa: &Epa, kind: &str) -> Vec<String> {
    let findings = epa.findings.iter().filter(|f| f.kind == kind);
    let texts = findings.map(|f| {
        let state = f.state.as_deref().unwrap_or("-");
        let action = f.action.as_deref().unwrap_or("-");
        format!("{state} {action}: {}", f.message)
    });
    texts.collect()
}

/// Each finding has the place and each of the parts in its message.
fn check(found: &[String], expected: &[(&str, &[&str])]) {
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, (place, parts)) in found.iter().zip(expected) {
        assert!(found.starts_with(place), "{found}");
        for part in *parts {
            assert!(found.contains(part), "{part}: {found}");
        }
    }
}

const BOX: &str = "exception Full;
    class Box {
      var size: int; var money: nat;
      invariant 0 <= size <= 1;
      invariant money <= 10;
      constructor(n: int) requires n >= 0 { size := n; money := 0; }
      action push() { size := size + 1; if (size > 1) { throw Full; } }
      action pay(n: int) requires n <= 1 { money := money + n; }
      action pop() requires size > 0 { size := size - 1; }
    }";

/// The real Boogie takes these questions, and says the same.
#[test]
fn by_boogie() {
    let assumed = format!(
        "class C {{ {SWITCH}
           action skip() requires on {{ on := false; }}
           state {{ start }} assumes n == 0;
           constructor(k: int) {{ on := false; n := k; }}
         }}"
    );
    for text in [BOX, &assumed] {
        let findings = |engine: &str| -> Vec<(String, Option<String>, Option<String>)> {
            let epa = text::construct_by(engine, text, Strategy::Guided).expect("constructed");
            let findings = epa.findings.into_iter();
            findings.map(|f| (f.kind, f.state, f.action)).collect()
        };
        let kinds = findings("builtin");
        assert!(kinds.len() >= 2, "{kinds:?}");
        assert_eq!(findings("boogie"), kinds);
    }
}

#[test]
fn which_call_breaks_which_clause() {
    let epa = epa(BOX);
    // The constructor leaves out an upper bound; `push` counts before it throws, and so breaks the clause only in
    // its exceptional exit, and only with a full box; `pay` takes too much and gives money away; `pop` keeps
    // everything.
    check(
        &found(&epa, "broken-invariant"),
        &[
            (
                "- Box(int): ",
                &[
                    "does not establish `invariant 0 <= size && size <= 1;`",
                    "called with n = ",
                ],
            ),
            (
                "S2 push: ",
                &[
                    "breaks `invariant 0 <= size && size <= 1;`: in S2 with size = 1",
                    "it ends in Full with size = 2",
                ],
            ),
            (
                "",
                &[
                    "`pay` breaks `invariant money <= 10;`",
                    "money = 10, called with n = 1, it ends with money = 11",
                ],
            ),
            (
                "",
                &[
                    "`pay` breaks the type of `money: nat`",
                    "it ends with money = -",
                ],
            ),
        ],
    );
}

#[test]
fn a_failing_operation_may_leave_the_invariant_broken() {
    // The division fails behind the first assignment. Exceptions of operations have no edges, and are looked at
    // all the same.
    let epa = epa("class C {
          var x: int; var y: int;
          invariant x == y;
          constructor() { x := 0; y := 0; }
          action set(n: int) { x := n; y := (n * n) div n; }
        }");
    let found = found(&epa, "broken-invariant");
    check(
        &found,
        &[(
            "S1 set: ",
            &[
                "`set` breaks `invariant x == y;`: in S1 with x = ",
                "called with n = 0, it ends in DivisionByZero with x = 0",
            ],
        )],
    );
}

#[test]
fn an_invariant_that_is_kept_is_quiet() {
    let epa = epa("class C {
          var x: int; var y: int;
          invariant x == y;
          constructor() { x := 0; y := 0; }
          action set(n: int) { x := n; y := n; }
        }");
    assert_eq!(epa.findings, []);
}

#[test]
fn the_invariant_of_another_object() {
    let epa = epa(
        "class Cell { var n: int; invariant n >= 0; constructor() { n := 0; } }
        class C {
          var cell: Cell;
          constructor() { cell := new Cell(); }
          action spoil() { cell.n := 0 - 1; }
        }",
    );
    check(
        &found(&epa, "broken-invariant"),
        &[(
            "S1 spoil: ",
            &["`spoil` breaks the invariant of another object: in S1"],
        )],
    );
}

#[test]
fn what_the_elements_of_an_array_promise() {
    let epa = epa("class C {
          var a: array<nat>?;
          constructor() { a := null; }
          action make() { a := new nat[1]; }
          action spoil() requires a != null && a.length > 0 { a[0] := 0 - 1; }
        }");
    check(
        &found(&epa, "broken-invariant"),
        &[(
            "S2 spoil: ",
            &["`spoil` breaks what an array's elements promise by their type: in S2"],
        )],
    );
}

#[test]
fn an_invariant_that_nothing_satisfies() {
    let epa = epa("class C {
          var x: int; var y: nat;
          invariant x > 3;
          invariant y < 5;
          invariant x < 2;
          constructor() { x := 1; y := 0; }
          action a() { }
        }");
    assert_eq!(epa.states, []);
    check(
        &found(&epa, "contradictory-invariant"),
        &[(
            "- -: ",
            &["`invariant x > 3;` and `invariant x < 2;` contradict each other"],
        )],
    );
    // A type's promise can contradict as well.
    let epa = self::epa(
        "class C { var y: nat; invariant y < 0; constructor() { y := 1; } action a() { } }",
    );
    check(
        &found(&epa, "contradictory-invariant"),
        &[(
            "- -: ",
            &["`invariant y < 0;` and the type of `y: nat` contradict each other"],
        )],
    );
}

#[test]
fn a_start_that_contradicts() {
    let cases = [
        (
            "class C { var x: int := 7; var y: nat; invariant x < 5; initially y > 2; action a() { } }",
            "the value that `x` is declared with and `invariant x < 5;` contradict each other",
        ),
        (
            "class C { var x: int; initially x > 2; initially x < 1; action a() { } }",
            "`initially x > 2;` and `initially x < 1;` contradict each other",
        ),
        (
            "class C { var x: int; initially x != x; action a() { } }",
            "can never hold",
        ),
    ];
    for (text, expected) in cases {
        let epa = epa(text);
        assert_eq!(epa.states, []);
        check(
            &found(&epa, "contradictory-start"),
            &[("- -: ", &[expected])],
        );
    }
}

#[test]
fn constructors_that_make_nothing() {
    let epa = epa("class D {
          var x: int;
          constructor(n: int) requires n > 3 && n < 2 { x := n; }
          constructor() { assume false; }
          action a() { }
        }");
    check(
        &found(&epa, "no-object"),
        &[
            ("- D(int): ", &["what it requires can never be met"]),
            ("- D(): ", &["it always fails, loops for ever"]),
        ],
    );
}

const SWITCH: &str = "var on: bool; var n: int;
    action start() requires !on { on := true; n := 1; }
    action stop() requires on { on := false; n := 0; }";

#[test]
fn what_is_assumed_of_a_state_is_proved_where_it_can_be() {
    let epa = epa(&format!(
        "class C {{ {SWITCH}
           state {{ start }} assumes n == 0;
           state {{ stop }} assumes n == 1;
           constructor() {{ on := false; n := 0; }}
         }}"
    ));
    assert_eq!(epa.findings, []);
    assert_eq!(
        epa.notes,
        [
            "`n == 0`, assumed of S1, is proved: every call that ends there establishes it",
            "`n == 1`, assumed of S2, is proved: every call that ends there establishes it",
        ]
    );
}

#[test]
fn what_is_assumed_of_a_state_but_does_not_hold() {
    let epa = epa(&format!(
        "class C {{ {SWITCH}
           action skip() requires on {{ on := false; }}
           state {{ start }} assumes n == 0;
           constructor() {{ on := false; n := 0; }}
           constructor(k: int) {{ on := false; n := k; }}
         }}"
    ));
    // Any other number than 0 does, and after `start` it is a 1 that `skip` keeps.
    check(
        &found(&epa, "false-assumption"),
        &[(
            "S1 C(int): ",
            &["`n == 0` is assumed of S1, but `C(int)` ends there without it"],
        )],
    );
    check(
        &found(&epa, "unproved-assumption"),
        &[(
            "S1 skip: ",
            &[
                "`skip`, called in S2 with on = true, n = ",
                "ends there without it",
            ],
        )],
    );
    assert_eq!(epa.notes, [] as [&str; 0]);
}

#[test]
fn what_is_assumed_of_a_state_contradicts() {
    let epa = epa(&format!(
        "class C {{ {SWITCH}
           state {{ start, stop }} assumes n > 3;
           state {{ start }} assumes on;
           constructor() {{ on := false; n := 0; }}
         }}"
    ));
    check(
        &found(&epa, "contradictory-assumption"),
        &[
            (
                "- -: ",
                &[
                    "`n > 3` is assumed of {start, stop}, but no configuration enables exactly these",
                ],
            ),
            (
                "- -: ",
                &["`on` is assumed of {start}, but contradicts what holds there"],
            ),
        ],
    );
    // The constructor does make an object.
    check(&found(&epa, "no-object"), &[]);
}

/// TOSEM 2013, §5.3.4: the properties with which the Socket's second EPA was made are stated without a proof there.
#[test]
fn the_pseudo_invariant_of_the_socket_is_proved() {
    let path = root().join("fixtures/tosem-2013/socket_second.tq");
    let epa = epa(&std::fs::read_to_string(path).expect("there"));
    let proved = epa.notes.iter().filter(|n| n.contains("is proved")).count();
    assert_eq!(proved, 2, "{:?}", epa.notes);
}
