//! The lines: an edge's course between its nodes, and the loops.

use super::bands::Bands;
use super::layers::{LOOP_GAP, LOOP_REACH, loops_size, upright};
use super::shape::{Path, Point, Rect, Segment, Size, point};
use super::tracks::Tracks;
use super::{Direction, Layout, LayoutGraph, LayoutNode, Route};

/// An arrow head: how long, and half its width.
const HEAD: (f64, f64) = (9.0, 4.0);
/// The room left free around everything.
const MARGIN: f64 = 14.0;

/// Draws a graph whose things have their places.
pub(super) fn draw(
    graph: &LayoutGraph,
    bands: &Bands,
    chains: &[Vec<(usize, f64)>],
    direction: Direction,
) -> Layout {
    let tracks = Tracks::of(bands, chains);
    let nodes: Vec<Rect> = bands
        .nodes
        .iter()
        .zip(&bands.sizes)
        .map(|(&(band, x), &size)| Rect {
            centre: point(x, middle(&tracks, band)),
            size,
        })
        .collect();
    let edges = graph
        .edges
        .iter()
        .zip(chains)
        .zip(&tracks.places)
        .enumerate();
    let edges = edges.filter_map(|(e, ((edge, chain), places))| {
        let ends = (nodes.get(edge.source)?, nodes.get(edge.target)?);
        let (line, head) = course(ends, chain, places, &tracks);
        Some(Route {
            line,
            head,
            label: label(e, graph, bands, &tracks, direction),
        })
    });
    let edges = edges.collect();
    let loops = graph
        .nodes
        .iter()
        .zip(&nodes)
        .map(|(node, rect)| loops(node, rect, direction));
    let loops = loops.collect();
    let mut layout = Layout {
        size: Size::default(),
        nodes,
        edges,
        loops,
    };
    layout.fit();
    layout
}

fn extent(tracks: &Tracks, band: usize) -> (f64, f64) {
    tracks.extents.get(band).copied().unwrap_or_default()
}

fn middle(tracks: &Tracks, band: usize) -> f64 {
    let (top, bottom) = extent(tracks, band);
    f64::midpoint(top, bottom)
}

/// An edge's line and its arrow head.
fn course(
    (source, target): (&Rect, &Rect),
    chain: &[(usize, f64)],
    places: &[Option<f64>],
    tracks: &Tracks,
) -> (Path, [Point; 3]) {
    let (first, from) = chain.first().copied().unwrap_or_default();
    let (last, to) = chain.last().copied().unwrap_or_default();
    let down = first < last;
    // The side of a band where the edge comes in, and the one where it goes out.
    let sides = |band: usize| {
        let (top, bottom) = extent(tracks, band);
        if down { (top, bottom) } else { (bottom, top) }
    };
    let (leave, arrive, base) = if down {
        (source.bottom(), target.top(), target.top() - HEAD.0)
    } else {
        (source.top(), target.bottom(), target.bottom() + HEAD.0)
    };
    let mut line = Path::from(point(from, leave));
    let mut band = first;
    for (&(next, x), &track) in chain.iter().skip(1).zip(places) {
        let here = line.end().x;
        line.line_to(point(here, sides(band).1));
        let end = point(x, sides(next).0);
        match track {
            Some(track) => line.turn_to(track, end),
            None => line.bend_to(end),
        }
        band = next;
    }
    line.line_to(point(to, base));
    (
        line,
        [
            point(to, arrive),
            point(to - HEAD.1, base),
            point(to + HEAD.1, base),
        ],
    )
}

fn label(
    e: usize,
    graph: &LayoutGraph,
    bands: &Bands,
    tracks: &Tracks,
    direction: Direction,
) -> Option<Rect> {
    let size = graph.edges.get(e)?.label?;
    let stop = bands.labels.get(e).copied().flatten()?;
    let &(band, x) = bands.stops.get(e)?.get(stop)?;
    Some(Rect {
        centre: point(x, middle(tracks, band)),
        size: upright(size, direction),
    })
}

/// A node's loops, one after the other beside it, each with its label.
fn loops(node: &LayoutNode, rect: &Rect, direction: Direction) -> Vec<Route> {
    let total = loops_size(node, direction).map_or(0.0, |s| s.height);
    let mut along = rect.centre.y - total / 2.0;
    let one = |&label: &Size| {
        let size = upright(label, direction);
        let y = along + size.height / 2.0;
        along += size.height + LOOP_GAP;
        let x = rect.right();
        let mut line = Path::from(point(x, y - 7.0));
        let end = point(x + HEAD.0, y + 7.0);
        line.segments.push(Segment::Curve(
            point(x + 27.0, y - 13.0),
            point(x + 27.0, y + 7.0),
            end,
        ));
        Route {
            line,
            head: [
                point(x, y + 7.0),
                point(x + HEAD.0, y + 7.0 - HEAD.1),
                point(x + HEAD.0, y + 7.0 + HEAD.1),
            ],
            label: Some(Rect {
                centre: point(x + LOOP_REACH + size.width / 2.0, y),
                size,
            }),
        }
    };
    node.loops.iter().map(one).collect()
}

impl Layout {
    /// Moves everything so that it begins at the margin, and sets the size.
    fn fit(&mut self) {
        let mut low = point(f64::INFINITY, f64::INFINITY);
        let mut high = point(f64::NEG_INFINITY, f64::NEG_INFINITY);
        self.for_each_point(|p, half| {
            low = point(low.x.min(p.x - half.width), low.y.min(p.y - half.height));
            high = point(high.x.max(p.x + half.width), high.y.max(p.y + half.height));
        });
        if low.x > high.x {
            (low, high) = (point(0.0, 0.0), point(0.0, 0.0));
        }
        let (dx, dy) = (MARGIN - low.x, MARGIN - low.y);
        self.for_each_point(|p, _| *p = point(p.x + dx, p.y + dy));
        self.size = Size {
            width: high.x - low.x + 2.0 * MARGIN,
            height: high.y - low.y + 2.0 * MARGIN,
        };
    }

    /// Calls a function with every place and half the extent of what is around it.
    fn for_each_point(&mut self, mut f: impl FnMut(&mut Point, Size)) {
        let half = |size: Size| Size {
            width: size.width / 2.0,
            height: size.height / 2.0,
        };
        for rect in &mut self.nodes {
            f(&mut rect.centre, half(rect.size));
        }
        for route in self.edges.iter_mut().chain(self.loops.iter_mut().flatten()) {
            let nothing = Size::default();
            f(&mut route.line.start, nothing);
            for segment in &mut route.line.segments {
                match segment {
                    Segment::Line(end) => f(end, nothing),
                    Segment::Curve(a, b, end) => {
                        [a, b, end].into_iter().for_each(|p| f(p, nothing))
                    }
                }
            }
            route.head.iter_mut().for_each(|p| f(p, nothing));
            if let Some(label) = &mut route.label {
                f(&mut label.centre, half(label.size));
            }
        }
    }
}
