//! Guards over what parameters hold: exact where it can be said of the fields alone, and never more than a guess where it
//! cannot. What is expected is worked out by hand.

use std::collections::BTreeSet;

use serde_json::Value;
use tranquera::epa::wire::Certainty;
use tranquera::epa::{Epa, Strategy};

use crate::support::program::{json, tranquera, with_file};
use crate::text::construct;

fn edges(epa: &Epa) -> BTreeSet<String> {
    let enabled = |id: &str| epa.state(id).expect("listed").enabled.join(" ");
    let made = epa.constructors.iter().filter_map(|c| c.target.as_ref());
    let made = made.map(|target| format!("-> {{{}}}", enabled(target)));
    let transitions = epa.transitions.iter();
    let transitions = transitions.map(|t| {
        format!(
            "{{{}}} {} {{{}}}",
            enabled(&t.source),
            t.action,
            enabled(&t.target)
        )
    });
    made.chain(transitions).collect()
}

/// The EPA has these edges, and all are certain.
fn is_exactly(text: &str, expected: &[&str]) {
    let epa = construct(text, Strategy::Guided).expect("constructed");
    let expected: BTreeSet<String> = expected.iter().map(|e| (*e).to_owned()).collect();
    assert_eq!(edges(&epa), expected, "{text}");
    assert_eq!(epa.notes, Vec::<String>::new());
    let transitions = epa.transitions.iter().map(|t| t.verdict);
    let all = transitions.chain(epa.constructors.iter().map(|c| c.verdict));
    assert!(all.into_iter().all(|v| v == Certainty::Reached), "{text}");
}

#[test]
fn what_is_read_of_a_map_is_no_guess() {
    // One value cannot be 1 and 2.
    is_exactly(
        "class C { const k: int; var n: int; var open: bool;
           constructor() { n := 0; open := true; }
           action never(m: map<int, int>) requires open && m[3] == 1 && m[3] + 0 == 2 { n := 1; }
           action boom() requires n == 1 { }
           action close() requires open { open := false; } }",
        &["-> {close}", "{close} close {}"],
    );
}

#[test]
fn an_object_is_compared_and_looked_into() {
    // Another account that is open can always be made.
    is_exactly(
        "class Account { var closed: bool; var balance: int;
           constructor() { closed := false; balance := 0; }
           action transfer(to: Account, amount: int)
             requires !closed && amount > 0 && to != this && !to.closed { balance := balance - amount; }
           action close() requires !closed { closed := true; } }",
        &[
            "-> {transfer close}",
            "{transfer close} transfer {transfer close}",
            "{transfer close} close {}",
        ],
    );
}

#[test]
fn lengths_and_elements_bound_other_parameters() {
    // `a[2]` needs three elements, and there are as many as `amount`, which is below `limit`: so 4 is the first limit.
    is_exactly(
        "class C { var limit: int;
           constructor() { limit := 2; }
           action fill(a: array<int>, amount: int) requires a[2] == 5 && a.length == amount && amount < limit { }
           action put(m: map<int, int>, amount: int) requires m[1] == amount && 4 < amount && amount < limit { limit := 2; }
           action grow() requires limit < 6 { limit := limit + 1; } }",
        &[
            "-> {grow}",
            "{grow} grow {grow}",
            "{grow} grow {fill grow}",
            "{fill grow} fill {fill grow}",
            "{fill grow} grow {fill grow}",
            "{fill grow} grow {fill put}",
            "{fill put} fill {fill put}",
            "{fill put} put {grow}",
        ],
    );
}

/// Whether the square of an integer is two cannot be told here: no map makes `never` possible.
const GUESSES: &str = "class Guesses { var n: int; var open: bool;
  constructor() { n := 0; open := true; }
  action never(m: map<int, int>) requires open && m[3] * m[3] == 2 { n := 1; }
  action boom() requires n == 1 { }
  action close() requires open { open := false; } }";

#[test]
fn a_guess_is_never_certain() {
    let (_folder, class) = with_file("guesses.tq", GUESSES);
    let class = class.to_str().expect("UTF-8");
    let epa = json(["epa", class, "--format", "json"]);
    let edges = |key: &str| epa[key].as_array().expect("a list").clone();
    let all: Vec<Value> = [edges("constructors"), edges("transitions")].concat();
    assert_eq!(all.len(), 4);
    for edge in &all {
        assert_eq!(edge["verdict"], "maybe", "{edge}");
        let reason = edge["reason"].as_str().expect("a reason");
        assert!(
            reason.starts_with("guess: whether `never` can be called"),
            "{reason}"
        );
    }
    let findings = edges("findings");
    assert!(
        findings.iter().all(|f| f["kind"] != "no-transition"),
        "{findings:?}"
    );
    assert!(epa["stats"]["precision"].as_f64().expect("a number") < 1.0);
    let note = epa["notes"][0].as_str().expect("a note");
    assert!(
        note.contains("`enabled when …` can say when it is"),
        "{note}"
    );
    tranquera(["epa", class, "--fail-on", "maybe"])
        .assert()
        .code(1);
}

