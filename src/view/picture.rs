//! What everything that is drawn like an EPA can be shown as: a difference, an interface, a typestate automaton.

use serde::Serialize;

use super::{Drawing, ViewError, ViewOptions, dot, mermaid, svg};

/// The formats that they have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum PictureFormat {
    /// A summary for a terminal
    #[default]
    Text,
    /// The data, as JSON
    Json,
    /// A graph for Graphviz
    Dot,
    /// A picture that needs nothing else
    Svg,
    /// A `stateDiagram-v2` for Mermaid
    Mermaid,
}

/// Shows the data in this format, of which only the text and the drawing have to be made. The result ends with a
/// newline.
///
/// # Errors
/// [`ViewError`]: a drawing that would be too large.
pub(super) fn render(
    format: PictureFormat,
    data: &impl Serialize,
    text: impl FnOnce() -> String,
    drawing: impl FnOnce() -> Result<Drawing, ViewError>,
    options: &ViewOptions,
) -> Result<String, ViewError> {
    match format {
        PictureFormat::Text => Ok(text()),
        PictureFormat::Json => Ok(serde_json::to_string_pretty(data)? + "\n"),
        PictureFormat::Dot => dot::render(&drawing()?, options),
        PictureFormat::Svg => svg::render(&drawing()?, options),
        PictureFormat::Mermaid => mermaid::render(&drawing()?, options),
    }
}
