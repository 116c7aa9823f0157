//! A synthesised interface as data, with all that is said of it: what `tranquera interface --format json` prints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ask::QueryCounts;

use super::bounds::Bounds;
pub use super::teacher::{Permissive, Queries};

/// The version of this format.
pub const SCHEMA: &str = "tranquera/interface/1";

/// An interface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// [`SCHEMA`].
    pub schema: String,
    /// The class.
    pub class: String,
    /// What must never happen: names of exceptions, and `requires` for a violated requires clause.
    pub forbidden: Vec<String>,
    /// `forall` or `exists`: who chooses the arguments.
    pub params: String,
    /// The predicates, as they would be written in the class.
    pub predicates: Vec<String>,
    /// How the predicates came about, where they were not given: each with the round in which it was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<FoundPredicate>,
    /// The actions under study, in the order declared.
    pub actions: Vec<String>,
    /// The ways to make an object; each leads to the first state.
    pub constructors: Vec<String>,
    /// The states, numbered breadth-first.
    pub states: Vec<InterfaceState>,
    /// The transitions, by source, action and what is seen.
    pub transitions: Vec<InterfaceTransition>,
    /// What the automaton is.
    pub verdict: InterfaceVerdict,
    /// What may not be called, and why.
    pub prohibitions: Vec<Prohibition>,
    /// The check of the automaton on the class itself.
    pub certificate: Certificate,
    /// What the EPA of the class says beside it, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// What is in the abstraction only because an engine does not know better.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
    /// Remarks on how exact the result is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How the result was found.
    pub stats: InterfaceStats,
}

/// A predicate that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundPredicate {
    /// The predicate.
    pub predicate: String,
    /// 0 for the guards of the throws; then one more for each assignment looked through.
    pub round: usize,
}

/// A state of the interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceState {
    /// `Q1`, `Q2`, …
    pub id: String,
    /// The actions that may be called, in the order declared.
    pub legal: Vec<String>,
    /// What may hold of an object here: the cubes, each as its literals.
    pub cubes: Vec<String>,
}

/// A transition of the interface.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceTransition {
    /// The id of the state it leaves.
    pub source: String,
    /// The action.
    pub action: String,
    /// What is seen of it; none where there is nothing to see.
    pub seen: Option<String>,
    /// The id of the state it leads to.
    pub target: String,
}

/// What the automaton is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterfaceVerdict {
    /// How permissive it is among the safe interfaces of the abstraction.
    pub permissive: Permissive,
    /// What the exact check says: whether no safe interface of the abstraction allows more.
    pub most_permissive: bool,
    /// Whether it is certain that no automaton made by merging states has fewer.
    pub minimal: bool,
    /// Whether the learner and the game gave the same automaton, up to the numbers of the states.
    pub learner_agrees: bool,
}

/// Something that may not be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prohibition {
    /// The state.
    pub state: String,
    /// The action.
    pub action: String,
    /// A run that shows what happens if it is called; none where none was found.
    pub witness: Option<InterfaceWitness>,
    /// Histories to the state after which it could be called: the predicates are too few to see that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artefacts: Vec<Artefact>,
    /// Histories after which it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

/// A history after which a call is prohibited only because the predicates are too few.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artefact {
    /// The history.
    pub after: String,
    /// Predicates that may tell.
    pub suggested: Vec<String>,
}

/// A run that does what must not happen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InterfaceWitness {
    /// The calls, the constructor first; the last one does it.
    pub calls: Vec<WitnessCall>,
    /// Why it was not run by the interpreter, if it was not.
    pub not_replayed: Option<String>,
}

/// A call of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WitnessCall {
    /// What is called.
    pub name: String,
    /// Its arguments: names and values.
    pub arguments: Vec<(String, String)>,
    /// The exception it ends in; `requires` where its requires clauses do not hold.
    pub exception: Option<String>,
}

/// The check of the automaton on the class itself: that every call it allows keeps to it, whatever the game, the
/// learner and the exploration did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Whether it holds. An answer that is not known counts as a failure.
    pub holds: bool,
    /// How many questions were asked for it.
    pub questions: usize,
    /// What does not hold, or is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<String>,
    /// The actions and constructors that may break the class's invariant, which is assumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub breaks_invariant: Vec<String>,
}

/// How the result was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InterfaceStats {
    /// The engine's name.
    pub engine: String,
    /// The recursion bound.
    pub recursion_bound: u32,
    /// `exact` or `jist`.
    pub superset: String,
    /// `call` or `statement`.
    pub precision: String,
    /// The cubes that can be reached.
    pub cubes: usize,
    /// Transitions between them.
    pub edges: usize,
    /// Knowledge sets of the game.
    pub knowledge_sets: usize,
    /// Letters.
    pub letters: usize,
    /// What the learner asked.
    pub learner: Queries,
    /// Questions put to the engine, by kind.
    pub queries: BTreeMap<String, QueryCounts>,
    /// Wall-clock time.
    pub wall_ms: u64,
}
