//! Tests of the whole room.

mod diagnostics;
