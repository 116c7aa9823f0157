//! What can go wrong with a class without contracts: typestate automata, contracts from bodies, and client code.

mod automata;
mod clients;
mod command;
mod inferred;
mod random;
mod refusals;
mod requires;
#[path = "../support"]
mod support {
    pub mod class;
    pub mod generator;
    pub mod program;
    pub mod random;
    pub mod tape;
}
mod verify;
