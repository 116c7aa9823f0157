//! Interface synthesis: the safe and most permissive way to call a class ("Synthesis of Interface Specifications for
//! Java Classes", POPL 2005).
//!
//! An EPA says what *may* be called. An interface says which calls are *guaranteed* not to raise an exception E, after
//! which history of calls and of what was seen of them. The way there:
//!
//! | step | where |
//! |---|---|
//! | the class, abstracted over predicates, explored by questions to an engine | [`explore`], [`abstraction`] |
//! | the game of a client who sees only how calls end, solved by knowledge sets | [`game`], [`minimize`] |
//! | the same automaton, learned by queries | [`learner`], [`teacher`], [`jist`] |
//! | exact answers to whether an automaton is safe, and whether it is most permissive | [`inclusion`] |
//! | the check of the result on the class itself, and a run behind each prohibition | [`certify`], [`tightness`] |
//! | predicates found in the class's text | [`predicates`] |
//! | the paper's own precision, statement by statement | [`statements`] |
//! | what the EPA says beside it | [`bounds`] |
//! | code that makes a compiler keep to it | [`export`] |
//! | the whole way, and its result as data | [`synthesis`], [`model`] |
//!
//! Whatever an engine does not know stays in the abstraction as a possibility, so that what the interface allows is
//! safe whatever happens to an engine.

pub mod abstraction;
pub mod automaton;
pub mod bounds;
pub mod certify;

pub mod explore;
pub mod export;
pub mod game;
pub mod inclusion;
pub mod jist;
pub mod learner;
pub mod minimize;
pub mod model;
pub mod predicates;
pub mod statements;
pub mod study;
pub mod synthesis;
pub mod teacher;
pub mod tightness;

#[cfg(test)]
mod tests;
