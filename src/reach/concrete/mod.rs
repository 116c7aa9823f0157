//! Concrete execution: what a program does on given values.
//!
//! A search that goes down a long way by models alone guesses: what an open call does to a hundred globals is free, so that what is read
//! behind it is any value, and each call that is inlined proves some of these guesses wrong. An execution on values does not guess. It is
//! used to find a way that there is, of which the solver then says what is wrong with it (`search::directed`). And it shows that an
//! execution that was found is one (`search::replay`): on the values of the solver's model it goes the ways of the model.
//!
//! What is not known has no value ([`Value::Unknown`]), and neither has what hangs on it: reals, floating-point numbers, strings, and what
//! is said of all values of a kind.

mod bits;
mod eval;
mod map;
mod run;
mod value;

pub(super) use eval::{Undefined, binary, literal};
pub(super) use run::{End, Inputs, Run, RunId, run};
pub(super) use value::Value;
