//! Findings about actions.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ALWAYS_VIOLATES, Exit, Known, MIRRORED_ACTIONS, MISSING_ACTION, NO_TRANSITION,
    NONDETERMINISTIC_ACTION, POSSIBLE_VIOLATION, Shape, finding, listed, quoted,
};
use crate::epa::model::{Certainty, Finding, Transition};

/// In how many states an action must be able to end, from one state and in one way, to be called highly
/// nondeterministic. The paper gives no number. Two results of one call are ordinary (a stack that is popped is
/// empty or not); three still occur in faultless classes (`remove` of a list iterator); four need two or more
/// properties that the contract leaves open at once, which is what the paper warns of.
pub const MANY_TARGETS: usize = 4;

/// The actions that can be called in no state.
pub(super) fn missing(shape: &Shape<'_>) -> Vec<Finding> {
    let enabled: BTreeSet<&str> = shape
        .epa
        .states
        .iter()
        .flat_map(|s| s.enabled.iter().map(String::as_str))
        .collect();
    let missing = shape.epa.actions.iter().map(String::as_str);
    missing
        .filter(|a| !enabled.contains(a))
        .map(|action| {
            let message = format!(
                "`{action}` can be called in no state that is reached: what it requires contradicts the invariant, \
                 or nothing ever establishes it"
            );
            finding(MISSING_ACTION, None, Some(action), message)
        })
        .collect()
}

/// A call that, ending in this way, always breaks the invariant.
pub fn always_violates(exit: &Exit) -> Finding {
    let place = match &exit.state {
        Some(state) => format!(" can happen in {state}, but"),
        None => String::new(),
    };
    let message = format!(
        "`{}`{place} always breaks the invariant: it does too much, or requires too little",
        exit.label
    );
    let state = exit.state.as_deref();
    finding(ALWAYS_VIOLATES, state, Some(&exit.action), message)
}

/// A call of which it is not known whether, ending in this way, it can break the invariant.
pub fn may_violate(exit: &Exit, doubt: &str) -> Finding {
    let place = match &exit.state {
        Some(state) => format!(" in {state}"),
        None => String::new(),
    };
    let message = format!(
        "`{}`{place} may break the invariant, which could not be ruled out ({doubt})",
        exit.label
    );
    let state = exit.state.as_deref();
    finding(POSSIBLE_VIOLATION, state, Some(&exit.action), message)
}

/// The states and actions that can be called there, but lead nowhere, and not even break the invariant.
pub(super) fn leading_nowhere(shape: &Shape<'_>, known: &Known) -> Vec<Finding> {
    let violating: BTreeSet<(&str, &str)> = known
        .violations
        .iter()
        .filter_map(|f| Some((f.state.as_deref()?, f.action.as_deref()?)))
        .collect();
    let mut findings = Vec::new();
    for state in &shape.epa.states {
        for action in &state.enabled {
            let mut leaving = shape.leaving(&state.id).iter();
            if leaving.any(|t| t.action == *action) || violating.contains(&(&state.id, action)) {
                continue;
            }
            let message = format!(
                "`{action}` can be called in {}, but never comes to an end there: it always fails, loops for ever, \
                 or ensures what cannot be",
                state.id
            );
            findings.push(finding(
                NO_TRANSITION,
                Some(&state.id),
                Some(action),
                message,
            ));
        }
    }
    findings
}

/// What is seen of an action: where it can be called, and where it leads from there.
type Behaviour<'a> = (
    BTreeSet<&'a str>,
    BTreeSet<(&'a str, &'a str, Option<&'a str>, Option<&'a str>)>,
);

/// The actions that nothing tells apart, a finding a group. Actions that only loop (getters, most often) are alike
/// by nature, and edges that are not certain are alike in what is not known; neither is a finding.
pub(super) fn mirrored(shape: &Shape<'_>) -> Vec<Finding> {
    let mut groups: BTreeMap<Behaviour<'_>, Vec<&str>> = BTreeMap::new();
    for action in &shape.epa.actions {
        let edges = shape.epa.transitions.iter();
        let edges: Vec<&Transition> = edges.filter(|t| t.action == *action).collect();
        let moves = edges.iter().any(|t| t.source != t.target);
        if moves && edges.iter().all(|t| t.verdict == Certainty::Reached) {
            groups
                .entry(behaviour(shape, action, &edges))
                .or_default()
                .push(action);
        }
    }
    let mut alike: Vec<Vec<&str>> = groups.into_values().filter(|g| g.len() > 1).collect();
    alike.sort_by_key(|group| {
        shape
            .epa
            .actions
            .iter()
            .position(|a| Some(&a.as_str()) == group.first())
    });
    let message = |group: &[&str]| {
        format!(
            "{} can be called in the same states and lead to the same states: one may be a copy of the other that \
             was never adapted",
            quoted(group.iter().copied())
        )
    };
    alike
        .iter()
        .map(|group| {
            finding(
                MIRRORED_ACTIONS,
                None,
                group.first().copied(),
                message(group),
            )
        })
        .collect()
}

fn behaviour<'a>(shape: &Shape<'a>, action: &str, edges: &[&'a Transition]) -> Behaviour<'a> {
    let states = shape.epa.states.iter();
    let enabled = states.filter(|s| s.enabled.iter().any(|a| a == action));
    let edge = |t: &&'a Transition| {
        let (outcome, exception) = (t.outcome.as_deref(), t.exception.as_deref());
        (t.source.as_str(), t.target.as_str(), outcome, exception)
    };
    (
        enabled.map(|s| s.id.as_str()).collect(),
        edges.iter().map(edge).collect(),
    )
}

/// The actions that may end in many states, a finding an action: of the state from which there are most.
pub(super) fn nondeterministic(shape: &Shape<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for action in &shape.epa.actions {
        let mut choices: Vec<(&str, Vec<&str>)> = Vec::new();
        for state in &shape.epa.states {
            if let Some(targets) = most_targets(shape.leaving(&state.id), action) {
                choices.push((&state.id, targets));
            }
        }
        // The first of several states with equally many.
        let Some((state, targets)) = choices.iter().rev().max_by_key(|(_, t)| t.len()) else {
            continue;
        };
        let elsewhere = match choices.len() {
            1 => String::new(),
            2 => ", and one other state is like that".to_owned(),
            n => format!(", and {} other states are like that", n - 1),
        };
        let message = format!(
            "from {state}, `{action}` may end in {} states ({}){elsewhere}: what it ensures, or the invariant, may \
             say too little",
            targets.len(),
            listed(targets)
        );
        findings.push(finding(
            NONDETERMINISTIC_ACTION,
            Some(state),
            Some(action),
            message,
        ));
    }
    findings
}

/// The most states in which the action certainly can end in one way, where they are many.
fn most_targets<'a>(leaving: &[&'a Transition], action: &str) -> Option<Vec<&'a str>> {
    let mut targets: BTreeMap<(&Option<String>, &Option<String>), Vec<&str>> = BTreeMap::new();
    let certain = |t: &&&Transition| t.action == action && t.verdict == Certainty::Reached;
    for transition in leaving.iter().filter(certain) {
        let way = (&transition.outcome, &transition.exception);
        targets.entry(way).or_default().push(&transition.target);
    }
    let many = targets.into_values().filter(|t| t.len() >= MANY_TARGETS);
    many.max_by_key(Vec::len)
}
