//! The EPA with what the second pass found out.

use std::collections::BTreeSet;

use super::model::{Proof, Status};
use super::report::{ConfirmedEdge, ConfirmedState};
use crate::ask::Run;
use crate::epa::abstraction::{Abstraction, Gone};
use crate::epa::findings;
use crate::epa::wire::Confirmation;
use crate::query::{EdgeId, StateId, Subject};

/// The EPA, its edges marked, and without what was refuted: that is listed apart. The ids of states stay.
pub(super) fn prune(
    before: &Abstraction,
    subject: &Subject,
    edges: &[ConfirmedEdge],
    states: &[ConfirmedState],
    proof: Option<&Proof>,
) -> Abstraction {
    let mut pruned = before.clone();
    for (known, found) in pruned.known.iter_mut().zip(edges) {
        known.confirmation = Some(confirmation(&found.status));
    }
    let is_refuted = |status: &Status| matches!(status, Status::Refuted { .. });
    let gone_edges = edges
        .iter()
        .enumerate()
        .filter(|(_, e)| is_refuted(&e.status));
    let gone_states = states
        .iter()
        .enumerate()
        .filter(|(_, s)| is_refuted(&s.status));
    pruned.gone = Gone {
        invariant: proof.map_or(vec![], |p| p.invariant.clone()),
        states: gone_states.map(|(i, _)| StateId(i)).collect(),
        edges: gone_edges.map(|(i, _)| EdgeId(i)).collect(),
    };
    let runs = edges.iter().filter_map(|e| e.run.as_ref());
    pruned.runs = runs.map(|run| in_places(run, &pruned.gone.edges)).collect();
    pruned.findings = findings::after_pruning(&pruned, findings::control_of(subject));
    pruned
}

fn confirmation(status: &Status) -> Confirmation {
    match status {
        Status::Confirmed { calls, .. } => Confirmation::Confirmed { calls: *calls },
        Status::Refuted { .. } => Confirmation::Refuted,
        Status::Unconfirmed { bound } => Confirmation::Unconfirmed { bound: *bound },
    }
}

/// The run, told in the EPA that is left: its edges counted without those that are gone. It takes edges only that stay.
fn in_places(run: &Run, gone: &BTreeSet<EdgeId>) -> Run {
    let mut run = run.clone();
    for call in &mut run.calls {
        call.edge -= gone.range(..EdgeId(call.edge)).count();
    }
    run
}
