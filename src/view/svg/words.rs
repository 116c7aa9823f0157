//! What is told of nodes and edges in words.

use crate::view::drawing::{Drawing, Edge, Label, Node};

pub(super) fn description(drawing: &Drawing) -> String {
    let states = drawing
        .nodes
        .iter()
        .filter(|n| matches!(n, Node::State { .. }));
    let states: Vec<String> = states.map(node_title).collect();
    let edges: Vec<String> = drawing
        .edges
        .iter()
        .map(|e| edge_title(drawing, e))
        .collect();
    format!(
        "States: {}. Edges: {}.",
        states.join("; "),
        edges.join("; ")
    )
}

fn node_title(node: &Node) -> String {
    match node {
        Node::Start { constructors } => constructors.join(", "),
        Node::Exception { name } => format!("ends in the exception {name}"),
        Node::State {
            id,
            enabled,
            initial,
            refuted,
            ..
        } => {
            let initial = if *initial { ", initial" } else { "" };
            let refuted = if *refuted {
                ", refuted: no object is ever in it"
            } else {
                ""
            };
            format!("{id}{initial}: {{{}}}{refuted}", enabled.join(", "))
        }
    }
}

/// What is told of a node where it is pointed at: its title, then how an object gets there.
pub(super) fn node_tooltip(node: &Node) -> String {
    let run = match node {
        Node::State { run, .. } => run.as_slice(),
        Node::Start { .. } | Node::Exception { .. } => &[],
    };
    with_lines(node_title(node), run)
}

/// A title with lines below it.
pub(super) fn with_lines(title: String, lines: &[String]) -> String {
    std::iter::once(title.as_str())
        .chain(lines.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What stands for a node in an edge's `data-source` and `data-target`.
pub(super) fn node_name(drawing: &Drawing, node: usize) -> String {
    match drawing.nodes.get(node) {
        Some(Node::State { id, .. }) => id.clone(),
        Some(Node::Start { constructors }) => constructors.join(", "),
        Some(Node::Exception { name }) => format!("! {name}"),
        None => String::new(),
    }
}

pub(super) fn edge_title(drawing: &Drawing, edge: &Edge) -> String {
    let labels = edge.labels.iter().map(label_words);
    let ends = edge_ends(drawing, edge);
    match labels.collect::<Vec<_>>().join(", ") {
        labels if labels.is_empty() => ends,
        labels => format!("{ends}: {labels}"),
    }
}

pub(super) fn edge_ends(drawing: &Drawing, edge: &Edge) -> String {
    format!(
        "{} → {}",
        node_name(drawing, edge.source),
        node_name(drawing, edge.target)
    )
}

pub(super) fn label_title(ends: &str, label: &Label) -> String {
    format!("{ends}: {}", label_words(label))
}

/// A label with the reason of its doubt.
fn label_words(label: &Label) -> String {
    match &label.reason {
        Some(reason) => format!("{} ({reason})", label.text()),
        None => label.text(),
    }
}
