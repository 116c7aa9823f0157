//! What was found out, edge by edge and state by state, as data.

use super::model::{Confirmations, EdgeResult, Proof, SCHEMA, StateResult, Status};
use super::prune::prune;
use super::search::Search;
use crate::encode::Exit;
use crate::encode::confirm::{Edge, Origin};
use crate::epa::model::{Epa, QueryCounts};
use crate::ir::expr_text;

impl Search<'_> {
    /// All that was found out.
    pub fn report(self, epa: &Epa, stopped: Option<String>, queries: QueryCounts) -> Confirmations {
        let status = |edge: usize| match self.found.get(&edge) {
            Some(found) => Status::Confirmed {
                calls: found.calls,
                shortest: found.shortest,
            },
            None if !self.live.contains(&edge) => Status::Refuted {
                unreached: !self
                    .refutation
                    .as_ref()
                    .is_some_and(|r| r.edges.contains(&edge)),
            },
            None => Status::Unconfirmed {
                bound: self
                    .unsure
                    .get(&edge)
                    .map_or(self.done, |b| (*b).min(self.done)),
            },
        };
        let edges: Vec<EdgeResult> = (self.automaton.edges.iter().enumerate())
            .map(|(index, edge)| self.edge_result(index, edge, status(index)))
            .collect();
        let (reachable, _) = self.automaton.reachable(&self.live);
        let states = epa.states.iter().enumerate().map(|(index, state)| {
            let into = self
                .automaton
                .edges
                .iter()
                .enumerate()
                .filter(|(_, e)| e.target == Some(index));
            let first = into
                .filter_map(|(i, _)| Some((self.found.get(&i)?, i)))
                .min_by_key(|(found, i)| (found.calls, *i));
            StateResult {
                id: state.id.clone(),
                enabled: state.enabled.clone(),
                status: match first {
                    Some((found, _)) => Status::Confirmed {
                        calls: found.calls,
                        shortest: found.shortest,
                    },
                    None if !reachable.contains(&index) => Status::Refuted { unreached: true },
                    None => Status::Unconfirmed { bound: self.done },
                },
                by_edge: first.map(|(_, i)| i),
            }
        });
        let states: Vec<StateResult> = states.collect();
        let proof = self.refutation.as_ref().map(|refutation| Proof {
            invariant: (refutation.clauses.iter())
                .map(|clause| expr_text(self.encoding.source(), self.encoding.class(), clause))
                .collect(),
            refutes: refutation.edges.iter().copied().collect(),
            checked_by: refutation.checked_by.clone(),
        });
        let invariant = proof.as_ref().map_or(&[][..], |p| p.invariant.as_slice());
        Confirmations {
            schema: SCHEMA.into(),
            class: epa.class.clone(),
            epa: Some(prune(
                epa,
                &edges,
                &states,
                invariant,
                self.encoding.control(),
            )),
            edges,
            states,
            engine: self.options.engine.name().into(),
            queries,
            stopped,
            proof,
            errors: self.errors,
            disagreements: self.disagreements,
        }
    }

    fn edge_result(&self, index: usize, edge: &Edge, status: Status) -> EdgeResult {
        let state = |s: usize| self.automaton.states[s].0.clone();
        let (source, action, outcome) = match edge.origin {
            Origin::Constructor(constructor) => (
                None,
                self.encoding.constructors[constructor].display.clone(),
                String::new(),
            ),
            Origin::Call {
                state: source,
                action,
            } => (
                Some(state(source)),
                self.encoding.actions[action].name.clone(),
                self.encoding.outcome_label(action, &edge.exit),
            ),
        };
        EdgeResult {
            edge: self.encoding.edge_name(&self.automaton, edge),
            source,
            action,
            target: edge.target.map(state),
            outcome: (!outcome.is_empty()).then_some(outcome),
            exception: match &edge.exit {
                Exit::Exception(e) => Some(self.encoding.source().exception(*e).to_string()),
                _ => None,
            },
            status,
            run: self.found.get(&index).map(|f| f.run.clone()),
        }
    }
}
