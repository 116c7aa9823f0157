//! The EPA as a graph for Graphviz.

use askama::Template;

use crate::epa::diff::Change;

use super::drawing::{Drawing, DrawnEdge, DrawnNode, Look, Status};
use super::escape::{dot_id, dot_label};
use super::metrics::balanced_lines;
use super::{Direction, ViewError, ViewOptions};

/// How wide an enabled set may get, in points.
const ENABLED_WIDTH: f64 = 240.0;

/// What the template shows.
#[derive(Template)]
#[template(path = "view/epa.dot")]
struct DotGraph {
    name: String,
    rankdir: &'static str,
    legend: String,
    nodes: Vec<NodeLine>,
    edges: Vec<DotEdge>,
}

struct NodeLine {
    id: String,
    label: String,
    tooltip: String,
    style: String,
}

struct DotEdge {
    source: String,
    target: String,
    class: String,
    label: String,
    tooltip: String,
    style: String,
}

/// Writes the graph.
///
/// # Errors
///
/// An error of the template.
pub(super) fn render(drawing: &Drawing, options: &ViewOptions) -> Result<String, ViewError> {
    let ids = drawing.node_ids(dot_id);
    let id = |node: usize| ids.get(node).cloned().unwrap_or_default();
    let graph = DotGraph {
        name: dot_id(&drawing.class),
        rankdir: match options.direction {
            Some(Direction::Right) => "LR",
            Some(Direction::Down) | None => "TB",
        },
        legend: lines(&drawing.legend_lines(), "\\l"),
        nodes: drawing
            .nodes
            .iter()
            .zip(&ids)
            .map(|(node, id)| node_line(node, id))
            .collect(),
        edges: drawing
            .edges
            .iter()
            .map(|e| edge_line(e, id(e.source), id(e.target)))
            .collect(),
    };
    Ok(graph.render()? + "\n")
}

/// Lines of a label, each ended by an escape that says how it is set.
fn lines(lines: &[String], end: &str) -> String {
    lines.iter().map(|line| dot_label(line) + end).collect()
}

fn node_line(node: &DrawnNode, id: &str) -> NodeLine {
    let (label, style) = match node {
        DrawnNode::Start { constructors } => (
            lines(constructors, "\\n"),
            r##", shape=plaintext, style="", color="#57606a""##.to_owned(),
        ),
        DrawnNode::Exception { name } => (
            dot_label(&format!("! {name}")),
            r##", fillcolor="#fdeceb", color="#b3261e""##.to_owned(),
        ),
        DrawnNode::State {
            id,
            enabled,
            dead,
            initial,
            change,
            refuted,
            run: _,
        } => {
            let mut text = vec![id.clone()];
            if enabled.is_empty() {
                text.push("{}".to_owned());
            }
            if *dead {
                text.push("nothing can be called".to_owned());
            }
            text.extend(balanced_lines(enabled, 11.0, ENABLED_WIDTH));
            let style = match (initial, dead) {
                (false, false) => "",
                (true, false) => ", peripheries=2",
                (false, true) => r##", fillcolor="#fff4e5", color="#9a5b00""##,
                (true, true) => r##", peripheries=2, fillcolor="#fff4e5", color="#9a5b00""##,
            };
            let style = style.to_owned() + node_change(*change);
            (lines(&text, "\\n"), style + node_refuted(*refuted))
        }
    };
    NodeLine {
        id: id.to_owned(),
        label,
        tooltip: match node {
            DrawnNode::State { run, .. } => lines(run, "\\n"),
            DrawnNode::Start { .. } | DrawnNode::Exception { .. } => String::new(),
        },
        style,
    }
}

fn edge_line(edge: &DrawnEdge, source: String, target: String) -> DotEdge {
    let labels: Vec<String> = edge.labels.iter().map(|l| l.text()).collect();
    DotEdge {
        source,
        target,
        class: edge.look.classes(),
        label: lines(&labels, "\\l"),
        tooltip: lines(&edge.all_found(), "\\n"),
        style: edge_style(edge.look),
    }
}

/// How a state looks that no object is ever in.
const fn node_refuted(refuted: bool) -> &'static str {
    if refuted {
        r##", style="rounded,filled,dashed", fillcolor="#ffffff", color="#c0c4c9", fontcolor="#8b949e""##
    } else {
        ""
    }
}

/// How a state looks that is not in both of two EPAs; later attributes win.
const fn node_change(change: Change) -> &'static str {
    match change {
        Change::Same => "",
        Change::Added => r##", style="rounded,filled,bold", color="#1a7f37", fontcolor="#1a7f37""##,
        Change::Removed => {
            r##", style="rounded,filled,dashed", color="#cf222e", fontcolor="#cf222e""##
        }
        Change::Changed => {
            r##", style="rounded,filled,bold", color="#0969da", fontcolor="#0969da""##
        }
    }
}

const fn edge_change(change: Change) -> &'static str {
    match change {
        Change::Same => "",
        Change::Added => r##", penwidth=2.2, color="#1a7f37", fontcolor="#1a7f37""##,
        Change::Removed => r##", color="#cf222e", fontcolor="#cf222e", arrowhead=empty"##,
        Change::Changed => r##", penwidth=2.2, color="#0969da", fontcolor="#0969da""##,
    }
}

fn edge_style(look: Look) -> String {
    let mut style = String::new();
    let status = match look.status {
        Status::Plain => "",
        Status::Confirmed => ", penwidth=1.6",
        Status::Unconfirmed => r##", color="#9a6700""##,
        Status::Refuted => r##", color="#c0c4c9", fontcolor="#8b949e""##,
    };
    if look.exceptional {
        style.push_str(r##", color="#b3261e", fontcolor="#b3261e""##);
    } else {
        style.push_str(status);
    }
    if look.maybe {
        style.push_str(", style=dashed");
    } else if look.status == Status::Unconfirmed {
        style.push_str(", style=dotted");
    }
    style.push_str(edge_change(look.change));
    style
}
