//! Tests of the whole room.

mod diagnostics;
mod format;
mod grammar;
mod habits;
mod highlighting;
mod lexer;
mod reference;
mod resolved;
mod robust;
mod round_trip;
mod trees;
