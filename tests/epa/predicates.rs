//! States that are told apart by predicates as well (`--states`).

use std::collections::BTreeSet;

use tranquera::analysis::Analysis;
use tranquera::engine::Choice;
use tranquera::epa::wire::{Confirmation, Epa};
use tranquera::epa::{ConstructOptions, read};
use tranquera::ir::{Class, Type};
use tranquera::load::Input;
use tranquera::query::Extent;

use crate::support::class;
use crate::support::program::root;

fn analysis(input: Input) -> Analysis {
    Analysis::new(input, Choice::default()).expect("a class can be encoded")
}

/// The EPA, of which the edges are also given as text: `{a, b} -a-> {b, x > 0}`, those that are uncertain with a question mark.
fn epa(input: Input, skipped: &str) -> (Epa, BTreeSet<String>) {
    let made = analysis(input)
        .epa(&ConstructOptions::default())
        .expect("constructed");
    assert!(made.disagreements.is_empty(), "{:?}", made.disagreements);
    let epa = made.epa();
    let state = |id: &str| format!("{{{}}}", epa.state(id).expect("listed").enabled.join(", "));
    let doubt = |reason: &Option<String>| if reason.is_some() { "?" } else { "" };
    let constructors = epa.constructors.iter().map(|edge| {
        let target = edge.target.as_deref().map_or("nothing".to_owned(), state);
        format!("{} -> {target}{}", edge.name, doubt(&edge.reason))
    });
    let transitions = epa.transitions.iter().filter(|t| t.action != skipped);
    let transitions = transitions.map(|t| {
        let (source, target) = (state(&t.source), state(&t.target));
        let ends: String = [&t.outcome, &t.exception]
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        format!(
            "{source} -{}{ends}-> {target}{}",
            t.action,
            doubt(&t.reason)
        )
    });
    let edges = constructors.chain(transitions).collect();
    (epa, edges)
}

const BOX: &str = "enum Lid { Open, Shut }
    class Box {
      var lid: Lid; var count: int;
      invariant 0 <= count <= 2;
      constructor() { lid := Open; count := 0; }
      action put() requires lid == Open && count < 2 { count := count + 1; }
      action shut() requires lid == Open { lid := Shut; }
      action open() requires lid == Shut { lid := Open; }
    }";

fn input(marks: &[&str]) -> Input {
    let input = Input::last(class::parse(BOX)).expect("a class");
    let marks: Vec<String> = marks.iter().map(ToString::to_string).collect();
    input.told_apart_by(&marks).expect("predicates")
}

#[test]
fn states_are_told_apart_by_a_predicate() {
    let (epa, edges) = epa(input(&["count > 0"]), "");
    assert_eq!(epa.predicates, ["count > 0"]);
    let expected = [
        "Box() -> {put, shut}",
        "{put, shut} -put-> {put, shut, count > 0}",
        "{put, shut} -shut-> {open}",
        "{put, shut, count > 0} -put-> {shut, count > 0}",
        "{put, shut, count > 0} -shut-> {open, count > 0}",
        "{shut, count > 0} -shut-> {open, count > 0}",
        "{open} -open-> {put, shut}",
        "{open, count > 0} -open-> {put, shut, count > 0}",
        "{open, count > 0} -open-> {shut, count > 0}",
    ];
    assert_eq!(edges, expected.map(str::to_owned).into());
}

#[test]
fn the_values_of_a_field_are_predicates() {
    let (epa, edges) = epa(input(&["lid"]), "");
    assert_eq!(epa.predicates, ["lid == Lid.Open", "lid == Lid.Shut"]);
    assert!(
        edges.contains("{shut, lid == Lid.Open} -shut-> {open, lid == Lid.Shut}"),
        "{edges:?}"
    );
    assert_eq!(epa.states.len(), 3);
}

