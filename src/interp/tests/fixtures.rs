//! The oracle against the abstractions of the 2016 thesis's classes, which are written from the reference.

use std::collections::BTreeSet;
use std::path::Path;

use super::last_class;
use crate::epa::Epa;
use crate::epa::wire::EpaStats;
use crate::interp::oracle::{Domain, EnabledSet, explore};

/// An edge: source (none for a constructor), label, target.
type Edge = (Option<EnabledSet>, String, EnabledSet);

fn expected(path: &Path) -> BTreeSet<Edge> {
    let text = std::fs::read_to_string(path).expect("a fixture");
    // What was written by hand has no statistics.
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    json["stats"] = serde_json::to_value(EpaStats::default()).expect("statistics");
    let epa: Epa = serde_json::from_value(json).expect("an EPA");
    let state = |id: &str| -> EnabledSet {
        let state = epa.state(id).expect("a state of the EPA");
        state.enabled.iter().cloned().collect()
    };
    let constructors = epa.constructors.iter().map(|edge| {
        let target = edge.target.as_deref().expect("a target");
        (None, edge.name.clone(), state(target))
    });
    let transitions = epa.transitions.iter().map(|t| {
        assert_eq!((&t.exception, &t.outcome), (&None, &None));
        (Some(state(&t.source)), t.action.clone(), state(&t.target))
    });
    constructors.chain(transitions).collect()
}

fn found(path: &Path, domain: &Domain) -> BTreeSet<Edge> {
    let program = match crate::front::tq::load(path) {
        Ok(loaded) => loaded.program,
        Err(diagnostics) => panic!("{diagnostics}"),
    };
    let oracle = explore(&program, last_class(&program), domain).expect("an abstraction");
    assert!(oracle.undecided.is_empty(), "{:?}", oracle.undecided);
    let oracle = oracle.reachable(false);
    let constructors = oracle.constructors.into_iter().map(|edge| {
        let target = edge.end.expect("a normal end");
        (None, edge.name, target)
    });
    let transitions = oracle.transitions.into_iter().map(|t| {
        assert_eq!(t.exception, None);
        (Some(t.source), t.action, t.target)
    });
    constructors.chain(transitions).collect()
}

fn check(name: &str, domain: &Domain) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corral-2016");
    let found = found(&folder.join(format!("{name}.tq")), domain);
    let expected = expected(&folder.join(format!("{name}.epa.json")));
    let missing: Vec<_> = expected.difference(&found).collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{name}: missing {missing:#?}, not expected {extra:#?}"
    );
}

#[test]
fn classes_over_integers() {
    check("linear", &Domain::integers(-1..=4));
    check("finite_stack", &Domain::integers(-3..=6));
    check("door", &Domain::integers(0..=0));
    check("atm", &Domain::integers(-1..=2));
    check("test2", &Domain::integers(-1..=8));
    check("maquina_expendedora", &Domain::integers(0..=20));
    for name in ["vending_machine", "vending_machine_unsigned"] {
        let domain = Domain {
            parameters: 0..=2,
            ..Domain::integers(-2..=6)
        };
        check(name, &domain);
    }
}

#[test]
fn loops() {
    let domain = Domain::integers(-1..=31);
    for name in [
        "loop1",
        "loop2",
        "loop3",
        "loop4",
        "loop5",
        "loop6",
        "loop7",
        "loops_all",
    ] {
        check(name, &domain);
    }
}

#[test]
fn an_array_in_the_heap() {
    let domain = Domain {
        lengths: 0..=5,
        limit: 10_000_000,
        ..Domain::integers(0..=5)
    };
    check("generic_stack_set", &domain);
}
