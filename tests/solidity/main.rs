//! Solidity: what is read, flattened, made a class of, and the EPAs of that.
//!
//! `fixtures/solidity` has small contracts for every construct, each beside the tree and the code that the compiler made of
//! it, so that nothing here needs the compiler. `made_anew`, on request, has it make them again and compares. That the
//! flattened contracts do what the compiled ones do is tested in `evm/`, which needs the real machine.

mod coverage;
mod fixture;
mod goldens;
mod hostile;
mod lowered;
mod print;
mod recorded;
mod rng;
mod roles;
mod snapshots;
#[path = "../support"]
mod support {
    pub mod epa;
    pub mod program;
}
