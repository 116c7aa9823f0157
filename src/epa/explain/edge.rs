//! An edge as a person names it: `S1 -pop-> S2`, `S1 pop → S2`, `{push, pop} -pop[ok]-> {push}`, `Stack(int) -> S1`.

use crate::epa::abstraction::Abstraction;
use crate::query::{AbstractState, Edge, EdgeId, StateId, names_in};

/// Why an edge cannot be found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EdgeError {
    /// The text is no edge.
    #[error(
        "`{0}` is no edge: `S1 -action-> S2` is one, or `{{a, b}} -action-> {{a}}`, or `Class(int) -> S1`"
    )]
    Form(String),
    /// There is no such state.
    #[error("there is no state `{0}` (there are: {1})")]
    State(String, String),
    /// There is no such edge.
    #[error("there is no edge `{0}` (there are: {1})")]
    Missing(String, String),
}

/// Finds the edge of an EPA that a text names.
///
/// # Errors
/// The text is no edge, or names a state or an edge that the EPA does not have.
pub fn find(epa: &Abstraction, text: &str) -> Result<EdgeId, EdgeError> {
    let plain = text.replace('→', "->");
    let form = || EdgeError::Form(text.to_owned());
    let (left, target) = plain.rsplit_once("->").ok_or_else(form)?;
    let target = state(epa, target.trim())?;
    let left = left.trim();
    let (source, label) = match source_and_label(epa, left) {
        Some((source, label)) => (Some(state(epa, source)?), label),
        None => (None, left),
    };
    let leaving = epa
        .edges()
        .filter(|(_, edge, _)| edge.source == source && edge.target.is_some());
    let leaving: Vec<(EdgeId, &Edge)> = leaving.map(|(id, edge, _)| (id, edge)).collect();
    let is_wanted = |(_, edge): &&(EdgeId, &Edge)| {
        edge.target == Some(target) && epa.names.label(edge.callee, &edge.exit) == label
    };
    leaving
        .iter()
        .find(is_wanted)
        .map(|(id, _)| *id)
        .ok_or_else(|| {
            let all = leaving.iter().map(|(_, edge)| name(epa, edge));
            EdgeError::Missing(text.to_owned(), listed(all))
        })
}

/// An edge as it can be named: `S1 -pop!Empty-> S1`.
fn name(epa: &Abstraction, edge: &Edge) -> String {
    let label = epa.names.label(edge.callee, &edge.exit);
    let target = edge.target.map_or("", |t| epa.names.state(t));
    match edge.source {
        Some(source) => format!("{} -{label}-> {target}", epa.names.state(source)),
        None => format!("{label} -> {target}"),
    }
}

/// An edge that enters a state from another one, or from a constructor; the first of the EPA. Also its name.
pub fn entering(epa: &Abstraction, state: StateId) -> Option<(EdgeId, String)> {
    let mut edges = epa.edges();
    let enters = |edge: &Edge| edge.target == Some(state) && edge.source != Some(state);
    let (id, edge, _) = edges.find(|(_, edge, _)| enters(edge))?;
    Some((id, name(epa, edge)))
}

/// `S1 -a` or `{a, b} -a`, or without the `-`: the state, and the label. None where there is no label: then it is a
/// constructor.
fn source_and_label<'t>(epa: &Abstraction, left: &'t str) -> Option<(&'t str, &'t str)> {
    let is_set = left.starts_with('{');
    let end = match is_set {
        true => left.find('}')? + 1,
        false => left.find([' ', '-'])?,
    };
    let (source, rest) = left.split_at(end);
    let rest = rest.trim();
    // A constructor may have a space in its parameters.
    let is_state = is_set || epa.states().any(|(id, _)| epa.names.state(id) == source);
    let label = rest.strip_prefix('-').or(is_state.then_some(rest))?.trim();
    (!label.is_empty()).then_some((source, label))
}

/// The state that is named by its id or by what it enables.
fn state(epa: &Abstraction, name: &str) -> Result<StateId, EdgeError> {
    let names = name.strip_prefix('{').and_then(|n| n.strip_suffix('}'));
    let mut states = epa.states();
    let found = match names {
        None => states.find(|(id, _)| epa.names.state(*id) == name),
        Some(names) => {
            let mut wanted = names_in(names);
            wanted.sort_unstable();
            let is_wanted = |set: &AbstractState| {
                let mut enabled = epa.names.marks(set);
                enabled.sort_unstable();
                enabled == wanted
            };
            states.find(|(_, set)| is_wanted(set))
        }
    };
    found.map(|(id, _)| id).ok_or_else(|| {
        let all = epa.states().map(|(id, _)| epa.names.state(id).to_owned());
        EdgeError::State(name.to_owned(), listed(all))
    })
}

fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}
