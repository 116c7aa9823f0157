//! An EPA that comes from outside: whether it can be one, and by positions instead of names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;

use super::abstraction::{Abstraction, EdgeKnowledge, Gone};
use super::wire::{Certainty, Confirmation, Epa, SCHEMA};
use crate::ask::Doubt;
use crate::ir::ExceptionId;
use crate::query::{
    AbstractState, ActionId, Automaton, Callee, ConstructorId, Edge, Exit, Mark, Names,
    PredicateId, StateId,
};

/// What is wrong with an EPA.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The format is another one.
    #[error("this is of the schema `{0}`, not `{SCHEMA}`")]
    Schema(String),
    /// Two states have the same id.
    #[error("there are two states `{0}`")]
    SameId(String),
    /// Two states enable the same actions, so they are one.
    #[error("the states `{0}` and `{1}` enable the same actions, so they would have to be one")]
    SameActions(String, String),
    /// A state enables an action that is not listed.
    #[error("the state `{state}` enables `{action}`, which is not among the actions")]
    UnknownAction {
        /// The state's id.
        state: String,
        /// The action.
        action: String,
    },
    /// An edge begins or ends at a state that is not listed.
    #[error("`{edge}` begins or ends at the state `{state}`, which is not listed")]
    UnknownState {
        /// The action or constructor.
        edge: String,
        /// The id that names no state.
        state: String,
    },
    /// The same edge is there twice.
    #[error("`{edge}` from {from} to {to} is there twice")]
    SameEdge {
        /// The action or constructor.
        edge: String,
        /// Where it begins.
        from: String,
        /// Where it ends.
        to: String,
    },
}

