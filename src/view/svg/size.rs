//! How large everything is, and what is laid out for it.

use crate::view::drawing::{Drawing, DrawnLabel, DrawnNode};
use crate::view::layout::{self, Direction, Layout, LayoutGraph, Size};
use crate::view::metrics::{balanced_lines, bold_width, elide, width};

use super::LIMITS;

/// The size of the text, of a state's id, and from one line to the next.
pub(super) const TEXT: f64 = 12.0;
const ID: f64 = 13.0;
pub(super) const LINE: f64 = 16.0;
/// From a line's middle to its baseline, in font sizes.
pub(super) const BASELINE: f64 = 0.36;
/// The room in a node around its text, and between the two frames of an initial state.
const PADDING: Size = Size {
    width: 12.0,
    height: 8.0,
};
pub(super) const RING: f64 = 3.5;
/// The room in a label beside its text.
const LABEL_PADDING: f64 = 4.0;
/// The start dot, and its distance from the constructors' names.
pub(super) const DOT: f64 = 5.0;
const DOT_GAP: f64 = 5.0;
/// The widest a name may be before it is cut.
const NAME_LIMIT: f64 = 320.0;
/// The page that a picture should fit, to choose its direction.
const PAGE: Size = Size {
    width: 1200.0,
    height: 900.0,
};

/// The drawing laid out in the direction asked for, or in the one that lets a page show it larger.
pub(in crate::view) fn best_layout(
    drawing: &Drawing,
    direction: Option<Direction>,
) -> (Direction, Layout) {
    let arrange = |direction| {
        (
            direction,
            layout::arrange(&graph(drawing, direction), direction),
        )
    };
    if let Some(direction) = direction {
        return arrange(direction);
    }
    // A picture this large fits no page either way, and takes seconds to lay out.
    if drawing.edges.len() > LIMITS.edges {
        return arrange(Direction::Right);
    }
    let (down, right) = (arrange(Direction::Down), arrange(Direction::Right));
    let scale = |layout: &Layout| {
        let fit = (PAGE.width / layout.size.width).min(PAGE.height / layout.size.height);
        fit.min(1.0)
    };
    if scale(&right.1) > scale(&down.1) {
        right
    } else {
        down
    }
}

/// What is to be laid out: every text measured.
pub(in crate::view) fn graph(drawing: &Drawing, direction: Direction) -> LayoutGraph {
    let mut graph = LayoutGraph::default();
    for node in &drawing.nodes {
        graph.nodes.push(layout::LayoutNode {
            size: node_size(node, direction),
            dot: matches!(node, DrawnNode::Start { .. }),
            loops: Vec::new(),
        });
    }
    for edge in &drawing.edges {
        let label = label_size(&edge.labels);
        if edge.source != edge.target {
            graph.edges.push(layout::LayoutEdge {
                source: edge.source,
                target: edge.target,
                label,
            });
        } else if let Some(node) = graph.nodes.get_mut(edge.source) {
            node.loops.push(label.unwrap_or_default());
        }
    }
    graph
}

/// The lines of text in a node, each with its class.
pub(super) fn node_lines(node: &DrawnNode) -> Vec<(&'static str, String)> {
    let cut = |name: &String| elide(name, TEXT, NAME_LIMIT);
    match node {
        DrawnNode::Start { constructors } => constructors.iter().map(|c| ("", cut(c))).collect(),
        DrawnNode::Exception { name } => vec![("", format!("! {}", cut(name)))],
        DrawnNode::State {
            id, enabled, dead, ..
        } => {
            let mut lines = vec![("id", cut(id))];
            if enabled.is_empty() {
                lines.push(("", "{}".to_owned()));
            }
            if *dead {
                lines.push(("plain", "nothing can be called".to_owned()));
            }
            let names: Vec<String> = enabled.iter().map(cut).collect();
            let wrapped = balanced_lines(&names, TEXT, enabled_width(&names));
            lines.extend(wrapped.into_iter().map(|line| ("", line)));
            lines
        }
    }
}

/// How wide an enabled set may get: a set of many actions is wrapped to about three times as wide as high.
fn enabled_width(names: &[String]) -> f64 {
    let total: f64 = names
        .iter()
        .map(|name| width(name, TEXT) + width(", ", TEXT))
        .sum();
    (total * LINE * 3.0).sqrt().clamp(150.0, NAME_LIMIT)
}

pub(super) fn text_size(lines: &[(&str, String)]) -> Size {
    let widths = lines.iter().map(|(class, text)| match *class {
        "id" => bold_width(text, ID),
        _ => width(text, TEXT),
    });
    Size {
        width: widths.fold(0.0, f64::max),
        height: lines.len() as f64 * LINE,
    }
}

fn node_size(node: &DrawnNode, direction: Direction) -> Size {
    let text = text_size(&node_lines(node));
    match node {
        DrawnNode::Start { .. } => match direction {
            Direction::Down => Size {
                width: text.width.max(2.0 * DOT),
                height: text.height + DOT_GAP + 2.0 * DOT,
            },
            Direction::Right => Size {
                width: text.width + DOT_GAP + 2.0 * DOT,
                height: text.height.max(2.0 * DOT),
            },
        },
        DrawnNode::Exception { .. } | DrawnNode::State { .. } => {
            let ring = if is_initial(node) { RING } else { 0.0 };
            Size {
                width: text.width + 2.0 * (PADDING.width + ring),
                height: text.height + 2.0 * (PADDING.height + ring),
            }
        }
    }
}

pub(super) fn is_initial(node: &DrawnNode) -> bool {
    matches!(node, DrawnNode::State { initial: true, .. })
}

fn label_size(labels: &[DrawnLabel]) -> Option<Size> {
    let widths = labels.iter().map(|l| width(&label_text(l), TEXT));
    (!labels.is_empty()).then(|| Size {
        width: widths.fold(0.0, f64::max) + 2.0 * LABEL_PADDING,
        height: labels.len() as f64 * LINE,
    })
}

/// A label's text: a name too long is cut, its marks are not.
pub(super) fn label_text(label: &DrawnLabel) -> String {
    let name = elide(&label.name, TEXT, NAME_LIMIT);
    DrawnLabel {
        name,
        ..label.clone()
    }
    .text()
}
