//! The second pass: every edge confirmed by a shortest run, or refuted by an invariant.

mod command;
mod explored;
mod extended;
mod lengths;
mod mishaps;
mod pass;
mod questions;
mod random;
mod refuted;
mod runs;
mod state_invariants;
