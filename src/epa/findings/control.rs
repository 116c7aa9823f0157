//! Findings about a program and its environment, where the class says who decides which action is called.

use std::collections::BTreeSet;

use super::{Besides, EpaShape, Finding};
use crate::ir::Control;
use crate::query::{AbstractState, ActionId, StateId};

/// The states in which both the program and its environment may act.
pub(super) fn mixed_control(shape: &EpaShape<'_>, besides: &Besides) -> Option<Finding> {
    let of = |set: &AbstractState, who: Control| -> Vec<ActionId> {
        let actions = set.iter();
        actions
            .filter(|a| besides.control.get(a) == Some(&who))
            .collect()
    };
    let both = |set: &AbstractState| (of(set, Control::Controllable), of(set, Control::Monitored));
    let states = shape.states.iter().map(|(id, set)| (*id, both(set)));
    let mixed = states.filter(|(_, (ours, theirs))| !ours.is_empty() && !theirs.is_empty());
    let mixed: Vec<_> = mixed.collect();
    let (_, (ours, theirs)) = mixed.first()?.clone();
    Some(Finding::MixedControl {
        states: mixed.into_iter().map(|(id, _)| id).collect(),
        ours,
        theirs,
    })
}

/// The connected sets of states in none of which the environment may act: as long as the program stays there,
/// nothing that happens outside can be taken in. A single state is no finding: that is how the two take turns.
pub(super) fn blocked_environment(shape: &EpaShape<'_>, besides: &Besides) -> Vec<Finding> {
    let is_monitored = |a: ActionId| besides.control.get(&a) == Some(&Control::Monitored);
    if !besides.control.values().any(|c| *c == Control::Monitored) {
        return Vec::new();
    }
    let blocks = |set: &AbstractState| {
        let mut enabled = set.iter().peekable();
        enabled.peek().is_some() && !enabled.any(is_monitored)
    };
    let states = shape.states.iter().filter(|(_, set)| blocks(set));
    let blocking: BTreeSet<StateId> = states.map(|(id, _)| *id).collect();
    let mut seen = BTreeSet::new();
    let mut findings = Vec::new();
    for state in &blocking {
        if seen.contains(state) {
            continue;
        }
        let together = connected(shape, *state, &blocking);
        seen.extend(together.iter().copied());
        if together.len() > 1 {
            findings.push(Finding::BlockedEnvironment {
                for_ever: returns(shape, &together),
                states: together.into_iter().collect(),
            });
        }
    }
    findings
}

/// The states of a set that are connected with this one, whichever way the transitions go.
fn connected(shape: &EpaShape<'_>, from: StateId, within: &BTreeSet<StateId>) -> BTreeSet<StateId> {
    let mut found = BTreeSet::from([from]);
    let mut stack = vec![from];
    while let Some(id) = stack.pop() {
        let targets = shape.leaving(id).iter().map(|t| t.target);
        let sources = shape.entering(id).iter().map(|t| t.source);
        for other in targets.chain(sources) {
            if within.contains(&other) && found.insert(other) {
                stack.push(other);
            }
        }
    }
    found
}

/// Whether transitions between different states of the set lead back to where they begin.
fn returns(shape: &EpaShape<'_>, states: &BTreeSet<StateId>) -> bool {
    let mut left = states.clone();
    loop {
        // A state without a way on within the set is on no cycle.
        let goes_on = |id: &StateId| {
            let mut leaving = shape.leaving(*id).iter();
            leaving.any(|t| t.target != *id && left.contains(&t.target))
        };
        let kept: BTreeSet<StateId> = left.iter().copied().filter(goes_on).collect();
        if kept.len() == left.len() {
            return !kept.is_empty();
        }
        left = kept;
    }
}
