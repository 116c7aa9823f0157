//! Concrete execution: what a program does on given values.
//!
//! A search that goes down a long way by models alone guesses: what an open call does to a hundred globals is free, so that what is read
//! behind it is any value, and each call that is inlined proves some of these guesses wrong. An execution on values does not guess. It is
//! used to find a way that there is, of which the solver then says what is wrong with it (`search::directed`); what it finds is never
//! believed, so that it may leave out what it does not know: reals, bitvectors, functions that are not defined.

mod eval;
mod map;
mod run;

pub(super) use eval::Value;
pub(super) use run::{Inputs, Run, RunId, run};
