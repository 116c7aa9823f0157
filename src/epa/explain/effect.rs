//! What a clause does to the EPA: it is added to the class, and the EPA is computed again.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::encode::{Encoding, Step};
use crate::engine::Engine;
use crate::epa::assemble::exit_label;
use crate::epa::construct::{Failure, Options, construct};
use crate::epa::model::Epa;
use crate::ir::{Program, RoutineRef};

use super::clauses::{Candidate, Place, called};
use super::edge::{Edge, set, shown};

/// What a clause does to the EPA, besides taking the edge away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// Whether the edge is gone from the EPA of the changed class.
    #[serde(skip)]
    pub removes_edge: bool,
    /// Whether the call has an edge left.
    #[serde(skip)]
    pub leaves_call: bool,
    /// The other edges that are gone, as those of the EPA.
    pub removed: Vec<String>,
    /// The edges that are new, their states by what they enable.
    pub added: Vec<String>,
    /// How many states there are then.
    pub states: usize,
}

/// The EPA of the class with the clause, compared with the EPA without it.
///
/// # Errors
/// See [`construct`].
pub(super) fn of(
    encoding: &Encoding<'_>,
    engine: &dyn Engine,
    options: &Options,
    epa: &Epa,
    edge: &Edge,
    candidate: &Candidate,
) -> Result<Effect, Failure> {
    let routine = called(encoding, &edge.step);
    let program = with_clause(encoding, candidate, routine);
    let actions: Vec<RoutineRef> = encoding.actions.iter().map(|a| a.routine).collect();
    let changed = Encoding::new(&program, encoding.class(), &actions)?;
    let new = construct(&changed, engine, options)?.epa;
    let by_sets = |epa: &Epa| -> BTreeSet<(String, Vec<String>, Vec<String>)> {
        edges(epa).into_iter().map(|e| e.key).collect()
    };
    let (before, after) = (edges(epa), by_sets(&new));
    let asked = |e: &Line| {
        let source = match &edge.step {
            Step::Construct { .. } => e.source.is_none(),
            Step::Call { source, .. } => {
                let id = e.source.as_deref();
                id.is_some_and(|id| set(encoding, epa, id) == *source)
            }
        };
        source
            && set(encoding, epa, &e.target).as_ref() == Some(&edge.target)
            && e.label == label(encoding, edge)
    };
    let old = by_sets(epa);
    let wanted = label(encoding, edge);
    let same_call = |e: &Line| e.label == wanted;
    let gone = || before.iter().filter(|e| !after.contains(&e.key));
    Ok(Effect {
        removes_edge: gone().any(&asked),
        leaves_call: edges(&new).iter().any(same_call),
        removed: gone()
            .filter(|e| !asked(e))
            .map(|e| e.shown(false))
            .collect(),
        added: edges(&new)
            .iter()
            .filter(|e| !old.contains(&e.key))
            .map(|e| e.shown(true))
            .collect(),
        states: new.states.len(),
    })
}

fn with_clause(
    encoding: &Encoding<'_>,
    candidate: &Candidate,
    routine: Option<RoutineRef>,
) -> Program {
    let mut program = encoding.source().clone();
    let clause = candidate.clause.clone();
    let class = encoding.class();
    match (candidate.place, routine) {
        (Place::Invariant, _) | (_, None) => program.classes[class.0].invariants.push(clause),
        (Place::Requires, Some(r)) => {
            program.classes[r.class.0].routines[r.index]
                .requires
                .push(clause);
        }
        (Place::Ensures, Some(r)) => {
            program.classes[r.class.0].routines[r.index]
                .ensures
                .push(clause);
        }
    }
    program
}

/// The label of the asked edge: action, outcome, exception; or the constructor.
fn label(encoding: &Encoding<'_>, edge: &Edge) -> String {
    match &edge.step {
        Step::Construct { constructor, .. } => encoding.constructors[*constructor].display.clone(),
        Step::Call { action, exit, .. } => exit_label(encoding, *action, exit),
    }
}

/// An edge of an EPA, by ids and by what its states enable.
struct Line {
    source: Option<String>,
    label: String,
    target: String,
    key: (String, Vec<String>, Vec<String>),
}

impl Line {
    fn shown(&self, by_sets: bool) -> String {
        let name = |id: &str, set: &[String]| match by_sets {
            true => format!("{{{}}}", set.join(", ")),
            false => id.to_owned(),
        };
        let target = name(&self.target, &self.key.2);
        match &self.source {
            None => format!("{} -> {target}", self.label),
            Some(source) => format!("{} -{}-> {target}", name(source, &self.key.1), self.label),
        }
    }
}

fn edges(epa: &Epa) -> Vec<Line> {
    let enabled = |id: &str| epa.state(id).map_or(Vec::new(), |s| s.enabled.clone());
    let constructed = epa.constructors.iter().filter_map(|c| {
        let target = c.target.clone()?;
        Some(Line {
            source: None,
            label: c.name.clone(),
            key: (c.name.clone(), Vec::new(), enabled(&target)),
            target,
        })
    });
    let called = epa.transitions.iter().map(|t| {
        let label = shown(t);
        Line {
            source: Some(t.source.clone()),
            key: (label.clone(), enabled(&t.source), enabled(&t.target)),
            label,
            target: t.target.clone(),
        }
    });
    constructed.chain(called).collect()
}
