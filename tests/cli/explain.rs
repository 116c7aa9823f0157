//! `tranquera explain`: why an edge is there, and what would take it away. What is expected is from the papers, or
//! worked out by hand.

use std::path::Path;

use assert_cmd::assert::Assert;
use serde_json::Value;

use crate::support::program::{root, stderr, stdout, tranquera, with_file};

fn explain(file: &Path, edge: &str, more: &[&str]) -> Assert {
    tranquera(["explain"])
        .arg(file)
        .args(["--edge", edge])
        .args(more)
        .assert()
}

fn fixture(name: &str) -> std::path::PathBuf {
    root().join("fixtures").join(name)
}

fn json(file: &Path, edge: &str) -> Value {
    let run = explain(file, edge, &["--format", "json"])
        .success()
        .stderr("");
    serde_json::from_str(&stdout(&run)).expect("JSON")
}

/// The change with this clause: who does not keep it, and what it takes away besides.
fn change(explanation: &Value, clause: &str) -> Option<(Vec<String>, Vec<String>)> {
    let names = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.filter_map(|v| Some(v.as_str()?.to_owned())).collect()
    };
    let mut changes = explanation["changes"].as_array()?.iter();
    let change = changes.find(|c| c["clause"] == clause)?;
    Some((
        names(&change["broken_by"]),
        names(&change["effect"]["removed"]),
    ))
}

/// TSE 2012, §2: what was forgotten is `rp != wp`. It takes both suspicious edges away, and every call keeps it.
#[test]
fn the_circular_buffer_lacks_a_clause() {
    let explanation = json(
        &fixture("tse-2012/circular_buffer_weak.tq"),
        "S2 -write-> S1",
    );
    assert_eq!(explanation["schema"], "tranquera/explanation/1");
    assert_eq!(explanation["changes"][0]["clause"], "invariant wp != rp;");
    let (broken_by, removed) = change(&explanation, "invariant wp != rp;").expect("found");
    assert_eq!(broken_by, [] as [&str; 0]);
    assert_eq!(removed, ["S2 -read-> S3"]);
    // The witness is one that the missing clause rules out.
    let value = |name: &str| {
        let mut values = explanation["witness"]["before"]
            .as_array()
            .expect("a list")
            .iter();
        values
            .find(|v| v["name"] == name)
            .map(|v| v["value"].clone())
    };
    assert!(value("rp").is_some());
    assert_eq!(value("rp"), value("wp"));
}

/// TSE 2012, §5.5, (4): the final contract's invariant lacks `!isSetupInitialized ==> !replicationOn`.
#[test]
fn the_deadlock_of_winsra_lacks_a_clause() {
    let explanation = json(
        &fixture("tse-2012/winsra_final.tq"),
        "{setupInitialization} -setupInitialization-> {}",
    );
    let (broken_by, removed) = change(
        &explanation,
        "invariant !isSetupInitialized ==> !replicationOn;",
    )
    .expect("found");
    assert_eq!(broken_by, [] as [&str; 0]);
    assert_eq!(removed, [] as [&str; 0]);
}

/// The vending machine of the 2016 thesis: its deadlock is reached with negative change only.
#[test]
fn the_deadlock_of_the_vending_machine() {
    let explanation = json(&fixture("corral-2016/vending_machine.tq"), "S1 Buy → S2");
    let expected = Some((vec![], vec![]));
    assert_eq!(change(&explanation, "invariant change >= 0;"), expected);
    // What holds of the witness: nothing can be called, as it is selling with negative change.
    let reasons = explanation["reasons"].as_array().expect("a list");
    let about = |about: &str| reasons.iter().find(|r| r["about"] == about).expect("there");
    let reason = about("invariant, after");
    assert_eq!(reason["condition"], "change > 0 ==> selling");
    let by = reason["by"].as_array().expect("a list");
    assert!(by.iter().any(|b| b == "change <= 0"), "{by:?}");
    assert_eq!(
        about("after, `Buy` cannot be called")["condition"],
        "selling"
    );
}

#[test]
fn a_clause_about_a_parameter() {
    let (_folder, file) = with_file(
        "class.tq",
        "class C {
          var x: int;
          invariant x >= 0;
          constructor() { x := 0; }
          action set(n: int) requires n >= 0 { x := n; }
          action use() requires x > 0 { }
        }",
    );
    // From {set, use} back to {set}: only by a zero.
    let explanation = json(&file, "{set, use} -set-> {set}");
    let (_, removed) = change(&explanation, "requires n != 0").expect("found");
    assert_eq!(removed, ["S1 -set-> S1"]);
    // As an invariant it would leave no object at all: the constructor starts with a zero.
    assert!(change(&explanation, "invariant x != 0;").is_none());
}

