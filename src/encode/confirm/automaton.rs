//! The automaton, by positions instead of names, and which runs its edges allow.

use std::collections::{BTreeMap, BTreeSet};

use crate::encode::{Exit, Step};
use crate::query::ActionSet;

use super::Runs;

/// An automaton, by positions instead of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// The states: id and enabled actions. A state's number in the Boogie text is its position, from 1.
    pub states: Vec<(String, ActionSet)>,
    /// The edges. An edge's number in the Boogie text is its position, from 1.
    pub edges: Vec<Edge>,
}

/// An edge of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What is called, and where.
    pub origin: Origin,
    /// How the call ends.
    pub exit: Exit,
    /// The state it leads to; none where a constructor ends in an exception.
    pub target: Option<usize>,
}

/// What is called, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A constructor, by its position.
    Constructor(usize),
    /// An action, by its position, in a state.
    Call {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
}

impl Automaton {
    /// The call that an edge is about, and the state that it leads to; none where a constructor ends in an exception.
    pub fn call_of(&self, edge: &Edge) -> (Step, Option<ActionSet>) {
        let state = |index: usize| self.states.get(index).map(|(_, set)| set.clone());
        let exit = edge.exit.clone();
        let step = match edge.origin {
            Origin::Constructor(constructor) => Step::Construct { constructor, exit },
            Origin::Call {
                state: source,
                action,
            } => Step::Call {
                source: state(source),
                action,
                exit,
            },
        };
        (step, edge.target.and_then(state))
    }

    /// The runs of this length that end with one of the edges wanted and take only `live` ones, if there are any.
    pub fn runs(
        &self,
        calls: usize,
        wanted: &BTreeSet<usize>,
        live: &BTreeSet<usize>,
    ) -> Option<Runs> {
        let states = self.layers(calls, wanted, live)?;
        let last = states.last()?;
        let is_last = |edge: &usize| match self.edges[*edge].origin {
            Origin::Constructor(_) => calls == 1,
            Origin::Call { state, .. } => last.contains(&state),
        };
        Some(Runs {
            edges: wanted.iter().copied().filter(is_last).collect(),
            start: vec![],
            states,
            known: vec![],
        })
    }

    /// The states in which call number `index` (from 0; the constructor) of a run of `calls` calls can be made,
    /// for a run whose last edge is one of these and that takes edges of `live` only. None where there is no such
    /// run in the automaton.
    fn layers(
        &self,
        calls: usize,
        wanted: &BTreeSet<usize>,
        live: &BTreeSet<usize>,
    ) -> Option<Vec<BTreeSet<usize>>> {
        let live: Vec<&Edge> = live.iter().filter_map(|e| self.edges.get(*e)).collect();
        let source = |e: &Edge| match e.origin {
            Origin::Constructor(_) => None,
            Origin::Call { state, .. } => Some(state),
        };
        let mut forward: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
        for index in 1..calls {
            let from = &forward[index - 1];
            let next = live.iter().filter(|e| match source(e) {
                None => index == 1,
                Some(state) => index > 1 && from.contains(&state),
            });
            let next = next.filter_map(|e| e.target).collect();
            forward.push(next);
        }
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut first = false;
        for edge in wanted.iter().filter_map(|e| self.edges.get(*e)) {
            match source(edge) {
                None => first |= calls == 1,
                Some(state) => {
                    needed.insert(state);
                }
            }
        }
        if calls == 1 {
            return first.then(|| vec![BTreeSet::new()]);
        }
        for index in (1..calls).rev() {
            forward[index] = forward[index].intersection(&needed).copied().collect();
            if forward[index].is_empty() {
                return None;
            }
            let here = &forward[index];
            needed = live
                .iter()
                .filter(|e| e.target.is_some_and(|t| here.contains(&t)))
                .filter_map(|e| source(e))
                .collect();
        }
        Some(forward)
    }

    /// The states that some run may reach by these edges, and the edges it may take.
    pub fn reachable(&self, live: &BTreeSet<usize>) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let mut by_state: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for index in live {
            if let Some(edge) = self.edges.get(*index) {
                let source = match edge.origin {
                    Origin::Constructor(_) => None,
                    Origin::Call { state, .. } => Some(state),
                };
                by_state.entry(source).or_default().push(*index);
            }
        }
        let mut states = BTreeSet::new();
        let mut edges = BTreeSet::new();
        let mut open = vec![None];
        while let Some(at) = open.pop() {
            for index in by_state.get(&at).into_iter().flatten() {
                edges.insert(*index);
                if let Some(target) = self.edges[*index].target
                    && states.insert(target)
                {
                    open.push(Some(target));
                }
            }
        }
        (states, edges)
    }
}
