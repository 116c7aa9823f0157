//! An EPA, by positions: what is known of each edge of an automaton of calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::findings::Finding;
use super::wire::{Confirmation, EpaStats};
use crate::ask::{Doubt, Heard, Run};
use crate::query::{AbstractState, ActionId, Automaton, Edge, EdgeId, Names, StateId};

/// An enabledness-preserving abstraction (TOSEM 2013, Def. 3.7): over-approximates the behaviour of the class.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// What all is called.
    pub names: Names,
    /// The states, numbered breadth-first from the initial ones; the edges of the constructors, then the transitions, by
    /// source, action, outcome, exception and target.
    pub automaton: Arc<Automaton>,
    /// What is known of each edge.
    pub known: Vec<EdgeKnowledge>,
    /// What the second pass took away.
    pub gone: Gone,
    /// For each edge that the second pass confirmed, a shortest run whose last call takes it.
    pub runs: Vec<Run>,
    /// What is worth a look.
    pub findings: Vec<Finding>,
    /// Remarks on how exact the result is (for example a guard whose parameters could not be eliminated).
    pub notes: Vec<String>,
    /// How the result was found.
    pub stats: EpaStats,
}

/// What is known of an edge.
#[derive(Clone, Debug, Default)]
pub struct EdgeKnowledge {
    /// Why it is not certain, if it is not.
    pub doubt: Option<Doubt>,
    /// Whether the call can end in a configuration that breaks the invariant.
    pub violates_invariant: bool,
    /// What the second pass says.
    pub confirmation: Option<Confirmation>,
    /// The question that was asked about it; none where nothing was.
    pub heard: Option<Arc<Heard>>,
}

/// What the second pass refuted.
#[derive(Clone, Debug, Default)]
pub struct Gone {
    /// The clauses of the invariant that refutes it, as they would be written in the class.
    pub invariant: Vec<String>,
    /// States that no object is ever in.
    pub states: BTreeSet<StateId>,
    /// Edges that no object takes.
    pub edges: BTreeSet<EdgeId>,
}

impl Abstraction {
    /// The edges that are there, with what is known of each.
    pub fn edges(&self) -> impl DoubleEndedIterator<Item = (EdgeId, &Edge, &EdgeKnowledge)> {
        let all = self.automaton.edges.iter().zip(&self.known).enumerate();
        let all = all.map(|(i, (edge, known))| (EdgeId(i), edge, known));
        all.filter(|(id, ..)| !self.gone.edges.contains(id))
    }

    /// The edges that make an object, or fail to.
    pub fn made(&self) -> impl Iterator<Item = (EdgeId, &Edge, &EdgeKnowledge)> {
        self.edges().filter(|(_, edge, _)| edge.source.is_none())
    }

    /// The transitions: the edges between states.
    pub fn transitions(&self) -> impl Iterator<Item = (StateId, StateId, &Edge, &EdgeKnowledge)> {
        self.edges()
            .filter_map(|(_, edge, known)| Some((edge.source?, edge.target?, edge, known)))
    }

    /// The states that are there.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = (StateId, &AbstractState)> {
        let all = self.automaton.states.iter().enumerate();
        let all = all.map(|(i, set)| (StateId(i), set));
        all.filter(|(id, _)| !self.gone.states.contains(id))
    }

    /// The states that a constructor may end in.
    pub fn initial(&self) -> BTreeSet<StateId> {
        self.made().filter_map(|(_, edge, _)| edge.target).collect()
    }

    /// The positions of the actions.
    pub fn action_ids(&self) -> impl Iterator<Item = ActionId> + use<> {
        (0..self.names.actions.len()).map(ActionId)
    }
}
