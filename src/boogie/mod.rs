//! The Boogie language (Boogie 2, the sequential part) as data.
//!
//! | step | where |
//! |---|---|
//! | text → tokens | [`lexer`] |
//! | tokens → tree | [`parser`] |
//! | tree → text | [`printer`] |
//! | tree → resolved, typed program | [`check()`] into [`typed`] |
//!
//! Every error names its place as `line:column`. What the language has and this module does not support is an
//! error that names the construct; nothing is skipped or guessed. That is: concurrency (`async`, `par`, `yield`),
//! floating-point and string values, `call forall`, code expressions in contracts, where clauses of bound variables,
//! finite types, conditional compilation, and of datatypes those with type parameters and the newer form (`datatype`,
//! `x->f`, `x is C`). Attributes that only steer how Boogie verifies say nothing here.
//!
//! ```
//! let program = tranquera::boogie::parse("var x: int; procedure P() { assert x == x; }").unwrap();
//! let typed = tranquera::boogie::check(&program).unwrap();
//! assert_eq!(typed.procedures[0].name, "P");
//! ```

pub mod ast;
mod check;
mod check_expr;
mod check_stmt;
mod datatypes;
mod error;
mod float;
pub mod lexer;
mod order;
pub mod parser;
mod preprocess;
pub mod printer;
pub mod typed;
mod types;
mod visible;

#[cfg(test)]
mod tests;

pub use check::{check, check_entry};
pub use error::{Error, Errors};
pub use parser::{parse, parse_from, parse_with};
