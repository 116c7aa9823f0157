//! What was found out, edge by edge and state by state; and how it is printed.

use std::collections::{BTreeMap, BTreeSet};

use super::mishaps::Mishap;
use super::model::{Confirmations, EdgeResult, MishapResult, Proof, SCHEMA, StateResult, Status};
use super::proof::{Goal, Refutation};
use super::prune::prune;
use super::search::{ConfirmSearch, Desks};
use crate::ask::{Disagreement, QueryCounts, Run};
use crate::epa::abstraction::Abstraction;
use crate::ir::expr_text;
use crate::query::{EdgeId, Names, StateId};

/// What the second pass found.
#[derive(Clone, Debug)]
pub struct Confirmed {
    /// The EPA with what was found out, and without what was refuted.
    pub abstraction: Abstraction,
    /// What was found out about each edge.
    pub edges: Vec<ConfirmedEdge>,
    /// What was found out about each state.
    pub states: Vec<ConfirmedState>,
    /// What was found out about what calls do that no edge tells.
    pub mishaps: Vec<JudgedMishap>,
    /// The invariant that refutes what is refuted; none where nothing needed one.
    pub proof: Option<Proof>,
    /// The engine's name.
    pub engine: String,
    /// Questions by answer.
    pub queries: QueryCounts,
    /// Why the search ended before all was found out, where it did.
    pub stopped: Option<String>,
    /// Traces and proofs that were contradicted: errors of ours.
    pub errors: Vec<String>,
    /// The texts of the questions whose traces were contradicted.
    pub disagreements: Vec<Disagreement>,
}

/// What was found out about an edge.
#[derive(Clone, Debug)]
pub struct ConfirmedEdge {
    /// What it is.
    pub status: Status,
    /// The run that takes it.
    pub run: Option<Run>,
}

/// What was found out about something that a call does and no edge tells.
#[derive(Clone, Debug)]
pub struct JudgedMishap {
    /// What.
    pub mishap: Mishap,
    /// What was found out.
    pub status: Status,
    /// The run that ends in it.
    pub run: Option<Run>,
}

/// What was found out about a state.
#[derive(Clone, Debug)]
pub struct ConfirmedState {
    /// What it is.
    pub status: Status,
    /// The edge whose run gets there first.
    pub by_edge: Option<EdgeId>,
}

impl Confirmed {
    /// What was contradicted, where not all of it shows in the disagreements.
    pub fn untold(&self) -> Option<String> {
        let untold = self.errors.len() > self.disagreements.len();
        untold.then(|| self.errors.join("\n"))
    }
}

