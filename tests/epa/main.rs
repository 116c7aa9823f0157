//! Enabledness-preserving abstractions, by the real engines: of the papers' classes, of directed ones, and of random
//! ones. What is expected comes from the papers, from the definitions by hand, or from running everything; none of it
//! from the program.

mod confirm;
mod expected;
mod features;
mod fixtures;
mod frames;
mod graph;
mod guesses;
mod heap;
mod hurried;
mod ignorant;
mod inferred;
mod keys;
mod loops;
mod oracle;
mod papers;
mod predicates;
mod premises;
mod queries;
mod runs;
mod slices;
mod splits;
mod stores;
#[path = "../support"]
mod support {
    pub mod boogie_reads;
    pub mod class;
    pub mod generator;
    pub mod program;
    pub mod random;
    pub mod real;
    pub mod tape;
}
mod text;
mod tried;
mod twins;
mod variants;
mod watched;
mod ways;
