//! What people write who know other languages. It is reported with what to write here, and then read as what is
//! meant, as far as that is clear: one slip is one error, and the rest of the text is looked at all the same.
//!
//! The sentences are in the tables of `habits.rs`. Each part here belongs to the part of the grammar of its name, which
//! calls it where it has found something else than it takes.

mod assignments;
mod exceptions;
mod expressions;
mod members;
mod quantifiers;
mod routines;
mod statements;
mod types;
