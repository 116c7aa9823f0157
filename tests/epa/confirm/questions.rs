//! The questions as Boogie text, and Boogie's own answers.

use std::collections::BTreeSet;

use tranquera::encode::{Exit, Step};
use tranquera::epa::confirm;

use super::pass::{folder, second_pass};
use crate::support::boogie_reads::boogie_objections;
use crate::support::class;

#[test]
fn boogie_does_the_bounded_part_too() {
    let loaded = class::load(&folder().join("test2.tq"));
    let encoding = class::encode(&loaded);
    let ours = second_pass(&loaded, &encoding, "builtin", 5);
    let theirs = second_pass(&loaded, &encoding, "boogie", 5);
    assert_eq!(ours.statuses(), theirs.statuses());
    assert!(
        theirs
            .found
            .edges
            .iter()
            .filter_map(|e| e.run.as_ref())
            .all(|r| r.replayed)
    );
}

/// The automaton as a program with a question after a run, and a question of a proof.
fn texts(file: &str) -> (String, String) {
    let loaded = class::load(&folder().join(file));
    let encoding = class::encode(&loaded);
    let pass = second_pass(&loaded, &encoding, "builtin", 1);
    let automaton = confirm::automaton_of(&encoding, &pass.epa).expect("an automaton");
    let all: BTreeSet<usize> = (0..automaton.edges.len()).collect();
    let runs = automaton.runs(3, &all, &all).expect("runs of three calls");
    let program = encoding.automaton(&automaton).expect("a program");
    let encoded = encoding.runs(&automaton, &runs).expect("a question");
    let step = Step::Call {
        source: None,
        action: 0,
        exit: Exit::Normal,
    };
    let invariants = &loaded.program.class(encoding.class()).invariants;
    let step = encoding
        .breaks(&step, invariants, invariants)
        .expect("a question");
    (program.with(&encoded.entry), program.with(&step))
}

#[test]
fn the_automaton_as_a_program() {
    let (text, _) = texts("test2.tq");
    let (_, automaton) = text
        .split_once("// ---- The automaton")
        .expect("the automaton");
    insta::assert_snapshot!(automaton);
}

#[test]
fn boogie_takes_the_automaton() {
    let files = [
        "test2.tq",
        "finite_stack.tq",
        "list_itr.tq",
        "generic_stack_set.tq",
        "loop3.tq",
    ];
    for file in files {
        let (runs, step) = texts(file);
        for text in [runs, step] {
            assert_eq!(boogie_objections(&text), None, "{file}:\n{text}");
        }
    }
}
