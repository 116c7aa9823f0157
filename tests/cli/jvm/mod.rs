//! The machine is the oracle: what a real class does in the Java machine is compared with what its EPA says.

mod grammar;
mod random;
mod runs;