/// Twice a put, and what is full and shut can be opened.
#[test]
fn each_edge_is_confirmed_by_a_run() {
    let analysis = analysis(input(&["count > 0"]));
    let made = analysis
        .epa(&ConstructOptions::default())
        .expect("constructed");
    let found = analysis
        .confirm(&made.abstraction, &Extent::default())
        .expect("the engine runs");
    let epa = found.abstraction.epa();
    for edge in &epa.transitions {
        let is_confirmed = matches!(edge.confirmation, Some(Confirmation::Confirmed { .. }));
        assert!(is_confirmed, "{edge:?}");
    }
    assert_eq!(epa.transitions.len(), 8);
}

#[test]
fn what_is_printed_is_read_again() {
    let (epa, _) = epa(input(&["count > 0"]), "");
    let text = serde_json::to_string(&epa).expect("JSON");
    let again = read::from_json(&text).expect("an EPA");
    assert_eq!(again, epa);
    assert_eq!(read::read(&again).expect("an EPA").epa().states, epa.states);
}

#[test]
fn what_does_not_tell_states_apart_is_said() {
    for (marks, part) in [
        (&["count"][..], "--states:1:1"),
        (&["size > 0"], "size"),
        (&["count > 0", "count>0"], "by `count > 0` twice"),
    ] {
        let input = Input::last(class::parse(BOX)).expect("a class");
        let marks: Vec<String> = marks.iter().map(ToString::to_string).collect();
        let said = input
            .told_apart_by(&marks)
            .expect_err("no predicate")
            .to_string();
        assert!(said.contains(part), "{marks:?}: {said}");
    }
}

/// An edge as text, where the marks of states are in the order of the alphabet.
fn sorted(edge: &str) -> String {
    let parts = edge.split('{').map(|part| match part.split_once('}') {
        None => part.to_owned(),
        Some((marks, rest)) => {
            let mut marks: Vec<&str> = marks.split(", ").collect();
            marks.sort_unstable();
            format!("{}}}{rest}", marks.join(", "))
        }
    });
    parts.collect::<Vec<_>>().join("{")
}

/// A predicate that says something of a class, where one is to be had.
fn predicate(class: &Class) -> Option<String> {
    class.fields.iter().find_map(|field| match field.ty {
        Type::Bool => Some(field.name.clone()),
        Type::Int | Type::Nat => Some(format!("{} > 1", field.name)),
        _ => None,
    })
}

/// States are told apart by a predicate just as by an action that requires it and changes nothing, but for what that does.
#[test]
fn a_predicate_tells_as_much_as_an_action_that_requires_it() {
    let mut compared = 0;
    for folder in ["tosem-2013", "tse-2012", "typestate-2012"] {
        let files = std::fs::read_dir(root().join("fixtures").join(folder)).expect("a folder");
        let files = files.map(|file| file.expect("a file").path());
        for file in files.filter(|file| file.extension().is_some_and(|end| end == "tq")) {
            let input = Input::last(class::load(&file)).expect("a class");
            let declared = input.loaded.program.class(input.class);
            // What is assumed of a state is assumed of what can be called there, and with one more action that is another state.
            let is_small = declared.routines.len() <= 8 && declared.states.is_empty();
            let Some(predicate) = predicate(declared).filter(|_| is_small) else {
                continue;
            };
            let action = format!("pure action is_told() requires {predicate} {{ }}");
            let text = input.text_with(&[action]);
            let with_action = Input::last(class::parse(&text)).expect("a class");
            let (_, expected) = epa(with_action, "is_told");
            let told = input.told_apart_by(&[predicate]).expect("a predicate");
            let name = told.predicates[0].name.clone();
            let (_, edges) = epa(told, "");
            let expected: BTreeSet<String> = expected
                .iter()
                .map(|edge| sorted(&edge.replace("is_told", &name)))
                .collect();
            let edges: BTreeSet<String> = edges.iter().map(|edge| sorted(edge)).collect();
            assert_eq!(edges, expected, "{}", file.display());
            compared += 1;
        }
    }
    assert!(compared >= 8, "only {compared} classes");
}