impl ConfirmSearch<'_> {
    /// All that was found out.
    pub(super) fn report(self, desks: &Desks<'_>, stopped: Option<String>) -> Confirmed {
        let automaton = &self.automaton;
        let edges = (0..automaton.edges.len())
            .map(EdgeId)
            .map(|id| ConfirmedEdge {
                status: self.edge_status(id),
                run: self.found.get(&id).map(|f| f.run.clone()),
            });
        let edges: Vec<ConfirmedEdge> = edges.collect();
        let (reachable, _) = automaton.reachable(&self.live);
        let first = self.first_into();
        let states = automaton.state_ids().map(|id| ConfirmedState {
            status: match first.get(&id) {
                Some(edge) => self.edge_status(*edge),
                None if !reachable.contains(&id) => Status::Refuted { unreached: true },
                None => Status::Unconfirmed { bound: self.done },
            },
            by_edge: first.get(&id).copied(),
        });
        let states: Vec<ConfirmedState> = states.collect();
        let subject = &self.encoding.subject;
        let proof = self.refutation.as_ref().map(|refutation| Proof {
            invariant: (refutation.clauses.iter())
                .map(|clause| expr_text(&subject.program, subject.class, clause))
                .collect(),
            refutes: refutation.edges().map(|e| e.0).collect(),
            refutes_mishaps: (0..self.mishaps.len())
                .filter(|at| self.is_never(*at))
                .collect(),
            checked_by: refutation.checked_by.clone(),
        });
        let mishaps: Vec<JudgedMishap> = (0..self.mishaps.len())
            .map(|at| self.judged(at, &reachable))
            .collect();
        let disagreements = desks.disagreements();
        let errors = disagreements.iter().map(|d| d.message.clone());
        let mut abstraction = prune(
            self.before,
            subject,
            &edges,
            &states,
            &mishaps,
            proof.as_ref(),
        );
        abstraction.stats.wall_ms += desks.elapsed_ms();
        let note = |why: &String| format!("the second pass did not find out all: {why}");
        abstraction.notes.extend(stopped.iter().map(note));
        Confirmed {
            abstraction,
            edges,
            states,
            mishaps,
            proof,
            engine: self.options.engine.name().into(),
            queries: desks.counts(),
            stopped,
            errors: errors.chain(self.errors).collect(),
            disagreements,
        }
    }

    fn edge_status(&self, id: EdgeId) -> Status {
        let by_proof = |r: &Refutation| r.goals.contains(&Goal::Edge(id));
        match self.found.get(&id) {
            Some(found) => Status::Confirmed {
                calls: found.calls,
                shortest: found.shortest,
            },
            None if !self.live.contains(&id) => Status::Refuted {
                unreached: !self.refutation.as_ref().is_some_and(by_proof),
            },
            None => Status::Unconfirmed {
                bound: match self.unsure.get(&id) {
                    Some(bound) => (*bound).min(self.done),
                    None => self.done,
                },
            },
        }
    }

    /// What was found out about a mishap.
    fn judged(&self, at: usize, reachable: &BTreeSet<StateId>) -> JudgedMishap {
        let mishap = self.mishaps[at].clone();
        let run = self.mishap_runs.get(&at).cloned();
        let status = match &run {
            Some(run) => Status::Confirmed {
                calls: u32::try_from(run.calls.len()).unwrap_or(u32::MAX),
                shortest: run.calls.len() == 1,
            },
            None if self.is_never(at) => Status::Refuted { unreached: false },
            None if !mishap.is_reached(reachable) => Status::Refuted { unreached: true },
            None => Status::Unconfirmed { bound: 0 },
        };
        JudgedMishap {
            mishap,
            status,
            run,
        }
    }

    /// For each state, the edge into it with the shortest run; the first of several.
    fn first_into(&self) -> BTreeMap<StateId, EdgeId> {
        let mut first: BTreeMap<StateId, (u32, EdgeId)> = BTreeMap::new();
        for (id, found) in &self.found {
            if let Some(state) = self.automaton[*id].target {
                let here = (found.calls, *id);
                let best = first.entry(state).or_insert(here);
                *best = here.min(*best);
            }
        }
        first
            .into_iter()
            .map(|(state, (_, id))| (state, id))
            .collect()
    }
}

impl Confirmed {
    /// What was found out, as it is printed.
    pub fn confirmations(&self) -> Confirmations {
        let names = &self.abstraction.names;
        let automaton = &self.abstraction.automaton;
        let edges = automaton
            .edges
            .iter()
            .zip(&self.edges)
            .map(|(edge, found)| EdgeResult {
                edge: names.edge(edge),
                source: edge.source.map(|s| names.state(s).to_owned()),
                action: names.callee(edge.callee).to_owned(),
                target: edge.target.map(|t| names.state(t).to_owned()),
                outcome: names.outcome(edge.callee, &edge.exit).map(str::to_owned),
                exception: names.exception(&edge.exit).map(str::to_owned),
                status: found.status.clone(),
                run: found.run.clone(),
            });
        let states = automaton
            .state_ids()
            .zip(&self.states)
            .map(|(id, found)| StateResult {
                id: names.state(id).to_owned(),
                enabled: names.marks(&automaton[id]),
                status: found.status.clone(),
                by_edge: found.by_edge.map(|e| e.0),
            });
        Confirmations {
            schema: SCHEMA.into(),
            class: names.class.clone(),
            edges: edges.collect(),
            states: states.collect(),
            mishaps: self
                .mishaps
                .iter()
                .map(|judged| judged.told(names))
                .collect(),
            proof: self.proof.clone(),
            engine: self.engine.clone(),
            queries: self.queries,
            stopped: self.stopped.clone(),
            errors: self.errors.clone(),
        }
    }
}

impl JudgedMishap {
    /// What was found out, as it is printed.
    fn told(&self, names: &Names) -> MishapResult {
        let Mishap { site, breaks } = &self.mishap;
        let state = site.state.map(|state| names.state(state).to_owned());
        let place = state
            .as_deref()
            .map_or(String::new(), |s| format!(" in {s}"));
        let exception = names.exception(&site.exit).map(str::to_owned);
        let label = site.label(names);
        MishapResult {
            mishap: match (breaks, &exception) {
                (false, Some(exception)) => {
                    format!("{}{place} ends in {exception}", names.callee(site.callee))
                }
                _ => format!("{label}{place} breaks the invariant"),
            },
            source: state,
            action: names.callee(site.callee).to_owned(),
            outcome: names.outcome(site.callee, &site.exit).map(str::to_owned),
            exception,
            breaks_invariant: *breaks,
            status: self.status.clone(),
            run: self.run.clone(),
        }
    }
}
