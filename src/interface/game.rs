//! The game with partial information, solved by knowledge sets.
//!
//! The client knows the set of states that the object may be in. An action is legal where no state of the set can
//! do what must not happen by it. Refusing every further call is always possible, so no set is losing and nothing
//! has to be propagated back: the graph of the sets that can be reached by legal calls *is* the most permissive safe
//! interface of the abstraction.

use std::collections::{BTreeMap, BTreeSet};

use super::abstraction::{CubeGame, Knowledge};
use super::automaton::{AutomatonState, InterfaceAutomaton};

/// The game, solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// The most permissive safe interface: a state for each knowledge set.
    pub automaton: InterfaceAutomaton,
    /// The knowledge sets.
    pub knowledge: Vec<Knowledge>,
}

/// There are more knowledge sets than this to look at, and the game is given up.
pub const MOST_SETS: usize = 100_000;

/// There are too many knowledge sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the game has more than {MOST_SETS} knowledge sets")]
pub struct TooLarge;

/// Solves the game.
///
/// # Errors
/// It has too many knowledge sets.
pub fn solve(abstraction: &CubeGame) -> Result<Solved, TooLarge> {
    let mut numbers: BTreeMap<Knowledge, usize> = BTreeMap::new();
    let mut knowledge = vec![abstraction.initial.clone()];
    numbers.insert(abstraction.initial.clone(), 0);
    let mut states = Vec::new();
    while let Some(set) = knowledge.get(states.len()).cloned() {
        let legal = abstraction.legal(&set);
        let mut next = BTreeMap::new();
        for letter in legal
            .iter()
            .flat_map(|a| abstraction.alphabet.of_action(*a))
        {
            let after = abstraction.post(&set, letter);
            if after.is_empty() {
                continue;
            }
            let fresh = knowledge.len();
            let target = *numbers.entry(after.clone()).or_insert_with(|| {
                knowledge.push(after);
                fresh
            });
            next.insert(letter, target);
        }
        if knowledge.len() > MOST_SETS {
            return Err(TooLarge);
        }
        states.push(AutomatonState { legal, next });
    }
    Ok(Solved {
        automaton: InterfaceAutomaton { states },
        knowledge,
    })
}

/// A safe automaton without what cannot be: the actions and letters that are not possible where it allows them.
pub fn feasible(abstraction: &CubeGame, automaton: &InterfaceAutomaton) -> InterfaceAutomaton {
    let mut kept = vec![AutomatonState::default(); automaton.states.len()];
    let mut seen: BTreeSet<(Knowledge, usize)> = BTreeSet::new();
    let mut open = vec![(abstraction.initial.clone(), 0)];
    while let Some((knowledge, state)) = open.pop() {
        let Some(declared) = automaton.states.get(state) else {
            continue;
        };
        if !seen.insert((knowledge.clone(), state)) {
            continue;
        }
        for (letter, target) in &declared.next {
            let after = abstraction.post(&knowledge, *letter);
            if !after.is_empty() {
                let action = abstraction.alphabet.letters[*letter].action;
                kept[state].legal.insert(action);
                kept[state].next.insert(*letter, *target);
                open.push((after, *target));
            }
        }
    }
    InterfaceAutomaton { states: kept }.canonical()
}
