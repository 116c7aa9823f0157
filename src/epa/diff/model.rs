//! A difference as data: what `tranquera diff --format json` prints.

use serde::Serialize;

use crate::epa::wire::{Certainty, Confirmation};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/diff/1";

/// Two EPAs as one, with what is different.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpaDiff {
    /// [`SCHEMA`].
    pub schema: String,
    /// Whether there is any difference. Renamings that were asked for are none.
    pub different: bool,
    /// The classes.
    pub classes: Classes,
    /// The renamings that were asked for. Everything below has the new names.
    pub renamed: Vec<Rename>,
    /// The actions: those of the old EPA, then the added ones.
    pub actions: Vec<ActionDiff>,
    /// The predicates that states are told apart by, in the old EPA or the new one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predicates: Vec<String>,
    /// The states: those of the old EPA, then the added ones.
    pub states: Vec<StateDiff>,
    /// The constructors' edges.
    pub constructors: Vec<EdgeDiff>,
    /// The transitions.
    pub transitions: Vec<EdgeDiff>,
}

/// The names of two classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Classes {
    /// The old EPA's.
    pub old: String,
    /// The new EPA's.
    pub new: String,
}

/// An action or constructor that has another name in the new EPA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rename {
    /// Its name in the old EPA.
    pub old: String,
    /// Its name in the new one.
    pub new: String,
}

/// What became of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is in both EPAs, and the same.
    #[default]
    Same,
    /// It is in both, and not the same.
    Changed,
    /// It is in the old one only.
    Removed,
    /// It is in the new one only.
    Added,
}

/// An action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionDiff {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub change: Change,
}

/// The ids of a state; it has at least one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Ids {
    /// In the old EPA.
    pub old: Option<String>,
    /// In the new EPA.
    pub new: Option<String>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateDiff {
    /// Its ids.
    pub ids: Ids,
    /// What it enables.
    pub enabled: Vec<String>,
    /// What became of it: changed means that it is initial in one EPA only.
    pub change: Change,
    /// Whether it is initial in the old EPA; none where it is not there.
    pub was_initial: Option<bool>,
    /// Whether it is initial in the new EPA; none where it is not there.
    pub is_initial: Option<bool>,
}

/// A transition, or a constructor's edge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeDiff {
    /// The state it leaves; none for a constructor's edge.
    pub source: Option<Ids>,
    /// The action, or the constructor.
    pub action: String,
    /// The outcome, where edges are split by it.
    pub outcome: Option<String>,
    /// The exception it ends in.
    pub exception: Option<String>,
    /// The state it ends in; none where a constructor makes no object.
    pub target: Option<Ids>,
    /// What became of it.
    pub change: Change,
    /// What changed about it.
    pub aspects: Vec<Aspect>,
    /// What the old EPA says of it; none where it is not there.
    pub was: Option<EdgeFacts>,
    /// What the new EPA says of it; none where it is not there.
    pub is: Option<EdgeFacts>,
}

/// Something that can change about an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Whether it is certain.
    Certainty,
    /// Whether it can break the invariant.
    Violation,
    /// What the second pass says.
    Confirmation,
}

/// What an EPA says of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EdgeFacts {
    /// Whether it is certain.
    pub verdict: Certainty,
    /// Why it is not.
    pub reason: Option<String>,
    /// Whether it can break the invariant.
    pub violates_invariant: bool,
    /// What the second pass says.
    pub confirmation: Option<Confirmation>,
}

impl Change {
    /// What became of something, by where it is.
    pub(super) fn of(in_old: bool, in_new: bool) -> Change {
        match (in_old, in_new) {
            (true, false) => Change::Removed,
            (false, true) => Change::Added,
            _ => Change::Same,
        }
    }
}
