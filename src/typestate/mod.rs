//! Typestates with preconditions: what can go wrong with a class, without any contract ("Typestate Inference with
//! Preconditions", 2012).
//!
//! | step | where |
//! |---|---|
//! | when a call can end in an error, or in a state: cases over fields and parameters | [`precondition`] |
//! | the same backwards, for contracts, where paths come together | `conditions` |
//! | few and short cases, of either | `cases` |
//! | the automaton: backwards from the error, one state for each condition found | [`automaton`] |
//! | contracts from bodies | [`requires`](mod@requires) |
//! | the automaton as it is printed | [`report`] |
//! | client code, verified | [`verify`](mod@verify) |
//! | questions to the solver about formulas of the input language | [`solver`] |

pub mod automaton;
mod cases;
mod conditions;
mod known;
pub mod precondition;
pub mod report;
pub mod requires;
pub mod solver;
#[cfg(test)]
mod tests;
pub mod verify;
