//! Lines of several runs as one list: a line a class, in an order that depends on the classes alone.

use std::collections::BTreeMap;

use super::line::{ClassKey, SurveyLine};

/// The lines of several runs, in the order of the runs, as one list. Of two lines of one class that are about the same content
/// the one that knows more is taken, and else the later one.
pub fn merge(runs: impl IntoIterator<Item = Vec<SurveyLine>>) -> Vec<SurveyLine> {
    let mut best: BTreeMap<ClassKey, SurveyLine> = BTreeMap::new();
    for line in runs.into_iter().flatten() {
        let key = line.of.key();
        match best.get(&key) {
            Some(known)
                if known.of.fingerprint == line.of.fingerprint && known.outcome < line.outcome => {}
            _ => {
                best.insert(key, line);
            }
        }
    }
    let mut lines: Vec<SurveyLine> = best.into_values().collect();
    SurveyLine::sort(&mut lines);
    lines
}
