//! What everything that is drawn like an EPA can be shown as: a difference, an interface, a typestate automaton.

use serde::Serialize;

use super::{Drawing, Options, ViewError, dot, mermaid, svg};

/// The formats that they have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Format {
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
    format: Format,
    data: &impl Serialize,
    text: impl FnOnce() -> String,
    drawing: impl FnOnce() -> Result<Drawing, ViewError>,
    options: &Options,
) -> Result<String, ViewError> {
    match format {
        Format::Text => Ok(text()),
        Format::Json => Ok(serde_json::to_string_pretty(data)? + "\n"),
        Format::Dot => dot::render(&drawing()?, options),
        Format::Svg => svg::render(&drawing()?, options),
        Format::Mermaid => mermaid::render(&drawing()?, options),
    }
}
