//! Lines of several runs as one list: a line a class, in an order that depends on the classes alone.

use std::collections::HashMap;
use std::path::Path;

use super::line::{ClassKey, LinePlace, SurveyLine, SurveyOutcome};
use super::stored::{LineAt, LineFiles, NotLines};

/// The lines of several runs as one list. They are read one at a time.
#[derive(Debug)]
pub struct Merged {
    files: LineFiles,
    lines: Vec<LineAt>,
}

/// The line of a class that is taken so far.
struct Best {
    at: LineAt,
    line: Option<usize>,
    outcome: SurveyOutcome,
    fingerprint: String,
}

impl Merged {
    /// Of these files, in the order of the runs. Of two lines of one class that are about the same content the one that knows
    /// more is taken, and else the later one.
    ///
    /// # Errors
    /// A file cannot be read, or holds something else.
    pub fn of(files: &[impl AsRef<Path>]) -> Result<Self, NotLines> {
        let mut all = LineFiles::default();
        let mut best: HashMap<ClassKey, Best> = HashMap::new();
        for file in files {
            all.scan(file.as_ref(), |line, at| {
                let SurveyLine { of, outcome, .. } = line;
                let new = Best {
                    at,
                    line: of.line,
                    outcome,
                    fingerprint: of.fingerprint,
                };
                let key = (of.file, of.class);
                let knows_more = |known: &Best| {
                    known.fingerprint == new.fingerprint && known.outcome < new.outcome
                };
                if !best.get(&key).is_some_and(knows_more) {
                    best.insert(key, new);
                }
            })?;
        }
        let best = best.into_iter().map(|((file, class), best)| {
            let line = best.line;
            (LinePlace { file, line, class }, best.at)
        });
        let mut order: Vec<(LinePlace, LineAt)> = best.collect();
        order.sort_by(|(place, _), (other, _)| place.cmp(other));
        Ok(Merged {
            files: all,
            lines: order.into_iter().map(|(_, at)| at).collect(),
        })
    }

    /// The lines, in the order of files and places, and where each is.
    pub fn lines(&self) -> impl Iterator<Item = Result<(SurveyLine, LineAt), NotLines>> + '_ {
        let read = |&at| self.files.read(at).map(|line| (line, at));
        self.lines.iter().map(read)
    }

    /// The files that they are read from.
    pub fn files(&self) -> &LineFiles {
        &self.files
    }
}
