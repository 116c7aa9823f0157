//! What somebody else's code may do: to the fields of an object, and by raising exceptions.
//!
//! | module | what it holds |
//! |---|---|
//! | [`frame`] | what a call of somebody else's method may change of a studied object |
//! | [`writers`] | which classes assign which fields |
//! | [`exceptions`] | which exceptions a call of somebody else's method may raise |

pub mod exceptions;
pub mod frame;
pub mod writers;
