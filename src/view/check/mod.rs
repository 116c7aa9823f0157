//! What has become of the protocols that were expected: for a terminal, for a pull request, and for the programs that
//! read reports in continuous integration. One file a format.

mod junit;
mod markdown;
mod sarif;
#[cfg(test)]
mod tests;
mod text;

use super::ViewError;
use super::diff::{edge_sentence, sentence};
use crate::check::{CheckReport, Updated};
use crate::epa::diff::{Change, EdgeDiff, EpaDiff, OrderChange};

/// The formats of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum CheckFormat {
    /// For a terminal
    #[default]
    Text,
    /// For a comment on a pull request
    Markdown,
    /// The data, as JSON
    Json,
    /// SARIF 2.1.0, which forges and editors show at the places
    Sarif,
    /// JUnit's XML, a test a class
    Junit,
}

/// Shows a report. The text ends with a newline.
///
/// # Errors
/// The data could not be written as JSON.
pub fn render(report: &CheckReport, format: CheckFormat) -> Result<String, ViewError> {
    match format {
        CheckFormat::Text => Ok(text::render(report)),
        CheckFormat::Markdown => Ok(markdown::render(report)),
        CheckFormat::Json => Ok(serde_json::to_string_pretty(report)? + "\n"),
        CheckFormat::Sarif => Ok(serde_json::to_string_pretty(&sarif::of(report))? + "\n"),
        CheckFormat::Junit => Ok(junit::render(report)),
    }
}

/// What changed, in sentences: the order of calls, then the edges of calls of which there is nothing to say there.
fn sentences(order: &[OrderChange], diff: &EpaDiff) -> Vec<String> {
    let told = |edge: &&EdgeDiff| order.iter().any(|change| change.callee() == edge.action);
    let edges = changed_edges(diff).filter(|edge| !told(edge));
    let edges = edges.map(|edge| edge_sentence(diff, edge));
    order.iter().map(sentence).chain(edges).collect()
}

fn changed_edges(diff: &EpaDiff) -> impl Iterator<Item = &EdgeDiff> {
    let edges = diff.constructors.iter().chain(&diff.transitions);
    edges.filter(|edge| edge.change != Change::Same)
}

/// All in a few words: how many are as expected, and how many are not.
fn summary(report: &CheckReport) -> String {
    let (changed, failed) = (report.changed(), report.not_checked());
    let written = report.written();
    let well = report.checks.len() - changed - failed - written;
    let counts = [
        (well, "as expected"),
        (changed, "changed"),
        (written, "written"),
        (failed, "not checked"),
    ];
    let parts = counts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    format!("protocols: {}", parts.join(", "))
}

/// What became of a file that was to be written.
fn updated(file: Updated) -> &'static str {
    match file {
        Updated::New => "written",
        Updated::Replaced => "written anew",
        Updated::Kept => "is as it was",
    }
}
