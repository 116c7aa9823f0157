//! Layers and the places across them, from `dagre`.

use dagre::graph::{Graph as Dagre, GraphOptions};
use dagre::{EdgeLabel, LayoutOptions, NodeLabel};

use super::shape::{Size, point};
use super::{Direction, LayoutGraph, Point};

/// What `dagre` found, layers still as heights: everything in one layer has the same `y`.
pub(super) struct Layers {
    /// The nodes' middles.
    pub nodes: Vec<Point>,
    /// Where the self loops' labels are; none where a node has no loops.
    pub loops: Vec<Option<Point>>,
    /// Where every edge passes the layers between its ends, from source to target.
    pub stops: Vec<Vec<Point>>,
    /// The layer of every edge's label.
    pub labels: Vec<f64>,
}

/// The room a node's loops need beside it.
pub(super) fn loops_size(node: &super::LayoutNode, direction: Direction) -> Option<Size> {
    let labels = node.loops.iter().map(|&label| upright(label, direction));
    labels.reduce(|a, b| Size {
        width: a.width.max(b.width),
        height: a.height + LOOP_GAP + b.height,
    })
}

/// The distance between the labels of two loops of one node.
pub(super) const LOOP_GAP: f64 = 8.0;
/// How far a loop reaches out of its node.
pub(super) const LOOP_REACH: f64 = 26.0;

/// A size in a picture that goes down.
pub(super) fn upright(size: Size, direction: Direction) -> Size {
    match direction {
        Direction::Down => size,
        Direction::Right => size.transposed(),
    }
}

/// Ways to ask `dagre`, which settles for the first good order it finds: the best of several is often much better.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// Whether edges are given last to first.
    pub reversed: bool,
    /// Whether the first of equally good orders is kept, not the last.
    pub first: bool,
}

/// All ways, the usual one first.
pub(super) const ATTEMPTS: [Attempt; 4] = [
    Attempt {
        reversed: false,
        first: false,
    },
    Attempt {
        reversed: false,
        first: true,
    },
    Attempt {
        reversed: true,
        first: false,
    },
    Attempt {
        reversed: true,
        first: true,
    },
];

/// Finds layers and places for a graph whose nodes have these sizes.
pub(super) fn find(
    graph: &LayoutGraph,
    sizes: &[Size],
    direction: Direction,
    attempt: Attempt,
) -> Layers {
    let mut dagre: Dagre<NodeLabel, EdgeLabel> = Dagre::with_options(GraphOptions {
        directed: true,
        multigraph: true,
        compound: false,
    });
    let name = |node: usize| format!("n{node}");
    for (i, size) in sizes.iter().enumerate() {
        let label = NodeLabel {
            width: size.width,
            height: size.height,
            ..NodeLabel::default()
        };
        dagre.set_node(name(i), Some(label));
    }
    let mut order: Vec<_> = graph.edges.iter().enumerate().collect();
    if attempt.reversed {
        order.reverse();
    }
    for (i, edge) in order {
        let size = upright(edge.label.unwrap_or_default(), direction);
        let label = centred(Size {
            width: size.width.max(1.0),
            height: size.height.max(1.0),
        });
        dagre.set_edge(
            name(edge.source),
            name(edge.target),
            Some(label),
            Some(&format!("e{i}")),
        );
    }
    for (i, node) in graph.nodes.iter().enumerate() {
        if let Some(size) = loops_size(node, direction) {
            let label = centred(Size {
                width: size.width + LOOP_REACH,
                ..size
            });
            dagre.set_edge(name(i), name(i), Some(label), Some("loop"));
        }
    }
    dagre::layout(
        &mut dagre,
        Some(LayoutOptions {
            tie_keep_first: attempt.first,
            ..spacing(direction)
        }),
    );

    let nodes = (0..sizes.len())
        .map(|i| place(dagre.node(&name(i)).map(|n| (n.x, n.y))))
        .collect();
    let loops = graph.nodes.iter().enumerate().map(|(i, node)| {
        let label = dagre.edge(&name(i), &name(i), Some("loop"));
        (!node.loops.is_empty()).then(|| place(label.map(|l| (l.x, l.y))))
    });
    let edge = |(i, edge): (usize, &super::LayoutEdge)| {
        dagre.edge(
            &name(edge.source),
            &name(edge.target),
            Some(&format!("e{i}")),
        )
    };
    let stops = graph.edges.iter().enumerate().map(edge).map(|label| {
        let points = label.map_or(&[][..], |l| &l.points);
        // The first and the last are on the nodes' borders: those are chosen later.
        let inner = points
            .get(1..points.len().saturating_sub(1))
            .unwrap_or_default();
        inner.iter().map(|p| point(p.x, p.y)).collect()
    });
    let labels = graph.edges.iter().enumerate().map(edge);
    Layers {
        nodes,
        loops: loops.collect(),
        stops: stops.collect(),
        labels: labels.map(|l| place(l.map(|l| (l.x, l.y))).y).collect(),
    }
}

/// Distances across the layers. A text is wide and low, so a picture that goes right can be tighter.
fn spacing(direction: Direction) -> LayoutOptions {
    let (nodesep, edgesep) = match direction {
        Direction::Down => (44.0, 18.0),
        Direction::Right => (30.0, 12.0),
    };
    LayoutOptions {
        nodesep,
        edgesep,
        ranksep: 40.0,
        ..LayoutOptions::default()
    }
}

fn centred(size: Size) -> EdgeLabel {
    EdgeLabel {
        width: size.width,
        height: size.height,
        labelpos: dagre::layout::types::LabelPos::Center,
        ..EdgeLabel::default()
    }
}

fn place(found: Option<(Option<f64>, Option<f64>)>) -> Point {
    let (x, y) = found.unwrap_or_default();
    point(x.unwrap_or_default(), y.unwrap_or_default())
}
