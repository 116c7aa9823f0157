//! An EPA as it is printed: names instead of positions. It serialises as JSON of the schema `tranquera/epa/1`.
//!
//! Inside, an EPA is an [`Abstraction`](super::Abstraction), which is written so (`write.rs`) and read
//! again ([`read`](mod@super::read)) at the door.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answers::EdgeAnswer;
use crate::ask::{QueryCounts, Run};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/epa/1";

/// An enabledness-preserving abstraction (TOSEM 2013, Def. 3.7): over-approximates the behaviour of the class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epa {
    /// [`SCHEMA`].
    pub schema: String,
    /// The class.
    pub class: String,
    /// The actions under study, in the order declared.
    pub actions: Vec<String>,
    /// The predicates that states are told apart by besides what can be called in them: each is in the list of those states in
    /// which it holds, behind the actions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub predicates: Vec<String>,
    /// The states, numbered breadth-first from the initial ones.
    pub states: Vec<EpaState>,
    /// The edges of the constructors.
    pub constructors: Vec<ConstructorEdge>,
    /// The transitions, by source, action, outcome, exception and target.
    pub transitions: Vec<Transition>,
    /// What the second pass refuted: it is in none of the lists above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refuted: Option<Refuted>,
    /// For each edge that the second pass confirmed, a shortest run whose last call takes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<Run>,
    /// What is worth a look.
    #[serde(default)]
    pub findings: Vec<EpaFinding>,
    /// Remarks on how exact the result is (for example a guard whose parameters could not be eliminated).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How the result was found; left out where that is not told.
    #[serde(default, skip_serializing_if = "EpaStats::is_untold")]
    pub stats: EpaStats,
}

impl Epa {
    /// What of it is to be kept beside the code, so that it can be compared with what the code does later: what a
    /// difference looks at, and nothing that is another one from run to run.
    #[must_use]
    pub fn kept(mut self) -> Epa {
        // How long a run is that was found, and whether in time, is one thing here and another there.
        for edge in &mut self.constructors {
            edge.confirmation = None;
        }
        for edge in &mut self.transitions {
            edge.confirmation = None;
        }
        Epa {
            refuted: None,
            runs: Vec::new(),
            findings: Vec::new(),
            notes: Vec::new(),
            stats: EpaStats::default(),
            ..self
        }
    }

    /// Leaves its runs out, those of its findings too.
    pub(crate) fn forget_runs(&mut self) {
        self.runs.clear();
        for finding in &mut self.findings {
            finding.run = None;
        }
    }

    /// Whether no action can be called in a state.
    pub fn is_dead(&self, state: &EpaState) -> bool {
        let is_predicate = |name| self.predicates.contains(name);
        state.enabled.iter().all(is_predicate)
    }

    /// The state with this id.
    pub fn state(&self, id: &str) -> Option<&EpaState> {
        self.states.iter().find(|s| s.id == id)
    }
}

/// A state: the set of actions that can be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpaState {
    /// `S1`, `S2`, …
    pub id: String,
    /// The enabled actions, in the order declared, and the predicates that hold.
    pub enabled: Vec<String>,
    /// Whether a constructor may end here.
    pub initial: bool,
}

/// An edge from a constructor to an initial state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstructorEdge {
    /// `VendingMachine()`, `FiniteStack(int)`; `initially` where there is no constructor.
    pub name: String,
    /// The state reached; none where the constructor ends in an exception.
    pub target: Option<String>,
    /// The exception the constructor ends in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// Whether the edge is certain.
    pub verdict: Certainty,
    /// Why it is not: the kind of doubt, then what a person should know (`bound-hit: …`, `timeout: …`).
    pub reason: Option<String>,
    /// Whether the constructor can break the invariant.
    #[serde(default)]
    pub violates_invariant: bool,
    /// What the second pass says.
    #[serde(default)]
    pub confirmation: Option<Confirmation>,
    /// What the engine answered to the question behind it, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Box<EdgeAnswer>>,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transition {
    /// The id of the state it leaves.
    pub source: String,
    /// The action.
    pub action: String,
    /// The id of the state it ends in.
    pub target: String,
    /// The outcome, where the action's edges are split by outcome: `ok`, `!ok`.
    pub outcome: Option<String>,
    /// The exception the action ends in; none for a normal end.
    pub exception: Option<String>,
    /// Whether the transition is certain.
    pub verdict: Certainty,
    /// Why it is not: the kind of doubt, then what a person should know (`bound-hit: …`, `timeout: …`).
    pub reason: Option<String>,
    /// Whether the action, from the source, can end in a configuration that breaks the invariant.
    pub violates_invariant: bool,
    /// What the second pass says.
    pub confirmation: Option<Confirmation>,
    /// What the engine answered to the question behind it, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Box<EdgeAnswer>>,
}

