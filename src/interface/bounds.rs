//! What stands on both sides of an interface: what *may* be called (the EPA), and what *must* succeed by what the EPA
//! alone says.
//!
//! Must(EPA) is the game played on the EPA: a call is legal where every state that the object may be in enables it
//! (and has no edge on which it raises what must not be raised). It costs no question, and its states are sets of the
//! EPA's. Where what must not happen is a violated requires clause, every history that Must(EPA) allows is safe, and
//! every safe history is one of the EPA's. The two are the same where the EPA is deterministic.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::epa::{Abstraction as EpaInside, Epa};
use crate::query::{ActionId, Callee, Edge, StateId};

use super::abstraction::{Alphabet, CubeGame, Knowledge, LetterOf};
use super::automaton::InterfaceAutomaton;
use super::explore::WENT_WELL;
use super::game::{self, TooLarge};

/// An EPA, Must(EPA), and how many histories lie between.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// What may happen.
    pub epa: Epa,
    /// What is guaranteed.
    pub must: Must,
    /// How many histories of each length there are.
    pub words: Vec<Words>,
}

/// Must(EPA).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Must {
    /// Its states; the first is where it starts.
    pub states: Vec<MustState>,
    /// How many transitions it has.
    pub transitions: usize,
}

/// A state of Must(EPA).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MustState {
    /// The EPA's states that the object may be in.
    pub among: Vec<String>,
    /// The actions that all of them enable.
    pub legal: Vec<String>,
    /// Where they lead: a call with what is seen of it, and the position of the state.
    pub next: Vec<(String, usize)>,
}

/// Histories of one length. Numbers too large for others are written in digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// The length, in calls, constructors not counted.
    pub length: usize,
    /// Those that are guaranteed: allowed by Must(EPA).
    pub must: String,
    /// Those that the interface allows.
    pub interface: String,
    /// Those that may happen: of the EPA.
    pub epa: String,
    /// Those of the EPA that Must(EPA) does not allow.
    pub between: String,
}

/// Sets an interface between the two bounds that its class's EPA gives. `forbidden` are the exceptions that must not
/// be raised; histories are counted up to a length.
///
/// # Errors
/// There are too many sets of states to look at.
pub fn bounds(
    epa: &EpaInside,
    forbidden: &[String],
    interface: &InterfaceAutomaton,
    longest: usize,
) -> Result<Bounds, TooLarge> {
    let must_abstraction = abstraction(epa, forbidden, true);
    let must = game::solve(&must_abstraction)?;
    let may = game::solve(&abstraction(epa, forbidden, false))?.automaton;
    let counts = must.automaton.count(longest).into_iter();
    let counts = counts.zip(interface.count(longest)).zip(may.count(longest));
    let words = counts
        .enumerate()
        .map(|(length, ((must, interface), epa))| words(length, &must, &interface, &epa))
        .collect();
    let alphabet = &must_abstraction.alphabet;
    let among = |set: &Knowledge| epa.names.states(set.iter().map(|s| StateId(*s)));
    let states = must.automaton.states.iter().zip(&must.knowledge);
    let states = states
        .map(|(state, set)| MustState {
            among: among(set),
            legal: (state.legal.iter())
                .map(|a| alphabet.actions[*a].clone())
                .collect(),
            next: (state.next.iter())
                .map(|(letter, target)| (alphabet.name(*letter), *target))
                .collect(),
        })
        .collect();
    let must = Must {
        states,
        transitions: must.automaton.edges(),
    };
    Ok(Bounds {
        epa: epa.epa(),
        must,
        words,
    })
}

fn words(length: usize, must: &BigUint, interface: &BigUint, epa: &BigUint) -> Words {
    let between = if epa >= must {
        epa - must
    } else {
        BigUint::ZERO
    };
    Words {
        length,
        must: must.to_string(),
        interface: interface.to_string(),
        epa: epa.to_string(),
        between: between.to_string(),
    }
}

/// An EPA as an abstraction: its states, with calls that the caller sees end well, in an outcome, or in an exception.
/// With `must`, a call that a state does not enable, or that may raise what it must not there, does what must not
/// happen.
fn abstraction(epa: &EpaInside, forbidden: &[String], must: bool) -> CubeGame {
    let raised = |edge: &Edge| {
        let exception = epa.names.exception(&edge.exit);
        exception.is_some_and(|e| forbidden.iter().any(|f| f == e))
    };
    let transitions: Vec<(StateId, StateId, &Edge)> = epa
        .transitions()
        .map(|(source, target, edge, _)| (source, target, edge))
        .collect();
    let of = |action: usize| {
        let edges = transitions.iter().map(|(.., edge)| *edge);
        edges.filter(move |edge| edge.callee == Callee::Action(ActionId(action)) && !raised(edge))
    };
    let fails = |edge: &Edge| epa.names.exception(&edge.exit).is_some();
    let actions = 0..epa.names.actions.len();
    let failing: Vec<bool> = actions
        .clone()
        .map(|action| of(action).any(fails))
        .collect();
    // How a call of an action is seen to end.
    let label = |action: usize, edge: &Edge| {
        if fails(edge) {
            Some("!ok".to_string())
        } else {
            let outcome = epa
                .names
                .outcome(edge.callee, &edge.exit)
                .map(str::to_owned);
            outcome.or_else(|| failing[action].then(|| WENT_WELL.to_string()))
        }
    };
    let mut letters: Vec<LetterOf> = Vec::new();
    for action in actions.clone() {
        let labels: BTreeSet<Option<String>> = of(action).map(|edge| label(action, edge)).collect();
        letters.extend(labels.into_iter().map(|label| LetterOf { action, label }));
    }
    let count = epa.automaton.states.len();
    let mut raises = vec![vec![false; epa.names.actions.len()]; count];
    let mut post = vec![BTreeMap::new(); count];
    for (state, set) in epa.states() {
        for action in actions.clone() {
            raises[state.0][action] = must && !set.contains(ActionId(action));
        }
    }
    for (source, target, edge) in &transitions {
        let Callee::Action(ActionId(action)) = edge.callee else {
            continue;
        };
        if raised(edge) {
            raises[source.0][action] |= must;
            continue;
        }
        let label = label(action, edge);
        let mut letters = letters.iter();
        let letter = letters.position(|l| l.action == action && l.label == label);
        if let Some(letter) = letter {
            let targets: &mut BTreeSet<usize> = post[source.0].entry(letter).or_default();
            targets.insert(target.0);
        }
    }
    CubeGame {
        alphabet: Alphabet {
            actions: epa.names.actions.clone(),
            letters,
        },
        initial: epa.initial().into_iter().map(|state| state.0).collect(),
        raises,
        post,
    }
}
