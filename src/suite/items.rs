//! What there is to cover.

use std::collections::BTreeSet;

use crate::epa::confirm::{Confirmations, EdgeResult, Status};

use super::concrete::Step;
use super::model::Cover;

/// Something to cover, by positions in [`Confirmations::states`] and [`Confirmations::edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    /// A state.
    State(usize),
    /// An edge.
    Edge(usize),
    /// Two edges, the second right after the first.
    Pair(usize, usize),
}

/// All there is to cover, in the order of the EPA. Of pairs, those of which both edges are confirmed, and the edges
/// that are not: no pair with such an edge is covered.
pub fn wanted(found: &Confirmations, cover: Cover) -> Vec<Item> {
    let edges = 0..found.edges.len();
    match cover {
        Cover::States => (0..found.states.len()).map(Item::State).collect(),
        Cover::Transitions => edges.map(Item::Edge).collect(),
        Cover::Pairs => {
            let (confirmed, others): (Vec<usize>, Vec<usize>) =
                edges.partition(|e| is_confirmed(found, *e));
            let pairs = confirmed.iter().flat_map(|first| {
                let seconds = confirmed.iter();
                let seconds = seconds.filter(|second| follows(found, *first, **second));
                seconds.map(|second| Item::Pair(*first, *second))
            });
            pairs.chain(others.into_iter().map(Item::Edge)).collect()
        }
    }
}

fn is_confirmed(found: &Confirmations, edge: usize) -> bool {
    let edge = found.edges.get(edge);
    edge.is_some_and(|e| matches!(e.status, Status::Confirmed { .. }))
}

fn follows(found: &Confirmations, first: usize, second: usize) -> bool {
    let (Some(first), Some(second)) = (found.edges.get(first), found.edges.get(second)) else {
        return false;
    };
    first.target.is_some() && first.target == second.source
}

/// What calls cover, of everything that can be asked for.
pub fn covered_by(found: &Confirmations, steps: &[Step], cover: Cover) -> BTreeSet<Item> {
    let edges = steps.iter().map(|step| step.edge);
    match cover {
        Cover::Transitions => edges.map(Item::Edge).collect(),
        Cover::Pairs => edges
            .clone()
            .zip(edges.skip(1))
            .map(|(first, second)| Item::Pair(first, second))
            .collect(),
        Cover::States => edges
            .filter_map(|e| state_after(found, e))
            .map(Item::State)
            .collect(),
    }
}

/// The state that an edge leads to.
pub fn state_after(found: &Confirmations, edge: usize) -> Option<usize> {
    let target = found.edges.get(edge)?.target.as_deref()?;
    found.states.iter().position(|s| s.id == target)
}

/// The item as it is shown.
pub fn name(found: &Confirmations, item: Item) -> String {
    let edge = |index: usize| found.edges.get(index).map_or("", |e: &EdgeResult| &e.edge);
    match item {
        Item::State(index) => match found.states.get(index) {
            Some(state) => format!("{} {{ {} }}", state.id, state.enabled.join(", ")),
            None => String::new(),
        },
        Item::Edge(index) => edge(index).to_string(),
        Item::Pair(first, second) => format!("{}, then {}", edge(first), edge(second)),
    }
}

/// Why the second pass has no run for a state or an edge, if it has none.
pub fn refusal(found: &Confirmations, item: Item) -> Option<String> {
    let status = match item {
        Item::State(index) => &found.states.get(index)?.status,
        Item::Edge(index) => &found.edges.get(index)?.status,
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
