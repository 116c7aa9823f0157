//! Findings about states.

use super::{DEADLOCK_STATE, HIGH_FAN_IN, SINK_STATE, Shape, finding, listed, quoted, shortened};
use crate::epa::model::{Certainty, Confirmation, Finding, State, Transition};

/// The fewest transitions from other states that make a state a crossroads. TSE 2012 (§5.5) found two faults of
/// MS-WINSRA by such states, of "more than 60" and of about 30 incoming transitions.
pub const FAN_IN: usize = 30;
/// How many times the average they must be, too. In those two contracts the average was 642 ÷ 60 and 467 ÷ 54, so
/// the states stood out by factors of 5.6 and 3.5.
pub const FAN_IN_FACTOR: usize = 3;

/// What a deadlock means.
const UNLESS_MEANT: &str = "unless objects are meant to end like this, a `requires` or an `ensures` is too strong, or \
                            the invariant is too weak";

/// The states in which nothing can be called.
pub(super) fn deadlocks(shape: &Shape<'_>) -> Vec<Finding> {
    let dead = |s: &&State| s.enabled.is_empty();
    let message = |state: &State| {
        let reached = ways_in(shape, state);
        let meaning = match way_in(shape, state) {
            WayIn::Run => {
                format!(", and a run gets there (`tranquera confirm` shows it); {UNLESS_MEANT}")
            }
            WayIn::NoRun => ", but no run was found that gets there".to_owned(),
            WayIn::Certain => format!(
                "; {UNLESS_MEANT} (`tranquera confirm` says whether an object gets there, `tranquera explain` how)"
            ),
            WayIn::Uncertain => {
                ", but no certain edge does, so it may be that no object ever gets there".to_owned()
            }
        };
        format!(
            "in {} no action can be called any more; {reached} there{meaning}",
            state.id
        )
    };
    let states = shape.epa.states.iter().filter(dead);
    states
        .map(|s| finding(DEADLOCK_STATE, Some(&s.id), None, message(s)))
        .collect()
}

/// What is known of the edges that lead into a state.
enum WayIn {
    /// A run takes one of them.
    Run,
    /// Runs were looked for, and none was found.
    NoRun,
    /// One of them is certain; runs were not looked for.
    Certain,
    /// None of them is certain; runs were not looked for.
    Uncertain,
}

fn way_in(shape: &Shape<'_>, state: &State) -> WayIn {
    let made = shape.epa.constructors.iter();
    let made = made.filter(|c| c.target.as_ref() == Some(&state.id));
    let made = made.map(|c| (&c.verdict, &c.confirmation));
    let entering = shape.entering(&state.id).iter();
    let entering = entering.map(|t| (&t.verdict, &t.confirmation));
    let edges: Vec<_> = made.chain(entering).collect();
    let takes = |c: &Option<Confirmation>| matches!(c, Some(Confirmation::Confirmed { .. }));
    if edges.iter().any(|(_, confirmation)| takes(confirmation)) {
        WayIn::Run
    } else if edges.iter().any(|(_, confirmation)| confirmation.is_some()) {
        WayIn::NoRun
    } else if edges
        .iter()
        .any(|(verdict, _)| **verdict == Certainty::Reached)
    {
        WayIn::Certain
    } else {
        WayIn::Uncertain
    }
}

/// What leads into a state, in words.
fn ways_in(shape: &Shape<'_>, state: &State) -> String {
    let mut ways: Vec<String> = Vec::new();
    let mut add = |way: String| {
        if !ways.contains(&way) {
            ways.push(way);
        }
    };
    for constructor in &shape.epa.constructors {
        if constructor.target.as_ref() == Some(&state.id) {
            add(format!("`{}`", constructor.name));
        }
    }
    for transition in shape.entering(&state.id) {
        add(format!(
            "`{}` from {}",
            transition.action, transition.source
        ));
    }
    let verb = if ways.len() == 1 { "leads" } else { "lead" };
    match shortened(ways).as_slice() {
        [] => "nothing leads".to_owned(),
        ways => format!("{} {verb}", listed(ways)),
    }
}

/// The states that are never left, where there are others.
pub(super) fn sinks(shape: &Shape<'_>) -> Vec<Finding> {
    if shape.epa.states.len() == 1 {
        return Vec::new();
    }
    let is_sink = |s: &&State| {
        let leaving = shape.leaving(&s.id);
        !leaving.is_empty() && leaving.iter().all(|t| t.target == t.source)
    };
    let message = |state: &State| {
        format!(
            "{} is never left: all that {} can do there is loop; either this is where objects end, or a way out \
             is missing",
            state.id,
            quoted(state.enabled.iter().map(String::as_str))
        )
    };
    let states = shape.epa.states.iter().filter(is_sink);
    states
        .map(|s| finding(SINK_STATE, Some(&s.id), None, message(s)))
        .collect()
}

/// The states in which far more transitions end than in others.
pub(super) fn high_fan_in(shape: &Shape<'_>) -> Vec<Finding> {
    let from_elsewhere = |t: &&&Transition| t.source != t.target;
    let all = shape.epa.transitions.iter();
    let moving = all.filter(|t| t.source != t.target).count();
    let states = shape.epa.states.len();
    let mut findings = Vec::new();
    for state in &shape.epa.states {
        let entering = shape.entering(&state.id);
        let fan_in = entering.iter().filter(from_elsewhere).count();
        if fan_in < FAN_IN || fan_in * states < FAN_IN_FACTOR * moving {
            continue;
        }
        let message = format!(
            "{fan_in} transitions from other states end in {} (on average {:.1} do): what happened before is \
             forgotten there, and a `requires` may be too weak",
            state.id,
            moving as f64 / states as f64
        );
        findings.push(finding(HIGH_FAN_IN, Some(&state.id), None, message));
    }
    findings
}
