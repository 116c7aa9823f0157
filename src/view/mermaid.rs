//! The EPA as a Mermaid `stateDiagram-v2`, which GitHub and others draw from the text.
//!
//! Mermaid cannot dash an edge of a state diagram, so there the marks alone tell.

use askama::Template;

use crate::epa::diff::Change;

use super::drawing::{Drawing, DrawnEdge, DrawnNode};
use super::escape::mermaid;
use super::{Direction, ViewError, ViewOptions};

/// Words that mean something in a state diagram, and so cannot be a state's id.
const RESERVED: [&str; 14] = [
    "state",
    "end",
    "note",
    "class",
    "classdef",
    "style",
    "direction",
    "as",
    "stop",
    "scale",
    "hide",
    "click",
    "href",
    "default",
];

/// What the template shows.
#[derive(Template)]
#[template(path = "view/epa.mmd")]
struct Diagram {
    title: String,
    direction: &'static str,
    states: Vec<StateLine>,
    edges: Vec<MermaidEdge>,
    classes: Vec<ClassLines>,
    legend: Vec<String>,
}

struct StateLine {
    id: String,
    label: String,
}

struct MermaidEdge {
    source: String,
    target: String,
    label: String,
}

struct ClassLines {
    name: &'static str,
    style: &'static str,
    members: String,
}

/// Writes the diagram.
///
/// # Errors
///
/// An error of the template.
pub(super) fn render(drawing: &Drawing, options: &ViewOptions) -> Result<String, ViewError> {
    let ids = drawing.node_ids(identifier);
    let diagram = Diagram {
        // A string of JSON is one of YAML too.
        title: serde_json::to_string(&drawing.class)?,
        direction: match options.direction {
            Some(Direction::Right) => "LR",
            Some(Direction::Down) | None => "TB",
        },
        states: drawing
            .nodes
            .iter()
            .zip(&ids)
            .filter_map(|(node, id)| state_line(node, id))
            .collect(),
        edges: drawing
            .edges
            .iter()
            .map(|edge| edge_line(drawing, edge, &ids))
            .collect(),
        classes: classes(drawing, &ids),
        legend: drawing
            .legend_lines()
            .iter()
            .map(|line| mermaid(line))
            .collect(),
    };
    Ok(diagram.render()? + "\n")
}

/// The id where Mermaid takes it as it is, else one that it takes.
fn identifier(id: &str) -> String {
    let word = id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let letter = id.starts_with(|c: char| c.is_ascii_alphabetic());
    if word && letter && !id.contains("__") && !RESERVED.contains(&id.to_ascii_lowercase().as_str())
    {
        id.to_owned()
    } else {
        "state_".to_owned()
    }
}

fn state_line(node: &DrawnNode, id: &str) -> Option<StateLine> {
    let label = match node {
        DrawnNode::Start { .. } => return None,
        DrawnNode::Exception { name } => mermaid(&format!("! {name}")),
        DrawnNode::State {
            id, enabled, dead, ..
        } => {
            let marks = match (dead, enabled.is_empty()) {
                (true, true) => "{} nothing can be called".to_owned(),
                (true, false) => enabled.join(", ") + "; nothing can be called",
                (false, _) => enabled.join(", "),
            };
            mermaid(id) + "<br>" + &mermaid(&marks)
        }
    };
    Some(StateLine {
        id: id.to_owned(),
        label,
    })
}

fn edge_line(drawing: &Drawing, edge: &DrawnEdge, ids: &[String]) -> MermaidEdge {
    let id = |node: usize| ids.get(node).cloned().unwrap_or_default();
    let labels = edge.labels.iter().map(|l| mermaid(&l.text()));
    let (source, names) = match drawing.nodes.get(edge.source) {
        Some(DrawnNode::Start { constructors }) => (
            "[*]".to_owned(),
            constructors.iter().map(|c| mermaid(c)).collect(),
        ),
        _ => (id(edge.source), Vec::new()),
    };
    MermaidEdge {
        source,
        target: id(edge.target),
        label: names
            .into_iter()
            .chain(labels)
            .collect::<Vec<_>>()
            .join("<br>"),
    }
}

fn classes(drawing: &Drawing, ids: &[String]) -> Vec<ClassLines> {
    let members = |wanted: fn(&DrawnNode) -> bool| {
        let members = drawing
            .nodes
            .iter()
            .zip(ids)
            .filter(|(node, _)| wanted(node));
        members
            .map(|(_, id)| id.as_str())
            .collect::<Vec<_>>()
            .join(",")
    };
    let all = [
        ClassLines {
            name: "initial",
            style: "stroke-width:3px",
            members: members(|n| matches!(n, DrawnNode::State { initial: true, .. })),
        },
        ClassLines {
            name: "deadlock",
            style: "stroke-dasharray:2 2",
            members: members(|n| matches!(n, DrawnNode::State { dead: true, .. })),
        },
        ClassLines {
            name: "exception",
            style: "stroke:#b3261e",
            members: members(|n| matches!(n, DrawnNode::Exception { .. })),
        },
        ClassLines {
            name: "added",
            style: "stroke:#1a7f37,color:#1a7f37,stroke-width:3px",
            members: members(|n| {
                matches!(
                    n,
                    DrawnNode::State {
                        change: Change::Added,
                        ..
                    }
                )
            }),
        },
        ClassLines {
            name: "removed",
            style: "stroke:#cf222e,color:#cf222e,stroke-dasharray:6 4",
            members: members(|n| {
                matches!(
                    n,
                    DrawnNode::State {
                        change: Change::Removed,
                        ..
                    }
                )
            }),
        },
        ClassLines {
            name: "changed",
            style: "stroke:#0969da,color:#0969da,stroke-width:3px",
            members: members(|n| {
                matches!(
                    n,
                    DrawnNode::State {
                        change: Change::Changed,
                        ..
                    }
                )
            }),
        },
    ];
    all.into_iter()
        .filter(|class| !class.members.is_empty())
        .collect()
}
