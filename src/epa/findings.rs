//! What is worth a look in an EPA, by its shape alone.

use super::model::{Epa, Finding};

/// The findings of an EPA. `always_violating` are the states and actions of which every end breaks the
/// invariant.
pub fn of(epa: &Epa, always_violating: &[(String, String)]) -> Vec<Finding> {
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
