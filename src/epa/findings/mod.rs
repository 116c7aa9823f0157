//! What is worth a look in an EPA: the structural heuristics of TSE 2012, §6. `docs/findings.md` explains each kind.
//!
//! A finding is not an error. It says what a person who validates a class by its EPA should look at first. They come with
//! the EPA:
//!
//! ```
//! use tranquera::{encode::Encoding, engine::Builtin, epa, front::tq};
//!
//! let text = "class Fuse {
//!     var blown: bool;
//!     constructor() { blown := false; }
//!     action overload() requires !blown { blown := true; }
//! }";
//! let fuse = tq::parse_text("fuse.tq", text)?;
//! let class = fuse.program.class_named("Fuse").ok_or("no fuse")?;
//! let encoding = Encoding::of_class(&fuse.program, class)?;
//! let epa = epa::construct(&encoding, &Builtin::default(), &epa::Options::default())?.epa;
//!
//! assert_eq!(epa.findings.len(), 1);
//! assert_eq!(epa.findings[0].kind, epa::findings::DEADLOCK_STATE);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod actions;
mod control;
mod states;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::model::{Epa, Finding, Transition};
use crate::ir::Control;

pub use actions::{always_violates, may_violate};

/// Nothing can be called any more.
pub const DEADLOCK_STATE: &str = "deadlock-state";
/// A state that is never left.
pub const SINK_STATE: &str = "sink-state";
/// An action that can be called in no state.
pub const MISSING_ACTION: &str = "missing-action";
/// An action that can be called in a state, but leads nowhere from there.
pub const NO_TRANSITION: &str = "no-transition";
/// An action that, from a state, always breaks the invariant.
pub const ALWAYS_VIOLATES: &str = "always-violates";
/// It could not be ruled out that an action, from a state, breaks the invariant.
pub const POSSIBLE_VIOLATION: &str = "possible-violation";
/// A call that breaks a clause of the invariant.
pub const BROKEN_INVARIANT: &str = "broken-invariant";
/// An invariant that no configuration satisfies.
pub const CONTRADICTORY_INVARIANT: &str = "contradictory-invariant";
/// `initially` cannot hold where the invariant does.
pub const CONTRADICTORY_START: &str = "contradictory-start";
/// A constructor that never makes an object.
pub const NO_OBJECT: &str = "no-object";
/// What is assumed of a state cannot hold there.
pub const CONTRADICTORY_ASSUMPTION: &str = "contradictory-assumption";
/// What is assumed of a state does not hold of every object in it.
pub const FALSE_ASSUMPTION: &str = "false-assumption";
/// It could not be proved that what is assumed of a state holds of every object in it.
pub const UNPROVED_ASSUMPTION: &str = "unproved-assumption";
/// Actions that nothing tells apart.
pub const MIRRORED_ACTIONS: &str = "mirrored-actions";
/// A state in which very many transitions end.
pub const HIGH_FAN_IN: &str = "high-fan-in";
/// An action that, from one state, may end in many.
pub const NONDETERMINISTIC_ACTION: &str = "nondeterministic-action";
/// States in which both the program and its environment may act.
pub const MIXED_CONTROL: &str = "mixed-control";
/// Connected states in none of which the environment may act.
pub const BLOCKED_ENVIRONMENT: &str = "blocked-environment";
/// An operation in an action's body can fail.
pub const RUNTIME_ERROR: &str = "runtime-error";
/// It could not be ruled out that an operation in an action's body fails.
pub const POSSIBLE_RUNTIME_ERROR: &str = "possible-runtime-error";

/// The kinds that are about what the construction takes for granted.
const PREMISES: [&str; 7] = [
    CONTRADICTORY_INVARIANT,
    CONTRADICTORY_START,
    NO_OBJECT,
    BROKEN_INVARIANT,
    CONTRADICTORY_ASSUMPTION,
    FALSE_ASSUMPTION,
    UNPROVED_ASSUMPTION,
];

/// What is known of a class besides its EPA.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What was found out about what the construction takes for granted.
    pub premises: Vec<Finding>,
    /// What was found, or could not be ruled out, about calls that break the invariant.
    pub violations: Vec<Finding>,
    /// Who decides that an action is called, where the class says so.
    pub control: BTreeMap<String, Control>,
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

