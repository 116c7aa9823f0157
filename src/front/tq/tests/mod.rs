//! Tests of the whole room.

mod diagnostics;
mod fixes;
mod format;
mod grammar;
mod habits;
mod highlighting;
mod lexer;
mod mentions;
mod reference;
mod resolved;
mod robust;
mod round_trip;
mod trees;
