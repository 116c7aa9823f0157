//! The EPA with what the second pass found out.

use std::collections::{BTreeMap, BTreeSet};

use crate::epa::findings;
use crate::epa::model::{Confirmation, Epa, Refuted};
use crate::epa::run::Run;
use crate::ir::Control;

use super::model::{EdgeResult, StateResult, Status};

/// The EPA, its edges marked, and without what was refuted: that is listed apart. The ids of states stay.
pub fn prune(
    epa: &Epa,
    edges: &[EdgeResult],
    states: &[StateResult],
    invariant: &[String],
    control: BTreeMap<String, Control>,
) -> Epa {
    let mut pruned = epa.clone();
    let (first, second) = edges.split_at(epa.constructors.len().min(edges.len()));
    for (edge, result) in pruned.constructors.iter_mut().zip(first) {
        edge.confirmation = Some(confirmation(&result.status));
    }
    for (edge, result) in pruned.transitions.iter_mut().zip(second) {
        edge.confirmation = Some(confirmation(&result.status));
    }
    let gone: BTreeSet<&str> = (states.iter())
        .filter(|s| matches!(s.status, Status::Refuted { .. }))
        .map(|s| s.id.as_str())
        .collect();
    let is_refuted = |c: &Option<Confirmation>| *c == Some(Confirmation::Refuted);
    let (out, kept) = std::mem::take(&mut pruned.states)
        .into_iter()
        .partition(|s| gone.contains(s.id.as_str()));
    pruned.states = kept;
    let mut refuted = Refuted {
        invariant: invariant.to_vec(),
        states: out,
        ..Refuted::default()
    };
    (refuted.constructors, pruned.constructors) = std::mem::take(&mut pruned.constructors)
        .into_iter()
        .partition(|e| is_refuted(&e.confirmation));
    (refuted.transitions, pruned.transitions) = std::mem::take(&mut pruned.transitions)
        .into_iter()
        .partition(|e| is_refuted(&e.confirmation));
    let places = places(edges);
    let runs = edges.iter().filter_map(|e| e.run.as_ref());
    pruned.runs = runs.map(|run| in_places(run, &places)).collect();
    for state in &mut pruned.states {
        state.initial = pruned
            .constructors
            .iter()
            .any(|c| c.target.as_ref() == Some(&state.id));
    }
    let empty = refuted.constructors.is_empty()
        && refuted.transitions.is_empty()
        && refuted.states.is_empty();
    pruned.findings = findings::after_pruning(&pruned, control);
    if !empty {
        pruned.refuted = Some(refuted);
    }
    pruned
}

/// Where each edge is among those that stay, constructors' edges first.
fn places(edges: &[EdgeResult]) -> Vec<usize> {
    let stays = edges
        .iter()
        .map(|e| usize::from(!matches!(e.status, Status::Refuted { .. })));
    let before = stays.scan(0, |count, one| {
        let place = *count;
        *count += one;
        Some(place)
    });
    before.collect()
}

fn confirmation(status: &Status) -> Confirmation {
    match status {
        Status::Confirmed { calls, .. } => Confirmation::Confirmed { calls: *calls },
        Status::Refuted { .. } => Confirmation::Refuted,
        Status::Unconfirmed { bound } => Confirmation::Unconfirmed { bound: *bound },
    }
}

/// The run, told in the EPA that is left. It takes edges only that stay.
fn in_places(run: &Run, places: &[usize]) -> Run {
    let mut run = run.clone();
    for call in &mut run.calls {
        call.edge = places.get(call.edge).copied().unwrap_or(call.edge);
    }
    run
}
