//! Typestate automata against what the reference of the 2012 thesis says of them
//! (`fixtures/typestate-2012/automata.txt`).

use std::collections::BTreeSet;

use tranquera::ask::Answer;
use tranquera::engine::EngineConfig;
use tranquera::typestate::precondition::NormalForm;
use tranquera::typestate::report::{EdgeReport, Typestate};

use crate::inferred::{Class, expected, fixture};

/// What is compared of an edge: the condition of its source, its guard and call, the condition of its target.
type Shape = (String, BTreeSet<String>, String, String);

/// A state by its condition; `init` before any constructor.
fn place(typestate: &Typestate, id: Option<&str>) -> String {
    let Some(id) = id else {
        return "init".into();
    };
    if id == typestate.error() {
        return "error".into();
    }
    let state = typestate
        .states
        .iter()
        .find(|s| s.id == id)
        .expect("listed");
    let condition: BTreeSet<&str> = state.condition.iter().map(String::as_str).collect();
    condition.into_iter().collect::<Vec<_>>().join(" && ")
}

fn shape(typestate: &Typestate, edge: &EdgeReport) -> Shape {
    (
        place(typestate, edge.source.as_deref()),
        edge.guard.iter().cloned().collect(),
        edge.name.clone(),
        place(typestate, Some(&edge.target)),
    )
}

#[test]
fn the_automata_are_those_of_the_reference() {
    let all = expected();
    assert_eq!(all.len(), 15);
    for case in all {
        let mut class = Class::load(&fixture(&case.file), &case.invariant);
        class.keep(&case.only, &case.without);
        let found = class.typestate(case.mode, 64);
        let what = &case.title;
        assert!(found.finite, "{what}");
        let counts = [
            found.states.len(),
            found.transitions.len(),
            found.constructors.len(),
            found.epsilon.len(),
            found.stats.preconditions,
            found.stats.unreachable,
        ];
        assert_eq!(counts, case.counts, "{what}");
        assert_eq!(
            found.stats.certified,
            Some(found.stats.preconditions),
            "{what}: {:?}",
            found.notes
        );
        assert!(
            found.transitions.iter().all(|e| e.doubt.is_none()),
            "{what}"
        );
        if !case.states.is_empty() {
            let states = found.states.iter().skip(1);
            let states: BTreeSet<String> = states.map(|s| place(&found, Some(&s.id))).collect();
            let wanted: BTreeSet<String> = case.states.values().cloned().collect();
            assert_eq!(states, wanted, "{what}");
        }
        if !case.edges.is_empty() {
            let edges = found.constructors.iter().chain(&found.transitions);
            let edges = edges.filter(|e| !e.implied).map(|e| shape(&found, e));
            assert_eq!(edges.collect::<BTreeSet<_>>(), case.edges, "{what}");
        }
    }
}

/// Any state may lead to the error, and there are as many as there are sizes: an honest "no", and a part.
#[test]
fn what_has_no_finite_automaton_is_said_to_have_none() {
    let unknown_maximum = "unbounded_maximum_stack";
    let cases: [(&str, &[&str]); 3] = [
        (unknown_maximum, &[]),
        (unknown_maximum, &["0 <= size && size <= MAX"]),
        ("bounded_stack", &[]),
    ];
    for (file, invariant) in cases {
        let invariant: Vec<String> = invariant.iter().map(|s| s.to_string()).collect();
        let class = Class::load(&fixture(file), &invariant);
        for mode in [NormalForm::Path, NormalForm::Prime] {
            let found = class.typestate(mode, 12);
            assert!(!found.finite, "{file}");
            assert_eq!(found.states.len() + found.stats.unreachable, 12, "{file}");
            assert!(
                found.notes.iter().any(|n| n.contains("within 12 states")),
                "{file}"
            );
        }
    }
}

/// The engine notices a precondition from which a case was left out.
#[test]
fn a_missing_case_is_noticed() {
    let class = Class::load(&fixture("piped_output_stream"), &[]);
    let dropped = class.with_a_case_dropped();
    assert_eq!(dropped.len(), 26);
    for (case, answer) in dropped {
        // The one case that others cover together: either `len < 0` or `off + len > b.length` then.
        let covered = case == "off > b.length";
        match answer {
            Answer::Yes(_) => assert!(!covered, "{case}"),
            Answer::No => assert!(covered, "{case}"),
            other => panic!("{case}: {other:?}"),
        }
    }
}

/// The same questions, answered by Boogie itself.
#[test]
fn boogie_certifies_too() {
    let class = Class::load(&fixture("piped_output_stream_simplified"), &[]);
    let config = EngineConfig::default();
    let boogie = (tranquera::engine::kind("boogie").expect("known").make)(&config);
    for answer in class.certified_by(boogie.as_ref()) {
        assert!(answer.is_no(), "{answer:?}");
    }
}

/// What is taken to hold and is not kept is said.
#[test]
fn an_invariant_that_a_call_may_break_is_named() {
    let notes = |invariant: &str| {
        let class = Class::load(&fixture("bounded_stack"), &[invariant.to_string()]);
        class.typestate(NormalForm::Prime, 64).notes
    };
    assert_eq!(notes("0 <= size && size <= 3"), Vec::<String>::new());
    let broken = "`push` may break the invariant: an error may be missed after that";
    assert_eq!(notes("0 <= size && size <= 2"), [broken]);
}
