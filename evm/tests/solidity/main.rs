//! Flattened Solidity against the real machine (revm), which runs what the compiler made.
//!
//! `fixtures/solidity` has small contracts for every construct, each beside the tree and the code that the compiler made of
//! it, so that nothing here needs the compiler.

mod abi_values;
mod code;
mod compare;
mod epas;
mod evm;
#[path = "../../../tests/solidity/fixture.rs"]
mod fixture;
mod foundry;
mod machine;
#[path = "../../../tests/solidity/print/mod.rs"]
mod print;
mod random;
#[path = "../../../tests/solidity/rng.rs"]
mod rng;
