//! The layers as bands: what is in each, how far apart, and where each begins and ends.

use super::layers::{LOOP_GAP, LOOP_REACH, Layers, loops_size, upright};
use super::shape::Size;
use super::{Direction, LayoutGraph};

/// The room that each edge at a node's border wants.
pub(super) const PORT: f64 = 13.0;
/// The part of a node's border, at both ends, where no edge meets it.
pub(super) const CORNER: f64 = 14.0;
/// The least distance between two things in a band.
const APART: f64 = 10.0;
/// The room between a node and its band's border: an arrow head, straight.
const APPROACH: f64 = 12.0;

/// Bands, with everything in its place.
pub(super) struct Bands {
    /// How much room each band takes along.
    pub thickness: Vec<f64>,
    /// Every node: its band, and its middle across.
    pub nodes: Vec<(usize, f64)>,
    /// The nodes' sizes.
    pub sizes: Vec<Size>,
    /// Where every edge passes the bands between its ends, from source to target: band and place.
    pub stops: Vec<Vec<(usize, f64)>>,
    /// Which of its stops carries an edge's label.
    pub labels: Vec<Option<usize>>,
}

/// The nodes' sizes, enlarged where their edges or loops need more border than their text.
pub(super) fn node_sizes(graph: &LayoutGraph, direction: Direction) -> Vec<Size> {
    let mut degree = vec![0usize; graph.nodes.len()];
    for edge in &graph.edges {
        for end in [edge.source, edge.target] {
            if let Some(d) = degree.get_mut(end) {
                *d += 1;
            }
        }
    }
    let enlarged = graph.nodes.iter().zip(degree).map(|(node, degree)| {
        let size = upright(node.size, direction);
        if node.dot {
            return size;
        }
        // About half of the edges are on either side.
        let ports = (degree.div_ceil(2) as f64) * PORT + 2.0 * CORNER;
        let loops = match node.loops.len() {
            0 => 0.0,
            1 => 2.0 * CORNER,
            _ => loops_size(node, direction).map_or(0.0, |s| s.height) + LOOP_GAP,
        };
        Size {
            width: size.width.max(ports),
            height: size.height.max(loops),
        }
    });
    enlarged.collect()
}

/// Something in a band: an extent across, and who it is.
struct BandItem {
    place: f64,
    width: f64,
    who: Who,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Node(usize),
    Loops(usize),
    Stop(usize, usize),
}

impl Bands {
    /// Puts what `dagre` found into bands.
    pub(super) fn of(
        graph: &LayoutGraph,
        sizes: &[Size],
        layers: Layers,
        direction: Direction,
    ) -> Bands {
        let heights = distinct(&layers);
        let band = |y: f64| heights.partition_point(|&h| h < y - SAME);
        let mut bands = Bands {
            thickness: Vec::new(),
            nodes: layers.nodes.iter().map(|p| (band(p.y), p.x)).collect(),
            sizes: sizes.to_vec(),
            stops: layers
                .stops
                .iter()
                .map(|s| s.iter().map(|p| (band(p.y), p.x)).collect())
                .collect(),
            labels: Vec::new(),
        };
        bands.labels = graph
            .edges
            .iter()
            .zip(&layers.labels)
            .zip(&bands.stops)
            .map(|((edge, &y), stops)| {
                let at = stops.iter().position(|&(b, _)| b == band(y));
                edge.label.and(at)
            })
            .collect();
        bands.thickness = bands.thickness(graph, heights.len(), direction);
        for layer in 0..heights.len() {
            bands.keep_apart(graph, &layers, layer, direction);
        }
        bands
    }

    /// How much room the boxes of each band take along.
    fn thickness(&self, graph: &LayoutGraph, count: usize, direction: Direction) -> Vec<f64> {
        let mut thickness = vec![0.0_f64; count];
        let mut grow = |band: usize, by: f64| {
            if let Some(t) = thickness.get_mut(band) {
                *t = t.max(by);
            }
        };
        for ((node, size), &(band, _)) in graph.nodes.iter().zip(&self.sizes).zip(&self.nodes) {
            let loops = loops_size(node, direction).map_or(0.0, |s| s.height);
            grow(band, (size.height + 2.0 * APPROACH).max(loops));
        }
        for ((edge, stops), label) in graph.edges.iter().zip(&self.stops).zip(&self.labels) {
            if let (Some(size), Some(&(band, _))) = (edge.label, label.and_then(|l| stops.get(l))) {
                grow(band, upright(size, direction).height);
            }
        }
        thickness
    }

    /// Moves things in a band to the right until all keep their distance.
    fn keep_apart(
        &mut self,
        graph: &LayoutGraph,
        layers: &Layers,
        layer: usize,
        direction: Direction,
    ) {
        let mut items = self.items(graph, layers, layer, direction);
        items.sort_by(|a, b| a.place.total_cmp(&b.place).then(a.who.cmp(&b.who)));
        let mut free = f64::NEG_INFINITY;
        for item in items {
            let place = item.place.max(free + item.width / 2.0);
            free = place + item.width / 2.0 + APART;
            match item.who {
                Who::Node(i) => {
                    if let Some((_, x)) = self.nodes.get_mut(i) {
                        *x = place;
                    }
                    // Loops touch their node.
                    if graph.nodes.get(i).is_some_and(|n| !n.loops.is_empty()) {
                        free -= APART;
                    }
                }
                // Loops are drawn right beside their node, never further to the right than here.
                Who::Loops(_) => {}
                Who::Stop(edge, stop) => {
                    if let Some((_, x)) = self.stops.get_mut(edge).and_then(|s| s.get_mut(stop)) {
                        *x = place;
                    }
                }
            }
        }
    }

    fn items(
        &self,
        graph: &LayoutGraph,
        layers: &Layers,
        layer: usize,
        direction: Direction,
    ) -> Vec<BandItem> {
        let mut items = Vec::new();
        for (i, (node, &(band, place))) in graph.nodes.iter().zip(&self.nodes).enumerate() {
            if band != layer {
                continue;
            }
            let width = self.sizes.get(i).map_or(0.0, |s| s.width);
            items.push(BandItem {
                place,
                width,
                who: Who::Node(i),
            });
            let at = layers.loops.get(i).copied().flatten();
            if let (Some(at), Some(size)) = (at, loops_size(node, direction)) {
                items.push(BandItem {
                    place: at.x,
                    width: size.width + LOOP_REACH,
                    who: Who::Loops(i),
                });
            }
        }
        for (e, (edge, stops)) in graph.edges.iter().zip(&self.stops).enumerate() {
            let label = self.labels.get(e).copied().flatten();
            for (s, &(band, place)) in stops.iter().enumerate() {
                if band == layer {
                    let size = edge.label.filter(|_| label == Some(s)).unwrap_or_default();
                    let width = upright(size, direction).width;
                    items.push(BandItem {
                        place,
                        width,
                        who: Who::Stop(e, s),
                    });
                }
            }
        }
        items
    }
}

/// Heights closer than this are the same layer.
const SAME: f64 = 0.5;

fn distinct(layers: &Layers) -> Vec<f64> {
    let stops = layers.stops.iter().flatten();
    let mut heights: Vec<f64> = layers.nodes.iter().chain(stops).map(|p| p.y).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup_by(|a, b| (*a - *b).abs() < SAME);
    heights
}
