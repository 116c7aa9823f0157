//! `tranquera epa --answers`: what the engine answered to the question behind each edge.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use tranquera::ask::Named;
use tranquera::epa::Epa;
use tranquera::epa::answers::EdgeAnswer;

use crate::support::program::{stdout, tranquera};

const VENDING_MACHINE: &str = "fixtures/corral-2016/vending_machine.tq";

fn json_of(arguments: &[&str], cache: &Path) -> Value {
    let run = tranquera(["epa", "--format", "json"])
        .env("TRANQUERA_CACHE", cache)
        .args(arguments)
        .assert()
        .success();
    serde_json::from_str(&stdout(&run)).expect("JSON")
}

fn fresh(arguments: &[&str]) -> Value {
    json_of(arguments, Path::new("off"))
}

fn answers(epa: &Epa) -> Vec<(String, &EdgeAnswer)> {
    let edges = epa.transitions.iter().filter_map(|t| {
        let name = format!("{} {} {}", t.source, t.action, t.target);
        Some((name, t.answer.as_deref()?))
    });
    edges.collect()
}

/// The vending machine, by hand: selling and change.
type Machine = (bool, i64);

fn machine(fields: &[Named]) -> Machine {
    let values: BTreeMap<&str, &str> = (fields.iter())
        .map(|n| (n.name.as_str(), n.value.as_str()))
        .collect();
    (
        values["selling"].parse().expect("a truth value"),
        values["change"].parse().expect("a number"),
    )
}

/// What can be called, by hand.
fn enabled((selling, change): Machine) -> Vec<&'static str> {
    match (selling, change) {
        (false, _) => vec!["DisplayPrice", "Buy"],
        (true, 1..) => vec!["ReturnChange"],
        (true, 0) => vec!["ReturnItem"],
        (true, _) => vec![],
    }
}

/// What a call does, by hand.
fn call((selling, change): Machine, action: &str, arguments: &[Named]) -> Machine {
    match action {
        "Buy" => {
            let money = arguments.iter().find(|n| n.name == "money").expect("money");
            let paid = money.value.parse::<i64>().expect("a number") > 0;
            (true, if paid { 5 } else { change })
        }
        "ReturnChange" => (selling, 0),
        "ReturnItem" => (false, change),
        _ => (selling, change),
    }
}

#[test]
fn every_answer_is_a_call_of_the_class() {
    let json = fresh(&[VENDING_MACHINE, "--answers"]);
    let epa: Epa = serde_json::from_value(json).expect("an EPA");
    let told = answers(&epa);
    assert_eq!(told.len(), epa.transitions.len());
    for transition in &epa.transitions {
        let answer = transition.answer.as_ref().expect("an answer");
        // It changes nothing: it is only asked whether it ends.
        let kind = match transition.action.as_str() {
            "DisplayPrice" => "transition",
            _ => "any-other-target",
        };
        assert_eq!(
            (answer.verdict.as_str(), answer.kind.as_str()),
            ("reached", kind)
        );
        assert!(!answer.kept);
        assert!(
            answer.engine.starts_with("builtin: tranquera "),
            "{answer:?}"
        );
        assert!(answer.engine.contains(", z3 "), "{answer:?}");
        let made = answer.call.as_ref().expect("a call");
        assert!(made.replayed, "{made:?}");
        let (before, after) = (machine(&made.before), machine(&made.after));
        assert!(before.1 <= 0 || before.0, "the invariant: {made:?}");
        let state = |id: &str| epa.state(id).expect("a state").enabled.clone();
        assert_eq!(enabled(before), state(&transition.source));
        assert_eq!(enabled(after), state(&transition.target));
        let does = call(before, &transition.action, &made.arguments);
        assert_eq!(does, after, "{transition:?}");
        // The trace as text, values first.
        let recorded = format!("selling = {}", before.0);
        assert!(answer.output.contains(&recorded), "{}", answer.output);
        assert!(answer.output.contains("\nline "), "{}", answer.output);
    }
    // `Buy` leads to three states, found one after the other: each question leaves out what was found before.
    let mut known: Vec<usize> = (told.iter())
        .filter(|(name, _)| name.starts_with("S1 Buy "))
        .map(|(_, answer)| answer.known.len())
        .collect();
    known.sort_unstable();
    assert_eq!(known, [0, 1, 2]);
}

#[test]
fn an_epa_has_no_answers_unless_they_are_asked_for() {
    let json = fresh(&[VENDING_MACHINE]);
    for list in ["constructors", "transitions"] {
        for edge in json[list].as_array().expect("edges") {
            assert!(edge.get("answer").is_none(), "{edge}");
        }
    }
}

#[test]
fn what_was_kept_is_said_to_be_kept() {
    let cache = tempfile::tempdir().expect("a folder");
    let class = "tests/classes/parallel.tq";
    for kept in [false, true] {
        let json = json_of(&[class, "--answers"], cache.path());
        let epa: Epa = serde_json::from_value(json).expect("an EPA");
        for (name, answer) in answers(&epa) {
            assert_eq!(answer.kept, kept, "{name}");
            // The values are kept, the path through the text is not.
            assert!(answer.call.is_some(), "{name}");
            assert_eq!(answer.output.contains("line "), !kept, "{name}");
        }
        // Nothing was asked about the pure action, so nothing was answered.
        let pure = epa.transitions.iter().filter(|t| t.action == "peek");
        assert!(pure.map(|t| &t.answer).all(Option::is_none));
    }
}

#[test]
fn an_engine_that_is_a_process_is_quoted() {
    let json = fresh(&[
        VENDING_MACHINE,
        "--answers",
        "--engine",
        "boogie",
        "--actions",
        "DisplayPrice",
    ]);
    let epa: Epa = serde_json::from_value(json).expect("an EPA");
    let told = answers(&epa);
    assert!(!told.is_empty());
    for (name, answer) in told {
        assert!(answer.engine.starts_with("boogie: "), "{name}: {answer:?}");
        assert!(
            answer.output.contains("Execution trace"),
            "{name}: {}",
            answer.output
        );
    }
}
