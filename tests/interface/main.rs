//! Interface synthesis. What is expected is in `fixtures/jist-2005`, and the figures here are in the paper or its
//! reference: none comes from the program.
//!
//! `synthesised` is how an interface is made from a file here.

mod bounds;
mod command;
mod impossible;
mod paper;
mod predicates;
mod questions;
mod random;
#[path = "../support"]
mod support {
    pub mod boogie_reads;
    pub mod class;
    pub mod program;
    pub mod random;
    pub mod real;
    pub mod tape;
}
mod synthesised;
