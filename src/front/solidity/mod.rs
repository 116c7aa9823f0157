//! Solidity: from a contract as it is, to one flattened contract, and to a class in the input language.
//!
//! ```text
//! .sol ─► solc (found, run) ─► JSON ─► ast: the typed tree ─► flatten ─► flat: one contract ─► lower ─► a class
//!                               ▲
//!          what Foundry, Hardhat or solc itself have written
//! ```
//!
//! The compiler is the only reader of Solidity text: its tree is resolved and typed for every version of the language.
//! [`load`] has it made, or reads one that is there already.

pub mod ast;
mod complaint;
pub mod flat;
mod flatten;
mod load;
mod lower;
mod place;
mod read;
pub mod solc;
mod written;

use ast::SolidityProgram;
pub use complaint::{Complaint, Complaints};
pub use flatten::{FlattenOptions, flatten};
pub use load::{LoadedContracts, SolidityOptions, compile, load};
pub use lower::{LowerOptions, LoweredContract, Others, Time, Track, lower};
pub use place::{FileId, FileRange, Files, SolidityFile};
pub use read::{ContractPlaces, Read, SolidityRequest, is_solidity, read};
