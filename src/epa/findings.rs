//! What is worth a look in an EPA.

use super::model::{Epa, Finding};

/// An operation in the action's body can fail.
pub fn runtime_error(action: &str, exception: &str, doubt: Option<&str>) -> Finding {
    let message = match doubt {
        None => format!("`{action}` can end in {exception}"),
        Some(doubt) => {
            format!("`{action}` may end in {exception}, which could not be ruled out ({doubt})")
        }
    };
    let kind = if doubt.is_none() {
        "runtime-error"
    } else {
        "possible-runtime-error"
    };
    Finding {
        kind: kind.into(),
        state: None,
        action: Some(action.into()),
        message,
    }
}

/// What the shape of an EPA shows. `always_violating` are the states and actions of which every end breaks the
/// invariant.
pub fn of_shape(epa: &Epa, always_violating: &[(String, String)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for state in &epa.states {
        if state.enabled.is_empty() {
            findings.push(Finding {
                kind: "deadlock-state".into(),
                state: Some(state.id.clone()),
                action: None,
                message: format!("in {} no action can be called any more", state.id),
            });
        }
        for action in &state.enabled {
            let leads_somewhere = epa
                .transitions
                .iter()
                .any(|t| t.source == state.id && t.action == *action);
            if leads_somewhere {
                continue;
            }
            let always = always_violating
                .iter()
                .any(|(s, a)| *s == state.id && a == action);
            let (kind, message) = if always {
                (
                    "always-violates",
                    format!(
                        "`{action}` can be called in {}, but always breaks the invariant",
                        state.id
                    ),
                )
            } else {
                (
                    "no-transition",
                    format!(
                        "`{action}` can be called in {}, but never comes to an end there",
                        state.id
                    ),
                )
            };
            findings.push(Finding {
                kind: kind.into(),
                state: Some(state.id.clone()),
                action: Some(action.clone()),
                message,
            });
        }
    }
    findings
}
