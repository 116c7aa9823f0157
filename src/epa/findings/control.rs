//! Findings about a program and its environment, where the class says who decides which action is called.

use std::collections::BTreeSet;

use super::{BLOCKED_ENVIRONMENT, Known, MIXED_CONTROL, Shape, finding, listed, quoted, shortened};
use crate::epa::model::{Finding, State};
use crate::ir::Control;

/// The states in which both the program and its environment may act.
pub(super) fn mixed_control(shape: &Shape<'_>, known: &Known) -> Vec<Finding> {
    let of = |state: &'_ State, who: Control| -> Vec<String> {
        let actions = state.enabled.iter();
        let actions = actions.filter(|a| known.control.get(a.as_str()) == Some(&who));
        actions.cloned().collect()
    };
    let mixed: Vec<(&State, Vec<String>, Vec<String>)> = shape
        .epa
        .states
        .iter()
        .map(|s| (s, of(s, Control::Controllable), of(s, Control::Monitored)))
        .filter(|(_, ours, theirs)| !ours.is_empty() && !theirs.is_empty())
        .collect();
    let names = |actions: &[String]| quoted(actions.iter().map(String::as_str));
    let why = "where the two take turns, one of them should have to wait";
    match mixed.as_slice() {
        [] => Vec::new(),
        [(state, ours, theirs)] => {
            let message = format!(
                "in {} both the program ({}) and its environment ({}) may act; {why}",
                state.id,
                names(ours),
                names(theirs)
            );
            vec![finding(MIXED_CONTROL, Some(&state.id), None, message)]
        }
        [(first, ours, theirs), ..] => {
            let ids = mixed.iter().map(|(s, ..)| s.id.clone()).collect();
            let message = format!(
                "in {} both the program and its environment may act, in {} for example {} and {}; {why}",
                listed(&shortened(ids)),
                first.id,
                names(ours),
                names(theirs)
            );
            vec![finding(MIXED_CONTROL, None, None, message)]
        }
    }
}

/// The connected sets of states in none of which the environment may act: as long as the program stays there,
/// nothing that happens outside can be taken in. A single state is no finding: that is how the two take turns.
pub(super) fn blocked_environment(shape: &Shape<'_>, known: &Known) -> Vec<Finding> {
    if !known.control.values().any(|c| *c == Control::Monitored) {
        return Vec::new();
    }
    let takes_in = |s: &State| {
        let mut enabled = s.enabled.iter();
        enabled.any(|a| known.control.get(a) == Some(&Control::Monitored))
    };
    let states = shape.epa.states.iter();
    let blocking: BTreeSet<&str> = states
        .filter(|s| !s.enabled.is_empty() && !takes_in(s))
        .map(|s| s.id.as_str())
        .collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for state in &shape.epa.states {
        if !blocking.contains(state.id.as_str()) || seen.contains(state.id.as_str()) {
            continue;
        }
        let together = connected(shape, &state.id, &blocking);
        seen.extend(together.iter().copied());
        if together.len() < 2 {
            continue;
        }
        // In the order of the EPA.
        let ids = shape.epa.states.iter().map(|s| s.id.as_str());
        let ids: Vec<String> = ids
            .filter(|id| together.contains(id))
            .map(str::to_owned)
            .collect();
        let stay = match returns(shape, &together) {
            true => "and the program can go on there for ever",
            false => "until the program has gone through them",
        };
        let message = format!(
            "in {}, which are connected, no monitored action can be called: the environment is blocked, {stay}",
            listed(&shortened(ids))
        );
        findings.push(finding(BLOCKED_ENVIRONMENT, Some(&state.id), None, message));
    }
    findings
}

/// The states of a set that are connected with this one, whichever way the transitions go.
fn connected<'a>(
    shape: &Shape<'a>,
    from: &'a str,
    within: &BTreeSet<&'a str>,
) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(id) = stack.pop() {
        let targets = shape.leaving(id).iter().map(|t| t.target.as_str());
        let sources = shape.entering(id).iter().map(|t| t.source.as_str());
        for other in targets.chain(sources) {
            if within.contains(other) && found.insert(other) {
                stack.push(other);
            }
        }
    }
    found
}

/// Whether transitions between different states of the set lead back to where they begin.
fn returns(shape: &Shape<'_>, states: &BTreeSet<&str>) -> bool {
    let mut left = states.clone();
    loop {
        // A state without a way on within the set is on no cycle.
        let goes_on = |id: &&str| {
            let mut leaving = shape.leaving(id).iter();
            leaving.any(|t| t.target != **id && left.contains(t.target.as_str()))
        };
        let kept: BTreeSet<&str> = left.iter().copied().filter(goes_on).collect();
        if kept.len() == left.len() {
            return !kept.is_empty();
        }
        left = kept;
    }
}
