//! What the second pass finds, as data. It serialises as the JSON that `tranquera confirm` prints (schema
//! `tranquera/confirm/1`).

use serde::{Deserialize, Serialize};

use crate::ask::{QueryCounts, Run};

/// The name and version of the JSON format.
pub(super) const SCHEMA: &str = "tranquera/confirm/1";

/// What the second pass finds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Confirmations {
    /// `tranquera/confirm/1`.
    pub schema: String,
    /// The class.
    pub class: String,
    /// The edges of the constructors, then the transitions, in the order of the EPA before anything left it.
    pub edges: Vec<EdgeResult>,
    /// The states, in the order of the EPA before anything left it.
    pub states: Vec<StateResult>,
    /// What calls do that no edge tells, as far as the first pass could not rule it out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mishaps: Vec<MishapResult>,
    /// The invariant that refutes what is refuted; none where nothing needed one.
    pub proof: Option<Proof>,
    /// The engine's name.
    pub engine: String,
    /// Questions by answer.
    pub queries: QueryCounts,
    /// Why the search ended before all was found out, where it did.
    pub stopped: Option<String>,
    /// Traces that the interpreter contradicted: errors of ours.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

/// What was found out about a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateResult {
    /// Its id.
    pub id: String,
    /// The actions that can be called in it.
    pub enabled: Vec<String>,
    /// What was found out.
    #[serde(flatten)]
    pub status: Status,
    /// The position in [`Confirmations::edges`] of the edge whose run gets there first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_edge: Option<usize>,
}

/// What was found out about an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeResult {
    /// The edge as it is shown: `S1 -insert_money-> S2`.
    pub edge: String,
    /// The state it leaves; none for a constructor.
    pub source: Option<String>,
    /// The action or constructor.
    pub action: String,
    /// The state it leads to; none where a constructor ends in an exception.
    pub target: Option<String>,
    /// The outcome, where the action's edges are split by outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The exception it ends in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// What was found out.
    #[serde(flatten)]
    pub status: Status,
    /// The run that takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// What was found out about something that a call does and no edge tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MishapResult {
    /// What it is, in words.
    pub mishap: String,
    /// The state that the call is made in; none for a constructor, or for any state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The action or constructor.
    pub action: String,
    /// The outcome, where the action's edges are split by outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The exception it ends in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// Whether it is that the invariant does not hold where the call ends.
    pub breaks_invariant: bool,
    /// What was found out.
    #[serde(flatten)]
    pub status: Status,
    /// The run that ends in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// What was found out about an edge, a state or a mishap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    /// A whole run from a constructor takes it.
    Confirmed {
        /// The length of the run in calls, the constructor counted.
        calls: u32,
        /// Whether it is certain that no run is shorter.
        shortest: bool,
    },
    /// No run of any length takes it.
    Refuted {
        /// Whether it is only that what leads to it was refuted.
        unreached: bool,
    },
    /// Neither is known.
    Unconfirmed {
        /// No run of at most so many calls takes it. 0 of what is not looked for by the lengths of runs.
        bound: u32,
    },
}

/// An inductive invariant that refutes edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// Its clauses, as they would be written in the class.
    pub invariant: Vec<String>,
    /// The positions in [`Confirmations::edges`] of the edges it refutes.
    pub refutes: Vec<usize>,
    /// The positions in [`Confirmations::mishaps`] of what it refutes of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refutes_mishaps: Vec<usize>,
    /// The names of the questions, all answered "no", that show it: each constructor establishes the clauses, each
    /// action keeps them, and where they hold no call takes the edges or does what else is refuted.
    pub checked_by: Vec<String>,
}
