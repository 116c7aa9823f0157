//! The enabledness-preserving abstraction: as data ([`model`]), and its construction ([`construct()`]).

pub mod answers;
mod ask;
mod assemble;
pub mod check;
pub mod confirm;
mod construct;
pub(crate) mod desk;
pub mod diff;
pub mod explain;
mod explore;
pub mod findings;
pub mod model;
mod premises;
pub(crate) mod replay;
pub mod run;
mod targets;
pub mod witness;

pub(crate) use assemble::sort_transitions;

pub use construct::{Constructed, Exceptions, Failure, Options, construct};
pub use desk::Disagreement;
pub use model::Epa;
pub use premises::WrongSplit;
pub use targets::{Stopped, Strategy};
