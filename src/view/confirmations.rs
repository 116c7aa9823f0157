//! The second pass in full, for a terminal: each state and each edge with its run, and the invariant that refutes.

use super::second_pass;
use crate::epa::confirm::{Confirmations, EdgeResult, Proof, Status};

/// The result for people.
pub fn text(found: &Confirmations) -> String {
    let mut lines = vec![found.class.clone(), String::new()];
    for state in &found.states {
        lines.push(format!("{}  {{ {} }}", state.id, state.enabled.join(", ")));
        lines.push(format!("  {}", words(&state.status)));
    }
    for edge in &found.edges {
        lines.push(String::new());
        lines.extend(edge_lines(edge));
    }
    if let Some(proof) = &found.proof {
        lines.push(String::new());
        lines.extend(proof_lines(proof, &found.edges));
    }
    lines.push(String::new());
    lines.push(summary(found));
    if let Some(why) = &found.stopped {
        lines.push(format!("not all was found out: {why}"));
    }
    lines.join("\n") + "\n"
}

fn edge_lines(edge: &EdgeResult) -> Vec<String> {
    let mut lines = vec![edge.edge.clone(), format!("  {}", words(&edge.status))];
    let run = edge.run.iter().flat_map(second_pass::lines);
    lines.extend(run.map(|line| format!("  {line}")));
    lines
}

fn proof_lines(proof: &Proof, edges: &[EdgeResult]) -> Vec<String> {
    let head = if proof.invariant.is_empty() {
        "refuted without an invariant: no call does this where the class's own holds"
    } else {
        "refuted by this invariant, which every object keeps:"
    };
    let mut lines = vec![head.to_owned()];
    let clauses = proof.invariant.iter();
    lines.extend(clauses.map(|clause| format!("  invariant {clause};")));
    let refuted = proof.refutes.iter().filter_map(|e| edges.get(*e));
    let refuted: Vec<&str> = refuted.map(|e| e.edge.as_str()).collect();
    lines.push(format!(
        "  where it holds, no call takes {}",
        refuted.join(", ")
    ));
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
        Status::Unconfirmed { bound } => format!("unconfirmed: no run of up to {bound} calls"),
    }
}

fn summary(found: &Confirmations) -> String {
    let count = |test: fn(&Status) -> bool| found.edges.iter().filter(|e| test(&e.status)).count();
    format!(
        "{} edges: {} confirmed, {} refuted, {} unconfirmed",
        found.edges.len(),
        count(|s| matches!(s, Status::Confirmed { .. })),
        count(|s| matches!(s, Status::Refuted { .. })),
        count(|s| matches!(s, Status::Unconfirmed { .. })),
    )
}
