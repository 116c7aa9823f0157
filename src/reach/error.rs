//! Why there is no formula, and so no answer.

use crate::boogie::ast::Pos;
use crate::internal::Internal;

/// A construct that the engine cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {what}", pos.line, pos.col)]
pub struct Unsupported {
    /// Where it is.
    pub pos: Pos,
    /// What it is: one sentence.
    pub what: String,
}

impl Unsupported {
    pub(super) fn new(pos: Pos, what: impl Into<String>) -> Self {
        Unsupported {
            pos,
            what: what.into(),
        }
    }
}

/// Why a pass over a program came to no end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReachError {
    /// The program has what the engine cannot do.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// There is a mistake in the engine.
    #[error(transparent)]
    Internal(#[from] Internal),
}

/// What a pass makes, or why not.
pub type Result<T, E = ReachError> = std::result::Result<T, E>;
