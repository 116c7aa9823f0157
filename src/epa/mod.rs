//! The enabledness-preserving abstraction: as data ([`model`]), and its construction ([`construct()`]).

mod ask;
mod construct;
mod findings;
pub mod model;
mod targets;

pub use construct::{Failure, Options, construct};
pub use model::Epa;
pub use targets::{Stopped, Strategy};
