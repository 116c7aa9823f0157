//! What a clause does to the EPA: it is added to the class, and the EPA is computed again.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::clauses::{ClauseCandidate, ClauseKind};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::epa::abstraction::Abstraction;
use crate::epa::construct::{ConstructError, ConstructOptions, construct};
use crate::ir::{Program, RoutineRef};
use crate::query::{AbstractState, Callee, Edge, EdgeId, Exit, StateId, Subject};

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
    subject: &Subject,
    engine: &dyn Engine,
    options: &ConstructOptions,
    epa: &Abstraction,
    edge: EdgeId,
    candidate: &ClauseCandidate,
) -> Result<Effect, ConstructError> {
    let asked = &epa.automaton[edge];
    let program = with_clause(subject, candidate, subject.routine(asked.callee));
    let changed = Encoding::new(Arc::new(subject.in_program(program)))?;
    let new = construct(&changed, engine, options)?.abstraction;
    let (before, after) = (edges(epa), edges(&new));
    let old_keys: BTreeSet<EdgeSignature<'_>> = before.iter().map(|e| e.key).collect();
    let new_keys: BTreeSet<EdgeSignature<'_>> = after.iter().map(|e| e.key).collect();
    let gone = || before.iter().filter(|e| !new_keys.contains(&e.key));
    let same_call = |e: &Line<'_>| (e.edge.callee, &e.edge.exit) == (asked.callee, &asked.exit);
    Ok(Effect {
        removes_edge: gone().any(|e| e.id == edge),
        leaves_call: after.iter().any(same_call),
        removed: gone()
            .filter(|e| e.id != edge)
            .map(|e| e.shown(epa, false))
            .collect(),
        added: after
            .iter()
            .filter(|e| !old_keys.contains(&e.key))
            .map(|e| e.shown(&new, true))
            .collect(),
        states: new.states().count(),
    })
}

fn with_clause(
    subject: &Subject,
    candidate: &ClauseCandidate,
    routine: Option<RoutineRef>,
) -> Program {
    let mut program = Program::clone(&subject.program);
    let clause = candidate.clause.clone();
    let class = subject.class;
    match (candidate.place, routine) {
        (ClauseKind::Invariant, _) | (_, None) => program.classes[class.0].invariants.push(clause),
        (ClauseKind::Requires, Some(r)) => {
            program.classes[r.class.0].routines[r.index]
                .requires
                .push(clause);
        }
        (ClauseKind::Ensures, Some(r)) => {
            program.classes[r.class.0].routines[r.index]
                .ensures
                .push(clause);
        }
    }
    program
}

/// What makes an edge the same as one of another EPA of the class: its states are what they enable.
type EdgeSignature<'a> = (
    Option<&'a AbstractState>,
    Callee,
    &'a Exit,
    &'a AbstractState,
);

/// An edge of an EPA that leads to a state.
struct Line<'a> {
    id: EdgeId,
    edge: &'a Edge,
    target: StateId,
    key: EdgeSignature<'a>,
}

impl Line<'_> {
    fn shown(&self, epa: &Abstraction, by_sets: bool) -> String {
        let name = |id: StateId| match by_sets {
            true => format!("{{{}}}", epa.names.marks(&epa.automaton[id]).join(", ")),
            false => epa.names.state(id).to_owned(),
        };
        let label = epa.names.label(self.edge.callee, &self.edge.exit);
        let target = name(self.target);
        match self.edge.source {
            None => format!("{label} -> {target}"),
            Some(source) => format!("{} -{label}-> {target}", name(source)),
        }
    }
}

fn edges(epa: &Abstraction) -> Vec<Line<'_>> {
    let lines = epa.edges().filter_map(|(id, edge, _)| {
        let target = edge.target?;
        let source = edge.source.map(|s| &epa.automaton[s]);
        Some(Line {
            id,
            edge,
            target,
            key: (source, edge.callee, &edge.exit, &epa.automaton[target]),
        })
    });
    lines.collect()
}
