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

use crate::epa::Epa;

use super::abstraction::{Abstraction, Alphabet, Knowledge, LetterOf};
use super::automaton::Automaton;
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
    epa: Epa,
    forbidden: &[String],
    interface: &Automaton,
    longest: usize,
) -> Result<Bounds, TooLarge> {
    let must_abstraction = abstraction(&epa, forbidden, true);
    let must = game::solve(&must_abstraction)?;
    let may = game::solve(&abstraction(&epa, forbidden, false))?.automaton;
    let counts = must.automaton.count(longest).into_iter();
    let counts = counts.zip(interface.count(longest)).zip(may.count(longest));
    let words = counts
        .enumerate()
        .map(|(length, ((must, interface), epa))| words(length, &must, &interface, &epa))
        .collect();
    let alphabet = &must_abstraction.alphabet;
    let among = |set: &Knowledge| set.iter().map(|s| epa.states[*s].id.clone()).collect();
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
    Ok(Bounds { epa, must, words })
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
fn abstraction(epa: &Epa, forbidden: &[String], must: bool) -> Abstraction {
    let position = |id: &str| epa.states.iter().position(|s| s.id == id);
    let action_of = |name: &str| epa.actions.iter().position(|a| a == name);
    let raised =
        |exception: &Option<String>| exception.as_ref().is_some_and(|e| forbidden.contains(e));
    let fails = |action: &str| {
        let of_action = epa.transitions.iter().filter(|t| t.action == action);
        of_action
            .filter(|t| !raised(&t.exception))
            .any(|t| t.exception.is_some())
    };
    let failing: BTreeSet<&str> = (epa.actions.iter().map(String::as_str))
        .filter(|a| fails(a))
        .collect();
    let label = |t: &crate::epa::model::Transition| match (&t.exception, &t.outcome) {
        (Some(_), _) => Some("!ok".to_string()),
        (None, Some(outcome)) => Some(outcome.clone()),
        (None, None) => failing
            .contains(t.action.as_str())
            .then(|| WENT_WELL.to_string()),
    };
    let mut letters: Vec<LetterOf> = Vec::new();
    for (action, name) in epa.actions.iter().enumerate() {
        let of_action = epa.transitions.iter().filter(|t| t.action == *name);
        let labels: BTreeSet<Option<String>> = of_action
            .filter(|t| !raised(&t.exception))
            .map(&label)
            .collect();
        letters.extend(labels.into_iter().map(|label| LetterOf { action, label }));
    }
    let mut raises = vec![vec![false; epa.actions.len()]; epa.states.len()];
    let mut post = vec![BTreeMap::new(); epa.states.len()];
    for (state, raises) in epa.states.iter().zip(&mut raises) {
        for (name, raises) in epa.actions.iter().zip(raises) {
            *raises = must && !state.enabled.contains(name);
        }
    }
    for t in &epa.transitions {
        let ends = (
            position(&t.source),
            action_of(&t.action),
            position(&t.target),
        );
        let (Some(source), Some(action), Some(target)) = ends else {
            continue;
        };
        if raised(&t.exception) {
            raises[source][action] |= must;
            continue;
        }
        let label = label(t);
        let letter = letters
            .iter()
            .position(|l| l.action == action && l.label == label);
        if let Some(letter) = letter {
            let targets: &mut BTreeSet<usize> = post[source].entry(letter).or_default();
            targets.insert(target);
        }
    }
    let initial = epa.states.iter().enumerate();
    Abstraction {
        alphabet: Alphabet {
            actions: epa.actions.clone(),
            letters,
        },
        initial: initial.filter(|(_, s)| s.initial).map(|(i, _)| i).collect(),
        raises,
        post,
    }
}
