//! The report for a terminal.

use super::{sentences, summary, updated};
use crate::check::{CheckReport, Checked, Outcome};
use crate::view::escape::visible;

pub(super) fn render(report: &CheckReport) -> String {
    let mut lines = Vec::new();
    for check in &report.checks {
        add(check, &mut lines);
    }
    lines.push(summary(report));
    lines.join("\n") + "\n"
}

fn add(check: &Checked, lines: &mut Vec<String>) {
    let (name, expected) = (visible(&check.name()), visible(&check.expected));
    match &check.outcome {
        Outcome::Same(_) => lines.push(format!("{name}: as expected")),
        Outcome::Written { file, .. } => {
            lines.push(format!("{name}: {expected} {}", updated(*file)));
        }
        Outcome::Changed { order, diff, .. } => {
            lines.push(format!("{name}: the protocol changed"));
            let sentences = sentences(order, diff);
            lines.extend(sentences.iter().map(|sentence| format!("  {sentence}")));
            lines.push(format!("  (expected: {expected})"));
        }
        // Why it could not be was said on its own, with the place.
        Outcome::NotChecked { .. } => lines.push(format!("{name}: not checked")),
    }
}