/// Why a text is no EPA.
#[derive(Debug, thiserror::Error)]
pub enum NoEpa {
    /// It is no JSON, or has not the fields of an EPA.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is one that cannot be.
    #[error(transparent)]
    Flaw(#[from] Flaw),
}

/// What is looked at in JSON before all else: an EPA of another schema need not have the same fields.
#[derive(Deserialize)]
struct Head {
    schema: Option<String>,
}

/// Whether a text is JSON that names a schema, as an EPA does, and a class in JSON does not.
pub fn names_schema(text: &str) -> bool {
    serde_json::from_str(text).is_ok_and(|head: Head| head.schema.is_some())
}

/// The EPA of a text in JSON.
///
/// # Errors
/// It is none.
pub fn from_json(text: &str) -> Result<Epa, NoEpa> {
    let head: Head = serde_json::from_str(text)?;
    if let Some(schema) = head.schema.filter(|schema| schema != SCHEMA) {
        return Err(Flaw::Schema(schema).into());
    }
    let epa: Epa = serde_json::from_str(text)?;
    check(&epa)?;
    Ok(epa)
}

/// Checks that an EPA does not contradict itself: states told apart by id and by what they enable, edges that begin
/// and end at states that are there, no edge twice.
///
/// # Errors
///
/// The first [`Flaw`].
pub fn check(epa: &Epa) -> Result<(), Flaw> {
    read(epa).map(|_| ())
}

/// Reads an EPA, but for its findings, its runs, and what was refuted.
///
/// # Errors
///
/// The first [`Flaw`].
pub fn read(epa: &Epa) -> Result<Abstraction, Flaw> {
    if epa.schema != SCHEMA {
        return Err(Flaw::Schema(epa.schema.clone()));
    }
    let mut reader = EpaReader {
        names: Names {
            class: epa.class.clone(),
            actions: epa.actions.clone(),
            predicates: epa.predicates.clone(),
            states: epa.states.iter().map(|s| s.id.clone()).collect(),
            outcomes: vec![BTreeMap::new(); epa.actions.len()],
            ..Names::default()
        },
        edges: Vec::new(),
        seen: BTreeSet::new(),
        known: Vec::new(),
    };
    let states = reader.states(epa)?;
    reader.constructors(epa)?;
    reader.transitions(epa)?;
    Ok(Abstraction {
        names: reader.names,
        automaton: Arc::new(Automaton {
            states,
            edges: reader.edges,
        }),
        known: reader.known,
        gone: Gone::default(),
        runs: Vec::new(),
        findings: Vec::new(),
        notes: epa.notes.clone(),
        stats: epa.stats.clone(),
    })
}

/// Gives positions to names, in the order in which they are met.
struct EpaReader {
    names: Names,
    edges: Vec<Edge>,
    seen: BTreeSet<(Option<StateId>, Callee, Exit, Option<StateId>)>,
    known: Vec<EdgeKnowledge>,
}

/// The position of a name among others, where it is put if it is not there.
fn position(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|n| n == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

impl EpaReader {
    fn states(&self, epa: &Epa) -> Result<Vec<AbstractState>, Flaw> {
        let mut ids = BTreeSet::new();
        let mut sets = BTreeMap::new();
        let mut states = Vec::new();
        for state in &epa.states {
            if !ids.insert(&state.id) {
                return Err(Flaw::SameId(state.id.clone()));
            }
            let mut set = AbstractState::default();
            for action in &state.enabled {
                let unknown = || Flaw::UnknownAction {
                    state: state.id.clone(),
                    action: action.clone(),
                };
                set.mark(self.mark(action).ok_or_else(unknown)?);
            }
            if let Some(other) = sets.insert(set.clone(), &state.id) {
                return Err(Flaw::SameActions(other.clone(), state.id.clone()));
            }
            states.push(set);
        }
        Ok(states)
    }

    fn mark(&self, name: &str) -> Option<Mark> {
        let position = |names: &[String]| names.iter().position(|known| known == name);
        let predicate = || position(&self.names.predicates).map(PredicateId);
        let action = position(&self.names.actions).map(ActionId);
        let action = action.map(Mark::Enabled);
        action.or_else(|| predicate().map(Mark::Holds))
    }

    fn state(&self, edge: &str, id: &str) -> Result<StateId, Flaw> {
        let found = self.names.states.iter().position(|s| s == id);
        found.map(StateId).ok_or_else(|| Flaw::UnknownState {
            edge: edge.to_owned(),
            state: id.to_owned(),
        })
    }

    fn exception(&mut self, name: &str) -> Exit {
        Exit::Exception(ExceptionId(position(&mut self.names.exceptions, name)))
    }

    /// An outcome by its label: its number among those of its action.
    fn outcome(&mut self, action: ActionId, label: &str) -> Exit {
        let Some(labels) = self.names.outcomes.get_mut(action.0) else {
            return Exit::Normal;
        };
        let known = labels.iter().find(|(_, known)| *known == label);
        let values = match known {
            Some((values, _)) => values.clone(),
            None => {
                let values = vec![labels.len()];
                labels.insert(values.clone(), label.to_owned());
                values
            }
        };
        Exit::Outcome(values)
    }

    fn constructors(&mut self, epa: &Epa) -> Result<(), Flaw> {
        for edge in &epa.constructors {
            let target = match &edge.target {
                Some(id) => Some(self.state(&edge.name, id)?),
                None => None,
            };
            let constructor = position(&mut self.names.constructors, &edge.name);
            let exit = match &edge.exception {
                Some(name) => self.exception(name),
                None => Exit::Normal,
            };
            let read = Edge {
                breaks: false,
                source: None,
                callee: Callee::Constructor(ConstructorId(constructor)),
                exit,
                target,
            };
            let doubt = doubt(edge.verdict, &edge.reason);
            let known = known(doubt, edge.violates_invariant, &edge.confirmation);
            let to = edge.target.as_deref().unwrap_or("no object");
            self.add(read, known, (&edge.name, "the start", to))?;
        }
        Ok(())
    }

    fn transitions(&mut self, epa: &Epa) -> Result<(), Flaw> {
        for t in &epa.transitions {
            let source = self.state(&t.action, &t.source)?;
            let target = self.state(&t.action, &t.target)?;
            // An action that is not listed is one all the same: it can be called in no state.
            let action = ActionId(position(&mut self.names.actions, &t.action));
            self.names
                .outcomes
                .resize(self.names.actions.len(), BTreeMap::new());
            let exit = match (&t.exception, &t.outcome) {
                (Some(name), _) => self.exception(name),
                (None, Some(label)) => self.outcome(action, label),
                (None, None) => Exit::Normal,
            };
            let read = Edge {
                breaks: false,
                source: Some(source),
                callee: Callee::Action(action),
                exit,
                target: Some(target),
            };
            let doubt = doubt(t.verdict, &t.reason);
            let known = known(doubt, t.violates_invariant, &t.confirmation);
            self.add(read, known, (&t.action, &t.source, &t.target))?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        edge: Edge,
        known: EdgeKnowledge,
        (name, from, to): (&str, &str, &str),
    ) -> Result<(), Flaw> {
        let key = (edge.source, edge.callee, edge.exit.clone(), edge.target);
        if !self.seen.insert(key) {
            return Err(Flaw::SameEdge {
                edge: name.to_owned(),
                from: from.to_owned(),
                to: to.to_owned(),
            });
        }
        self.edges.push(edge);
        self.known.push(known);
        Ok(())
    }
}

fn doubt(verdict: Certainty, reason: &Option<String>) -> Option<Doubt> {
    let told = || Doubt::Told(reason.clone().unwrap_or_default());
    (verdict == Certainty::Maybe).then(told)
}

fn known(
    doubt: Option<Doubt>,
    violates_invariant: bool,
    confirmation: &Option<Confirmation>,
) -> EdgeKnowledge {
    EdgeKnowledge {
        doubt,
        violates_invariant,
        confirmation: confirmation.clone(),
        heard: None,
    }
}
