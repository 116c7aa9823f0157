//! Whether an automaton is safe, and whether it is most permissive, for an abstraction: both exactly.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::abstraction::{CubeGame, Knowledge, Letter, Word};
use super::automaton::Dfa;

/// What is made of histories that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infeasible {
    /// They are safe, as in the paper: none of their runs raises anything.
    Safe,
    /// They are not allowed, so that the automaton shows what can be seen.
    Rejected,
    /// They are not allowed when asked about, but the automaton may do with them as it likes.
    DontCare,
}

/// A node of a search, with the one it was found from, and by which letter.
type SearchNode<N> = (N, Option<(usize, Letter)>);

/// A search for a shortest history, breadth-first: each node with the one it was found from.
struct HistorySearch<N> {
    nodes: Vec<SearchNode<N>>,
    seen: BTreeSet<N>,
    next: usize,
}

impl<N: Ord + Clone> HistorySearch<N> {
    fn new(start: impl IntoIterator<Item = N>) -> Self {
        let mut search = HistorySearch {
            nodes: vec![],
            seen: BTreeSet::new(),
            next: 0,
        };
        for node in start {
            search.add(node, None);
        }
        search
    }

    fn add(&mut self, node: N, from: Option<(usize, Letter)>) {
        if self.seen.insert(node.clone()) {
            self.nodes.push((node, from));
        }
    }

    fn take(&mut self) -> Option<(usize, N)> {
        let index = self.next;
        let (node, _) = self.nodes.get(index)?;
        self.next += 1;
        Some((index, node.clone()))
    }
}

/// A shortest history that the automaton allows and that is not safe; none where the automaton is safe.
pub fn unsafe_word(abstraction: &CubeGame, dfa: &Dfa) -> Option<Word> {
    if !dfa.accepting[0] {
        return None;
    }
    let mut search = HistorySearch::new(abstraction.initial.iter().map(|s| (*s, 0)));
    while let Some((node, (state, q))) = search.take() {
        for (letter, of) in abstraction.alphabet.letters.iter().enumerate() {
            if !dfa.allows(q, letter) {
                continue;
            }
            if abstraction.raises[state][of.action] {
                return Some(history(&search.nodes, node, letter));
            }
            for target in abstraction.successors(state, letter) {
                search.add((target, dfa.next[q][letter]), Some((node, letter)));
            }
        }
    }
    None
}

/// A shortest history that the automaton allows although it cannot be, where that is wrong: everywhere if
/// histories that cannot be are rejected; if they are don't-cares, only where the action as such is not possible.
pub fn impossible_word(abstraction: &CubeGame, dfa: &Dfa, infeasible: Infeasible) -> Option<Word> {
    if infeasible == Infeasible::Safe {
        return None;
    }
    let mut search = HistorySearch::new([(abstraction.initial.clone(), 0)]);
    while let Some((node, (knowledge, q))) = search.take() {
        let legal = abstraction.legal(&knowledge);
        for (letter, of) in abstraction.alphabet.letters.iter().enumerate() {
            if !dfa.allows(q, letter) {
                continue;
            }
            let after = abstraction.post(&knowledge, letter);
            let wrong = match infeasible {
                Infeasible::Rejected => after.is_empty(),
                _ => !legal.contains(&of.action),
            };
            if wrong {
                return Some(history(&search.nodes, node, letter));
            }
            if !after.is_empty() {
                search.add((after, dfa.next[q][letter]), Some((node, letter)));
            }
        }
    }
    None
}

/// A shortest history that is safe and that the automaton does not allow, where it should; none where the automaton
/// is most permissive.
///
/// What is looked at are triples: the state that the object is in (none after a history that cannot be), what the
/// client knows, and the automaton's state. Of two triples that differ only in what is known, the one with less is
/// enough: it can do whatever the other can. So only the smallest sets are kept (an antichain).
pub fn missing_word(abstraction: &CubeGame, dfa: &Dfa, infeasible: Infeasible) -> Option<Word> {
    let vacuous = infeasible == Infeasible::Safe;
    if !dfa.accepting[0] {
        return Some(vec![]);
    }
    type Node = (Option<usize>, usize, Knowledge);
    let start = abstraction
        .initial
        .iter()
        .map(|s| (Some(*s), 0, abstraction.initial.clone()));
    let nowhere = (vacuous && abstraction.initial.is_empty()).then(|| (None, 0, Knowledge::new()));
    let mut smallest: BTreeMap<(Option<usize>, usize), Vec<Knowledge>> = BTreeMap::new();
    let mut nodes: Vec<SearchNode<Node>> = Vec::new();
    let mut open = VecDeque::new();
    for node in start.chain(nowhere) {
        open.push_back((node, None));
    }
    while let Some((node, from)) = open.pop_front() {
        let (state, q, knowledge) = &node;
        let kept = smallest.entry((*state, *q)).or_default();
        if kept.iter().any(|k| k.is_subset(knowledge)) {
            continue;
        }
        kept.retain(|k| !knowledge.is_subset(k));
        kept.push(knowledge.clone());
        let index = nodes.len();
        for (letter, of) in abstraction.alphabet.letters.iter().enumerate() {
            if abstraction.may_raise(knowledge, of.action) {
                continue;
            }
            let targets: Vec<usize> = state
                .iter()
                .flat_map(|s| abstraction.successors(*s, letter))
                .collect();
            let possible = !targets.is_empty() || vacuous;
            if !dfa.allows(*q, letter) {
                if possible {
                    nodes.push((node.clone(), from));
                    return Some(history(&nodes, index, letter));
                }
                continue;
            }
            let after = abstraction.post(knowledge, letter);
            let follow = dfa.next[*q][letter];
            if after.is_empty() && vacuous {
                open.push_back(((None, follow, after), Some((index, letter))));
            } else {
                for target in targets {
                    open.push_back(((Some(target), follow, after.clone()), Some((index, letter))));
                }
            }
        }
        nodes.push((node, from));
    }
    None
}

/// The history to a node, and a letter behind it.
fn history<N>(nodes: &[SearchNode<N>], node: usize, last: Letter) -> Word {
    let mut word = vec![last];
    let mut at = node;
    while let Some((from, letter)) = nodes[at].1 {
        word.push(letter);
        at = from;
    }
    word.reverse();
    word
}
