//! The EPA as a picture that needs nothing else: an SVG, readable on light and dark.

use askama::Template;

use super::drawing::{Drawing, Edge, Label, Node, class_of};
use super::layout::{self, Direction, Graph, Layout, Rect, Route, Size, number};
use super::metrics::{balanced_lines, bold_width, elide, width};
use super::{Limits, Options, ViewError};

/// What a picture may hold that is looked at as it is.
const LIMITS: Limits = Limits {
    nodes: 150,
    edges: 300,
};
/// What a picture may hold in which a page hides and dims what is not of interest.
const PAGE_LIMITS: Limits = Limits {
    nodes: 200,
    edges: 1200,
};

/// The size of the text, of a state's id, and from one line to the next.
const TEXT: f64 = 12.0;
const ID: f64 = 13.0;
const LINE: f64 = 16.0;
/// From a line's middle to its baseline, in font sizes.
const BASELINE: f64 = 0.36;
/// The room in a node around its text, and between the two frames of an initial state.
const PADDING: Size = Size {
    width: 12.0,
    height: 8.0,
};
const RING: f64 = 3.5;
/// The room in a label beside its text.
const LABEL_PADDING: f64 = 4.0;
/// The start dot, and its distance from the constructors' names.
const DOT: f64 = 5.0;
const DOT_GAP: f64 = 5.0;
/// The widest a name may be before it is cut.
const NAME_LIMIT: f64 = 320.0;
/// The page that a picture should fit, to choose its direction.
const PAGE: Size = Size {
    width: 1200.0,
    height: 900.0,
};
/// The room left of and below the legend.
const LEGEND_MARGIN: f64 = 14.0;

/// Draws the picture.
///
/// # Errors
///
/// [`ViewError::TooLarge`], and an error of the template.
pub(super) fn render(drawing: &Drawing, options: &Options) -> Result<String, ViewError> {
    Ok(picture(drawing, options, LIMITS)?.render()? + "\n")
}

/// Draws the picture as a part of a page, which may be larger.
///
/// # Errors
///
/// As [`render`].
pub(super) fn render_for_page(drawing: &Drawing, options: &Options) -> Result<String, ViewError> {
    Ok(picture(drawing, options, PAGE_LIMITS)?.render()?)
}

/// What the template shows.
#[derive(Template)]
#[template(path = "view/epa.svg")]
struct Picture {
    width: String,
    height: String,
    class: String,
    title: String,
    description: String,
    /// Whether two EPAs are drawn as one.
    differences: bool,
    nodes: Vec<NodeShape>,
    edges: Vec<EdgeShape>,
    legend: Vec<TextShape>,
}

struct NodeShape {
    class: String,
    state: Option<String>,
    title: String,
    frame: Option<Frame>,
    ring: Option<Frame>,
    dot: Option<Dot>,
    texts: Vec<TextShape>,
}

struct EdgeShape {
    class: String,
    source: String,
    target: String,
    /// What it is.
    title: String,
    /// The same, and what the second pass found.
    tooltip: String,
    line: String,
    head: String,
    frame: Option<Frame>,
    lines: Vec<LabelLine>,
}

struct Frame {
    x: String,
    y: String,
    width: String,
    height: String,
}

struct Dot {
    x: String,
    y: String,
    radius: String,
}

struct TextShape {
    class: &'static str,
    x: String,
    y: String,
    text: String,
}

struct LabelLine {
    violates: bool,
    x: String,
    y: String,
    action: Option<String>,
    transition: Option<usize>,
    refuted: Option<usize>,
    text: String,
    /// What is told of it alone, where the edge's title does not tell all.
    title: Option<String>,
}

