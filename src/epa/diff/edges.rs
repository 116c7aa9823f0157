//! Edges of two EPAs, matched.

use std::collections::BTreeMap;
use std::mem::discriminant;

use super::{ActionDiff, Aspect, Change, EdgeDiff, EdgeFacts, Ids, StateDiff};
use crate::epa::wire::{ConstructorEdge, Epa, Transition};

/// What tells edges apart: source, action, outcome, exception, target.
type EdgeIdentity = (
    Option<Ids>,
    String,
    Option<String>,
    Option<String>,
    Option<Ids>,
);

/// The edges of two EPAs, their ends given by states of both.
pub(super) struct PairedEdges<'a> {
    old: &'a Epa,
    new: &'a Epa,
    by_old: BTreeMap<&'a str, &'a Ids>,
    by_new: BTreeMap<&'a str, &'a Ids>,
}

impl<'a> PairedEdges<'a> {
    pub(super) fn of(old: &'a Epa, new: &'a Epa, states: &'a [StateDiff]) -> Self {
        let by = |id: fn(&Ids) -> Option<&String>| {
            let ids = states.iter().map(|s| &s.ids);
            ids.filter_map(|ids| Some((id(ids)?.as_str(), ids)))
                .collect()
        };
        PairedEdges {
            old,
            new,
            by_old: by(|ids| ids.old.as_ref()),
            by_new: by(|ids| ids.new.as_ref()),
        }
    }

    pub(super) fn constructors(&self) -> Vec<EdgeDiff> {
        let edges = |epa: &Epa, ids: &BTreeMap<&str, &Ids>| {
            let edges = epa.constructors.iter();
            edges.map(|c| constructor(c, ids)).collect::<Vec<_>>()
        };
        merge(edges(self.old, &self.by_old), edges(self.new, &self.by_new))
    }

    pub(super) fn transitions(&self) -> Vec<EdgeDiff> {
        let edges = |epa: &Epa, ids: &BTreeMap<&str, &Ids>| {
            let edges = epa.transitions.iter();
            edges.map(|t| transition(t, ids)).collect::<Vec<_>>()
        };
        merge(edges(self.old, &self.by_old), edges(self.new, &self.by_new))
    }
}

fn constructor(edge: &ConstructorEdge, ids: &BTreeMap<&str, &Ids>) -> (EdgeIdentity, EdgeFacts) {
    let target = edge.target.as_deref().and_then(|id| ids.get(id));
    let key = (
        None,
        edge.name.clone(),
        None,
        edge.exception.clone(),
        target.map(|ids| (*ids).clone()),
    );
    let facts = EdgeFacts {
        verdict: edge.verdict,
        reason: edge.reason.clone(),
        violates_invariant: edge.violates_invariant,
        confirmation: edge.confirmation.clone(),
    };
    (key, facts)
}

fn transition(edge: &Transition, ids: &BTreeMap<&str, &Ids>) -> (EdgeIdentity, EdgeFacts) {
    let end = |id: &str| ids.get(id).map(|ids| (*ids).clone());
    let key = (
        end(&edge.source),
        edge.action.clone(),
        edge.outcome.clone(),
        edge.exception.clone(),
        end(&edge.target),
    );
    let facts = EdgeFacts {
        verdict: edge.verdict,
        reason: edge.reason.clone(),
        violates_invariant: edge.violates_invariant,
        confirmation: edge.confirmation.clone(),
    };
    (key, facts)
}

/// The edges of the old EPA, then those that are only in the new one, each list in its order.
fn merge(
    old: Vec<(EdgeIdentity, EdgeFacts)>,
    new: Vec<(EdgeIdentity, EdgeFacts)>,
) -> Vec<EdgeDiff> {
    let order: Vec<EdgeIdentity> = old.iter().chain(&new).map(|(key, _)| key.clone()).collect();
    let mut old: BTreeMap<EdgeIdentity, EdgeFacts> = old.into_iter().collect();
    let mut new: BTreeMap<EdgeIdentity, EdgeFacts> = new.into_iter().collect();
    let edges = order.into_iter().filter_map(|key| {
        // An edge of both is met twice; by then it has been taken out.
        let (was, is) = (old.remove(&key), new.remove(&key));
        (was.is_some() || is.is_some()).then(|| edge(key, was, is))
    });
    edges.collect()
}

fn edge(key: EdgeIdentity, was: Option<EdgeFacts>, is: Option<EdgeFacts>) -> EdgeDiff {
    let aspects = match (&was, &is) {
        (Some(was), Some(is)) => aspects(was, is),
        _ => Vec::new(),
    };
    let change = match Change::of(was.is_some(), is.is_some()) {
        Change::Same if !aspects.is_empty() => Change::Changed,
        change => change,
    };
    let (source, action, outcome, exception, target) = key;
    EdgeDiff {
        source,
        action,
        outcome,
        exception,
        target,
        change,
        aspects,
        was,
        is,
    }
}

fn aspects(was: &EdgeFacts, is: &EdgeFacts) -> Vec<Aspect> {
    let confirmation = match (&was.confirmation, &is.confirmation) {
        (Some(was), Some(is)) => discriminant(was) != discriminant(is),
        _ => false,
    };
    let all = [
        (was.verdict != is.verdict, Aspect::Certainty),
        (
            was.violates_invariant != is.violates_invariant,
            Aspect::Violation,
        ),
        (confirmation, Aspect::Confirmation),
    ];
    all.into_iter()
        .filter_map(|(changed, aspect)| changed.then_some(aspect))
        .collect()
}

/// By source, action, exception, target, outcome; states and actions in their order.
pub(super) fn sort(edges: &mut [EdgeDiff], states: &[StateDiff], actions: &[ActionDiff]) {
    let number: BTreeMap<&Ids, usize> = states.iter().map(|s| &s.ids).zip(0..).collect();
    let position: BTreeMap<&str, usize> =
        actions.iter().map(|a| a.name.as_str()).zip(0..).collect();
    let place = |ids: &Option<Ids>| ids.as_ref().and_then(|ids| number.get(ids)).copied();
    edges.sort_by_cached_key(|e| {
        (
            place(&e.source),
            position.get(e.action.as_str()).copied(),
            e.exception.clone(),
            place(&e.target),
            e.outcome.clone(),
        )
    });
}
