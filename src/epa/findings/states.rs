//! Findings about states.

use super::{EpaShape, Finding, KnownTransition, WayIn};
use crate::epa::wire::Confirmation;
use crate::query::StateId;

/// The fewest transitions from other states that make a state a crossroads. TSE 2012 (§5.5) found two faults of
/// MS-WINSRA by such states, of "more than 60" and of about 30 incoming transitions.
pub(super) const FAN_IN: usize = 30;

/// How many times the average they must be, too. In those two contracts the average was 642 ÷ 60 and 467 ÷ 54, so
/// the states stood out by factors of 5.6 and 3.5.
pub(super) const FAN_IN_FACTOR: usize = 3;

/// The states in which nothing can be called.
pub(super) fn deadlocks(shape: &EpaShape<'_>) -> Vec<Finding> {
    let dead = shape
        .states
        .iter()
        .filter(|(_, set)| set.iter().next().is_none());
    dead.map(|(state, _)| deadlock(shape, *state)).collect()
}

fn deadlock(shape: &EpaShape<'_>, state: StateId) -> Finding {
    let made = shape
        .epa
        .made()
        .filter(|(_, edge, _)| edge.target == Some(state));
    let made: Vec<_> = made.collect();
    let entering = shape.entering(state);
    let mut ways = Vec::new();
    let of_constructors = made.iter().map(|(_, edge, _)| (edge.callee, None));
    let of_actions = entering.iter().map(|t| (t.edge.callee, Some(t.source)));
    for way in of_constructors.chain(of_actions) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    let known = made.iter().map(|(_, _, known)| *known);
    let known: Vec<_> = known.chain(entering.iter().map(|t| t.known)).collect();
    let takes = |c: &Option<Confirmation>| matches!(c, Some(Confirmation::Confirmed { .. }));
    let known = if known.iter().any(|k| takes(&k.confirmation)) {
        WayIn::Run
    } else if known.iter().any(|k| k.confirmation.is_some()) {
        WayIn::NoRun
    } else if known.iter().any(|k| k.doubt.is_none()) {
        WayIn::Certain
    } else {
        WayIn::Uncertain
    };
    Finding::Deadlock { state, ways, known }
}

/// The states that are never left, where there are others.
pub(super) fn sinks(shape: &EpaShape<'_>) -> Vec<Finding> {
    if shape.states.len() == 1 {
        return Vec::new();
    }
    let is_sink = |state: StateId| {
        let leaving = shape.leaving(state);
        !leaving.is_empty() && leaving.iter().all(|t| t.target == t.source)
    };
    let states = shape.states.iter().filter(|(id, _)| is_sink(*id));
    states
        .map(|(id, set)| Finding::Sink(*id, (*set).clone()))
        .collect()
}

/// The states in which far more transitions end than in others.
pub(super) fn high_fan_in(shape: &EpaShape<'_>) -> Vec<Finding> {
    let from_elsewhere = |t: &&KnownTransition<'_>| t.source != t.target;
    let moving = shape.transitions.iter().filter(from_elsewhere).count();
    let states = shape.states.len();
    let crossroads = shape.states.iter().filter_map(|(state, _)| {
        let entering = shape.entering(*state).iter().filter(from_elsewhere).count();
        let is_high = entering >= FAN_IN && entering * states >= FAN_IN_FACTOR * moving;
        is_high.then_some(Finding::HighFanIn {
            state: *state,
            entering,
            average: moving as f64 / states as f64,
        })
    });
    crossroads.collect()
}
