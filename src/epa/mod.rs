//! The enabledness-preserving abstraction: by positions ([`Abstraction`]), as it is printed ([`Epa`]), and its
//! construction ([`construct()`]).

mod abstraction;
pub mod access;
mod alike;
pub mod answers;
mod assemble;
pub mod confirm;
mod construct;
pub mod diff;
pub mod explain;
mod explore;
pub mod findings;
mod premises;
mod raised;
pub mod read;
mod rounds;
mod runs;
mod state_invariants;
mod targets;
mod trial;
pub(crate) mod walk;
pub mod wire;
mod write;

pub use abstraction::{Abstraction, EdgeKnowledge, Gone};
pub use construct::{
    ConstructError, ConstructOptions, Constructed, Exceptions, TimedEngine, construct,
    construct_until,
};
pub use premises::{Proved, WrongLoopInvariant, WrongSplit, prove};
pub use state_invariants::{StateInvariants, StateKnowledge, state_invariants};
pub use targets::{Stopped, Strategy};
pub use wire::Epa;
