//! The typestate automaton (2012 thesis, Definition 6 and Figure 3.1): everything that can go wrong with an object.
//!
//! A state is a condition on the fields; states are sets of configurations, and overlap. Whoever follows an object
//! keeps the set of states that it may be in: if it is in a state that a call leads to, it was in the source of one
//! of the call's edges there, and the edge's guard held. So as long as every precondition is weak enough, no error
//! is missed.

pub mod certify;
mod infer;
pub mod model;

pub use infer::{Inference, infer};
pub use model::{
    CallEdge, ComputedPrecondition, EdgeDoubt, InitialEdge, TypestateAutomaton, TypestateState,
};
