//! What calls do that no edge tells, judged: errors of operations, broken invariants. Expected values are worked out by hand.

use tranquera::epa::confirm::{MishapResult, Status};
use tranquera::epa::wire::Certainty;

use super::pass::Pass;

fn mishap<'p>(pass: &'p Pass, what: &str) -> &'p MishapResult {
    let mut all = pass.found.mishaps.iter();
    all.find(|m| m.mishap == what)
        .unwrap_or_else(|| panic!("no {what}: {:#?}", pass.found.mishaps))
}

/// The calls of the run that ends in it.
fn calls(pass: &Pass, what: &str) -> Vec<String> {
    let run = mishap(pass, what).run.as_ref().expect("a run");
    assert!(run.replayed, "{run:?}");
    // The last call takes no edge; all others do.
    let (last, before) = run.calls.split_last().expect("calls");
    assert!(last.edge.is_none() && before.iter().all(|call| call.edge.is_some()));
    run.calls.iter().map(|call| call.name.clone()).collect()
}

fn is_refuted(pass: &Pass, what: &str) -> bool {
    mishap(pass, what).status == Status::Refuted { unreached: false }
}

/// The findings of a kind that are left, by their messages.
fn left<'p>(pass: &'p Pass, kind: &str) -> Vec<&'p str> {
    let findings = pass.left.findings.iter().filter(|f| f.kind == kind);
    findings.map(|f| f.message.as_str()).collect()
}

/// `m` is `n + 1`, and so never 0; `n` is 3 after three calls of `inc`.
#[test]
fn errors_of_operations() {
    let pass = Pass::judging(
        "
class Till { var n: int; var m: int;
  constructor() { n := 0; m := 1; }
  action inc() requires n < 3 { n := n + 1; m := m + 1; }
  action safe() returns (r: int) { r := 10 div m; }
  action unsafe() returns (r: int) { r := 10 div (n - 3); } }",
    );
    let error = "unsafe ends in DivisionByZero";
    assert_eq!(
        calls(&pass, error),
        ["Till()", "inc", "inc", "inc", "unsafe"]
    );
    assert!(is_refuted(&pass, "safe ends in DivisionByZero"));
    // What no object does is no finding any more.
    let told = "`unsafe` can end in DivisionByZero; some object does it (`tranquera confirm` shows the run)";
    assert_eq!(left(&pass, "runtime-error"), [told]);
    let proof = pass.found.proof.as_ref().expect("a proof");
    let refuted = |at: &usize| pass.found.mishaps[*at].mishap.as_str();
    let refuted: Vec<&str> = proof.refutes_mishaps.iter().map(refuted).collect();
    assert_eq!(refuted, ["safe ends in DivisionByZero"]);
    assert!(!proof.invariant.is_empty());
}

/// The code is 17, which nothing in the class mentions: the engine has to find it, behind runs that are known.
#[test]
fn an_argument_that_the_engine_finds() {
    let pass = Pass::judging(
        "
class Safe { var tries: int;
  constructor() { tries := 0; }
  action open(code: int) returns (r: int) requires tries < 9 {
    tries := tries + 1; r := 0;
    if (tries == 7) { r := 1 div (code * 3 - 51); } } }",
    );
    let error = "open ends in DivisionByZero";
    assert_eq!(calls(&pass, error).len(), 8);
    let run = mishap(&pass, error).run.as_ref().expect("a run");
    assert_eq!(run.calls[7].arguments[0].value, "17");
    assert_eq!(run.calls[7].exception.as_deref(), Some("DivisionByZero"));
}

/// All objects have `a == b`: `both` ends with 3 at most. Where `b` is 3, so is `a`, and `twice` makes 6 of it.
#[test]
fn broken_invariants() {
    let pass = Pass::judging(
        "
class Pair { var a: int; var b: int;
  invariant a <= 5;
  constructor() { a := 0; b := 0; }
  action both() requires b < 3 { a := a + 1; b := b + 1; }
  action twice() requires b == 3 { a := a * 2; } }",
    );
    assert!(is_refuted(&pass, "both in S1 breaks the invariant"));
    let broken = "twice in S2 breaks the invariant";
    assert_eq!(
        calls(&pass, broken),
        ["Pair()", "both", "both", "both", "twice"]
    );
    // The mark goes with what is refuted.
    let marked = pass
        .left
        .transitions
        .iter()
        .filter(|t| t.violates_invariant);
    assert_eq!(marked.filter(|t| t.action == "both").count(), 0);
    let findings = left(&pass, "broken-invariant");
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert!(findings[0].starts_with("`twice` breaks `invariant a <= 5;`"));
    assert!(findings[0].ends_with("some object does it (`tranquera confirm` shows the run)"));
}

/// Nothing leads to the state in which the call does it.
#[test]
fn a_state_that_is_refuted() {
    let pass = Pass::judging(
        "
class Gate { var open: bool; var n: int;
  invariant n <= 3;
  constructor() { open := false; n := 3; }
  action look() requires !open { open := n > 3 || open; }
  action add() requires open { n := n + 1; } }",
    );
    assert!(
        pass.found
            .mishaps
            .iter()
            .all(|m| matches!(m.status, Status::Refuted { .. }))
    );
    assert_eq!(left(&pass, "broken-invariant"), Vec::<&str>::new());
}

/// The stream is given a buffer; where another thread may have moved its ends meanwhile, the byte goes nowhere.
#[test]
fn errors_in_objects_that_are_given() {
    let text = std::fs::read_to_string(
        crate::support::program::root().join("fixtures/openjdk-17/piped_output_stream.tq"),
    )
    .expect("the class");
    let pass = Pass::judging(&text);
    for action in ["write", "writePart"] {
        let error = format!("{action} ends in IndexOutOfRange");
        assert_eq!(calls(&pass, &error).len(), 3);
    }
}

/// A new array is nobody else's: what other buffers have is as it was. (The iterator over a list, which grows, once had a `*`.)
#[test]
fn what_is_made_anew_is_nobody_elses() {
    let pass = Pass::judging(
        "
class Buffer { var data: array<int>; var used: int;
  invariant 0 <= used <= data.length;
  procedure grow() { data := new int[data.length * 2 + 1]; } }
class User { var buffer: Buffer;
  constructor(b: Buffer) { buffer := b; }
  action grow() { buffer.grow(); } }",
    );
    assert_eq!(pass.found.mishaps, []);
    assert!(
        pass.epa
            .transitions
            .iter()
            .all(|t| t.verdict == Certainty::Reached)
    );
}

/// No call tells a link of the object: that a link leads to it is no run.
#[test]
fn no_run_goes_on_with_objects_that_know_the_new_one() {
    let pass = Pass::judging(
        "
class Link { var to: C?; constructor() { to := null; } }
class C { var n: int;
  constructor() { n := 0; }
  action up() requires n < 2 { n := n + 1; }
  action linked(by: Link?) returns (r: int) requires by != null && by.to == this && n == 2 { r := 1 div (n - 2); } }",
    );
    let status = &mishap(&pass, "linked ends in DivisionByZero").status;
    assert_eq!(*status, Status::Unconfirmed { bound: 0 });
}
