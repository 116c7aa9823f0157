//! The questions as Boogie text, and Boogie's own answers.

use std::collections::BTreeSet;

use tranquera::query::{ActionId, EdgeId, Exit, Step, kinds};

use super::pass::{abstraction, folder, second_pass};
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
    let subject = &encoding.subject;
    let automaton = abstraction(&encoding, "builtin", false).automaton;
    let all: BTreeSet<EdgeId> = automaton.numbered().map(|(id, _)| id).collect();
    let walk = automaton
        .walks(None, 3, &all, &all)
        .expect("walks of three calls");
    let program = encoding.automaton(&automaton).expect("a program");
    let run = encoding
        .query(&kinds::run(subject, walk))
        .expect("a question");
    let step = Step::anywhere(ActionId(0), Exit::Normal);
    let invariants = &loaded.program.class(subject.class).invariants;
    let breaks = kinds::breaks(subject, &step, invariants, invariants);
    let breaks = encoding.query(&breaks).expect("a question");
    (program.with(&run.entry), program.with(&breaks.entry))
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