impl ConstructorEdge {
    /// A certain edge, of which there is nothing more to say.
    pub(crate) fn certain(name: &str, target: Option<&str>) -> Self {
        ConstructorEdge {
            name: name.to_owned(),
            target: target.map(str::to_owned),
            exception: None,
            verdict: Certainty::Reached,
            reason: None,
            violates_invariant: false,
            confirmation: None,
            answer: None,
        }
    }
}

impl Transition {
    /// A certain transition with a normal end, of which there is nothing more to say.
    pub(crate) fn certain(source: &str, action: &str, target: &str) -> Self {
        Transition {
            source: source.to_owned(),
            action: action.to_owned(),
            target: target.to_owned(),
            outcome: None,
            exception: None,
            verdict: Certainty::Reached,
            reason: None,
            violates_invariant: false,
            confirmation: None,
            answer: None,
        }
    }
}

/// Whether an edge is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// The engine found an execution, and its witness was not contradicted.
    Reached,
    /// The engine does not know: the edge stays, so that no behaviour is lost. Drawn `?`.
    Maybe,
}

/// What the second pass says of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Confirmation {
    /// A whole trace from a constructor takes it.
    Confirmed {
        /// The length of the shortest trace in calls, the constructor included.
        calls: u32,
    },
    /// No trace of any length takes it.
    Refuted,
    /// Neither is known.
    Unconfirmed {
        /// The bound that was tried, in calls.
        bound: u32,
    },
}

/// What the second pass refuted, and by what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Refuted {
    /// The clauses of an invariant that every object keeps, as they would be written in the class; empty where no
    /// more than the class itself was needed.
    pub invariant: Vec<String>,
    /// The states that no object is ever in.
    pub states: Vec<EpaState>,
    /// The edges that no constructor takes.
    pub constructors: Vec<ConstructorEdge>,
    /// The transitions that no object takes.
    pub transitions: Vec<Transition>,
}

/// Something worth a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpaFinding {
    /// `deadlock-state`, `sink-state`, `always-violates`, …
    pub kind: String,
    /// The state it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The action it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// A sentence for a person.
    pub message: String,
    /// The run in which an object does it, where it is about what no edge tells and the second pass found one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
}

/// How a result was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpaStats {
    /// The engine's name.
    pub engine: String,
    /// The recursion bound.
    pub recursion_bound: u32,
    /// `guided` or `enumerate`.
    pub strategy: String,
    /// Questions by answer.
    pub queries: QueryCounts,
    /// Questions by kind, and by answer within it.
    #[serde(default)]
    pub queries_by_kind: BTreeMap<String, QueryCounts>,
    /// Certain answers ÷ all questions asked; 1 where none was asked.
    pub precision: f64,
    /// Wall-clock time, in milliseconds; that of the second pass counts.
    pub wall_ms: u64,
}

impl EpaStats {
    fn is_untold(&self) -> bool {
        *self == EpaStats::default()
    }
}

/// By source, action, outcome, exception, target; states by number, actions as declared.
pub(crate) fn sort_transitions(epa: &mut Epa) {
    let number: BTreeMap<String, usize> = epa
        .states
        .iter()
        .enumerate()
        .map(|(i, s)| (s.id.clone(), i))
        .collect();
    let position: BTreeMap<String, usize> = epa
        .actions
        .iter()
        .enumerate()
        .map(|(i, a)| (a.clone(), i))
        .collect();
    epa.transitions.sort_by_cached_key(|t| {
        (
            number.get(&t.source).copied(),
            position.get(&t.action).copied(),
            t.exception.clone(),
            number.get(&t.target).copied(),
            t.outcome.clone(),
        )
    });
}
