//! What is printed: an EPA for a person's terminal, as JSON, and as pictures.
//!
//! One file a format. What the formats share is in [`drawing`] (which nodes and edges there are, and what their
//! labels say), [`escape`] (names that no format can be broken with) and [`layout`] (where things go).

pub mod access;
pub mod check;
pub mod confirmations;
pub mod diff;
pub mod drawing;
pub mod escape;
pub mod html;
pub mod interface;
pub mod layout;
pub mod metrics;
pub mod picture;
pub mod reproduction;
pub mod second_pass;
pub mod state_invariants;
pub mod survey;
pub mod typestate;
pub mod verification;

mod dot;
mod json;
mod mermaid;
#[cfg(test)]
pub(crate) mod samples;
mod svg;
#[cfg(test)]
mod tests;
mod text;
pub mod xml;

use std::fmt;
use std::str::FromStr;

use crate::epa::Epa;

pub use drawing::Drawing;
pub use layout::Direction;

/// The formats an EPA can be shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum EpaFormat {
    /// A summary for a terminal.
    #[default]
    Text,
    /// The data, as JSON (schema `tranquera/epa/1`).
    Json,
    /// A graph for Graphviz.
    Dot,
    /// A picture that needs nothing else.
    Svg,
    /// A `stateDiagram-v2` for Mermaid.
    Mermaid,
    /// The XML that earlier tools share.
    Xml,
    /// A page to explore in a browser.
    Html,
}

impl EpaFormat {
    /// Every format, in the order they are listed to a person.
    pub const ALL: [EpaFormat; 7] = [
        EpaFormat::Text,
        EpaFormat::Json,
        EpaFormat::Dot,
        EpaFormat::Svg,
        EpaFormat::Mermaid,
        EpaFormat::Xml,
        EpaFormat::Html,
    ];

    /// The format's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            EpaFormat::Text => "text",
            EpaFormat::Json => "json",
            EpaFormat::Dot => "dot",
            EpaFormat::Svg => "svg",
            EpaFormat::Mermaid => "mermaid",
            EpaFormat::Xml => "xml",
            EpaFormat::Html => "html",
        }
    }
}

impl fmt::Display for EpaFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no format `{0}` (there are: {list})", list = EpaFormat::ALL.map(EpaFormat::name).join(", "))]
pub struct UnknownFormat(pub String);

impl FromStr for EpaFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        EpaFormat::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

/// What is shown, and how. JSON and XML are always the whole EPA, whatever is asked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewOptions {
    /// Whether the self loops of actions that do nothing but loop are shown.
    pub idle_loops: bool,
    /// Whether edges that end in an exception are shown.
    pub exceptional: bool,
    /// Which way a picture goes; without it, the way that fits a page better.
    pub direction: Option<Direction>,
    /// Whether the terminal gets colours.
    pub colour: bool,
    /// The width of the terminal, in columns.
    pub width: usize,
    /// Whether a page reloads itself when its file holds another one.
    pub reloads: bool,
}

impl Default for ViewOptions {
    fn default() -> Self {
        ViewOptions {
            idle_loops: true,
            exceptional: false,
            direction: None,
            colour: false,
            width: 100,
            reloads: false,
        }
    }
}

/// How much a picture may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PictureLimits {
    /// The most nodes.
    pub nodes: usize,
    /// The most edges, those between the same states counted once.
    pub edges: usize,
}

/// Why an EPA cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// An edge ends at a state that is not listed.
    #[error(
        "an edge of the EPA of {class} ends at the state `{state}`, which the EPA does not list"
    )]
    UnknownState {
        /// The class.
        class: String,
        /// The id that names no state.
        state: String,
    },
    /// A picture that nobody could read, and that would take very long to lay out.
    #[error(
        "the EPA of {class} has {nodes} nodes and {edges} edges, too many for a picture \
         (at most {} and {}): use `dot` or `json`, or study fewer actions",
        limits.nodes,
        limits.edges
    )]
    TooLarge {
        /// The class.
        class: String,
        /// How many nodes would be drawn.
        nodes: usize,
        /// How many edges would be drawn.
        edges: usize,
        /// How many there may be.
        limits: PictureLimits,
    },
    /// Something that the XML of earlier tools cannot tell from something else.
    #[error("the EPA of {class} cannot be written as XML: {what}")]
    NotInXml {
        /// The class.
        class: String,
        /// What it is.
        what: String,
    },
    /// The data could not be written as JSON.
    #[error("the EPA cannot be written as JSON")]
    Json(#[from] serde_json::Error),
    /// A template could not be rendered.
    #[error("the picture cannot be written")]
    Template(#[from] askama::Error),
}

/// An EPA to show, and what else is known about it.
#[derive(Clone, Copy, Debug)]
pub struct ViewSubject<'a> {
    /// The EPA.
    pub epa: &'a Epa,
    /// The class and the questions behind it: only the page tells of them, and it does without if need be.
    pub background: Option<&'a html::Background>,
}

impl<'a> From<&'a Epa> for ViewSubject<'a> {
    fn from(epa: &'a Epa) -> Self {
        ViewSubject {
            epa,
            background: None,
        }
    }
}

/// Shows an EPA. The text ends with a newline.
///
/// # Errors
///
/// [`ViewError`]: an EPA that contradicts itself, or one too large for the format.
///
/// # Examples
/// The same EPA for a terminal, for Graphviz, and as a picture:
///
/// ```
/// use tranquera::view::{self, EpaFormat, ViewOptions};
/// # use tranquera::{encode::Encoding, engine::Builtin, epa, front::tq};
/// # let text = "class Door { var isOpen: bool; initially !isOpen;
/// #   action open() requires !isOpen { isOpen := true; } action close() requires isOpen { isOpen := false; } }";
/// # let door = tq::parse_text("door.tq", text)?;
/// # let encoding = Encoding::of_class(&door.program, door.program.class_named("Door").ok_or("no door")?)?;
/// # let epa = epa::construct(&encoding, &Builtin::default(), &epa::ConstructOptions::default())?.epa();
///
/// let text = view::render(&epa, EpaFormat::Text, &ViewOptions::default())?;
/// assert!(text.contains("S1 (initial) {open}\n  open → S2\n"));
/// let dot = view::render(&epa, EpaFormat::Dot, &ViewOptions::default())?;
/// assert!(dot.starts_with("digraph"));
/// let svg = view::render(&epa, EpaFormat::Svg, &ViewOptions::default())?;
/// assert!(svg.starts_with("<svg"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn render<'a>(
    subject: impl Into<ViewSubject<'a>>,
    format: EpaFormat,
    options: &ViewOptions,
) -> Result<String, ViewError> {
    let subject = subject.into();
    let epa = subject.epa;
    match format {
        EpaFormat::Text => text::render(epa, options),
        EpaFormat::Json => json::render(epa),
        EpaFormat::Dot => dot::render(&Drawing::of(epa, options)?, options),
        EpaFormat::Svg => svg::render(&Drawing::of(epa, options)?, options),
        EpaFormat::Mermaid => mermaid::render(&Drawing::of(epa, options)?, options),
        EpaFormat::Xml => xml::render(epa),
        EpaFormat::Html => html::render(subject, options),
    }
}
