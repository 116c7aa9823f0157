//! What goes wrong outside of the program: engines that misbehave, Ctrl-C, and an end at any moment. What is said is
//! still right, it comes in time, and nothing is left behind.

mod interrupt;
mod kill;
mod lying;
mod misbehaving;
mod random;
#[path = "../support"]
mod support {
    pub mod class;
    pub mod epa;
    pub mod program;
    pub mod running;
}
