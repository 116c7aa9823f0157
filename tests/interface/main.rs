//! Interface synthesis. What is expected is in `fixtures/jist-2005`, and the figures here are in the paper or its
//! reference: none comes from the program.
//!
//! `synthesised` is how an interface is made from a file here.

#[path = "../support/boogie_reads.rs"]
mod boogie_reads;
mod bounds;
#[path = "../support/class.rs"]
mod class;
mod command;
mod impossible;
mod paper;
mod predicates;
mod questions;
#[path = "../support/real.rs"]
mod real;
mod synthesised;
