//! Smaller automata for the same interface.
//!
//! [`strict`] keeps which letters can be seen at all. [`relaxed`] does not: a letter that cannot be seen in a state
//! is a don't-care there, so that states may be merged that differ in nothing a client could ever find out to matter.

use std::collections::{BTreeMap, BTreeSet};

use super::abstraction::Letter;
use super::automaton::{AutomatonState, InterfaceAutomaton};

/// What tells states apart in one round of refinement: the class so far, the legal actions, the classes of targets.
type StateSignature<'a> = (usize, &'a BTreeSet<usize>, Vec<(Letter, usize)>);

/// The smallest automaton with the same histories, by refinement of a partition (Moore).
pub fn strict(automaton: &InterfaceAutomaton) -> InterfaceAutomaton {
    let mut class: Vec<usize> = vec![0; automaton.states.len()];
    let mut classes = 0;
    loop {
        let mut numbers: BTreeMap<StateSignature<'_>, usize> = BTreeMap::new();
        let refined: Vec<usize> = automaton
            .states
            .iter()
            .zip(&class)
            .map(|(state, own)| {
                let next = state.next.iter().map(|(l, t)| (*l, class[*t])).collect();
                let fresh = numbers.len();
                *numbers.entry((*own, &state.legal, next)).or_insert(fresh)
            })
            .collect();
        let found = numbers.len();
        class = refined;
        if found == classes {
            return quotient(automaton, &class).canonical();
        }
        classes = found;
    }
}

/// The states of each class as one state.
fn quotient(automaton: &InterfaceAutomaton, class: &[usize]) -> InterfaceAutomaton {
    let count = class.iter().max().map_or(0, |max| max + 1);
    let mut states = vec![AutomatonState::default(); count];
    for (state, own) in automaton.states.iter().zip(class) {
        let merged = &mut states[*own];
        merged.legal.extend(&state.legal);
        let next = state.next.iter().map(|(l, t)| (*l, class[*t]));
        merged.next.extend(next);
    }
    InterfaceAutomaton { states }
}

/// After so many steps the search for the smallest automaton is given up.
const MOST_STEPS: usize = 20_000;

/// Automata with more states than this are left as they are.
const MOST_STATES: usize = 200;

/// A smallest automaton that allows the same calls after every history that can be, and whether it is certain that
/// there is no smaller one made by merging states. The same automaton, up to the numbers of its states, gives the
/// same result.
pub fn relaxed(automaton: &InterfaceAutomaton) -> (InterfaceAutomaton, bool) {
    let automaton = strict(automaton);
    if automaton.states.len() > MOST_STATES {
        return (automaton, false);
    }
    let mut steps = 0;
    for classes in 1..=automaton.states.len() {
        let mut search = MergeSearch {
            automaton: &automaton,
            most: classes,
            steps: &mut steps,
        };
        match search.extend(Merging::new(automaton.states.len())) {
            MergeOutcome::Found(class) => return (quotient(&automaton, &class).canonical(), true),
            MergeOutcome::None => {}
            MergeOutcome::GivenUp => return (greedy(&automaton), false),
        }
    }
    (automaton, true)
}

/// Each state into the first class that takes it.
fn greedy(automaton: &InterfaceAutomaton) -> InterfaceAutomaton {
    let mut merging = Merging::new(automaton.states.len());
    for state in 0..automaton.states.len() {
        if merging.class_of(state).is_some() {
            continue;
        }
        let tried = (0..merging.count).find_map(|class| {
            let mut attempt = merging.clone();
            attempt
                .assign(automaton, state, class, usize::MAX)
                .then_some(attempt)
        });
        merging = tried.unwrap_or_else(|| {
            let class = merging.count;
            merging.assign(automaton, state, class, usize::MAX);
            merging
        });
    }
    quotient(automaton, &merging.classes()).canonical()
}

enum MergeOutcome {
    Found(Vec<usize>),
    None,
    GivenUp,
}

