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

/// A way in which a call can end.
#[derive(Clone, Debug)]
pub struct Exit {
    /// The state it is made in; none for a constructor.
    pub state: Option<String>,
    /// The action or constructor.
    pub action: String,
    /// The same with the way it ends: `pop[ok]`, `pop!Empty`.
    pub label: String,
}

/// What the shape of an EPA shows. `always_violating` are the exits that have no edge because all their ends break
/// the invariant.
pub fn of_shape(epa: &Epa, always_violating: &[Exit]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let of_constructors = always_violating.iter().filter(|e| e.state.is_none());
    findings.extend(of_constructors.map(always_violates));
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
            let before = findings.len();
            let here = |e: &&Exit| e.state.as_ref() == Some(&state.id) && e.action == *action;
            findings.extend(always_violating.iter().filter(here).map(always_violates));
            let leads_somewhere = epa
                .transitions
                .iter()
                .any(|t| t.source == state.id && t.action == *action);
            if leads_somewhere || findings.len() > before {
                continue;
            }
            findings.push(Finding {
                kind: "no-transition".into(),
                state: Some(state.id.clone()),
                action: Some(action.clone()),
                message: format!(
                    "`{action}` can be called in {}, but never comes to an end there",
                    state.id
                ),
            });
        }
    }
    findings
}

fn always_violates(exit: &Exit) -> Finding {
    let message = match &exit.state {
        Some(state) => format!(
            "`{}` can happen in {state}, but always breaks the invariant",
            exit.label
        ),
        None => format!("`{}` always breaks the invariant", exit.label),
    };
    Finding {
        kind: "always-violates".into(),
        state: exit.state.clone(),
        action: Some(exit.action.clone()),
        message,
    }
}
