//! What a refuted edge takes with it, and the invariant that refutes it.

use tranquera::epa::Epa;
use tranquera::epa::wire::Confirmation;

use super::pass::{Pass, folder, second_pass};
use crate::support::class;

#[test]
fn a_refuted_edge_leaves_the_epa_with_what_only_it_reached() {
    let loaded = class::load(&folder().join("vending_machine.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    assert_eq!(pass.invariant(), ["change >= 0"]);
    let epa = &pass.left;
    assert!(
        epa.states.iter().all(|s| !s.enabled.is_empty()),
        "the deadlock is gone"
    );
    assert_eq!(epa.states.len(), 3);
    assert!(epa.findings.iter().all(|f| f.kind != "deadlock-state"));
    assert!(
        epa.transitions
            .iter()
            .all(|t| matches!(t.confirmation, Some(Confirmation::Confirmed { .. })))
    );
    let refuted = epa.refuted.as_ref().expect("what was refuted");
    assert_eq!(refuted.invariant, ["change >= 0"]);
    assert_eq!(refuted.transitions.len(), 1);
    assert_eq!(refuted.states.len(), 1);
    assert_eq!(refuted.states[0].enabled, Vec::<String>::new());
}

/// In `test2`, the end of `m2` in the deadlock is refuted; that of `m3` is real. The finding must name only that.
#[test]
fn findings_are_those_of_the_epa_that_is_left() {
    let loaded = class::load(&folder().join("test2.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    let deadlock = |epa: &Epa| {
        let found = epa.findings.iter().find(|f| f.kind == "deadlock-state");
        found.expect("the deadlock is real").message.clone()
    };
    assert!(deadlock(&pass.epa).contains("`m2`"));
    let left = deadlock(&pass.left);
    assert!(left.contains("`m3`") && !left.contains("`m2`"), "{left}");
}

/// A person can paste the invariant into the class, and the EPA then lacks the edge from the beginning.
#[test]
fn the_invariant_found_can_be_pasted_into_the_class() {
    for (name, edges_before) in [("test2", 4), ("vending_machine", 6)] {
        let text = std::fs::read_to_string(folder().join(format!("{name}.tq"))).expect("a class");
        let pass = Pass::of_text(&text, 8);
        assert_eq!(pass.epa.transitions.len(), edges_before);
        let clauses: Vec<String> = pass
            .invariant()
            .iter()
            .map(|c| format!("  invariant {c};\n"))
            .collect();
        let (head, tail) = text.split_once("  constructor").expect("a constructor");
        let pasted = Pass::of_text(&format!("{head}{}  constructor{tail}", clauses.concat()), 8);
        assert_eq!(pasted.epa.transitions.len(), edges_before - 1, "{name}");
        assert!(pasted.found.proof.is_none());
    }
}
