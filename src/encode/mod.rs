//! A class and a question about it, as Boogie text.
//!
//! The class becomes a program: its fields are globals (`storage`), its routines procedures (`routine`,
//! `body`). A question becomes one small entry procedure ([`query`]) whose end can be reached exactly when
//! the answer is yes, with a layout of what its traces record. What the text looks like is in `templates/`, and what all
//! texts share in `boogie-prelude/`.
//!
//! Nothing here runs anything.

mod body;
mod changed;
mod encoding;
mod expr;
mod lines;
mod names;
mod program;
mod promises;
pub mod query;
mod range;
mod routine;
mod storage;
mod term;
mod walk;

pub use encoding::Encoding;
pub use query::{EncodedQuery, TraceLayout};
