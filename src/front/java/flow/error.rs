//! Why a body is not taken.

use crate::front::java::classfile::{Malformed, Pc};

/// Why a body is not taken, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Its code is malformed.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The machine itself would not run it: a stack that is empty, values of another kind than they should be.
    #[error("instruction {pc}: {what}")]
    Unverified {
        /// The instruction.
        pc: Pc,
        /// What is wrong with it.
        what: String,
    },
    /// It may be right, but is not dealt with here.
    #[error("instruction {pc}: {what}")]
    Unsupported {
        /// The instruction.
        pc: Pc,
        /// What is not dealt with.
        what: String,
    },
    /// It is too large to be worked on.
    #[error("the method is too large: {0}")]
    TooLarge(String),
    /// A mistake of this program.
    #[error("this is a mistake of tranquera: {0}")]
    Internal(String),
}

impl Refused {
    pub(super) fn unverified(pc: Pc, what: impl Into<String>) -> Refused {
        let what = what.into();
        Refused::Unverified { pc, what }
    }

    pub(super) fn unsupported(pc: Pc, what: impl Into<String>) -> Refused {
        let what = what.into();
        Refused::Unsupported { pc, what }
    }
}
