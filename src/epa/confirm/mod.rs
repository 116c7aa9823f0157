//! The second pass: which edges of an EPA some object really takes (after the 2016 Corral thesis, Algorithms 8 to
//! 10).
//!
//! Runs are looked for in the order of their lengths, so that each trace is as short as can be (`search`); each
//! is run by the concrete interpreter before it is believed. After a few lengths the class itself is run, with values
//! that it suggests (`explore`, `trial`, `learn`), which finds runs however long; then runs go on from where others have been
//! (`frontier`, `extend`), and it is tried to reach every configuration with the engine, one call after the other (`closure`).
//! What is not found is tried to be refuted by an inductive invariant (`proof`, `invariant`, `decided`), made of clauses that the class itself suggests
//! (`candidates`), that its numbers have in common (`affine`), or that the configurations do where all are known (`cover`), of what maps have at every key (`per_key`), about what only the object itself can change
//! (`observables`). What calls do that no edge tells is judged in the same way (`mishaps`). What is refuted leaves the EPA
//! (`prune`), and all that was found out is told (`report`). What tests want beyond that is found by running the class once more
//! (`exercise`).

mod affine;
mod candidates;
mod closure;
mod cover;
mod decided;
mod exercise;
mod explore;
mod extend;
mod frontier;
mod invariant;
mod learn;
mod mishaps;
mod model;
mod observables;
mod per_key;
mod proof;
mod prune;
mod refute;
mod report;
mod runs;
mod search;
mod vary;

pub(super) use candidates::numbers_of_class;
pub use candidates::{atoms_of_class, clauses_of_class};
pub(crate) use exercise::{Asked, Exercise};
pub use mishaps::Mishap;
pub use model::{Confirmations, EdgeResult, MishapResult, Proof, StateResult, Status};
pub use report::{Confirmed, ConfirmedEdge, ConfirmedState, JudgedMishap};
pub use search::confirm;

use crate::engine::Engine;
use crate::ir::Source;
use crate::query::Extent;

/// What is wanted of the second pass.
pub struct ConfirmOptions<'a> {
    /// The engine that is asked for proofs.
    pub engine: &'a dyn Engine,
    /// The engine that looks for runs: the same with a higher recursion bound, for the loops of the bodies.
    pub searcher: &'a dyn Engine,
    /// The engine that looks for a run of any of several edges: the same again, which gives up sooner.
    pub several: &'a dyn Engine,
    /// The text of the class.
    pub source: &'a Source,
    /// How far it may go. The limits of a question are the engines' own.
    pub extent: Extent,
}

impl<'a> ConfirmOptions<'a> {
    /// What `tranquera confirm` does when it is told nothing else, but for runs through loops: they are looked for with
    /// the engine's own recursion bound.
    pub fn new(engine: &'a dyn Engine, source: &'a Source) -> Self {
        ConfirmOptions {
            engine,
            searcher: engine,
            several: engine,
            source,
            extent: Extent::DEFAULT,
        }
    }
}
