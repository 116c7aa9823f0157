//! EPAs from tables as the reference writes them.

use crate::epa::Epa;
use crate::epa::wire::{ConstructorEdge, EpaState, EpaStats, SCHEMA, Transition};

/// An EPA from a table as the reference writes it: `S1={a,b} S2={}`; constructor edges `C()->S1`; and edges
/// `S1: a->S2 S3; b->S1`, one source a line.
pub fn table(class: &str, actions: &str, states: &str, constructors: &str, edges: &str) -> Epa {
    let starts: Vec<(&str, &str)> = constructors
        .split_whitespace()
        .filter_map(|c| c.split_once("->"))
        .collect();
    let names = |list: &str| {
        list.split(',')
            .filter(|a| !a.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let state = |(id, set): (&str, &str)| EpaState {
        id: id.to_owned(),
        enabled: names(set.trim_matches(['{', '}'])),
        initial: starts.iter().any(|(_, target)| *target == id),
    };
    let mut transitions = Vec::new();
    for (source, rest) in edges.lines().filter_map(|line| line.split_once(':')) {
        for (action, targets) in rest.split(';').filter_map(|e| e.split_once("->")) {
            for target in targets.split_whitespace() {
                transitions.push(transition(source.trim(), action.trim(), target));
            }
        }
    }
    Epa {
        schema: SCHEMA.to_owned(),
        class: class.to_owned(),
        actions: names(actions),
        predicates: Vec::new(),
        states: states
            .split_whitespace()
            .filter_map(|s| s.split_once('='))
            .map(state)
            .collect(),
        constructors: starts
            .iter()
            .map(|(name, target)| constructor(name, target))
            .collect(),
        transitions,
        refuted: None,
        runs: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        stats: EpaStats {
            engine: "boogie".to_owned(),
            recursion_bound: 3,
            strategy: "guided".to_owned(),
            precision: 1.0,
            ..EpaStats::default()
        },
    }
}

pub fn transition(source: &str, action: &str, target: &str) -> Transition {
    Transition::certain(source, action, target)
}

pub fn constructor(name: &str, target: &str) -> ConstructorEdge {
    ConstructorEdge::certain(name, Some(target))
}