fn picture(drawing: &Drawing, options: &Options, limits: Limits) -> Result<Picture, ViewError> {
    if drawing.nodes.len() > limits.nodes || drawing.edges.len() > limits.edges {
        return Err(ViewError::TooLarge {
            class: drawing.class.clone(),
            nodes: drawing.nodes.len(),
            edges: drawing.edges.len(),
            limits,
        });
    }
    let (direction, layout) = best_layout(drawing, options.direction);
    let (legend, size) = legend(drawing, layout.size);
    Ok(Picture {
        width: number(size.width.ceil()),
        height: number(size.height.ceil()),
        class: drawing.class.clone(),
        title: drawing.title.clone(),
        description: description(drawing),
        differences: drawing.has_differences(),
        nodes: drawing
            .nodes
            .iter()
            .zip(&layout.nodes)
            .map(|(node, rect)| node_shape(node, rect, direction))
            .collect(),
        edges: edge_shapes(drawing, &layout),
        legend,
    })
}

/// The drawing laid out in the direction asked for, or in the one that lets a page show it larger.
pub(super) fn best_layout(drawing: &Drawing, direction: Option<Direction>) -> (Direction, Layout) {
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
pub(super) fn graph(drawing: &Drawing, direction: Direction) -> Graph {
    let mut graph = Graph::default();
    for node in &drawing.nodes {
        graph.nodes.push(layout::Node {
            size: node_size(node, direction),
            dot: matches!(node, Node::Start { .. }),
            loops: Vec::new(),
        });
    }
    for edge in &drawing.edges {
        let label = label_size(&edge.labels);
        if edge.source != edge.target {
            graph.edges.push(layout::Edge {
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
fn node_lines(node: &Node) -> Vec<(&'static str, String)> {
    let cut = |name: &String| elide(name, TEXT, NAME_LIMIT);
    match node {
        Node::Start { constructors } => constructors.iter().map(|c| ("", cut(c))).collect(),
        Node::Exception { name } => vec![("", format!("! {}", cut(name)))],
        Node::State { id, enabled, .. } => {
            let mut lines = vec![("id", cut(id))];
            if enabled.is_empty() {
                lines.push(("", "{}".to_owned()));
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

fn text_size(lines: &[(&str, String)]) -> Size {
    let widths = lines.iter().map(|(class, text)| match *class {
        "id" => bold_width(text, ID),
        _ => width(text, TEXT),
    });
    Size {
        width: widths.fold(0.0, f64::max),
        height: lines.len() as f64 * LINE,
    }
}

fn node_size(node: &Node, direction: Direction) -> Size {
    let text = text_size(&node_lines(node));
    match node {
        Node::Start { .. } => match direction {
            Direction::Down => Size {
                width: text.width.max(2.0 * DOT),
                height: text.height + DOT_GAP + 2.0 * DOT,
            },
            Direction::Right => Size {
                width: text.width + DOT_GAP + 2.0 * DOT,
                height: text.height.max(2.0 * DOT),
            },
        },
        Node::Exception { .. } | Node::State { .. } => {
            let ring = if is_initial(node) { RING } else { 0.0 };
            Size {
                width: text.width + 2.0 * (PADDING.width + ring),
                height: text.height + 2.0 * (PADDING.height + ring),
            }
        }
    }
}

fn is_initial(node: &Node) -> bool {
    matches!(node, Node::State { initial: true, .. })
}

fn label_size(labels: &[Label]) -> Option<Size> {
    let widths = labels.iter().map(|l| width(&label_text(l), TEXT));
    (!labels.is_empty()).then(|| Size {
        width: widths.fold(0.0, f64::max) + 2.0 * LABEL_PADDING,
        height: labels.len() as f64 * LINE,
    })
}

/// A label's text: a name too long is cut, its marks are not.
fn label_text(label: &Label) -> String {
    let name = elide(&label.name, TEXT, NAME_LIMIT);
    Label {
        name,
        ..label.clone()
    }
    .text()
}

fn node_shape(node: &Node, rect: &Rect, direction: Direction) -> NodeShape {
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
    if let Node::State { id, .. } = node {
        shape.state = Some(id.clone());
    }
    if let Node::Start { .. } = node {
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
fn baseline(top: f64, line: usize) -> f64 {
    top + (line as f64 + 0.5) * LINE + BASELINE * TEXT
}

fn frame(rect: &Rect, inset: f64) -> Frame {
    Frame {
        x: number(rect.left() + inset),
        y: number(rect.top() + inset),
        width: number(rect.size.width - 2.0 * inset),
        height: number(rect.size.height - 2.0 * inset),
    }
}

fn node_class(node: &Node) -> String {
    match node {
        Node::Start { .. } => "start".to_owned(),
        Node::Exception { .. } => "exception".to_owned(),
        Node::State {
            enabled,
            initial,
            change,
            refuted,
            ..
        } => {
            let mark = |is: bool, name: &'static str| is.then_some(name);
            let all = [
                Some("state"),
                mark(*initial, "initial"),
                mark(enabled.is_empty(), "deadlock"),
                mark(*refuted, "refuted"),
                class_of(*change),
            ];
            all.into_iter().flatten().collect::<Vec<_>>().join(" ")
        }
    }
}

fn node_title(node: &Node) -> String {
    match node {
        Node::Start { constructors } => constructors.join(", "),
        Node::Exception { name } => format!("ends in the exception {name}"),
        Node::State {
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
fn node_tooltip(node: &Node) -> String {
    let run = match node {
        Node::State { run, .. } => run.as_slice(),
        Node::Start { .. } | Node::Exception { .. } => &[],
    };
    with_lines(node_title(node), run)
}

/// A title with lines below it.
fn with_lines(title: String, lines: &[String]) -> String {
    std::iter::once(title.as_str())
        .chain(lines.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("\n")
}

/// What stands for a node in an edge's `data-source` and `data-target`.
fn node_name(drawing: &Drawing, node: usize) -> String {
    match drawing.nodes.get(node) {
        Some(Node::State { id, .. }) => id.clone(),
        Some(Node::Start { constructors }) => constructors.join(", "),
        Some(Node::Exception { name }) => format!("! {name}"),
        None => String::new(),
    }
}

fn edge_shapes(drawing: &Drawing, layout: &Layout) -> Vec<EdgeShape> {
    let mut between = layout.edges.iter();
    let mut loops: Vec<_> = layout.loops.iter().map(|routes| routes.iter()).collect();
    let route = |edge: &Edge| {
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

fn edge_shape(drawing: &Drawing, edge: &Edge, route: &Route) -> EdgeShape {
    let line = |(i, label): (usize, &Label), rect: &Rect| LabelLine {
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

fn edge_title(drawing: &Drawing, edge: &Edge) -> String {
    let labels = edge.labels.iter().map(label_words);
    let ends = edge_ends(drawing, edge);
    match labels.collect::<Vec<_>>().join(", ") {
        labels if labels.is_empty() => ends,
        labels => format!("{ends}: {labels}"),
    }
}

fn edge_ends(drawing: &Drawing, edge: &Edge) -> String {
    format!(
        "{} → {}",
        node_name(drawing, edge.source),
        node_name(drawing, edge.target)
    )
}

fn label_title(ends: &str, label: &Label) -> String {
    format!("{ends}: {}", label_words(label))
}

/// A label with the reason of its doubt.
fn label_words(label: &Label) -> String {
    match &label.reason {
        Some(reason) => format!("{} ({reason})", label.text()),
        None => label.text(),
    }
}

/// The legend below the picture, and the size of both.
fn legend(drawing: &Drawing, size: Size) -> (Vec<TextShape>, Size) {
    let mut whole = size;
    let mut shapes = Vec::new();
    for (i, text) in drawing.legend_lines().into_iter().enumerate() {
        whole.width = whole.width.max(width(&text, TEXT) + 2.0 * LEGEND_MARGIN);
        whole.height = size.height + (i + 1) as f64 * LINE + LEGEND_MARGIN;
        shapes.push(TextShape {
            class: "",
            x: number(LEGEND_MARGIN),
            y: number(baseline(size.height, i)),
            text,
        });
    }
    (shapes, whole)
}

fn description(drawing: &Drawing) -> String {
    let states = drawing
        .nodes
        .iter()
        .filter(|n| matches!(n, Node::State { .. }));
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
