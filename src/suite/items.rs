//! What there is to cover.

use std::collections::BTreeSet;

use crate::epa::confirm::{Confirmed, Status};
use crate::query::{EdgeId, StateId};

use super::concrete::ConcreteCall;
use super::model::Coverage;

/// Something to cover, of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CoverItem {
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
    cover: Coverage,
    wanted: BTreeSet<CoverItem>,
}

impl<'a> Goal<'a> {
    /// What is to be covered of an automaton.
    pub(super) fn new(found: &'a Confirmed, cover: Coverage) -> Goal<'a> {
        let wanted = wanted(found, cover).into_iter().collect();
        Goal {
            found,
            cover,
            wanted,
        }
    }

    /// What calls cover of it.
    pub(super) fn covered_by(&self, steps: &[ConcreteCall]) -> BTreeSet<CoverItem> {
        let edges = steps.iter().map(|step| step.edge);
        let single = edges.clone().map(CoverItem::Edge);
        let items: Vec<CoverItem> = match self.cover {
            Coverage::Transitions => single.collect(),
            Coverage::Pairs => {
                let pairs = edges.clone().zip(edges.skip(1));
                single
                    .chain(pairs.map(|(a, b)| CoverItem::Pair(a, b)))
                    .collect()
            }
            Coverage::States => edges
                .filter_map(|e| state_after(self.found, e))
                .map(CoverItem::State)
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
pub(super) fn wanted(found: &Confirmed, cover: Coverage) -> Vec<CoverItem> {
    let edges = (0..found.edges.len()).map(EdgeId);
    match cover {
        Coverage::States => (0..found.states.len())
            .map(|i| CoverItem::State(StateId(i)))
            .collect(),
        Coverage::Transitions => edges.map(CoverItem::Edge).collect(),
        Coverage::Pairs => {
            let confirmed: Vec<EdgeId> =
                edges.clone().filter(|e| is_confirmed(found, *e)).collect();
            let pairs = confirmed.iter().flat_map(|first| {
                let seconds = confirmed.iter();
                let seconds = seconds.filter(|second| follows(found, *first, **second));
                seconds.map(|second| (*first, *second))
            });
            let pairs: Vec<(EdgeId, EdgeId)> = pairs.collect();
            let paired: BTreeSet<EdgeId> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let others = edges.filter(|e| !paired.contains(e)).map(CoverItem::Edge);
            let pairs = pairs.iter().map(|(a, b)| CoverItem::Pair(*a, *b));
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
pub(super) fn name(found: &Confirmed, item: CoverItem) -> String {
    let (names, automaton) = (&found.abstraction.names, &found.abstraction.automaton);
    let edge = |id: EdgeId| names.edge(&automaton[id]);
    match item {
        CoverItem::State(id) => {
            let enabled = names.marks(&automaton[id]).join(", ");
            format!("{} {{ {enabled} }}", names.state(id))
        }
        CoverItem::Edge(id) => edge(id),
        CoverItem::Pair(first, second) => format!("{}, then {}", edge(first), edge(second)),
    }
}

/// Why the second pass has no run for a state or an edge, if it has none.
pub(super) fn refusal(found: &Confirmed, item: CoverItem) -> Option<String> {
    let status = match item {
        CoverItem::State(id) => &found.states.get(id.0)?.status,
        CoverItem::Edge(id) => &found.edges.get(id.0)?.status,
        CoverItem::Pair(..) => return None,
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
