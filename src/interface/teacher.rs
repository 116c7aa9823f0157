//! Who knows which histories are safe: what a learner asks, and the exact answers of an abstraction.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::abstraction::{CubeGame, Letter, Word};
use super::automaton::Dfa;
use super::inclusion::{self, Infeasible};

/// What a learner asks. The language asked about holds every beginning of each of its words.
pub trait Teacher {
    /// How many letters there are.
    fn letters(&self) -> usize;

    /// Is the history in the language?
    fn member(&self, word: &[Letter]) -> bool;

    /// Is the automaton's language within the language? If not, a word of it that is outside.
    fn subset(&self, dfa: &Dfa) -> Option<Word>;

    /// Is the language within the automaton's? Membership may be asked on the way.
    fn superset(&self, conjecture: &Conjecture<'_>, members: &mut Members<'_>) -> Superset;
}

/// An automaton proposed by a learner.
#[derive(Clone, Copy, Debug)]
pub struct Conjecture<'c> {
    /// The automaton.
    pub dfa: &'c Dfa,
    /// The word by which the learner knows each state.
    pub access: &'c [Word],
}

/// The answer to whether nothing is missing in an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Superset {
    /// Nothing is, and how that is known.
    Holds(Permissive),
    /// This word of the language is.
    Missing(Word),
    /// It is not known.
    Unknown,
}

/// How permissive an interface is, among the safe ones of its abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Permissive {
    /// No safe interface allows more: the exact check says so.
    Exactly,
    /// No safe interface allows more: the paper's sufficient condition says so.
    ByCondition,
    /// There may be one that allows more, but it has more states.
    Maximal,
}

/// How many queries of each kind were asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Queries {
    /// Membership queries: each word once, and none with a beginning known to be outside.
    pub member: usize,
    /// Subset queries.
    pub subset: usize,
    /// Superset queries.
    pub superset: usize,
    /// Whether one step further was looked for a word that is missing, and one was found; none where that was not
    /// needed.
    pub one_step_further: Option<bool>,
}

/// Membership queries with a memory.
pub struct Members<'t> {
    teacher: &'t dyn Teacher,
    known: BTreeMap<Word, bool>,
    /// How many words were asked about.
    pub asked: usize,
    /// See [`Queries::one_step_further`].
    pub one_step_further: Option<bool>,
}

impl<'t> Members<'t> {
    /// Nothing asked yet.
    pub fn new(teacher: &'t dyn Teacher) -> Self {
        Members {
            teacher,
            known: BTreeMap::new(),
            asked: 0,
            one_step_further: None,
        }
    }

    /// Is the history in the language? Not asked where a beginning of it is known to be outside.
    pub fn ask(&mut self, word: &[Letter]) -> bool {
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let outside = (0..word.len()).any(|n| self.known.get(&word[..n]) == Some(&false));
        if outside {
            return false;
        }
        self.asked += 1;
        let member = self.teacher.member(word);
        self.known.insert(word.to_vec(), member);
        member
    }
}

/// The exact answers.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'a> {
    /// The abstraction.
    pub abstraction: &'a CubeGame,
    /// What is made of histories that cannot be.
    pub infeasible: Infeasible,
}

impl Teacher for Exact<'_> {
    fn letters(&self) -> usize {
        self.abstraction.alphabet.letters.len()
    }

    fn member(&self, word: &[Letter]) -> bool {
        match self.abstraction.after(word) {
            None => false,
            Some(knowledge) => self.infeasible == Infeasible::Safe || !knowledge.is_empty(),
        }
    }

    fn subset(&self, dfa: &Dfa) -> Option<Word> {
        inclusion::unsafe_word(self.abstraction, dfa)
            .or_else(|| inclusion::impossible_word(self.abstraction, dfa, self.infeasible))
    }

    fn superset(&self, conjecture: &Conjecture<'_>, _: &mut Members<'_>) -> Superset {
        match inclusion::missing_word(self.abstraction, conjecture.dfa, self.infeasible) {
            Some(word) => Superset::Missing(word),
            None => Superset::Holds(Permissive::Exactly),
        }
    }
}
