//! An edge as a person names it: `S1 -pop-> S2`, `S1 pop → S2`, `{push, pop} -pop[ok]-> {push}`, `Stack(int) -> S1`.

use crate::encode::{Encoding, Exit, Step};
use crate::epa::model::{Epa, Transition};
use crate::query::ActionSet;

/// An edge of an EPA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The call.
    pub step: Step,
    /// Where it ends.
    pub target: ActionSet,
}

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
pub fn find(encoding: &Encoding<'_>, epa: &Epa, text: &str) -> Result<Edge, EdgeError> {
    let plain = text.replace('→', "->");
    let form = || EdgeError::Form(text.to_owned());
    let (left, target) = plain.rsplit_once("->").ok_or_else(form)?;
    let target = state(epa, target.trim())?;
    let left = left.trim();
    let Some((source, label)) = source_and_label(epa, left) else {
        return constructed(encoding, epa, left, &target).ok_or_else(|| {
            let all = epa.constructors.iter();
            let all = all.filter_map(|c| Some(format!("{} -> {}", c.name, c.target.as_ref()?)));
            EdgeError::Missing(text.to_owned(), listed(all))
        });
    };
    let source = state(epa, source)?;
    let wanted = epa
        .transitions
        .iter()
        .find(|t| t.source == source && t.target == target && shown(t) == label);
    let Some(transition) = wanted else {
        let leaving = epa.transitions.iter().filter(|t| t.source == source);
        let all = leaving.map(|t| format!("{source} -{}-> {}", shown(t), t.target));
        return Err(EdgeError::Missing(text.to_owned(), listed(all)));
    };
    let action = encoding
        .actions
        .iter()
        .position(|a| a.name == transition.action);
    let action = action.ok_or_else(form)?;
    Ok(Edge {
        step: Step::Call {
            source: Some(set(encoding, epa, &source).ok_or_else(form)?),
            action,
            exit: exit(encoding, action, transition).ok_or_else(form)?,
        },
        target: set(encoding, epa, &target).ok_or_else(form)?,
    })
}

/// The name of an edge that enters a state from another one, or from a constructor; the first of the EPA.
pub fn entering(epa: &Epa, id: &str) -> Option<String> {
    let mut made = epa.constructors.iter();
    if let Some(edge) = made.find(|c| c.target.as_deref() == Some(id)) {
        return Some(format!("{} -> {id}", edge.name));
    }
    let mut taken = epa.transitions.iter();
    let edge = taken.find(|t| t.target == id && t.source != id)?;
    Some(format!("{} -{}-> {id}", edge.source, shown(edge)))
}

/// `S1 -a` or `{a, b} -a`, or without the `-`: the state, and the label. None where there is no label: then it is a
/// constructor.
fn source_and_label<'t>(epa: &Epa, left: &'t str) -> Option<(&'t str, &'t str)> {
    let is_set = left.starts_with('{');
    let end = match is_set {
        true => left.find('}')? + 1,
        false => left.find([' ', '-'])?,
    };
    let (source, rest) = left.split_at(end);
    let rest = rest.trim();
    // A constructor may have a space in its parameters.
    let is_state = is_set || epa.state(source).is_some();
    let label = rest.strip_prefix('-').or(is_state.then_some(rest))?.trim();
    (!label.is_empty()).then_some((source, label))
}

/// The id of a state that is named by its id or by what it enables.
fn state(epa: &Epa, name: &str) -> Result<String, EdgeError> {
    let names = name.strip_prefix('{').and_then(|n| n.strip_suffix('}'));
    let found = match names {
        None => epa.states.iter().find(|s| s.id == name),
        Some(names) => {
            let mut wanted: Vec<&str> = names.split(',').map(str::trim).collect();
            wanted.retain(|n| !n.is_empty());
            wanted.sort_unstable();
            epa.states.iter().find(|s| {
                let mut enabled: Vec<&str> = s.enabled.iter().map(String::as_str).collect();
                enabled.sort_unstable();
                enabled == wanted
            })
        }
    };
    found.map(|s| s.id.clone()).ok_or_else(|| {
        let all = epa.states.iter().map(|s| s.id.clone());
        EdgeError::State(name.to_owned(), listed(all))
    })
}

fn constructed(encoding: &Encoding<'_>, epa: &Epa, name: &str, target: &str) -> Option<Edge> {
    let edges = &mut epa.constructors.iter();
    edges.find(|c| c.name == name && c.target.as_deref() == Some(target))?;
    let constructor = encoding
        .constructors
        .iter()
        .position(|c| c.display == name)?;
    Some(Edge {
        step: Step::Construct {
            constructor,
            exit: Exit::Normal,
        },
        target: set(encoding, epa, target)?,
    })
}

/// `pop`, `pop[ok]`, `pop!Empty`
pub(super) fn shown(transition: &Transition) -> String {
    let outcome = transition.outcome.iter().map(|o| format!("[{o}]"));
    let exception = transition.exception.iter().map(|e| format!("!{e}"));
    transition.action.clone() + &outcome.chain(exception).collect::<String>()
}

/// How the call of a transition ends.
fn exit(encoding: &Encoding<'_>, action: usize, transition: &Transition) -> Option<Exit> {
    if let Some(name) = &transition.exception {
        let raised = encoding
            .exceptions_of(encoding.actions.get(action)?.routine)
            .iter();
        let mut raised = raised.filter(|e| encoding.source().exception(**e) == name);
        return raised.next().map(|e| Exit::Exception(*e));
    }
    let label = transition.outcome.clone().unwrap_or_default();
    let mut exits = encoding.normal_exits(action).into_iter();
    exits.find(|exit| encoding.outcome_label(action, exit) == label)
}

/// The actions that a state enables.
pub(super) fn set(encoding: &Encoding<'_>, epa: &Epa, id: &str) -> Option<ActionSet> {
    let position = |name: &String| encoding.actions.iter().position(|a| a.name == *name);
    epa.state(id)?.enabled.iter().map(position).collect()
}

fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    if all.is_empty() {
        "none".to_owned()
    } else {
        all.join(", ")
    }
}
