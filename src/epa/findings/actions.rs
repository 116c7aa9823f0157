//! Findings about actions.

use std::collections::{BTreeMap, BTreeSet};

use super::{Besides, EpaShape, Finding, KnownTransition};
use crate::ask::Doubt;
use crate::query::{ActionId, Callee, Exit, StateId};

/// In how many states an action must be able to end, from one state and in one way, to be called highly
/// nondeterministic. The paper gives no number. Two results of one call are ordinary (a stack that is popped is
/// empty or not); three still occur in faultless classes (`remove` of a list iterator); four need two or more
/// properties that the contract leaves open at once, which is what the paper warns of.
pub(super) const MANY_TARGETS: usize = 4;

/// The actions that can be called in no state.
pub(super) fn missing(shape: &EpaShape<'_>) -> Vec<Finding> {
    let is_enabled = |a: ActionId| shape.states.iter().any(|(_, set)| set.contains(a));
    let missing = shape.epa.action_ids().filter(|a| !is_enabled(*a));
    missing.map(Finding::Missing).collect()
}

/// The states and actions that can be called there, but lead nowhere, and not even break the invariant.
pub(super) fn leading_nowhere(shape: &EpaShape<'_>, besides: &Besides) -> Vec<Finding> {
    let violations = besides.violations.iter();
    let violating = violations.filter_map(|f| Some((f.state()?, f.callee()?)));
    let violating: BTreeSet<(StateId, Callee)> = violating.collect();
    let mut findings = Vec::new();
    for (state, set) in &shape.states {
        for action in set.iter() {
            let callee = Callee::Action(action);
            let mut leaving = shape.leaving(*state).iter();
            if !leaving.any(|t| t.edge.callee == callee)
                && !violating.contains(&(*state, callee))
                && !is_guessed(shape, *state, action)
            {
                findings.push(Finding::LeadsNowhere(*state, action));
            }
        }
    }
    findings
}

/// Whether it is a guess that the action can be called in the state, whichever way an object gets there.
fn is_guessed(shape: &EpaShape<'_>, state: StateId, action: ActionId) -> bool {
    let name = shape.epa.names.action(action);
    let guessed = |doubt: &Option<Doubt>| matches!(doubt, Some(Doubt::Guess(names)) if names.iter().any(|n| n == name));
    let mut edges = shape.epa.edges();
    edges.all(|(_, edge, known)| edge.target != Some(state) || guessed(&known.doubt))
}

/// What is seen of an action: where it can be called, and where it leads from there.
type Behaviour<'a> = (BTreeSet<StateId>, BTreeSet<(StateId, StateId, &'a Exit)>);

/// The actions that nothing tells apart, a finding a group. Actions that only loop (getters, most often) are alike
/// by nature, and edges that are not certain are alike in what is not known; neither is a finding.
pub(super) fn mirrored(shape: &EpaShape<'_>) -> Vec<Finding> {
    let mut groups: BTreeMap<Behaviour<'_>, Vec<ActionId>> = BTreeMap::new();
    for action in shape.epa.action_ids() {
        let callee = Callee::Action(action);
        let edges = shape.transitions.iter().filter(|t| t.edge.callee == callee);
        let edges: Vec<&KnownTransition<'_>> = edges.collect();
        let moves = edges.iter().any(|t| t.source != t.target);
        if moves && edges.iter().all(|t| t.known.doubt.is_none()) {
            let enabled = shape.states.iter().filter(|(_, set)| set.contains(action));
            let edges = edges.iter().map(|t| (t.source, t.target, &t.edge.exit));
            let behaviour = (enabled.map(|(id, _)| *id).collect(), edges.collect());
            groups.entry(behaviour).or_default().push(action);
        }
    }
    let mut alike: Vec<Vec<ActionId>> = groups.into_values().filter(|g| g.len() > 1).collect();
    alike.sort();
    alike.into_iter().map(Finding::Mirrored).collect()
}

/// The actions that may end in many states, a finding an action: of the state from which there are most.
pub(super) fn nondeterministic(shape: &EpaShape<'_>) -> Vec<Finding> {
    let of_action = |action: ActionId| {
        let choices = shape
            .states
            .iter()
            .filter_map(|(state, _)| Some((*state, most_targets(shape.leaving(*state), action)?)));
        let choices: Vec<(StateId, Vec<StateId>)> = choices.collect();
        // The first of several states with equally many.
        let (state, targets) = choices.iter().rev().max_by_key(|(_, t)| t.len())?.clone();
        Some(Finding::Nondeterministic {
            action,
            state,
            targets,
            others: choices.len() - 1,
        })
    };
    shape.epa.action_ids().filter_map(of_action).collect()
}

/// The most states in which the action certainly can end in one way, where they are many.
fn most_targets(leaving: &[KnownTransition<'_>], action: ActionId) -> Option<Vec<StateId>> {
    let mut targets: BTreeMap<&Exit, Vec<StateId>> = BTreeMap::new();
    let callee = Callee::Action(action);
    let certain = |t: &&KnownTransition<'_>| t.edge.callee == callee && t.known.doubt.is_none();
    for transition in leaving.iter().filter(certain) {
        targets
            .entry(&transition.edge.exit)
            .or_default()
            .push(transition.target);
    }
    let many = targets.into_values().filter(|t| t.len() >= MANY_TARGETS);
    many.max_by_key(Vec::len)
}
