//! A survey for a person: a line a class as it ends, a summary, and a page ([`SurveyPage`]).

mod page;

use super::escape::visible;
use crate::survey::{SurveyLine, SurveyOutcome, SurveyTally};
use crate::words::counted;

pub use page::{NoPage, SurveyPage};

/// No more reasons are listed in the terminal; the page has all.
const MOST_REASONS: usize = 8;

/// What there is to say at the end.
#[derive(Clone, Copy, Debug)]
pub struct SurveySummary<'a> {
    /// The lines together.
    pub tally: &'a SurveyTally,
    /// How many files were read.
    pub files: usize,
    /// How many classes were left out, for they have no state.
    pub left_out: usize,
    /// How many lines are those of an earlier run.
    pub known: usize,
    /// How many classes have no line, for it was interrupted.
    pub missing: usize,
}

impl SurveySummary<'_> {
    /// The summary, a few lines long.
    pub fn text(&self, colour: bool) -> String {
        let mut first = format!("{}, {}", counted(self.files, "file"), outcomes(self.tally));
        if self.known > 0 {
            first.push_str(&format!("; {} from an earlier run", self.known));
        }
        if self.left_out > 0 {
            first.push_str(&format!("; {} without a state left out", self.left_out));
        }
        let mut lines = vec![bold(&first, colour)];
        if self.missing > 0 {
            lines.push(format!(
                "interrupted: {} not examined",
                counted(self.missing, "class")
            ));
        }
        lines.extend(rest(self.tally));
        lines.join("\n")
    }
}

/// The summary of lines that were put together.
pub fn merged(tally: &SurveyTally, colour: bool) -> String {
    let mut lines = vec![bold(&outcomes(tally), colour)];
    lines.extend(rest(tally));
    lines.join("\n")
}

fn bold(text: &str, colour: bool) -> String {
    match colour {
        true => format!("\x1b[1m{text}\x1b[0m"),
        false => text.to_owned(),
    }
}

/// `102 classes: 95 done, 3 refused, 4 unfinished`
fn outcomes(tally: &SurveyTally) -> String {
    let counts = tally
        .outcomes
        .iter()
        .map(|(outcome, count)| format!("{count} {}", word(*outcome)));
    let counts: Vec<String> = counts.collect();
    match counts.is_empty() {
        true => "no class".to_owned(),
        false => format!("{}: {}", counted(tally.lines, "class"), counts.join(", ")),
    }
}

/// What was found, and why classes are not done.
fn rest(tally: &SurveyTally) -> Vec<String> {
    let mut lines = Vec::new();
    if tally.contradictions > 0 {
        lines.push(format!(
            "answers that were contradicted: {}",
            tally.contradictions
        ));
    }
    if tally.uncertain > 0 {
        lines.push(format!(
            "with uncertain edges: {}",
            counted(tally.uncertain, "class")
        ));
    }
    if !tally.findings.is_empty() {
        lines.push("findings, and in how many classes".to_owned());
        lines.extend(
            tally
                .findings
                .iter()
                .map(|(kind, count)| format!("  {count:>5}  {}", visible(kind))),
        );
    }
    let mut reasons: Vec<_> = tally.reasons.iter().collect();
    // The most frequent first; those that are equally frequent in the order of their words.
    reasons.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    if !reasons.is_empty() {
        lines.push("not done, and why".to_owned());
    }
    let more = reasons.len().saturating_sub(MOST_REASONS);
    for ((outcome, why), (count, place)) in reasons.into_iter().take(MOST_REASONS) {
        let (why, place) = (visible(why), visible(place));
        lines.push(format!("  {count:>5}  {}: {why} ({place})", word(*outcome)));
    }
    if more > 0 {
        lines.push(format!("         and {more} more"));
    }
    lines
}

/// An outcome in a word.
fn word(outcome: SurveyOutcome) -> &'static str {
    match outcome {
        SurveyOutcome::Done => "done",
        SurveyOutcome::Coarse => "coarse",
        SurveyOutcome::Refused => "refused",
        SurveyOutcome::Unfinished => "unfinished",
        SurveyOutcome::Failed => "failed",
    }
}

/// A class in a line for a terminal.
pub fn brief(line: &SurveyLine) -> String {
    let place = match line.of.line {
        Some(number) => format!("{}:{number}", line.of.file),
        None => line.of.file.clone(),
    };
    let class = line.of.class.as_deref().unwrap_or("-");
    let mut parts = Vec::new();
    if let Some(sizes) = line.sizes {
        parts.push(format!(
            "{}, {}",
            counted(sizes.states, "state"),
            counted(sizes.edges, "edge")
        ));
        if sizes.uncertain > 0 {
            parts.push(format!("{} uncertain", sizes.uncertain));
        }
    }
    parts.extend(line.findings.first().map(|finding| finding.message.clone()));
    let more = line.findings.len().saturating_sub(1);
    parts.extend((more > 0).then(|| counted(more, "more finding")));
    if let Some(reason) = &line.reason {
        let whole = reason.whole();
        let first = whole.lines().next().unwrap_or_default();
        parts.push(format!("{}: {first}", word(line.outcome)));
    }
    let text = format!("{place}  {class}  {}", parts.join("; "));
    visible(&text) + "\n"
}

#[cfg(test)]
mod tests;
