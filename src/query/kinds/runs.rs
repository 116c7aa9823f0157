//! Questions about whole runs along an automaton (after the 2016 Corral thesis, Algorithms 8 to 10).

use std::collections::BTreeSet;

use crate::ir::Expr;
use crate::query::{EdgeId, Names, Query, Subject, Walk};
use crate::words::counted;

/// Is there a run of so many calls that ends with one of some edges? Which edges it takes, is recorded.
pub fn run(subject: &Subject, walk: Walk) -> Query {
    let name = format!(
        "runs.of_{}_calls.to_{}_edges.from_edge_{}",
        walk.layers.len(),
        walk.wanted.len(),
        walk.wanted.first().map_or(0, |e| e.0 + 1)
    );
    let calls = counted(walk.layers.len(), "call");
    let from = match walk.start.len() {
        0 => String::new(),
        1 => " from one configuration".into(),
        n => format!(" from one of {n} configurations"),
    };
    let edges = edge_names(subject, &walk, &walk.wanted);
    let sentence = format!("is there a run of {calls}{from} that ends with {edges}?");
    Query {
        walk: Some(walk),
        ..Query::of_configurations("run", name, sentence)
    }
}

/// A question about a call, where the object is in one of some configurations that runs lead to: this says which.
pub fn behind_runs(query: Query, configurations: Expr) -> Query {
    let mut query = Query {
        kind: "run",
        name: format!("behind_runs.{}", query.name),
        ..query
    };
    query.start.known.push(configurations);
    query
}

fn edge_names(subject: &Subject, walk: &Walk, edges: &BTreeSet<EdgeId>) -> String {
    let names = Names::of(subject, walk.automaton.states.len());
    let edges = edges.iter().map(|e| names.edge(&walk.automaton[*e]));
    edges.collect::<Vec<String>>().join(" or ")
}
