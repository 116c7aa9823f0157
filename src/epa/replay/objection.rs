//! Why running what an engine claims does not confirm it.

use super::Replayed;
use crate::interp::{Configuration, Failure, ObjectId};

/// Why a replay is not a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// Something is not as claimed.
    Wrong(String),
    /// Something is not recorded, or cannot be decided.
    CannotTell(String),
}

impl From<Failure> for Objection {
    fn from(_: Failure) -> Self {
        Objection::CannotTell("a clause cannot be decided".into())
    }
}

/// What a replay shows.
pub(crate) fn judged(result: Result<(), Objection>) -> Replayed {
    match result {
        Ok(()) => Replayed::Confirmed,
        Err(Objection::Wrong(how)) => Replayed::Contradicted(how),
        Err(Objection::CannotTell(_)) => Replayed::NotRun,
    }
}

/// An objection unless it holds.
pub(crate) fn claim(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Objection> {
    if holds {
        Ok(())
    } else {
        Err(Objection::Wrong(otherwise()))
    }
}

/// The object that the calls are of.
pub(crate) fn this(now: &Configuration) -> Result<ObjectId, Objection> {
    now.this
        .ok_or_else(|| Objection::CannotTell("there is no object".into()))
}

/// The values missing on a trace that should have them.
pub(crate) fn cut_short() -> Objection {
    Objection::CannotTell("the trace is shorter than the run".into())
}