/// What there is to say of an EPA: first of what it takes for granted, then what its shape shows of its states and
/// its actions.
pub fn of_shape(epa: &Epa, known: &Known) -> Vec<Finding> {
    let shape = Shape::of(epa);
    let mut findings = known.premises.clone();
    findings.extend(states::deadlocks(&shape));
    findings.extend(states::sinks(&shape));
    findings.extend(states::high_fan_in(&shape));
    findings.extend(control::mixed_control(&shape, known));
    findings.extend(control::blocked_environment(&shape, known));
    findings.extend(actions::missing(&shape));
    findings.extend(known.violations.iter().cloned());
    findings.extend(actions::leading_nowhere(&shape, known));
    findings.extend(actions::mirrored(&shape));
    findings.extend(actions::nondeterministic(&shape));
    findings
}

/// The findings of an EPA that has lost states and edges since they were made: what its shape shows is looked for
/// again, and what is said of calls in states that are gone goes with them.
pub fn after_pruning(epa: &Epa, control: BTreeMap<String, Control>) -> Vec<Finding> {
    let is_there = |f: &&Finding| {
        let state = f.state.as_deref();
        state.is_none_or(|id| epa.state(id).is_some())
    };
    let old = |kinds: &[&str]| {
        let found = epa.findings.iter().filter(is_there);
        found
            .filter(move |f| kinds.contains(&f.kind.as_str()))
            .cloned()
            .collect::<Vec<Finding>>()
    };
    let known = Known {
        premises: old(&PREMISES),
        violations: old(&[ALWAYS_VIOLATES, POSSIBLE_VIOLATION]),
        control,
    };
    let mut findings = of_shape(epa, &known);
    findings.extend(old(&[RUNTIME_ERROR, POSSIBLE_RUNTIME_ERROR]));
    findings
}

/// An operation in the action's body can fail.
pub fn runtime_error(action: &str, exception: &str, doubt: Option<&str>) -> Finding {
    let (kind, message) = match doubt {
        None => (RUNTIME_ERROR, format!("`{action}` can end in {exception}")),
        Some(doubt) => (
            POSSIBLE_RUNTIME_ERROR,
            format!("`{action}` may end in {exception}, which could not be ruled out ({doubt})"),
        ),
    };
    finding(kind, None, Some(action), message)
}

/// An EPA with its transitions by their ends.
struct Shape<'a> {
    epa: &'a Epa,
    leaving: BTreeMap<&'a str, Vec<&'a Transition>>,
    entering: BTreeMap<&'a str, Vec<&'a Transition>>,
}

impl<'a> Shape<'a> {
    fn of(epa: &'a Epa) -> Self {
        let mut shape = Shape {
            epa,
            leaving: BTreeMap::new(),
            entering: BTreeMap::new(),
        };
        for transition in &epa.transitions {
            let leaving = shape.leaving.entry(&transition.source).or_default();
            leaving.push(transition);
            let entering = shape.entering.entry(&transition.target).or_default();
            entering.push(transition);
        }
        shape
    }

    fn leaving(&self, state: &str) -> &[&'a Transition] {
        self.leaving.get(state).map_or(&[], Vec::as_slice)
    }

    fn entering(&self, state: &str) -> &[&'a Transition] {
        self.entering.get(state).map_or(&[], Vec::as_slice)
    }
}

pub(super) fn finding(
    kind: &str,
    state: Option<&str>,
    action: Option<&str>,
    message: String,
) -> Finding {
    Finding {
        kind: kind.to_owned(),
        state: state.map(str::to_owned),
        action: action.map(str::to_owned),
        message,
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [all @ .., last] => {
            let all: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", all.join(", "), last.as_ref())
        }
    }
}

/// Names of a program, in a sentence.
fn quoted<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
    listed(&names)
}

/// How many ways into a state, or states, a sentence names.
const NAMED: usize = 3;

/// A list that is not too long for a sentence.
fn shortened(mut names: Vec<String>) -> Vec<String> {
    if names.len() > NAMED {
        let more = format!("{} more", names.len() - NAMED + 1);
        names.truncate(NAMED - 1);
        names.push(more);
    }
    names
}
