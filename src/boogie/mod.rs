//! The Boogie language (Boogie 2, the sequential part) as data.
//!
//! | step | where |
//! |---|---|
//! | `#if` | `preprocess` |
//! | text → tokens | [`lexer`] |
//! | tokens → tree | [`parser`] |
//! | tree → text | [`printer`] |
//! | tree → resolved, typed program | [`check()`] into [`typed`] |
//! | typed program → tree, to print it | [`untyped`] |
//!
//! Every error names its place as `line:column`. What the language has and this module does not support is an
//! error that names the construct; nothing is skipped or guessed. That is concurrency (`async`, `par`, `yield`,
//! actions), `call forall`, and code expressions in contracts. Attributes and statements that only steer how Boogie
//! verifies say nothing here. `docs/reach.md` has the list of what is there of newer versions.
//!
//! ```
//! let program = tranquera::boogie::parse("var x: int; procedure P() { assert x == x; }").unwrap();
//! let typed = tranquera::boogie::check(&program).unwrap();
//! assert!(typed.procedure("P").is_some());
//! ```

pub mod ast;
mod check;
mod error;
mod float;
pub mod lexer;
mod library;
mod order;
pub mod parser;
mod preprocess;
pub mod printer;
pub mod typed;
mod types;
pub mod untyped;
mod visible;

#[cfg(test)]
mod tests;

pub use check::{check, check_entry};
pub use error::{Error, Errors};
pub use library::{LibraryUser, library};
pub use parser::{parse, parse_from, parse_with};
