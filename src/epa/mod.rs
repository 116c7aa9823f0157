//! The enabledness-preserving abstraction: as data, and its construction.

pub mod model;

pub use model::Epa;
