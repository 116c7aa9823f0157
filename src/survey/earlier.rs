//! The lines of earlier runs: how they are read, and which of them still hold.

use std::collections::HashMap;
use std::path::Path;

use super::line::{ClassKey, SCHEMA, SurveyLine, SurveyOutcome, SurveyedClass};

/// Why a file is none of a survey.
#[derive(Debug, thiserror::Error)]
pub enum NotLines {
    /// It cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(String, std::io::Error),
    /// A line of it is none of a survey.
    #[error("{0}:{1}: this is no line of a survey ({SCHEMA}): {2}")]
    Line(String, usize, String),
}

/// Reads the lines of a survey. A last line that is cut off, as a machine leaves it on which the power goes, is none.
///
/// # Errors
/// See [`NotLines`].
pub fn read(path: &Path) -> Result<Vec<SurveyLine>, NotLines> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| NotLines::Unreadable(name.clone(), error))?;
    let text = String::from_utf8_lossy(&bytes);
    let whole = text.ends_with('\n');
    let count = text.lines().count();
    let mut lines = Vec::new();
    for (number, line) in (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty())
    {
        match serde_json::from_str::<SurveyLine>(line) {
            Ok(line) if line.schema == SCHEMA => lines.push(line),
            Ok(line) => {
                return Err(NotLines::Line(
                    name,
                    number,
                    format!("it is {}", line.schema),
                ));
            }
            Err(_) if number == count && !whole && begins(line) => {}
            Err(error) => return Err(NotLines::Line(name, number, error.to_string())),
        }
    }
    Ok(lines)
}

/// Whether a text may be the beginning of a line of a survey.
fn begins(text: &str) -> bool {
    let begin = format!("{{\"schema\":\"{SCHEMA}\"");
    text.starts_with(&begin) || begin.starts_with(text)
}

/// What is known from an earlier run.
#[derive(Clone, Debug, Default)]
pub struct Earlier(HashMap<ClassKey, SurveyLine>);

impl Earlier {
    /// What these lines say; of two of one class the later one.
    pub fn new(lines: Vec<SurveyLine>) -> Self {
        Earlier::default().with(lines)
    }

    /// These lines too, which are later ones.
    #[must_use]
    pub fn with(mut self, lines: Vec<SurveyLine>) -> Self {
        self.0
            .extend(lines.into_iter().map(|line| (line.of.key(), line)));
        self
    }

    /// The line of a class, if asking again would only give the same: its content and the options are the same, and so are
    /// the limits, where they mattered. What failed is asked again.
    pub fn still(&self, class: &SurveyedClass) -> Option<SurveyLine> {
        let line = self.0.get(&class.key())?;
        let known = &line.of;
        let same = known.fingerprint == class.fingerprint && known.options == class.options;
        let in_time = known.limits == class.limits && line.outcome != SurveyOutcome::Failed;
        (same && (line.is_final() || in_time)).then(|| SurveyLine {
            of: class.clone(),
            ..line.clone()
        })
    }

    /// How long a class took, in milliseconds.
    pub fn ms(&self, class: &SurveyedClass) -> Option<u64> {
        self.0.get(&class.key()).map(|line| line.ms)
    }
}
