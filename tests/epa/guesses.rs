//! Guards over what parameters hold: exact where it can be said of the fields alone, and never more than a guess where it
//! cannot. What is expected is worked out by hand.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value;
use tranquera::epa::wire::Certainty;
use tranquera::epa::{Epa, Strategy};

use crate::graph;
use crate::oracle::{Class, expected};
use crate::support::program::{json, tranquera, with_file};
use crate::support::tape::Tape;
use crate::support::{class, random};
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

/// `put` may leave the buffer open, and may fill it. `shake` takes a value that is not known, but not in all of its runs.
const BUFFER: &str = "class Buffer { var full: bool; var sealed: bool;
  constructor() { full := false; sealed := false; }
  action put() requires !full && !sealed { var last: bool; havoc? last; full := last; }
  action shake(often: bool) requires !sealed { var n: int; if (often) { havoc? n; } else { n := 0; } if (n > 0) { full := full; } }
  action clear() requires full && !sealed { full := false; }
  action fill() requires !full && !sealed { full := true; }
  action seal() requires !sealed { sealed := true; } }";

/// The edges with what is known of them: `maybe` and whether runs confirm them.
fn known(class: &str, more: &[&str]) -> BTreeSet<String> {
    let arguments = ["epa", class, "--confirm", "--format", "json"];
    let epa = json([&arguments, more].concat());
    let edges = epa["transitions"].as_array().expect("a list").iter();
    let edge = |edge: &Value| {
        let part = |key: &str| edge[key].as_str().unwrap_or_default();
        let known = (part("verdict"), edge["confirmation"]["status"].as_str());
        let known = match known {
            ("reached", Some("confirmed")) => "",
            ("maybe", Some("unconfirmed")) => " ?",
            other => panic!("{edge}: {other:?}"),
        };
        if !known.is_empty() {
            let reason = "guess: it takes values that are not known";
            assert_eq!(part("reason"), reason, "{edge}");
        }
        format!(
            "{} {} {}{known}",
            part("source"),
            part("action"),
            part("target")
        )
    };
    edges.map(edge).collect()
}

#[test]
fn what_takes_a_value_that_is_not_known_is_uncertain_and_never_confirmed() {
    let (_folder, class) = with_file("buffer.tq", BUFFER);
    let class = class.to_str().expect("UTF-8");
    // By hand: S1 is open, S2 full, S3 sealed.
    let expected = [
        "S1 fill S2",
        "S1 put S1 ?",
        "S1 put S2 ?",
        "S1 seal S3",
        "S1 shake S1",
        "S2 clear S1",
        "S2 seal S3",
        "S2 shake S2",
    ];
    let expected: BTreeSet<String> = expected.map(String::from).into();
    assert_eq!(known(class, &[]), expected);
    assert_eq!(known(class, &["--strategy", "enumerate"]), expected);
}

/// What `pour` refuses depends on such a value: it is enabled wherever some value lets it be.
#[test]
fn a_guard_that_takes_a_value_that_is_not_known_is_a_guess() {
    let text = "exception Full;
      class Barrel { var open: bool; var n: int;
        constructor() { open := true; n := 0; }
        action pour() { var room: bool; if (!open) { throw Full; } havoc? room; if (!room) { throw Full; } n := n + 1; }
        action close() { if (!open) { throw Full; } open := false; } }";
    let (_folder, class) = with_file("barrel.tq", text);
    let class = class.to_str().expect("UTF-8");
    let epa = json([
        "epa",
        class,
        "--infer-requires=possible",
        "--format",
        "json",
    ]);
    let enabled: Vec<Vec<&str>> = epa["states"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|state| {
            let enabled = state["enabled"].as_array().expect("a list").iter();
            enabled.filter_map(Value::as_str).collect()
        })
        .collect();
    assert_eq!(enabled, [vec!["pour", "close"], vec![]]);
    for edge in epa["transitions"].as_array().expect("a list") {
        assert_eq!(edge["verdict"], "maybe", "{edge}");
    }
}

#[test]
fn errors_and_broken_invariants_behind_such_a_value_are_only_possible() {
    let text = "class Tank { var level: int; invariant level <= 5;
        constructor() { level := 0; }
        action pour() { var n: int; havoc? n; level := n; }
        action share() { var n: int; havoc? n; level := 4 div n; } }";
    let (_folder, class) = with_file("tank.tq", text);
    let class = class.to_str().expect("UTF-8");
    let epa = json(["epa", class, "--format", "json"]);
    let kinds: BTreeSet<&str> = epa["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|finding| finding["kind"].as_str())
        .collect();
    assert!(!kinds.contains("runtime-error"), "{kinds:?}");
    assert!(!kinds.contains("broken-invariant"), "{kinds:?}");
    assert!(kinds.contains("possible-runtime-error"), "{kinds:?}");
    assert!(kinds.contains("possible-violation"), "{kinds:?}");
}

/// The class where no run goes on behind an arbitrary value.
fn without_arbitrary_values(text: &str) -> String {
    let line = |line: &str| match line.trim_start().starts_with("havoc ") {
        true => "assume false;".to_owned(),
        false => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn check_unknown_values(random: &Class) -> Result<(), TestCaseError> {
    let Class { text, domain } = random;
    if !text.contains("havoc ") {
        return Err(TestCaseError::reject("nothing is arbitrary"));
    }
    let all = expected(text, domain);
    let certain = expected(&without_arbitrary_values(text), domain);
    let (Some(all), Some(certain)) = (all, certain) else {
        return Err(TestCaseError::reject("the oracle does not say it all"));
    };
    let guessing = text.replace("havoc ", "havoc? ");
    let loaded = class::parse(&guessing);
    let found = [
        graph::by_engine(&loaded, "builtin", Strategy::Guided),
        graph::behind_runs(&loaded, "builtin"),
    ];
    for found in found {
        prop_assert_eq!(&found.edges, &all.edges, "{}", guessing);
        let doubtful = |edge: &&String| {
            let line = format!("{edge}: guess: it takes values that are not known");
            found.doubts.contains(&line)
        };
        let sure: BTreeSet<&String> = found.edges.iter().filter(|e| !doubtful(e)).collect();
        for edge in &certain.edges {
            prop_assert!(sure.contains(edge), "{} is certain\n{}", edge, guessing);
        }
        // Of other states exploring the other class says nothing, as it does not get there.
        let state = |edge: &str| edge.split(' ').next().unwrap_or_default().to_owned();
        let targets = certain
            .edges
            .iter()
            .filter_map(|edge| edge.split(" -> ").nth(1));
        let states: BTreeSet<String> = targets.map(String::from).chain(["I".to_owned()]).collect();
        for edge in sure.iter().filter(|edge| states.contains(&state(edge))) {
            let is_certain = certain.edges.contains(*edge);
            prop_assert!(is_certain, "{} takes a guess\n{}", edge, guessing);
        }
    }
    Ok(())
}

/// Where arbitrary values of random classes are such that nobody knows, the edges stay the same, and certain are those that exploring the
/// class without such runs finds.
#[test]
fn certain_edges_of_random_classes_are_those_without_values_that_are_not_known() {
    let cases = random::cases(12);
    let config = Config {
        max_shrink_iters: 100,
        max_global_rejects: 40 * cases.cases + 200,
        ..cases
    };
    let numbers = prop::collection::vec(any::<u16>(), 60..300);
    random::check_cases(config, numbers, |numbers| {
        check_unknown_values(&Class::of_numbers(&mut Tape::new(numbers)))
    });
}
