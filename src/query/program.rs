//! A Boogie program, and the entry procedures that are questions about it.

use std::time::Duration;

/// A Boogie program to which entry procedures are added.
#[derive(Clone, Debug)]
pub struct QuestionProgram {
    /// What it is called: a class's name, used in file names.
    pub name: String,
    /// The Boogie text: everything but the entry procedures.
    pub text: String,
    /// Whether some of its maps are more than where fields and elements are kept.
    pub maps: bool,
}

/// One question: an entry procedure of a program. The question is whether `assert {:reached} false`, the last
/// statement of the entry, can be reached.
#[derive(Clone, Debug)]
pub struct EntryProcedure {
    /// The name of the entry procedure; also used in file names (a legal Boogie identifier).
    pub name: String,
    /// The Boogie text of the entry procedure, with `{:entrypoint}`.
    pub text: String,
    /// How long the answer may take, where that is less than an engine's own limit.
    pub limit: Option<Duration>,
}

impl QuestionProgram {
    /// A program of which nothing is known but its text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        QuestionProgram {
            name: name.into(),
            text: text.into(),
            maps: true,
        }
    }

    /// The whole text of a question, as engines get it and as steps of traces count its lines: the program,
    /// then the entry.
    pub fn with(&self, entry: &EntryProcedure) -> String {
        let mut text = String::with_capacity(self.text.len() + entry.text.len() + 2);
        for part in [&self.text, &entry.text] {
            text.push_str(part);
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }
}
