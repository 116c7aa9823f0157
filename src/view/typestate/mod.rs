//! A typestate automaton: as a summary for a terminal, and as the pictures that EPAs have.

mod automaton;
mod text;

use crate::typestate::report::{EdgeReport, StateReport, Typestate};

use super::escape::visible;
use super::picture::{self, PictureFormat};
use super::{ViewError, ViewOptions};
use automaton::automaton;
use text::text;

/// The mark of an edge that a call may not be able to take.
const DOUBT: (&str, &str) = (
    "?",
    "not certain: the analysis could not follow everything there, so the edge stays",
);

/// What the state is called that every object is in.
const ANY: &str = "any object";

/// Shows a typestate automaton. The text ends with a newline. Edges of which another edge says more are in the JSON
/// only, unless `all` is wanted.
///
/// # Errors
/// [`ViewError`]: one too large for the format.
pub fn render(
    typestate: &Typestate,
    format: PictureFormat,
    all: bool,
    options: &ViewOptions,
) -> Result<String, ViewError> {
    picture::render(
        format,
        typestate,
        || text(typestate, all, options),
        || Ok(automaton(typestate, all)),
        options,
    )
}

fn shown(edges: &[EdgeReport], all: bool) -> impl Iterator<Item = &EdgeReport> {
    edges.iter().filter(move |edge| all || !edge.implied)
}

/// `connect(snk) when snk == null`
fn label(edge: &EdgeReport) -> String {
    let name = visible(&edge.name);
    // A constructor's name has the types of its parameters; the names say which the guard means.
    let params = match (edge.source.is_some(), edge.guard.is_empty()) {
        (true, _) => format!("({})", edge.params.join(", ")),
        (false, true) => String::new(),
        (false, false) => format!(" of {}", edge.params.join(", ")),
    };
    if edge.guard.is_empty() {
        return name + &visible(&params);
    }
    let guard: Vec<String> = edge.guard.iter().map(|g| visible(g)).collect();
    format!("{name}{} when {}", visible(&params), guard.join(" && "))
}

fn condition(state: &StateReport) -> Vec<String> {
    if state.condition.is_empty() {
        return vec![ANY.into()];
    }
    state.condition.iter().map(|c| visible(c)).collect()
}