/// The search for a merging into at most so many classes: states in order, each into every class that takes it.
struct MergeSearch<'a> {
    automaton: &'a InterfaceAutomaton,
    most: usize,
    steps: &'a mut usize,
}

impl MergeSearch<'_> {
    fn extend(&mut self, start: Merging) -> MergeOutcome {
        let mut stack = vec![start];
        while let Some(merging) = stack.pop() {
            let states = self.automaton.states.len();
            let Some(state) = (0..states).find(|s| merging.class_of(*s).is_none()) else {
                return MergeOutcome::Found(merging.classes());
            };
            *self.steps += 1;
            if *self.steps > MOST_STEPS {
                return MergeOutcome::GivenUp;
            }
            let classes = (merging.count + 1).min(self.most);
            // The first class is tried first: it has to be on top of the stack.
            for class in (0..classes).rev() {
                let mut attempt = merging.clone();
                if attempt.assign(self.automaton, state, class, self.most) {
                    stack.push(attempt);
                }
            }
        }
        MergeOutcome::None
    }
}

/// States put into classes, so far.
#[derive(Clone)]
struct Merging {
    class: Vec<Option<usize>>,
    count: usize,
    /// One state where each letter of a class leads: all others where it leads have to be in the same class.
    next: Vec<BTreeMap<Letter, usize>>,
    legal: Vec<BTreeSet<usize>>,
}

impl Merging {
    fn new(states: usize) -> Self {
        Merging {
            class: vec![None; states],
            count: 0,
            next: vec![],
            legal: vec![],
        }
    }

    fn class_of(&self, state: usize) -> Option<usize> {
        self.class.get(state).copied().flatten()
    }

    fn classes(&self) -> Vec<usize> {
        self.class.iter().map(|c| c.unwrap_or(0)).collect()
    }

    /// Puts a state into a class, and whatever has to follow it. False where that cannot be.
    fn assign(
        &mut self,
        automaton: &InterfaceAutomaton,
        state: usize,
        class: usize,
        most: usize,
    ) -> bool {
        let mut forced = Forced::Put(state, class);
        loop {
            match forced {
                Forced::Nothing => return true,
                Forced::Conflict => return false,
                Forced::Put(state, class) => {
                    if !self.put(automaton, state, class, most) {
                        return false;
                    }
                }
            }
            forced = self.forced(automaton);
        }
    }

    fn put(
        &mut self,
        automaton: &InterfaceAutomaton,
        state: usize,
        class: usize,
        most: usize,
    ) -> bool {
        if class >= most || class > self.count {
            return false;
        }
        let AutomatonState { legal, next } = &automaton.states[state];
        if class == self.count {
            self.count += 1;
            self.next.push(BTreeMap::new());
            self.legal.push(legal.clone());
        }
        if self.legal[class] != *legal {
            return false;
        }
        self.class[state] = Some(class);
        for (letter, target) in next {
            self.next[class].entry(*letter).or_insert(*target);
        }
        true
    }

    /// A letter of a class leads to one class only. What follows from that.
    fn forced(&self, automaton: &InterfaceAutomaton) -> Forced {
        let mut put = Forced::Nothing;
        for (state, own) in automaton.states.iter().zip(&self.class) {
            let Some(class) = own else { continue };
            for (letter, target) in &state.next {
                let first = self.next[*class].get(letter).copied().unwrap_or(*target);
                match (self.class_of(first), self.class_of(*target)) {
                    (Some(a), Some(b)) if a != b => return Forced::Conflict,
                    (Some(a), None) => put = Forced::Put(*target, a),
                    (None, Some(b)) => put = Forced::Put(first, b),
                    _ => {}
                }
            }
        }
        put
    }
}

/// What follows from the states that are in a class.
enum Forced {
    Nothing,
    Conflict,
    /// This state has to go into this class.
    Put(usize, usize),
}
