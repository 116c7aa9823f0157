//! The lines of earlier runs: which of them still hold.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::line::{ClassKey, SurveyLine, SurveyOutcome, SurveyedClass};
use super::stored::{LineAt, LineFiles, NotLines};

/// What is known from an earlier run: of each line what says whether it holds, and where it is.
#[derive(Debug, Default)]
pub struct Earlier {
    files: LineFiles,
    known: HashMap<ClassKey, Known>,
    /// Options and limits, which many lines share.
    words: HashSet<Arc<str>>,
}

/// What is held of a line.
#[derive(Debug)]
struct Known {
    at: LineAt,
    fingerprint: String,
    options: Arc<str>,
    limits: Arc<str>,
    outcome: SurveyOutcome,
    is_final: bool,
    ms: u64,
}

impl Earlier {
    /// What the lines of these files say; of two of one class the later one.
    ///
    /// # Errors
    /// A file cannot be read, or holds something else.
    pub fn of(files: &[impl AsRef<Path>]) -> Result<Self, NotLines> {
        let mut earlier = Earlier::default();
        for file in files {
            earlier.add(file.as_ref())?;
        }
        Ok(earlier)
    }

    /// The lines of this file too, which are later ones.
    ///
    /// # Errors
    /// It cannot be read, or holds something else; the lines before that are added.
    pub fn add(&mut self, file: &Path) -> Result<(), NotLines> {
        let Earlier {
            files,
            known,
            words,
        } = self;
        files.scan(file, |line, at| {
            let is_final = line.is_final();
            let held = Known {
                at,
                options: shared(words, &line.of.options),
                limits: shared(words, &line.of.limits),
                outcome: line.outcome,
                is_final,
                ms: line.ms,
                fingerprint: line.of.fingerprint,
            };
            known.insert((line.of.file, line.of.class), held);
        })
    }

    /// Whether asking a class again would only give its line again: its content and the options are the same, and so are the
    /// limits, where they mattered. What failed is asked again.
    pub fn still(&self, class: &SurveyedClass) -> bool {
        self.known.get(&class.key()).is_some_and(|known| {
            let same = known.fingerprint == class.fingerprint && known.options == class.options;
            let in_time = known.limits == class.limits && known.outcome != SurveyOutcome::Failed;
            same && (known.is_final || in_time)
        })
    }

    /// The line of a class, as one of this run.
    ///
    /// # Errors
    /// It is not there, or not any more.
    pub fn line(&self, class: &SurveyedClass) -> Result<SurveyLine, NotLines> {
        let gone = || NotLines::Changed(class.file.clone());
        let known = self.known.get(&class.key()).ok_or_else(gone)?;
        let line = self.files.read(known.at)?;
        match line.of.fingerprint == known.fingerprint && line.of.key() == class.key() {
            true => Ok(SurveyLine {
                of: class.clone(),
                ..line
            }),
            false => Err(gone()),
        }
    }

    /// How long a class took, in milliseconds.
    pub fn ms(&self, class: &SurveyedClass) -> Option<u64> {
        self.known.get(&class.key()).map(|known| known.ms)
    }
}

/// The same words, of which there is one.
fn shared(words: &mut HashSet<Arc<str>>, of: &Arc<str>) -> Arc<str> {
    match words.get(of) {
        Some(known) => Arc::clone(known),
        None => {
            words.insert(Arc::clone(of));
            Arc::clone(of)
        }
    }
}
