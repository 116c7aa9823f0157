//! L* in the form of Rivest and Schapire: an automaton learned by queries.
//!
//! The rows of the observation table are kept pairwise distinct, and a counter-example adds one suffix. As the
//! language holds every beginning of its words, nothing is asked behind a word that is known to be outside.
//!
//! Written here and not taken from a crate: what crates.io has (`rust-lstar` 0.2 was looked at) learns Mealy machines
//! by Angluin's table, puts every prefix of a counter-example into it, and has equivalence by testing only. Neither
//! the two halves of an equivalence query, of which one may go unanswered, nor languages closed under prefixes have a
//! place in it, and its counts would not be those that the paper's figures can be set beside.

use super::abstraction::{Letter, Word};
use super::automaton::Dfa;
use super::teacher::{Conjecture, Members, Permissive, Queries, Superset, Teacher};

/// What was learned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learned {
    /// The automaton.
    pub dfa: Dfa,
    /// How permissive it is.
    pub permissive: Permissive,
    /// What was asked.
    pub queries: Queries,
}

/// The automaton gets more states than this, and learning is given up.
pub const MOST_STATES: usize = 2_000;

/// Why nothing was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotLearned {
    /// The automaton has too many states.
    #[error("the automaton has more than {MOST_STATES} states")]
    TooLarge,
    /// A teacher contradicted itself.
    #[error("the teacher's counter-example is none")]
    Contradiction,
}

/// Learns the language of a teacher.
///
/// # Errors
/// See [`NotLearned`].
pub fn learn(teacher: &dyn Teacher) -> Result<Learned, NotLearned> {
    let mut table = ObservationTable {
        letters: teacher.letters(),
        states: vec![vec![]],
        suffixes: vec![vec![]],
        members: Members::new(teacher),
    };
    let mut queries = Queries::default();
    loop {
        let dfa = table.close()?;
        queries.subset += 1;
        let counter_example = match teacher.subset(&dfa) {
            Some(word) => word,
            None => {
                queries.superset += 1;
                let conjecture = Conjecture {
                    dfa: &dfa,
                    access: &table.states,
                };
                let permissive = match teacher.superset(&conjecture, &mut table.members) {
                    Superset::Missing(word) => Err(word),
                    Superset::Holds(how) => Ok(how),
                    Superset::Unknown => Ok(Permissive::Maximal),
                };
                match permissive {
                    Err(word) => word,
                    Ok(permissive) => {
                        queries.member = table.members.asked;
                        queries.one_step_further = table.members.one_step_further;
                        return Ok(Learned {
                            dfa,
                            permissive,
                            queries,
                        });
                    }
                }
            }
        };
        let suffix = table.difference(&dfa, &counter_example);
        table
            .suffixes
            .push(suffix.ok_or(NotLearned::Contradiction)?);
    }
}

/// The observation table.
struct ObservationTable<'t> {
    letters: usize,
    /// A word for each state; the first is empty.
    states: Vec<Word>,
    /// The words by which states are told apart.
    suffixes: Vec<Word>,
    members: Members<'t>,
}

impl ObservationTable<'_> {
    fn row(&mut self, word: &[Letter]) -> Vec<bool> {
        let suffixes = self.suffixes.clone();
        let ask = |suffix: &Word| self.members.ask(&[word, suffix].concat());
        suffixes.iter().map(ask).collect()
    }

    /// Adds states until every letter leads to one, and reads the automaton off.
    fn close(&mut self) -> Result<Dfa, NotLearned> {
        let mut rows: Vec<Vec<bool>> = Vec::new();
        for word in self.states.clone() {
            rows.push(self.row(&word));
        }
        let mut next: Vec<Vec<usize>> = Vec::new();
        while next.len() < self.states.len() {
            let word = self.states[next.len()].clone();
            let mut targets = Vec::new();
            for letter in 0..self.letters {
                let longer = [word.as_slice(), &[letter]].concat();
                let row = self.row(&longer);
                let target = rows.iter().position(|r| *r == row).unwrap_or_else(|| {
                    self.states.push(longer);
                    rows.push(row);
                    rows.len() - 1
                });
                targets.push(target);
            }
            if self.states.len() > MOST_STATES {
                return Err(NotLearned::TooLarge);
            }
            next.push(targets);
        }
        let accepting = rows.iter().map(|row| row.first() == Some(&true)).collect();
        Ok(Dfa { accepting, next })
    }

    /// The longest end of a counter-example that tells two words apart which the automaton takes to lead to the
    /// same state.
    fn difference(&mut self, dfa: &Dfa, word: &[Letter]) -> Option<Word> {
        let mut before = self.members.ask(word);
        for length in 1..=word.len() {
            let (read, rest) = word.split_at(length);
            let access = self.states[dfa.after(read)].clone();
            let now = self.members.ask(&[access.as_slice(), rest].concat());
            if now != before {
                return Some(rest.to_vec());
            }
            before = now;
        }
        None
    }
}
