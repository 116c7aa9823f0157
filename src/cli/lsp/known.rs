//! What is known of a document's classes by now, and its words: `4 states · 1 deadlock`; where an action can be called.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::epa::Epa;
use crate::load::{LoadComplaint, Places};
use crate::words::counted;

/// A class of which the EPA is known.
pub(super) struct KnownClass {
    pub(super) epa: Epa,
    /// Where it stands in the text that was studied.
    pub(super) places: Places,
}

/// What is known of a document.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// By their names.
    pub(super) classes: BTreeMap<String, Arc<KnownClass>>,
    /// Why there is no EPA of all of it, or of a class.
    pub(super) wrong: Vec<LoadComplaint>,
}

/// `4 states · 1 deadlock`
pub(super) fn title(epa: &Epa) -> String {
    let dead = epa.states.iter().filter(|state| epa.is_dead(state)).count();
    let doubts = epa.transitions.iter();
    let doubts = doubts.filter(|edge| edge.reason.is_some()).count();
    let mut parts = vec![counted(epa.states.len() as u64, "state")];
    parts.extend((dead > 0).then(|| counted(dead as u64, "deadlock")));
    parts.extend((doubts > 0).then(|| counted(doubts as u64, "uncertain edge")));
    parts.join(" · ")
}

/// In which states an action can be called, and where it leads from there. Where that is said away from the class, the action is
/// called by a name that tells of which it is.
pub(super) fn of_action(epa: &Epa, action: &str, called: &str) -> String {
    let set = |id: &str| {
        let names = epa.state(id).map(|state| state.enabled.join(", "));
        format!("{{{}}}", names.unwrap_or_default())
    };
    let states = epa
        .states
        .iter()
        .filter(|state| state.enabled.iter().any(|a| a == action));
    let lines = states.map(|state| {
        let edges = epa.transitions.iter();
        let leaving = edges.filter(|edge| edge.source == state.id && edge.action == action);
        let ends: Vec<String> = leaving
            .map(|edge| {
                let doubt = if edge.reason.is_some() { " ?" } else { "" };
                let exception = edge.exception.iter().map(|e| format!(" ! {e}"));
                let outcome = edge.outcome.iter().map(|o| format!(" [{o}]"));
                let end: String = outcome.chain(exception).collect();
                format!("`{}`{end}{doubt}", set(&edge.target))
            })
            .collect();
        let ends = match ends.is_empty() {
            true => "nowhere".to_owned(),
            false => ends.join(", "),
        };
        format!("- in `{}`, it leads to {ends}", set(&state.id))
    });
    let lines: Vec<String> = lines.collect();
    match lines.is_empty() {
        true => format!("`{called}` can be called in no state"),
        false => format!("`{called}` can be called\n\n{}", lines.join("\n")),
    }
}
