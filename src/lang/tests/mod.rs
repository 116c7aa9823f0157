//! Tests of the whole room.

mod diagnostics;
mod format;
mod lexer;
mod resolved;
mod robust;
mod round_trip;
mod trees;
