//! An automaton of calls: its states are sets of actions, its edges calls. And which walks its edges allow.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Index;
use std::sync::Arc;

use super::{AbstractState, Callee, EdgeId, Exit, StateId, Step};
use crate::ir::Expr;

/// An automaton of calls of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// The states: the actions that each enables.
    pub states: Vec<AbstractState>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// An edge of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The state that it leaves; none where an object is made.
    pub source: Option<StateId>,
    /// What is called.
    pub callee: Callee,
    /// How the call ends.
    pub exit: Exit,
    /// The state it leads to; none where a constructor ends in an exception, or where it does not matter in which state the
    /// object is left.
    pub target: Option<StateId>,
    /// Whether the invariant does not hold where it ends. (No edge of an EPA is like that.)
    pub breaks: bool,
}

impl Index<StateId> for Automaton {
    type Output = AbstractState;

    fn index(&self, id: StateId) -> &AbstractState {
        &self.states[id.0]
    }
}

impl Index<EdgeId> for Automaton {
    type Output = Edge;

    fn index(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0]
    }
}

/// A walk to look for: so many calls, the last of which takes one of some edges.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Along which automaton.
    pub automaton: Arc<Automaton>,
    /// The objects that the walk may begin with: the state that each is in, and what is known of it. None where the
    /// first call makes the object.
    pub start: Vec<(StateId, Expr)>,
    /// For each call, the states it may be made in; none for a constructor.
    pub layers: Vec<BTreeSet<StateId>>,
    /// The edges looked for.
    pub wanted: BTreeSet<EdgeId>,
    /// For each call, clauses over the fields that are known to hold after it.
    pub known: Vec<Vec<Expr>>,
}

impl Automaton {
    /// The edges with their positions.
    pub fn numbered(&self) -> impl Iterator<Item = (EdgeId, &Edge)> {
        self.edges
            .iter()
            .enumerate()
            .map(|(i, edge)| (EdgeId(i), edge))
    }

    /// The positions of the states.
    pub fn state_ids(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.states.len()).map(StateId)
    }

    /// The call that an edge is about.
    pub fn step(&self, edge: &Edge) -> Step {
        Step {
            callee: edge.callee,
            source: edge.source.map(|state| self[state].clone()),
            exit: edge.exit.clone(),
        }
    }

    /// The actions that can be called where an edge ends; none where there is no object.
    pub fn target(&self, edge: &Edge) -> Option<&AbstractState> {
        edge.target.map(|state| &self[state])
    }

    /// The walks of this length that end with one of the edges wanted and take only `live` ones, if there are any. They begin
    /// in one of these states, or with the making of an object.
    pub fn walks(
        self: &Arc<Self>,
        from: Option<&BTreeSet<StateId>>,
        calls: usize,
        wanted: &BTreeSet<EdgeId>,
        live: &BTreeSet<EdgeId>,
    ) -> Option<Walk> {
        let layers = self.layers(from, calls, wanted, live)?;
        let last = layers.last()?;
        let is_last = |edge: &EdgeId| match self[*edge].source {
            None => calls == 1 && from.is_none(),
            Some(state) => last.contains(&state),
        };
        Some(Walk {
            automaton: Arc::clone(self),
            wanted: wanted.iter().copied().filter(is_last).collect(),
            start: vec![],
            layers,
            known: vec![],
        })
    }

    /// The states in which call number `index` (from 0; the constructor has none) of a walk of `calls` calls can be made,
    /// for a walk whose last edge is one of these and that takes edges of `live` only. None where there is no such
    /// walk in the automaton.
    fn layers(
        &self,
        from: Option<&BTreeSet<StateId>>,
        calls: usize,
        wanted: &BTreeSet<EdgeId>,
        live: &BTreeSet<EdgeId>,
    ) -> Option<Vec<BTreeSet<StateId>>> {
        let live: Vec<&Edge> = live.iter().filter_map(|e| self.edges.get(e.0)).collect();
        let is_making = |index: usize| index == 0 && from.is_none();
        // Forward: where so many calls may lead.
        let mut forward: Vec<BTreeSet<StateId>> = vec![from.cloned().unwrap_or_default()];
        for index in 1..calls {
            let before = &forward[index - 1];
            let next = live.iter().filter(|e| match e.source {
                None => is_making(index - 1),
                Some(state) => before.contains(&state),
            });
            let next = next.filter_map(|e| e.target).collect();
            forward.push(next);
        }
        let mut needed: BTreeSet<Option<StateId>> = BTreeSet::new();
        for edge in wanted.iter().filter_map(|e| self.edges.get(e.0)) {
            needed.insert(edge.source);
        }
        // Backward: of these, from where so many calls more may lead to an edge that is wanted.
        for index in (0..calls).rev() {
            if is_making(index) {
                return needed.contains(&None).then_some(forward);
            }
            forward[index].retain(|state| needed.contains(&Some(*state)));
            if forward[index].is_empty() {
                return None;
            }
            let here = &forward[index];
            let into = live
                .iter()
                .filter(|e| e.target.is_some_and(|t| here.contains(&t)));
            needed = into.map(|e| e.source).collect();
        }
        Some(forward)
    }

    /// The states that some walk may reach by these edges, and the edges it may take.
    pub fn reachable(&self, live: &BTreeSet<EdgeId>) -> (BTreeSet<StateId>, BTreeSet<EdgeId>) {
        self.reachable_from([None], live)
    }

    /// The same of walks that begin in these states, or, for none, with the making of an object.
    pub fn reachable_from(
        &self,
        from: impl IntoIterator<Item = Option<StateId>>,
        live: &BTreeSet<EdgeId>,
    ) -> (BTreeSet<StateId>, BTreeSet<EdgeId>) {
        let mut by_state: BTreeMap<Option<StateId>, Vec<EdgeId>> = BTreeMap::new();
        for id in live.iter().filter(|id| id.0 < self.edges.len()) {
            by_state.entry(self[*id].source).or_default().push(*id);
        }
        let mut edges = BTreeSet::new();
        let mut open: Vec<Option<StateId>> = from.into_iter().collect();
        let mut states: BTreeSet<StateId> = open.iter().copied().flatten().collect();
        while let Some(at) = open.pop() {
            for id in by_state.get(&at).into_iter().flatten() {
                edges.insert(*id);
                if let Some(target) = self[*id].target
                    && states.insert(target)
                {
                    open.push(Some(target));
                }
            }
        }
        (states, edges)
    }
}
