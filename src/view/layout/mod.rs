//! Where things go in a picture.
//!
//! The layers, the order in each and the places across them come from `dagre` (Sugiyama's method). The rest is ours,
//! and makes three things true of every picture:
//!
//! - Every layer is a band of its own, wide enough for the boxes in it, and within a band boxes keep a distance. So
//!   no label overlaps a node or another label.
//! - An edge crosses a band only straight, at a place kept free for it, and bends only between bands. So no edge
//!   crosses a box that is not its own.
//! - Edges meet a node at places of their own along its border.
//!
//! Everything here is computed for a picture that goes down: `across` runs to the right and `along` runs down, layer
//! after layer. For a picture that goes right the two are swapped at the end.

mod bands;
mod layers;
mod ports;
mod routes;
mod shape;
mod tracks;

pub use shape::{Path, Point, Rect, Segment, Size, number};

/// Which way the layers follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the top down.
    Down,
    /// From left to right.
    Right,
}

/// What is to be laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutGraph {
    /// The nodes.
    pub nodes: Vec<LayoutNode>,
    /// The edges between different nodes.
    pub edges: Vec<LayoutEdge>,
}

/// A node to be laid out.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutNode {
    /// The room it needs.
    pub size: Size,
    /// Whether all its edges meet it at one point.
    pub dot: bool,
    /// The labels of its self loops.
    pub loops: Vec<Size>,
}

/// An edge to be laid out. Its ends are two different nodes of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayoutEdge {
    /// The node it leaves.
    pub source: usize,
    /// The node it ends in.
    pub target: usize,
    /// The room its label needs.
    pub label: Option<Size>,
}

/// Where everything is. The lists are in the graph's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The size of the whole, beginning at (0, 0).
    pub size: Size,
    /// The nodes' boxes.
    pub nodes: Vec<Rect>,
    /// The edges.
    pub edges: Vec<Route>,
    /// The self loops of every node.
    pub loops: Vec<Vec<Route>>,
}

/// An edge's course.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The line, up to the arrow head.
    pub line: Path,
    /// The arrow head's corners, its tip first.
    pub head: [Point; 3],
    /// The label's box.
    pub label: Option<Rect>,
}

/// A graph with more edges than this is laid out only once: it is slow then, and no order makes it easy to read.
const PATIENCE: usize = 100;

/// Lays a graph out: the attempt with the shortest edges.
pub fn arrange(graph: &LayoutGraph, direction: Direction) -> Layout {
    let sizes = bands::node_sizes(graph, direction);
    let patience = if graph.edges.len() > PATIENCE {
        1
    } else {
        layers::ATTEMPTS.len()
    };
    let attempts = layers::ATTEMPTS.into_iter().take(patience).map(|attempt| {
        let layers = layers::find(graph, &sizes, direction, attempt);
        let bands = bands::Bands::of(graph, &sizes, layers, direction);
        let chains = ports::chains(graph, &bands);
        routes::draw(graph, &bands, &chains, direction)
    });
    // The first of several equally short ones.
    let best = attempts
        .min_by(|a, b| a.edge_length().total_cmp(&b.edge_length()))
        .unwrap_or_default();
    match direction {
        Direction::Down => best,
        Direction::Right => best.transposed(),
    }
}

impl Layout {
    fn edge_length(&self) -> f64 {
        self.edges.iter().map(|edge| edge.line.length()).sum()
    }

    fn transposed(self) -> Layout {
        let routes = |routes: Vec<Route>| routes.into_iter().map(Route::transposed).collect();
        Layout {
            size: self.size.transposed(),
            nodes: self.nodes.into_iter().map(Rect::transposed).collect(),
            edges: routes(self.edges),
            loops: self.loops.into_iter().map(routes).collect(),
        }
    }
}

impl Route {
    fn transposed(self) -> Route {
        Route {
            line: self.line.transposed(),
            head: self.head.map(Point::transposed),
            label: self.label.map(Rect::transposed),
        }
    }
}
