//! A class abstracted to finitely many states: what a call may do from each, and what its caller sees of it.

use std::collections::{BTreeMap, BTreeSet};

/// A position in [`Alphabet::letters`].
pub type Letter = usize;

/// A history: calls, each with what was seen of it.
pub type Word = Vec<Letter>;

/// A set of abstract states: those that an object may be in, as far as its caller knows.
pub type Knowledge = BTreeSet<usize>;

/// The calls and what can be seen of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Alphabet {
    /// The names of the actions.
    pub actions: Vec<String>,
    /// The letters, those of one action together, in the order of the actions.
    pub letters: Vec<LetterOf>,
}

/// A letter: a call of an action, and what is seen of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LetterOf {
    /// The action.
    pub action: usize,
    /// What is seen: `ok`, `!ok`, an outcome; none where there is nothing to see.
    pub label: Option<String>,
}

impl Alphabet {
    /// The letters of an action.
    pub fn of_action(&self, action: usize) -> impl Iterator<Item = Letter> + '_ {
        let letters = self.letters.iter().enumerate();
        letters
            .filter(move |(_, l)| l.action == action)
            .map(|(i, _)| i)
    }

    /// `next[ok]`, `add`
    pub fn name(&self, letter: Letter) -> String {
        let LetterOf { action, label } = &self.letters[letter];
        match label {
            Some(label) => format!("{}[{label}]", self.actions[*action]),
            None => self.actions[*action].clone(),
        }
    }

    /// `next[ok], add`; `the start` where nothing was called.
    pub fn history(&self, word: &[Letter]) -> String {
        let names: Vec<String> = word.iter().map(|l| self.name(*l)).collect();
        if names.is_empty() {
            "the start".into()
        } else {
            names.join(", ")
        }
    }
}

/// The abstraction: a game between a client, who chooses actions and sees letters, and the class, which chooses
/// among its executions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CubeGame {
    /// The calls and what can be seen of them.
    pub alphabet: Alphabet,
    /// The states that an object may start in.
    pub initial: Knowledge,
    /// Whether each action may do what must not happen, by state and action.
    pub raises: Vec<Vec<bool>>,
    /// Where each letter may lead, by state. Nothing is said of actions that may do what must not happen.
    pub post: Vec<BTreeMap<Letter, BTreeSet<usize>>>,
}

impl CubeGame {
    /// How many states there are.
    pub fn states(&self) -> usize {
        self.raises.len()
    }

    /// Whether the action may do what must not happen in some state of the set.
    pub fn may_raise(&self, knowledge: &Knowledge, action: usize) -> bool {
        knowledge.iter().any(|s| self.raises[*s][action])
    }

    /// Where the letter may lead from a state.
    pub fn successors(&self, state: usize, letter: Letter) -> impl Iterator<Item = usize> + '_ {
        self.post[state].get(&letter).into_iter().flatten().copied()
    }

    /// Where the letter may lead from some state of the set.
    pub fn post(&self, knowledge: &Knowledge, letter: Letter) -> Knowledge {
        let all = knowledge.iter();
        all.flat_map(|s| self.successors(*s, letter)).collect()
    }

    /// The actions that are safe in every state of the set, and possible in one.
    pub fn legal(&self, knowledge: &Knowledge) -> BTreeSet<usize> {
        (0..self.alphabet.actions.len())
            .filter(|action| !self.may_raise(knowledge, *action))
            .filter(|action| {
                let mut letters = self.alphabet.of_action(*action);
                letters.any(|l| !self.post(knowledge, l).is_empty())
            })
            .collect()
    }

    /// What is known of the object after a history; none where the history is not safe. Nothing (the empty set) is
    /// known after a history that cannot be.
    pub fn after(&self, word: &[Letter]) -> Option<Knowledge> {
        let mut knowledge = self.initial.clone();
        for letter in word {
            if self.may_raise(&knowledge, self.alphabet.letters[*letter].action) {
                return None;
            }
            knowledge = self.post(&knowledge, *letter);
        }
        Some(knowledge)
    }
}
