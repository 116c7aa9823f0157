//! Findings about how calls end: in an exception that leaves the object open, in one that nobody could foresee, and in a state that
//! only what was not closed tells from another.

use std::collections::BTreeSet;

use super::{Besides, EpaShape, Finding, KnownTransition};
use crate::ir::ExceptionId;
use crate::query::{AbstractState, ActionId, Callee, Exit, StateId};

/// The actions that, called in a state in which objects begin, may end in an exception where they end when all goes well: in another
/// one, in which something can be called that could not before. What was begun is not taken back. A finding a pair of states.
pub(super) fn left_open(shape: &EpaShape<'_>) -> Vec<Finding> {
    let initial = shape.epa.initial();
    let mut findings = Vec::new();
    for (state, enabled) in shape.states.iter().filter(|(id, _)| initial.contains(id)) {
        let ends = normal_ends(shape, *state);
        let later = shape.states.iter().filter(|(id, _)| !initial.contains(id));
        for (target, then) in later {
            let new: Vec<ActionId> = then.iter().filter(|a| !enabled.contains(*a)).collect();
            let here = ends.iter().filter(|(_, end)| end == target);
            let actions: Vec<ActionId> = here
                .map(|(action, _)| *action)
                .filter(|action| raised(shape, *state, *action).any(|(_, end)| end == *target))
                .collect();
            if !new.is_empty() && !actions.is_empty() {
                findings.push(Finding::LeftOpen {
                    state: *state,
                    actions,
                    target: *target,
                    new,
                });
            }
        }
    }
    findings
}

/// States in which all can be called that can be in one that objects begin in, and an action besides that leads back there and
/// nowhere else: whoever forgets it goes on as before. A finding a pair.
pub(super) fn forgotten(shape: &EpaShape<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let initial = shape.epa.initial();
    // Where objects begin, the action would begin something.
    let later = shape.states.iter().filter(|(id, _)| !initial.contains(id));
    for (state, enabled) in later {
        let closing = normal_ends(shape, *state);
        for (action, without) in closing {
            let mut calls = shape.leaving(*state).iter();
            let leads_elsewhere =
                calls.any(|t| t.edge.callee == Callee::Action(action) && t.target != without);
            let begins =
                initial.contains(&without) && certain(shape, without).any(|t| t.target == *state);
            let is_but_for_it = shape
                .enabled(without)
                .is_some_and(|without| is_but_for(without, enabled, action));
            if begins && is_but_for_it && !leads_elsewhere {
                findings.push(Finding::Forgotten {
                    state: *state,
                    action,
                    without,
                });
            }
        }
    }
    findings
}

/// Whether in the one state can be called what can be in the other, but for an action.
fn is_but_for(one: &AbstractState, other: &AbstractState, action: ActionId) -> bool {
    let others = other.iter().filter(|a| *a != action);
    !one.contains(action) && one.iter().eq(others)
}

/// The actions without arguments that can be called in a state, and may be refused there: nothing that a caller knows decides it. A
/// finding a state, of those actions of which there is none so far.
pub(super) fn unforeseen(shape: &EpaShape<'_>, besides: &Besides) -> Vec<Finding> {
    let mut told: BTreeSet<ActionId> = BTreeSet::new();
    let mut findings = Vec::new();
    for (state, _) in &shape.states {
        let (mut actions, mut exceptions) = (Vec::new(), BTreeSet::new());
        let ends: BTreeSet<ActionId> = normal_ends(shape, *state)
            .into_iter()
            .map(|(action, _)| action)
            .collect();
        for action in ends.intersection(&besides.without_arguments).copied() {
            let refusals: BTreeSet<ExceptionId> = raised(shape, *state, action)
                .map(|(exception, _)| exception)
                .filter(|exception| besides.refusing.contains(exception))
                .collect();
            if !refusals.is_empty() && told.insert(action) {
                actions.push(action);
                exceptions.extend(refusals);
            }
        }
        if !actions.is_empty() {
            findings.push(Finding::Unforeseen {
                state: *state,
                actions,
                exceptions: exceptions.into_iter().collect(),
            });
        }
    }
    findings
}

/// The certain edges out of a state.
fn certain<'s, 'a>(
    shape: &'s EpaShape<'a>,
    state: StateId,
) -> impl Iterator<Item = &'s KnownTransition<'a>> {
    let leaving = shape.leaving(state).iter();
    leaving.filter(|t| t.known.doubt.is_none())
}

/// Where actions certainly end that are called in a state and raise nothing, each pair once.
fn normal_ends(shape: &EpaShape<'_>, state: StateId) -> BTreeSet<(ActionId, StateId)> {
    let normal =
        certain(shape, state).filter(|t| matches!(t.edge.exit, Exit::Normal | Exit::Outcome(_)));
    let ends = normal.filter_map(|t| match t.edge.callee {
        Callee::Action(action) => Some((action, t.target)),
        Callee::Constructor(_) => None,
    });
    ends.collect()
}

/// The exceptions that an action certainly may end in which is called in a state, and where.
fn raised<'s, 'a>(
    shape: &'s EpaShape<'a>,
    state: StateId,
    action: ActionId,
) -> impl Iterator<Item = (ExceptionId, StateId)> + use<'s, 'a> {
    let of_action = certain(shape, state).filter(move |t| t.edge.callee == Callee::Action(action));
    of_action.filter_map(|t| match t.edge.exit {
        Exit::Exception(exception) => Some((exception, t.target)),
        _ => None,
    })
}
