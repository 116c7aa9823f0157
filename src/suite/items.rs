//! What there is to cover.

use std::collections::BTreeSet;

use crate::epa::confirm::{Confirmed, Status};
use crate::query::{EdgeId, StateId};

use super::concrete::Step;
use super::model::Cover;

/// Something to cover, of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Item {
    /// A state.
    State(StateId),
    /// An edge.
    Edge(EdgeId),
    /// Two edges, the second right after the first.
    Pair(EdgeId, EdgeId),
}

/// What is to be covered.
pub(super) struct Goal<'a> {
    found: &'a Confirmed,
    cover: Cover,
    wanted: BTreeSet<Item>,
}

impl<'a> Goal<'a> {
    /// What is to be covered of an automaton.
    pub(super) fn new(found: &'a Confirmed, cover: Cover) -> Goal<'a> {
        let wanted = wanted(found, cover).into_iter().collect();
        Goal {
            found,
            cover,
            wanted,
        }
    }

    /// What calls cover of it.
    pub(super) fn covered_by(&self, steps: &[Step]) -> BTreeSet<Item> {
        let edges = steps.iter().map(|step| step.edge);
        let single = edges.clone().map(Item::Edge);
        let items: Vec<Item> = match self.cover {
            Cover::Transitions => single.collect(),
            Cover::Pairs => {
                let pairs = edges.clone().zip(edges.skip(1));
                single.chain(pairs.map(|(a, b)| Item::Pair(a, b))).collect()
            }
            Cover::States => edges
                .filter_map(|e| state_after(self.found, e))
                .map(Item::State)
                .collect(),
        };
        items
            .into_iter()
            .filter(|i| self.wanted.contains(i))
            .collect()
    }
}

/// All there is to cover, in the order of the EPA. Of pairs, those of which both edges are confirmed; then the edges
/// that are in none of these.
pub(super) fn wanted(found: &Confirmed, cover: Cover) -> Vec<Item> {
    let edges = (0..found.edges.len()).map(EdgeId);
    match cover {
        Cover::States => (0..found.states.len())
            .map(|i| Item::State(StateId(i)))
            .collect(),
        Cover::Transitions => edges.map(Item::Edge).collect(),
        Cover::Pairs => {
            let confirmed: Vec<EdgeId> =
                edges.clone().filter(|e| is_confirmed(found, *e)).collect();
            let pairs = confirmed.iter().flat_map(|first| {
                let seconds = confirmed.iter();
                let seconds = seconds.filter(|second| follows(found, *first, **second));
                seconds.map(|second| (*first, *second))
            });
            let pairs: Vec<(EdgeId, EdgeId)> = pairs.collect();
            let paired: BTreeSet<EdgeId> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let others = edges.filter(|e| !paired.contains(e)).map(Item::Edge);
            let pairs = pairs.iter().map(|(a, b)| Item::Pair(*a, *b));
            pairs.chain(others).collect()
        }
    }
}

fn is_confirmed(found: &Confirmed, edge: EdgeId) -> bool {
    let edge = found.edges.get(edge.0);
    edge.is_some_and(|e| matches!(e.status, Status::Confirmed { .. }))
}

fn follows(found: &Confirmed, first: EdgeId, second: EdgeId) -> bool {
    let target = state_after(found, first);
    target.is_some() && target == found.abstraction.automaton[second].source
}

/// The state that an edge leads to.
pub(super) fn state_after(found: &Confirmed, edge: EdgeId) -> Option<StateId> {
    found.abstraction.automaton[edge].target
}

/// The item as it is shown.
pub(super) fn name(found: &Confirmed, item: Item) -> String {
    let (names, automaton) = (&found.abstraction.names, &found.abstraction.automaton);
    let edge = |id: EdgeId| names.edge(&automaton[id]);
    match item {
        Item::State(id) => {
            let enabled = names.set(&automaton[id]).join(", ");
            format!("{} {{ {enabled} }}", names.state(id))
        }
        Item::Edge(id) => edge(id),
        Item::Pair(first, second) => format!("{}, then {}", edge(first), edge(second)),
    }
}

/// Why the second pass has no run for a state or an edge, if it has none.
pub(super) fn refusal(found: &Confirmed, item: Item) -> Option<String> {
    let status = match item {
        Item::State(id) => &found.states.get(id.0)?.status,
        Item::Edge(id) => &found.edges.get(id.0)?.status,
        Item::Pair(..) => return None,
    };
    match status {
        Status::Confirmed { .. } => None,
        Status::Refuted { unreached: false } => Some("refuted: no object does this".into()),
        Status::Refuted { unreached: true } => Some("refuted: nothing leads there".into()),
        Status::Unconfirmed { bound } => {
            Some(format!("unconfirmed: no run of up to {bound} calls"))
        }
    }
}
