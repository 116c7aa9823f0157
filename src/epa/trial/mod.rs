//! Calls that are tried: with which values, and what they do of all that the class leaves open.

mod choices;
mod members;
mod values;

pub(super) use choices::{AnyChoice, EveryChoice};
pub(super) use values::{Argument, Given, Trial, index_in};
