//! Tests of the whole room.

mod diagnostics;
mod lexer;
mod resolved;
mod robust;
mod round_trip;
mod trees;
