//! Interface automata: which actions may be called after which history.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use num_bigint::BigUint;

use super::abstraction::{Alphabet, Letter, Word};

/// An interface automaton. It starts in state 0; what may not be called leads nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceAutomaton {
    /// The states.
    pub states: Vec<AutomatonState>,
}

/// A state of an interface automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AutomatonState {
    /// The actions that may be called.
    pub legal: BTreeSet<usize>,
    /// Where their letters lead. A letter that is missing cannot be seen here.
    pub next: BTreeMap<Letter, usize>,
}

impl InterfaceAutomaton {
    /// The automaton without what cannot be reached, its states numbered breadth-first. Two automata that differ in
    /// the numbers of their states only become the same.
    #[must_use]
    pub fn canonical(&self) -> InterfaceAutomaton {
        let mut order: Vec<usize> = Vec::new();
        let mut number = BTreeMap::new();
        let mut open = VecDeque::new();
        if !self.states.is_empty() {
            number.insert(0, 0);
            open.push_back(0);
        }
        while let Some(state) = open.pop_front() {
            order.push(state);
            for target in self.states[state].next.values() {
                let fresh = number.len();
                number.entry(*target).or_insert_with(|| {
                    open.push_back(*target);
                    fresh
                });
            }
        }
        let states = order.iter().map(|old| {
            let state = &self.states[*old];
            let next = state.next.iter().map(|(l, t)| (*l, number[t])).collect();
            AutomatonState {
                legal: state.legal.clone(),
                next,
            }
        });
        InterfaceAutomaton {
            states: states.collect(),
        }
    }

    /// How many edges there are.
    pub fn edges(&self) -> usize {
        self.states.iter().map(|s| s.next.len()).sum()
    }

    /// A shortest history to each state; of those, the first in the order of the letters.
    pub fn access(&self) -> Vec<Option<Word>> {
        let mut words: Vec<Option<Word>> = vec![None; self.states.len()];
        let mut open = VecDeque::new();
        if let Some(first) = words.first_mut() {
            *first = Some(vec![]);
            open.push_back(0);
        }
        while let Some(state) = open.pop_front() {
            let word = words[state].clone().unwrap_or_default();
            for (letter, target) in &self.states[state].next {
                if words[*target].is_none() {
                    words[*target] = Some([word.as_slice(), &[*letter]].concat());
                    open.push_back(*target);
                }
            }
        }
        words
    }

    /// How many histories of each length up to `longest` the automaton allows, those of no call first.
    pub fn count(&self, longest: usize) -> Vec<BigUint> {
        let mut ways = vec![BigUint::ZERO; self.states.len()];
        if let Some(first) = ways.first_mut() {
            *first = 1u32.into();
        }
        let mut counts = vec![ways.iter().sum()];
        for _ in 0..longest {
            let mut following = vec![BigUint::ZERO; self.states.len()];
            for (state, ways) in self.states.iter().zip(&ways) {
                for target in state.next.values() {
                    following[*target] += ways;
                }
            }
            ways = following;
            counts.push(ways.iter().sum());
        }
        counts
    }
}

/// A deterministic automaton with a transition for every letter. It starts in state 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dfa {
    /// Which states accept.
    pub accepting: Vec<bool>,
    /// Where each letter leads, by state.
    pub next: Vec<Vec<usize>>,
}

impl Dfa {
    /// The state after a word.
    pub fn after(&self, word: &[Letter]) -> usize {
        word.iter()
            .fold(0, |state, letter| self.next[state][*letter])
    }

    /// Whether the word is accepted.
    pub fn accepts(&self, word: &[Letter]) -> bool {
        self.accepting[self.after(word)]
    }

    /// Whether the letter is accepted in this state.
    pub fn allows(&self, state: usize, letter: Letter) -> bool {
        self.accepting[self.next[state][letter]]
    }

    /// Whether some letter of the action is accepted in this state.
    pub fn is_legal(&self, alphabet: &Alphabet, state: usize, action: usize) -> bool {
        alphabet.of_action(action).any(|l| self.allows(state, l))
    }

    /// The interface automaton: the accepting states, and their accepted letters.
    pub fn automaton(&self, alphabet: &Alphabet) -> InterfaceAutomaton {
        let numbers: BTreeMap<usize, usize> = (0..self.accepting.len())
            .filter(|s| self.accepting[*s])
            .enumerate()
            .map(|(new, old)| (old, new))
            .collect();
        let states = numbers.keys().map(|state| {
            let letters = 0..alphabet.letters.len();
            let next: BTreeMap<Letter, usize> = letters
                .filter_map(|l| Some((l, *numbers.get(&self.next[*state][l])?)))
                .collect();
            AutomatonState {
                legal: next.keys().map(|l| alphabet.letters[*l].action).collect(),
                next,
            }
        });
        InterfaceAutomaton {
            states: states.collect(),
        }
        .canonical()
    }
}
