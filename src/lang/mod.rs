//! The input language `.tq`.
//!
//! Text is read into a syntax tree ([`ast`]), which is what the printer and JSON work on; names and types are
//! then resolved into the typed program ([`ir`]), which is what everything behind this room works on.

pub mod ast;
pub mod effects;
pub mod facts;
pub mod formula;
pub mod ir;
mod json;
pub mod span;
