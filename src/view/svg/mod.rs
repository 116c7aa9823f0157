//! The EPA as a picture that needs nothing else: an SVG, readable on light and dark.
//!
//! Every text is measured, so that boxes can be laid out around it (`size`); what is then drawn where is in `shape`, and
//! what is told where something is pointed at in `words`.

mod shape;
pub(super) mod size;
mod words;

use askama::Template;

use super::drawing::Drawing;
use super::layout::{Size, number};
use super::metrics::width;
use super::{PictureLimits, ViewError, ViewOptions};
use shape::{EdgeShape, NodeShape, TextShape, baseline, edge_shapes, node_shape};
use size::{LINE, TEXT, best_layout};
use words::description;

/// What a picture may hold that is looked at as it is.
const LIMITS: PictureLimits = PictureLimits {
    nodes: 150,
    edges: 300,
};
/// What a picture may hold in which a page hides and dims what is not of interest.
const PAGE_LIMITS: PictureLimits = PictureLimits {
    nodes: 200,
    edges: 1200,
};

/// The room left of and below the legend.
const LEGEND_MARGIN: f64 = 14.0;

/// Draws the picture.
///
/// # Errors
///
/// [`ViewError::TooLarge`], and an error of the template.
pub(super) fn render(drawing: &Drawing, options: &ViewOptions) -> Result<String, ViewError> {
    Ok(picture(drawing, options, LIMITS)?.render()? + "\n")
}

/// Draws the picture as a part of a page, which may be larger.
///
/// # Errors
///
/// As [`render`].
pub(super) fn render_for_page(
    drawing: &Drawing,
    options: &ViewOptions,
) -> Result<String, ViewError> {
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

fn picture(
    drawing: &Drawing,
    options: &ViewOptions,
    limits: PictureLimits,
) -> Result<Picture, ViewError> {
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
