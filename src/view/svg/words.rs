//! What is told of nodes and edges in words.

use crate::view::drawing::{Drawing, DrawnEdge, DrawnLabel, DrawnNode};

pub(super) fn description(drawing: &Drawing) -> String {
    let states = drawing
        .nodes
        .iter()
        .filter(|n| matches!(n, DrawnNode::State { .. }));
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

fn node_title(node: &DrawnNode) -> String {
    match node {
        DrawnNode::Start { constructors } => constructors.join(", "),
        DrawnNode::Exception { name } => format!("ends in the exception {name}"),
        DrawnNode::State {
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
pub(super) fn node_tooltip(node: &DrawnNode) -> String {
    let run = match node {
        DrawnNode::State { run, .. } => run.as_slice(),
        DrawnNode::Start { .. } | DrawnNode::Exception { .. } => &[],
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
        Some(DrawnNode::State { id, .. }) => id.clone(),
        Some(DrawnNode::Start { constructors }) => constructors.join(", "),
        Some(DrawnNode::Exception { name }) => format!("! {name}"),
        None => String::new(),
    }
}

pub(super) fn edge_title(drawing: &Drawing, edge: &DrawnEdge) -> String {
    let labels = edge.labels.iter().map(label_words);
    let ends = edge_ends(drawing, edge);
    match labels.collect::<Vec<_>>().join(", ") {
        labels if labels.is_empty() => ends,
        labels => format!("{ends}: {labels}"),
    }
}

pub(super) fn edge_ends(drawing: &Drawing, edge: &DrawnEdge) -> String {
    format!(
        "{} → {}",
        node_name(drawing, edge.source),
        node_name(drawing, edge.target)
    )
}

pub(super) fn label_title(ends: &str, label: &DrawnLabel) -> String {
    format!("{ends}: {}", label_words(label))
}

/// A label with the reason of its doubt.
fn label_words(label: &DrawnLabel) -> String {
    match &label.reason {
        Some(reason) => format!("{} ({reason})", label.text()),
        None => label.text(),
    }
}
