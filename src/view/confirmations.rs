//! The second pass in full, for a terminal: each state and each edge with its run, and the invariant that refutes.

use super::second_pass;
use crate::ask::Run;
use crate::epa::confirm::{Confirmations, Proof, Status};

/// The result for people.
pub fn text(found: &Confirmations) -> String {
    let mut lines = vec![found.class.clone(), String::new()];
    for state in &found.states {
        lines.push(format!("{}  {{ {} }}", state.id, state.enabled.join(", ")));
        lines.push(format!("  {}", words(&state.status)));
    }
    for edge in &found.edges {
        lines.push(String::new());
        lines.extend(judged_lines(&edge.edge, &edge.status, edge.run.as_ref()));
    }
    for mishap in &found.mishaps {
        lines.push(String::new());
        let (status, run) = (&mishap.status, mishap.run.as_ref());
        lines.extend(judged_lines(&mishap.mishap, status, run));
    }
    if let Some(proof) = &found.proof {
        lines.push(String::new());
        lines.extend(proof_lines(proof, found));
    }
    lines.push(String::new());
    lines.push(summary(found));
    if let Some(why) = &found.stopped {
        lines.push(format!("not all was found out: {why}"));
    }
    lines.join("\n") + "\n"
}

fn judged_lines(what: &str, status: &Status, run: Option<&Run>) -> Vec<String> {
    let mut lines = vec![what.to_owned(), format!("  {}", words(status))];
    let run = run.into_iter().flat_map(second_pass::lines);
    lines.extend(run.map(|line| format!("  {line}")));
    lines
}

fn proof_lines(proof: &Proof, found: &Confirmations) -> Vec<String> {
    let head = if proof.invariant.is_empty() {
        "refuted without an invariant: no call does this where the class's own holds"
    } else {
        "refuted by this invariant, which every object keeps:"
    };
    let mut lines = vec![head.to_owned()];
    let clauses = proof.invariant.iter();
    lines.extend(clauses.map(|clause| format!("  invariant {clause};")));
    let refuted = proof.refutes.iter().filter_map(|e| found.edges.get(*e));
    let refuted: Vec<&str> = refuted.map(|e| e.edge.as_str()).collect();
    if !refuted.is_empty() {
        let edges = refuted.join(", ");
        lines.push(format!("  where it holds, no call takes {edges}"));
    }
    let never = proof.refutes_mishaps.iter();
    let never = never.filter_map(|m| found.mishaps.get(*m));
    lines.extend(never.map(|m| format!("  where it holds, it never happens that {}", m.mishap)));
    lines.push(format!(
        "  checked by {} questions to the engine",
        proof.checked_by.len()
    ));
    lines
}

fn words(status: &Status) -> String {
    match status {
        Status::Confirmed { calls, shortest } => {
            let doubt = if *shortest {
                ""
            } else {
                " (there may be a shorter run)"
            };
            second_pass::confirmed(*calls) + doubt
        }
        Status::Refuted { unreached: false } => "refuted".into(),
        Status::Refuted { unreached: true } => "refuted: nothing leads there".into(),
        Status::Unconfirmed { bound: 0 } => "unconfirmed: neither a run nor a proof".into(),
        Status::Unconfirmed { bound } => format!("unconfirmed: no run of up to {bound} calls"),
    }
}

fn summary(found: &Confirmations) -> String {
    let edges: Vec<&Status> = found.edges.iter().map(|e| &e.status).collect();
    let edges = format!("{} edges: {}", edges.len(), counts(&edges));
    let mishaps: Vec<&Status> = found.mishaps.iter().map(|m| &m.status).collect();
    let what = match mishaps.len() {
        0 => return edges,
        1 => "1 error or broken invariant".to_owned(),
        n => format!("{n} errors and broken invariants"),
    };
    format!("{edges}\n{what}: {}", counts(&mishaps))
}

fn counts(all: &[&Status]) -> String {
    let count = |test: fn(&Status) -> bool| all.iter().filter(|status| test(status)).count();
    format!(
        "{} confirmed, {} refuted, {} unconfirmed",
        count(|s| matches!(s, Status::Confirmed { .. })),
        count(|s| matches!(s, Status::Refuted { .. })),
        count(|s| matches!(s, Status::Unconfirmed { .. })),
    )
}