#[test]
fn no_run_confirms_a_guess_and_no_test_is_made_of_it() {
    let (_folder, class) = with_file("guesses.tq", GUESSES);
    let class = class.to_str().expect("UTF-8");
    let epa = json(["epa", class, "--confirm", "--format", "json"]);
    for edge in epa["transitions"].as_array().expect("a list") {
        assert_ne!(edge["confirmation"]["status"], "confirmed", "{edge}");
    }
    let suite = json(["tests", class, "--format", "json"]);
    assert_eq!(suite["tests"].as_array().expect("a list").len(), 0);
}

#[test]
fn what_the_class_says_of_its_guard_makes_it_certain_again() {
    let said = GUESSES.replace("== 2 {", "== 2 enabled over false {");
    let (_folder, class) = with_file("said.tq", &said);
    let class = class.to_str().expect("UTF-8");
    let epa = json(["epa", class, "--confirm", "--format", "json"]);
    let transitions = epa["transitions"].as_array().expect("a list");
    assert_eq!(transitions.len(), 1);
    assert_eq!(transitions[0]["verdict"], "reached");
    assert_eq!(transitions[0]["confirmation"]["status"], "confirmed");
}

/// Of arrays of any length a short one shows all there is to see; that took more than a minute, and two answers were not known.
/// Which edges a class like this has is worked out in `tests/classes/votes.tq`.
#[test]
fn some_element_and_all_of_them_are_decided() {
    let text = "
enum Vote { None, Yes, No }
class Coordinator {
  var votes: array<Vote>; var asked: int; var counted: int; var decided: bool; var commit: bool;
  invariant 0 <= counted <= asked <= votes.length && votes.length >= 1;
  constructor(n: int) requires n >= 1 && n <= 5 { votes := new Vote[n]; asked := 0; counted := 0; decided := false; commit := false; }
  action ask() requires asked < votes.length && !decided { votes[asked] := Vote.None; asked := asked + 1; }
  action vote(i: int, yes: bool) requires 0 <= i < asked && !decided && votes[i] == Vote.None { if (yes) { votes[i] := Vote.Yes; } else { votes[i] := Vote.No; } counted := counted + 1; }
  action commitAll() requires !decided && counted == votes.length && (forall i: int :: 0 <= i < votes.length ==> votes[i] == Vote.Yes) { decided := true; commit := true; }
  action abort() requires !decided && (exists i: int :: 0 <= i < asked && votes[i] == Vote.No) { decided := true; }
  action outcome() returns (r: bool) requires decided { r := commit; }
}";
    let epa = construct(text, Strategy::Guided).expect("constructed");
    let all = epa.transitions.iter().map(|t| t.verdict);
    assert!(all.into_iter().all(|v| v == Certainty::Reached));
}

/// Who buys enough, gets something; who sells all, gets all. Who sells a part gets less than there is: that does not follow from
/// what is linear of the share, and is asked with the product.
#[test]
fn what_follows_from_what_is_linear_of_a_share_is_certain() {
    let text = "class Pool { var total: nat; var supply: nat;
       constructor() { total := 0; supply := 0; }
       action fund(x: nat) requires supply == 0 && x > 0 { total := x; supply := x; }
       action buy(x: nat) requires supply > 0 && total > 0 && x * supply div total > 0
         { total := total + x; supply := supply + x * supply div total; }
       action lose(x: nat) requires x < total { total := total - x; }
       action sell(s: nat) requires 0 < s && s <= supply && s * total div supply > 0
         { total := total - s * total div supply; supply := supply - s; } }";
    let epa = construct(text, Strategy::Guided).expect("constructed");
    let expected = [
        "-> {fund}",
        "{fund} fund {buy lose sell}",
        "{buy lose sell} buy {buy lose sell}",
        "{buy lose sell} lose {buy lose sell}",
        "{buy lose sell} sell {fund}",
        "{buy lose sell} sell {buy lose sell}",
    ];
    assert_eq!(edges(&epa), expected.map(String::from).into());
    let mut all = epa.transitions.iter().map(|t| t.verdict);
    assert!(all.all(|v| v == Certainty::Reached));
}
