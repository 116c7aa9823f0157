//! What there is to say of many lines together.

use std::collections::BTreeMap;

use super::line::{SurveyLine, SurveyOutcome};

/// Numbers over many lines. Its size grows with the kinds of what is said, not with the lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SurveyTally {
    /// How many lines there are.
    pub lines: usize,
    /// How many of each outcome.
    pub outcomes: BTreeMap<SurveyOutcome, usize>,
    /// How many classes are done with edges that are not certain.
    pub uncertain: usize,
    /// How many answers were contradicted.
    pub contradictions: usize,
    /// In how many classes there is a finding of each kind.
    pub findings: BTreeMap<String, usize>,
    /// Why classes are not done: the outcome and the reason without its names, how many, and the place of the
    /// first of them.
    pub reasons: BTreeMap<(SurveyOutcome, String), (usize, String)>,
    /// All times together, in milliseconds.
    pub ms: u64,
}

impl SurveyTally {
    /// Counts a line.
    pub fn add(&mut self, line: &SurveyLine) {
        self.lines += 1;
        *self.outcomes.entry(line.outcome).or_default() += 1;
        self.uncertain += usize::from(line.sizes.is_some_and(|sizes| sizes.uncertain > 0));
        self.contradictions += line.contradictions.len();
        let mut kinds: Vec<&String> = line.findings.iter().map(|finding| &finding.kind).collect();
        kinds.sort();
        kinds.dedup();
        for kind in kinds {
            *self.findings.entry(kind.clone()).or_default() += 1;
        }
        if let Some(reason) = &line.reason {
            let first = reason.place.clone().unwrap_or_else(|| line.of.file.clone());
            let key = (line.outcome, reason.in_general());
            let (count, place) = self
                .reasons
                .entry(key)
                .or_insert_with(|| (0, first.clone()));
            *count += 1;
            // Lines come in the order in which their classes end.
            *place = first.min(std::mem::take(place));
        }
        self.ms = self.ms.saturating_add(line.ms);
    }
}