#[test]
fn a_frame_that_was_forgotten() {
    let (_folder, file) = with_file(
        "class.tq",
        "class C {
          var on: bool; var n: int;
          initially on && n == 0;
          action count() requires on modifies on, n ensures n == old(n) + 1
          action stop() requires on ensures !on
          action start() requires !on ensures on
        }",
    );
    // Nothing says that `count` leaves `on` as it is.
    let explanation = json(&file, "{count, stop} -count-> {start}");
    let (_, removed) = change(&explanation, "ensures on == old(on)").expect("found");
    assert_eq!(removed, [] as [&str; 0]);
    assert!(change(&explanation, "ensures on").is_some());
    let mut changes = explanation["changes"].as_array().expect("a list").iter();
    assert!(changes.all(|c| c["clause"] != "ensures n == old(n)"));
}

#[test]
fn exits_and_constructors_have_edges_too() {
    let (_folder, file) = with_file(
        "class.tq",
        "exception Empty;
        class C {
          var n: nat;
          constructor(k: int) requires k >= 0 { n := k; }
          action pop() { if (n == 0) { throw Empty; } n := n - 1; }
          action peek() requires n > 0 { }
        }",
    );
    let explanation = json(&file, "{pop} -pop!Empty-> {pop}");
    // Nothing suits: without it, `pop` could not be called in an empty stack, which it always is there.
    assert_eq!(explanation["witness"]["before"][0]["value"], "0");
    let explanation = json(&file, "C(int) -> {pop}");
    let (_, removed) = change(&explanation, "requires k != 0").expect("found");
    assert_eq!(removed, [] as [&str; 0]);
}

/// What clauses with quantifiers say where a call is made: a solver that is asked for their values repeats them.
#[test]
fn clauses_with_quantifiers_are_known_to_hold() {
    let (_folder, file) = with_file(
        "till.tq",
        "class Till {
           var paid: map<int, nat>; var sum: nat := 0; var open: bool := true;
           fact exists k: int :: paid[k] == 0;
           fact sum > 0 ==> exists k: int :: paid[k] > 0;
           constructor() { paid := map<int, nat>(0); }
           action pay(who: int, n: nat) requires open && n > 0 { sum := sum + n; paid[who] := paid[who] + n; }
           action close() requires open && sum > 0 { open := false; }
           action back(who: int) requires !open && paid[who] > 0 { sum := sum - paid[who]; paid[who] := 0; }
         }",
    );
    for edge in ["S2 -close-> S3", "S3 -back-> S3", "S3 -back-> S4"] {
        let explanation = json(&file, edge);
        let before = explanation["witness"]["before"].as_array();
        assert!(
            before.is_some_and(|before| !before.is_empty()),
            "{explanation:#}"
        );
    }
}

/// TOSEM 2013: `remove` can do nothing but loop, whatever is required of it.
#[test]
fn where_nothing_is_found() {
    let run = explain(&fixture("tosem-2013/list_buggy.tq"), "S3 -remove-> S3", &[]).success();
    let text = stdout(&run);
    assert!(
        text.contains("Nothing was found that would take it away"),
        "{text}"
    );
}

#[test]
fn edges_that_are_not_there() {
    let file = fixture("corral-2016/vending_machine.tq");
    for (edge, expected) in [
        (
            "S1 -Buy-> S9",
            "there is no state `S9` (there are: S1, S2, S3, S4)",
        ),
        (
            "S1 -Buy-> S1",
            "there is no edge `S1 -Buy-> S1` (there are: S1 -DisplayPrice-> S1, S1 -Buy-> S2,",
        ),
        (
            "Machine() -> S1",
            "there is no edge `Machine() -> S1` (there are: VendingMachine() -> S1)",
        ),
        ("{Sell} -Buy-> S1", "there is no state `{Sell}`"),
        ("Buy", "`Buy` is no edge: `S1 -action-> S2` is one"),
        ("", "is no edge"),
        ("->", "there is no state ``"),
        ("{ -> S1", "there is no edge"),
    ] {
        let run = explain(&file, edge, &[]).code(2).stdout("");
        let said = stderr(&run);
        assert!(
            said.starts_with("error: ") && said.contains(expected),
            "{said}"
        );
    }
}
