//! The desk: the one place where questions about a class are put to an engine.
//!
//! It writes the question down (`encode`), puts it to the engine's session, says so, counts the answer, reads the trace by
//! its layout (`reading`), and runs what it claims in the interpreter (`replay`) before anybody believes it. What is not
//! known stays typed ([`Doubt`]) until it is shown. Whoever wants all answers of a kind asks for another until there is
//! none ([`Desk::until_none`]); whoever wants the clauses that every call keeps has them from [`houdini`].

mod counts;
mod desk;
mod doubt;
pub mod houdini;
mod hurry;
mod reading;
mod replay;
mod run;
mod tables;
mod values;
mod witness;

pub use counts::QueryCounts;
pub use desk::{Answer, Completeness, Desk, Disagreement, Heard, OpenQuestion};
pub use doubt::Doubt;
pub use run::{Named, Run, RunCall, RunObject, UserPath, words};
pub use witness::Witness;

pub(crate) use replay::{Performed, PerformedCall, is_exit, lines, user_lines};
pub(crate) use run::{fields, objects, variables};

use crate::engine::EngineError;

/// Why questions could not be put at all.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// The engine could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The text of a program could not be made, which no input can cause.
    #[error("the class cannot be encoded: {0}")]
    Template(#[from] askama::Error),
}
