//! Why something is not known.

use std::fmt;

use crate::query::{Reason, Unknown};

/// Why an answer is not known. Shown as its kind, and behind it what a person should know: `bound-hit: …`, `timeout: …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// There is none within the recursion bound, and the bound cut some off.
    Bound(u32),
    /// The engine does not know.
    Engine(Unknown),
    /// The answer does not tell what was asked: what is missing on the trace.
    NotUnderstood(&'static str),
    /// It takes a guess: whether these actions can be called is over-approximated.
    Guess(Vec<String>),
    /// It takes values that are not known: `havoc?`.
    Values,
    /// The questions were interrupted before this one was put.
    Interrupted,
    /// The time was over before this one was put.
    TimeOver,
    /// As it is told in an EPA that was read.
    Told(String),
}

impl Doubt {
    /// Whether it takes nothing but more time.
    pub fn is_of_time(&self) -> bool {
        match self {
            Doubt::TimeOver => true,
            Doubt::Engine(unknown) => unknown.reason == Reason::Timeout,
            _ => false,
        }
    }

    /// Whether more time, or a search that goes deeper in it, might decide.
    pub fn may_end_in_time(&self) -> bool {
        self.is_of_time() || matches!(self, Doubt::Bound(_))
    }

    /// An engine's doubt.
    pub(super) fn engine(reason: Reason, detail: String) -> Self {
        Doubt::Engine(Unknown {
            reason,
            detail,
            output: String::new(),
        })
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Bound(bound) => write!(f, "bound-hit: the recursion bound of {bound} was hit"),
            Doubt::Engine(unknown) => f.write_str(&unknown.words()),
            Doubt::NotUnderstood(what) => write!(f, "not-understood: {what}"),
            Doubt::Guess(actions) => write!(
                f,
                "guess: whether `{}` can be called cannot be told from the fields alone",
                actions.join("`, `")
            ),
            Doubt::Values => f.write_str("guess: it takes values that are not known"),
            Doubt::Interrupted => f.write_str("interrupted: this was not asked any more"),
            Doubt::Told(words) => f.write_str(words),
            Doubt::TimeOver => f.write_str("timeout: the time was over before this was asked"),
        }
    }
}
