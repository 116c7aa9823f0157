//! The geometry of pictures, checked apart from how it is computed.

use std::sync::LazyLock;

use super::*;
use crate::view::layout::{Layout, Path, Point, Rect, Route, Segment};

/// Every sample in both directions, with its layout: made once for all tests.
static LAYOUTS: LazyLock<Vec<(String, Layout)>> = LazyLock::new(layouts);

fn layouts() -> Vec<(String, Layout)> {
    let mut layouts = Vec::new();
    for (name, epa) in samples::all() {
        for direction in [Direction::Down, Direction::Right] {
            let options = ViewOptions {
                exceptional: true,
                ..ViewOptions::default()
            };
            let drawing = Drawing::of(&epa, &options).unwrap();
            let (_, layout) = svg::size::best_layout(&drawing, Some(direction));
            layouts.push((format!("{name} {direction:?}"), layout));
        }
    }
    layouts
}

fn routes(layout: &Layout) -> impl Iterator<Item = &Route> {
    layout.edges.iter().chain(layout.loops.iter().flatten())
}

fn boxes(layout: &Layout) -> Vec<Rect> {
    let labels = routes(layout).filter_map(|r| r.label);
    layout.nodes.iter().copied().chain(labels).collect()
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.left() < b.right() && b.left() < a.right() && a.top() < b.bottom() && b.top() < a.bottom()
}

fn inside(p: &Point, rect: &Rect, margin: f64) -> bool {
    rect.left() + margin < p.x
        && p.x < rect.right() - margin
        && rect.top() + margin < p.y
        && p.y < rect.bottom() - margin
}

/// Points along a line, at most about three pixels apart.
fn sample(path: &Path) -> Vec<Point> {
    let mut from = path.start;
    let mut points = vec![from];
    for segment in &path.segments {
        let (a, b, end) = match *segment {
            Segment::Line(end) => (from, end, end),
            Segment::Curve(a, b, end) => (a, b, end),
        };
        let steps = ((end.x - from.x).hypot(end.y - from.y) / 3.0)
            .ceil()
            .max(20.0) as u32;
        for step in 1..=steps {
            let t = f64::from(step) / f64::from(steps);
            let weights = [
                (1.0 - t).powi(3),
                3.0 * t * (1.0 - t).powi(2),
                3.0 * t * t * (1.0 - t),
                t.powi(3),
            ];
            let at = |f: fn(&Point) -> f64| {
                [from, a, b, end]
                    .iter()
                    .zip(weights)
                    .map(|(p, w)| f(p) * w)
                    .sum()
            };
            points.push(Point {
                x: at(|p| p.x),
                y: at(|p| p.y),
            });
        }
        from = end;
    }
    points
}

#[test]
fn no_box_overlaps_another() {
    for (name, layout) in LAYOUTS.iter() {
        let boxes = boxes(layout);
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[i + 1..] {
                assert!(!overlap(a, b), "{name}: {a:?} overlaps {b:?}");
            }
        }
    }
}

#[test]
fn nothing_is_outside_the_picture() {
    for (name, layout) in LAYOUTS.iter() {
        let page = Rect {
            centre: Point {
                x: layout.size.width / 2.0,
                y: layout.size.height / 2.0,
            },
            size: layout.size,
        };
        let corners = boxes(layout).into_iter().flat_map(|b| {
            [
                Point {
                    x: b.left(),
                    y: b.top(),
                },
                Point {
                    x: b.right(),
                    y: b.bottom(),
                },
            ]
        });
        let lines = routes(layout).flat_map(|r| sample(&r.line).into_iter().chain(r.head));
        for point in corners.chain(lines) {
            assert!(
                inside(&point, &page, 1.0),
                "{name}: {point:?} is outside {:?}",
                layout.size
            );
        }
    }
}

