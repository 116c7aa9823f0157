//! The second pass: every edge confirmed by a shortest run, or refuted by an invariant. (On random classes it is beside
//! what running everything finds: `confirm_random.rs`.)

#[path = "../support/boogie_reads.rs"]
mod boogie_reads;
#[path = "../support/class.rs"]
mod class;
mod command;
mod lengths;
mod pass;
mod questions;
#[path = "../support/real.rs"]
mod real;
mod refuted;
mod runs;
