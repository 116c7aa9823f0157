//! An interface: as a text for a terminal, and as the pictures that EPAs have.

mod text;

use clap::ValueEnum;

use super::{Drawing, Options, ViewError, dot, mermaid, svg};
use crate::epa::Epa;
use crate::epa::model::{self as epa, Certainty, ConstructorEdge};
use crate::interface::model::Interface;

/// The formats an interface can be shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A summary for a terminal
    #[default]
    Text,
    /// The data, as JSON (schema `tranquera/interface/1`)
    Json,
    /// A graph for Graphviz
    Dot,
    /// A picture that needs nothing else
    Svg,
    /// A `stateDiagram-v2` for Mermaid
    Mermaid,
}

/// Shows an interface. The text ends with a newline.
///
/// # Errors
/// See [`super::render`].
pub fn render(
    interface: &Interface,
    format: Format,
    options: &Options,
) -> Result<String, ViewError> {
    match format {
        Format::Text => Ok(text::render(interface, options)),
        Format::Json => Ok(serde_json::to_string_pretty(interface)? + "\n"),
        Format::Dot => dot::render(&drawing(interface, options)?, options),
        Format::Svg => svg::render(&drawing(interface, options)?, options),
        Format::Mermaid => mermaid::render(&drawing(interface, options)?, options),
    }
}

/// What must never happen, in a sentence.
fn never(interface: &Interface) -> String {
    let words: Vec<String> = interface
        .forbidden
        .iter()
        .map(|name| match name.as_str() {
            "requires" => "violates its requires clauses".to_string(),
            name => format!("raises {name}"),
        })
        .collect();
    format!("no call {}", words.join(" or "))
}

/// The drawing of an interface: that of an EPA whose states are the sets of calls that are safe.
fn drawing(interface: &Interface, options: &Options) -> Result<Drawing, ViewError> {
    let mut drawing = Drawing::of(&as_epa(interface), options)?;
    drawing.title = format!(
        "The interface of {} by which {}",
        interface.class,
        never(interface)
    );
    Ok(drawing)
}

/// The interface in the shape of an EPA, for what both have in common.
fn as_epa(interface: &Interface) -> Epa {
    let first = interface.states.first().map(|s| s.id.clone());
    Epa {
        schema: epa::SCHEMA.into(),
        class: interface.class.clone(),
        actions: interface.actions.clone(),
        states: interface
            .states
            .iter()
            .map(|state| epa::State {
                id: state.id.clone(),
                enabled: state.legal.clone(),
                initial: Some(&state.id) == first.as_ref(),
            })
            .collect(),
        constructors: interface
            .constructors
            .iter()
            .map(|name| ConstructorEdge {
                name: name.clone(),
                target: first.clone(),
                exception: None,
                verdict: Certainty::Reached,
                reason: None,
                violates_invariant: false,
                confirmation: None,
                answer: None,
            })
            .collect(),
        transitions: interface
            .transitions
            .iter()
            .map(|t| epa::Transition {
                source: t.source.clone(),
                action: t.action.clone(),
                target: t.target.clone(),
                outcome: t.seen.clone(),
                exception: None,
                verdict: Certainty::Reached,
                reason: None,
                violates_invariant: false,
                confirmation: None,
                answer: None,
            })
            .collect(),
        refuted: None,
        runs: Vec::new(),
        findings: vec![],
        notes: vec![],
        stats: epa::Stats::default(),
    }
}
