//! Whether an EPA that comes from outside can be one.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Epa, SCHEMA};

/// What is wrong with an EPA.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The format is another one.
    #[error("this is of the schema `{0}`, not `{SCHEMA}`")]
    Schema(String),
    /// Two states have the same id.
    #[error("there are two states `{0}`")]
    SameId(String),
    /// Two states enable the same actions, so they are one.
    #[error("the states `{0}` and `{1}` enable the same actions, so they would have to be one")]
    SameActions(String, String),
    /// A state enables an action that is not listed.
    #[error("the state `{state}` enables `{action}`, which is not among the actions")]
    UnknownAction {
        /// The state's id.
        state: String,
        /// The action.
        action: String,
    },
    /// An edge begins or ends at a state that is not listed.
    #[error("`{edge}` begins or ends at the state `{state}`, which is not listed")]
    UnknownState {
        /// The action or constructor.
        edge: String,
        /// The id that names no state.
        state: String,
    },
    /// The same edge is there twice.
    #[error("`{edge}` from {from} to {to} is there twice")]
    SameEdge {
        /// The action or constructor.
        edge: String,
        /// Where it begins.
        from: String,
        /// Where it ends.
        to: String,
    },
}

/// Checks that an EPA does not contradict itself: states told apart by id and by what they enable, edges that begin
/// and end at states that are there, no edge twice.
///
/// # Errors
///
/// The first [`Flaw`].
pub fn check(epa: &Epa) -> Result<(), Flaw> {
    if epa.schema != SCHEMA {
        return Err(Flaw::Schema(epa.schema.clone()));
    }
    states(epa)?;
    constructors(epa)?;
    transitions(epa)
}

fn states(epa: &Epa) -> Result<(), Flaw> {
    let actions: BTreeSet<&String> = epa.actions.iter().collect();
    let mut ids = BTreeSet::new();
    let mut sets = BTreeMap::new();
    for state in &epa.states {
        if !ids.insert(&state.id) {
            return Err(Flaw::SameId(state.id.clone()));
        }
        let enabled: BTreeSet<&String> = state.enabled.iter().collect();
        if let Some(action) = enabled.difference(&actions).next() {
            return Err(Flaw::UnknownAction {
                state: state.id.clone(),
                action: (*action).clone(),
            });
        }
        if let Some(other) = sets.insert(enabled, &state.id) {
            return Err(Flaw::SameActions(other.clone(), state.id.clone()));
        }
    }
    Ok(())
}

fn known(ids: &BTreeSet<&str>, edge: &str, state: &str) -> Result<(), Flaw> {
    if ids.contains(state) {
        Ok(())
    } else {
        Err(Flaw::UnknownState {
            edge: edge.to_owned(),
            state: state.to_owned(),
        })
    }
}

fn constructors(epa: &Epa) -> Result<(), Flaw> {
    let ids: BTreeSet<&str> = epa.states.iter().map(|s| s.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    for edge in &epa.constructors {
        if let Some(target) = &edge.target {
            known(&ids, &edge.name, target)?;
        }
        if !seen.insert((&edge.name, &edge.target, &edge.exception)) {
            return Err(Flaw::SameEdge {
                edge: edge.name.clone(),
                from: "the start".to_owned(),
                to: edge
                    .target
                    .clone()
                    .unwrap_or_else(|| "no object".to_owned()),
            });
        }
    }
    Ok(())
}

fn transitions(epa: &Epa) -> Result<(), Flaw> {
    let ids: BTreeSet<&str> = epa.states.iter().map(|s| s.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    for t in &epa.transitions {
        known(&ids, &t.action, &t.source)?;
        known(&ids, &t.action, &t.target)?;
        if !seen.insert((&t.source, &t.action, &t.outcome, &t.exception, &t.target)) {
            return Err(Flaw::SameEdge {
                edge: t.action.clone(),
                from: t.source.clone(),
                to: t.target.clone(),
            });
        }
    }
    Ok(())
}
