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

/// What is to be covered.
pub struct Goal<'a> {
    found: &'a Confirmations,
    cover: Cover,
    wanted: BTreeSet<Item>,
}

impl<'a> Goal<'a> {
    /// What is to be covered of an automaton.
    pub fn new(found: &'a Confirmations, cover: Cover) -> Goal<'a> {
        let wanted = wanted(found, cover).into_iter().collect();
        Goal {
            found,
            cover,
            wanted,
        }
    }

    /// What calls cover of it.
    pub fn covered_by(&self, steps: &[Step]) -> BTreeSet<Item> {
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
pub fn wanted(found: &Confirmations, cover: Cover) -> Vec<Item> {
    let edges = 0..found.edges.len();
    match cover {
        Cover::States => (0..found.states.len()).map(Item::State).collect(),
        Cover::Transitions => edges.map(Item::Edge).collect(),
        Cover::Pairs => {
            let confirmed: Vec<usize> = edges.clone().filter(|e| is_confirmed(found, *e)).collect();
            let pairs = confirmed.iter().flat_map(|first| {
                let seconds = confirmed.iter();
                let seconds = seconds.filter(|second| follows(found, *first, **second));
                seconds.map(|second| (*first, *second))
            });
            let pairs: Vec<(usize, usize)> = pairs.collect();
            let paired: BTreeSet<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
            let others = edges.filter(|e| !paired.contains(e)).map(Item::Edge);
            let pairs = pairs.iter().map(|(a, b)| Item::Pair(*a, *b));
            pairs.chain(others).collect()
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
