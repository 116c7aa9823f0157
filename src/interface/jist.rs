//! The paper's own teacher: superset queries by a sufficient condition, and a heuristic where it fails.

use std::collections::{BTreeSet, VecDeque};

use super::abstraction::{CubeGame, Letter, Word};
use super::automaton::Dfa;
use super::inclusion::{self, Infeasible};
use super::teacher::{Conjecture, Exact, Members, Permissive, Superset, Teacher};

/// The paper's answers (section 5.3): histories that cannot be are safe.
#[derive(Clone, Copy, Debug)]
pub struct Jist<'a> {
    /// The abstraction.
    pub abstraction: &'a CubeGame,
}

impl Teacher for Jist<'_> {
    fn letters(&self) -> usize {
        self.abstraction.alphabet.letters.len()
    }

    fn member(&self, word: &[Letter]) -> bool {
        let exact = Exact {
            abstraction: self.abstraction,
            infeasible: Infeasible::Safe,
        };
        exact.member(word)
    }

    fn subset(&self, dfa: &Dfa) -> Option<Word> {
        inclusion::unsafe_word(self.abstraction, dfa)
    }

    fn superset(&self, conjecture: &Conjecture<'_>, members: &mut Members<'_>) -> Superset {
        let Some(word) = self.condition_fails(conjecture.dfa) else {
            return Superset::Holds(Permissive::ByCondition);
        };
        if members.ask(&word) {
            return Superset::Missing(word);
        }
        let further = self.one_step_further(conjecture, members);
        let found_before = members.one_step_further == Some(true);
        members.one_step_further = Some(found_before || further.is_some());
        match further {
            Some(word) => Superset::Missing(word),
            None => Superset::Unknown,
        }
    }
}

impl Jist<'_> {
    /// ψ = AG((legal = 0 ∧ turn = t_J) → EF E): from every state that a legal history may lead to, every action
    /// that is not allowed then has a run that raises E. A shortest history for which that is not so, with an action
    /// that is not allowed at its end. Of several, a model checker may give any: here calls that failed come first, as
    /// the paper's return value 0 comes before 1.
    fn condition_fails(&self, dfa: &Dfa) -> Option<Word> {
        let abstraction = self.abstraction;
        let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut open: VecDeque<(usize, usize, Word)> = VecDeque::new();
        for state in &abstraction.initial {
            if seen.insert((*state, 0)) {
                open.push_back((*state, 0, vec![]));
            }
        }
        while let Some((state, q, word)) = open.pop_front() {
            let with = |letter: Letter| [word.as_slice(), &[letter]].concat();
            for action in 0..abstraction.alphabet.actions.len() {
                let legal = dfa.is_legal(&abstraction.alphabet, q, action);
                if legal || abstraction.raises[state][action] {
                    continue;
                }
                let mut letters = abstraction.alphabet.of_action(action);
                if let Some(letter) = letters.find(|l| abstraction.post[state].contains_key(l)) {
                    return Some(with(letter));
                }
            }
            for letter in self.failed_first() {
                if !dfa.allows(q, letter) {
                    continue;
                }
                for target in abstraction.successors(state, letter) {
                    let next = dfa.next[q][letter];
                    if seen.insert((target, next)) {
                        open.push_back((target, next, with(letter)));
                    }
                }
            }
        }
        None
    }

    /// The letters, action by action, those of an action from the last to the first.
    fn failed_first(&self) -> impl Iterator<Item = Letter> + '_ {
        let alphabet = &self.abstraction.alphabet;
        (0..alphabet.actions.len()).flat_map(|action| {
            let letters: Vec<Letter> = alphabet.of_action(action).collect();
            letters.into_iter().rev()
        })
    }

    /// Two letters behind a state's word that the automaton does not allow, and that are safe.
    fn one_step_further(
        &self,
        conjecture: &Conjecture<'_>,
        members: &mut Members<'_>,
    ) -> Option<Word> {
        let letters = self.letters();
        for access in conjecture.access {
            for first in 0..letters {
                for second in 0..letters {
                    let word = [access.as_slice(), &[first, second]].concat();
                    if !conjecture.dfa.accepts(&word) && members.ask(&word) {
                        return Some(word);
                    }
                }
            }
        }
        None
    }
}