#[test]
fn no_edge_crosses_a_node_or_the_label_of_another() {
    for (name, layout) in LAYOUTS.iter() {
        let all: Vec<&Route> = routes(layout).collect();
        for (i, route) in all.iter().enumerate() {
            for point in sample(&route.line) {
                for node in &layout.nodes {
                    assert!(
                        !inside(&point, node, 0.5),
                        "{name}: {point:?} is in {node:?}"
                    );
                }
                for (j, other) in all.iter().enumerate() {
                    if let (true, Some(label)) = (i != j, &other.label) {
                        assert!(
                            !inside(&point, label, 0.5),
                            "{name}: {point:?} is in {label:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn edges_begin_and_end_on_the_borders_of_their_nodes() {
    let near = |a: f64, b: f64| (a - b).abs() < 0.01;
    let on = |p: &Point, r: &Rect| {
        let across = r.left() - 0.01 <= p.x && p.x <= r.right() + 0.01;
        let along = r.top() - 0.01 <= p.y && p.y <= r.bottom() + 0.01;
        across && (near(p.y, r.top()) || near(p.y, r.bottom()))
            || along && (near(p.x, r.left()) || near(p.x, r.right()))
    };
    for (name, epa) in samples::all() {
        for direction in [Direction::Down, Direction::Right] {
            let drawing = Drawing::of(&epa, &ViewOptions::default()).unwrap();
            let graph = svg::size::graph(&drawing, direction);
            let layout = layout::arrange(&graph, direction);
            for (edge, route) in graph.edges.iter().zip(&layout.edges) {
                assert!(
                    on(&route.line.start, &layout.nodes[edge.source]),
                    "{name}: {route:?}"
                );
                assert!(
                    on(&route.head[0], &layout.nodes[edge.target]),
                    "{name}: {route:?}"
                );
            }
            for (node, loops) in layout.nodes.iter().zip(&layout.loops) {
                for route in loops {
                    assert!(
                        on(&route.line.start, node) && on(&route.head[0], node),
                        "{name}: {route:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_label_is_on_its_own_line() {
    for (name, layout) in LAYOUTS.iter() {
        for route in &layout.edges {
            if let Some(label) = &route.label {
                assert!(
                    sample(&route.line).iter().any(|p| inside(p, label, 0.0)),
                    "{name}: {label:?}"
                );
            }
        }
    }
}

#[test]
fn no_two_edges_run_along_the_same_line() {
    // Pieces along an axis that lie on one another for more than a few pixels cannot be told apart. (Edges of one
    // constructor leave it together, and are left out.)
    for (name, layout) in LAYOUTS.iter() {
        let all: Vec<(usize, [Point; 2])> = layout
            .edges
            .iter()
            .enumerate()
            .flat_map(|(i, route)| {
                straight(&route.line)
                    .into_iter()
                    .map(move |piece| (i, piece))
            })
            .collect();
        for (i, a) in &all {
            for (j, b) in &all {
                let start = |e: usize| layout.edges[e].line.start;
                if i < j && start(*i) != start(*j) {
                    assert!(
                        shared(a, b) < 6.0,
                        "{name}: edges {i} and {j} share {a:?} and {b:?}"
                    );
                }
            }
        }
    }
}

fn straight(path: &Path) -> Vec<[Point; 2]> {
    let mut from = path.start;
    let mut pieces = Vec::new();
    for segment in &path.segments {
        match *segment {
            Segment::Line(end) => {
                pieces.push([from, end]);
                from = end;
            }
            Segment::Curve(_, _, end) => from = end,
        }
    }
    pieces
}

/// How far two straight pieces run less than a pixel apart.
fn shared(a: &[Point; 2], b: &[Point; 2]) -> f64 {
    let run = |f: fn(&Point) -> f64, g: fn(&Point) -> f64| {
        let flat = |p: &[Point; 2]| g(&p[0]) == g(&p[1]);
        if !flat(a) || !flat(b) || (g(&a[0]) - g(&b[0])).abs() > 1.0 {
            return 0.0;
        }
        let high = f(&a[0]).max(f(&a[1])).min(f(&b[0]).max(f(&b[1])));
        let low = f(&a[0]).min(f(&a[1])).max(f(&b[0]).min(f(&b[1])));
        (high - low).max(0.0)
    };
    run(|p| p.x, |p| p.y).max(run(|p| p.y, |p| p.x))
}
