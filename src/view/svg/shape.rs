//! What is drawn where.

use crate::view::drawing::{Drawing, DrawnEdge, DrawnLabel, DrawnNode, class_of};
use crate::view::layout::{Direction, Layout, Rect, Route, number};

use super::size::{BASELINE, DOT, LINE, RING, TEXT, is_initial, label_text, node_lines, text_size};
use super::words::{edge_ends, edge_title, label_title, node_name, node_tooltip, with_lines};

pub(super) struct NodeShape {
    pub(super) class: String,
    pub(super) state: Option<String>,
    pub(super) title: String,
    pub(super) frame: Option<SvgRect>,
    pub(super) ring: Option<SvgRect>,
    pub(super) dot: Option<Dot>,
    pub(super) texts: Vec<TextShape>,
}

pub(super) struct EdgeShape {
    pub(super) class: String,
    pub(super) source: String,
    pub(super) target: String,
    /// What it is.
    pub(super) title: String,
    /// The same, and what the second pass found.
    pub(super) tooltip: String,
    pub(super) line: String,
    pub(super) head: String,
    pub(super) frame: Option<SvgRect>,
    pub(super) lines: Vec<LabelLine>,
}

pub(super) struct SvgRect {
    pub(super) x: String,
    pub(super) y: String,
    pub(super) width: String,
    pub(super) height: String,
}

pub(super) struct Dot {
    pub(super) x: String,
    pub(super) y: String,
    pub(super) radius: String,
}

pub(super) struct TextShape {
    pub(super) class: &'static str,
    pub(super) x: String,
    pub(super) y: String,
    pub(super) text: String,
}

pub(super) struct LabelLine {
    pub(super) violates: bool,
    pub(super) x: String,
    pub(super) y: String,
    pub(super) action: Option<String>,
    pub(super) transition: Option<usize>,
    pub(super) refuted: Option<usize>,
    pub(super) text: String,
    /// What is told of it alone, where the edge's title does not tell all.
    pub(super) title: Option<String>,
}

pub(super) fn node_shape(node: &DrawnNode, rect: &Rect, direction: Direction) -> NodeShape {
    let lines = node_lines(node);
    let text = text_size(&lines);
    let ring = is_initial(node);
    let mut shape = NodeShape {
        class: node_class(node),
        state: None,
        title: node_tooltip(node),
        frame: Some(frame(rect, if ring { RING } else { 0.0 })),
        ring: ring.then(|| frame(rect, 0.0)),
        dot: None,
        texts: Vec::new(),
    };
    let mut centre = rect.centre;
    if let DrawnNode::State { id, .. } = node {
        shape.state = Some(id.clone());
    }
    if let DrawnNode::Start { .. } = node {
        let (x, y) = match direction {
            Direction::Down => (rect.centre.x, rect.bottom() - DOT),
            Direction::Right => (rect.right() - DOT, rect.centre.y),
        };
        match direction {
            Direction::Down => centre.y = rect.top() + text.height / 2.0,
            Direction::Right => centre.x = rect.left() + text.width / 2.0,
        }
        shape.frame = None;
        shape.dot = Some(Dot {
            x: number(x),
            y: number(y),
            radius: number(DOT),
        });
    }
    let top = centre.y - text.height / 2.0;
    shape.texts = lines
        .into_iter()
        .enumerate()
        .map(|(i, (class, text))| TextShape {
            class,
            x: number(centre.x),
            y: number(baseline(top, i)),
            text,
        })
        .collect();
    shape
}

/// The baseline of a line in a text that begins at `top`.
pub(super) fn baseline(top: f64, line: usize) -> f64 {
    top + (line as f64 + 0.5) * LINE + BASELINE * TEXT
}

fn frame(rect: &Rect, inset: f64) -> SvgRect {
    SvgRect {
        x: number(rect.left() + inset),
        y: number(rect.top() + inset),
        width: number(rect.size.width - 2.0 * inset),
        height: number(rect.size.height - 2.0 * inset),
    }
}

fn node_class(node: &DrawnNode) -> String {
    match node {
        DrawnNode::Start { .. } => "start".to_owned(),
        DrawnNode::Exception { .. } => "exception".to_owned(),
        DrawnNode::State {
            dead,
            initial,
            change,
            refuted,
            ..
        } => {
            let mark = |is: bool, name: &'static str| is.then_some(name);
            let all = [
                Some("state"),
                mark(*initial, "initial"),
                mark(*dead, "deadlock"),
                mark(*refuted, "refuted"),
                class_of(*change),
            ];
            all.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
    }
}

pub(super) fn edge_shapes(drawing: &Drawing, layout: &Layout) -> Vec<EdgeShape> {
    let mut between = layout.edges.iter();
    let mut loops: Vec<_> = layout.loops.iter().map(|routes| routes.iter()).collect();
    let route = |edge: &DrawnEdge| {
        if edge.source == edge.target {
            loops.get_mut(edge.source)?.next()
        } else {
            between.next()
        }
    };
    let routes: Vec<Option<&Route>> = drawing.edges.iter().map(route).collect();
    let pairs = drawing.edges.iter().zip(routes);
    pairs
        .filter_map(|(edge, route)| Some(edge_shape(drawing, edge, route?)))
        .collect()
}

fn edge_shape(drawing: &Drawing, edge: &DrawnEdge, route: &Route) -> EdgeShape {
    let line = |(i, label): (usize, &DrawnLabel), rect: &Rect| LabelLine {
        violates: label.violates,
        x: number(rect.centre.x),
        y: number(baseline(rect.top(), i)),
        action: label.action.clone(),
        transition: label.transition,
        refuted: label.refuted,
        text: label_text(label),
        title: (!label.found.is_empty())
            .then(|| with_lines(label_title(&edge_ends(drawing, edge), label), &label.found)),
    };
    EdgeShape {
        class: edge.look.classes(),
        source: node_name(drawing, edge.source),
        target: node_name(drawing, edge.target),
        title: edge_title(drawing, edge),
        tooltip: with_lines(edge_title(drawing, edge), &edge.all_found()),
        line: route.line.to_string(),
        head: route.head.map(|p| p.to_string()).join(" "),
        frame: route.label.as_ref().map(|rect| frame(rect, 0.0)),
        lines: route
            .label
            .iter()
            .flat_map(|rect| {
                edge.labels
                    .iter()
                    .enumerate()
                    .map(move |label| line(label, rect))
            })
            .collect(),
    }
}
