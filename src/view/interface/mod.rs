//! An interface: as a text for a terminal, and as the pictures that EPAs have.

mod text;

use super::picture::{self, PictureFormat};
use super::{Drawing, ViewError, ViewOptions};
use crate::epa::Epa;
use crate::epa::wire::{self as epa, ConstructorEdge};
use crate::interface::model::Interface;

/// Shows an interface. The text ends with a newline.
///
/// # Errors
/// See [`super::render`].
pub fn render(
    interface: &Interface,
    format: PictureFormat,
    options: &ViewOptions,
) -> Result<String, ViewError> {
    picture::render(
        format,
        interface,
        || text::render(interface, options),
        || drawing(interface, options),
        options,
    )
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
fn drawing(interface: &Interface, options: &ViewOptions) -> Result<Drawing, ViewError> {
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
        predicates: Vec::new(),
        states: interface
            .states
            .iter()
            .map(|state| epa::EpaState {
                id: state.id.clone(),
                enabled: state.legal.clone(),
                initial: Some(&state.id) == first.as_ref(),
            })
            .collect(),
        constructors: interface
            .constructors
            .iter()
            .map(|name| ConstructorEdge::certain(name, first.as_deref()))
            .collect(),
        transitions: interface
            .transitions
            .iter()
            .map(|t| epa::Transition {
                outcome: t.seen.clone(),
                ..epa::Transition::certain(&t.source, &t.action, &t.target)
            })
            .collect(),
        refuted: None,
        runs: Vec::new(),
        findings: vec![],
        notes: vec![],
        stats: epa::EpaStats::default(),
    }
}
