//! The EPA with what the second pass found out.

use std::collections::BTreeSet;

use super::mishaps::Mishap;
use super::model::{Proof, Status};
use super::report::{ConfirmedEdge, ConfirmedState, JudgedMishap};
use crate::ask::Run;
use crate::epa::abstraction::{Abstraction, Gone};
use crate::epa::findings::{self, Finding, Seen};
use crate::epa::wire::Confirmation;
use crate::query::{EdgeId, StateId, Subject};

/// The EPA, its edges marked, and without what was refuted: that is listed apart. The ids of states stay.
pub(super) fn prune(
    before: &Abstraction,
    subject: &Subject,
    edges: &[ConfirmedEdge],
    states: &[ConfirmedState],
    mishaps: &[JudgedMishap],
    proof: Option<&Proof>,
) -> Abstraction {
    let mut pruned = before.clone();
    for (known, found) in pruned.known.iter_mut().zip(edges) {
        known.confirmation = Some(confirmation(&found.status));
    }
    let no_more = mishaps
        .iter()
        .filter(|m| m.mishap.breaks && is_refuted(&m.status));
    for judged in no_more {
        let site = &judged.mishap.site;
        for (edge, known) in before.automaton.edges.iter().zip(&mut pruned.known) {
            let is_it = edge.source == site.state && edge.callee == site.callee;
            known.violates_invariant &= !(is_it && edge.exit == site.exit);
        }
    }
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
    let found = pruned.findings.into_iter();
    let gone = &pruned.gone.edges;
    pruned.findings = found.filter_map(|f| judged(f, mishaps, gone)).collect();
    pruned.findings = findings::after_pruning(&pruned, subject);
    pruned
}

fn is_refuted(status: &Status) -> bool {
    matches!(status, Status::Refuted { .. })
}

/// A finding with what was found out; none where no object does what it says.
fn judged(
    mut finding: Finding,
    mishaps: &[JudgedMishap],
    gone: &BTreeSet<EdgeId>,
) -> Option<Finding> {
    let exactly = Mishap::of_finding(&finding);
    let broken = finding.broken_at().cloned();
    let about: Vec<&JudgedMishap> = match (&exactly, &broken) {
        (Some(exactly), _) => mishaps.iter().filter(|m| m.mishap == *exactly).collect(),
        (None, Some(site)) => mishaps.iter().filter(|m| m.mishap.is_at(site)).collect(),
        (None, None) => return Some(finding),
    };
    if !about.is_empty() && about.iter().all(|judged| is_refuted(&judged.status)) {
        return None;
    }
    let runs = about.iter().filter_map(|judged| judged.run.as_ref());
    let shortest = runs.min_by_key(|run| run.calls.len());
    finding.set_seen(shortest.map_or(Seen::NoRun, |run| Seen::Run(in_places(run, gone).into())));
    // Another state may be one in which the call does it.
    let here = |state| {
        about
            .iter()
            .find(|judged| judged.mishap.site.state == Some(state))
    };
    if let Some(site) = finding.broken_at_mut()
        && (site.state.and_then(here)).is_some_and(|judged| is_refuted(&judged.status))
    {
        site.state = None;
    }
    Some(finding)
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
        call.edge = (call.edge).map(|edge| edge - gone.range(..EdgeId(edge)).count());
    }
    run
}
