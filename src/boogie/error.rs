//! What is wrong with a Boogie text, and where.

use std::fmt;

use super::ast::Pos;
use crate::internal::Internal;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where it is.
    pub pos: Pos,
    /// What it is: one sentence.
    pub message: String,
    /// Where the first declaration of a name is that is declared again.
    pub first: Option<Pos>,
}

impl Error {
    /// An error at a place.
    pub fn new(pos: Pos, message: impl Into<String>) -> Self {
        Error {
            pos,
            message: message.into(),
            first: None,
        }
    }

    /// A construct of the language that is not supported, and what to write instead.
    pub fn unsupported(pos: Pos, construct: &str, instead: &str) -> Self {
        Error::new(pos, format!("{construct} is not supported: {instead}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.pos.line, self.pos.col, self.message)
    }
}

/// All that is wrong with a text, in the order of the text; never empty.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Errors(pub Vec<Error>);

impl From<Internal> for Error {
    /// A bug of ours, which has no place in the text.
    fn from(bug: Internal) -> Self {
        Error::new(Pos::default(), bug.to_string())
    }
}

impl From<Internal> for Errors {
    fn from(bug: Internal) -> Self {
        Errors(vec![bug.into()])
    }
}

impl From<Error> for Errors {
    fn from(error: Error) -> Self {
        Errors(vec![error])
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}
