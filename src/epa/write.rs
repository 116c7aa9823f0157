//! An EPA written as it is printed.

use super::abstraction::{Abstraction, EdgeKnowledge};
use super::wire::{
    Certainty, ConstructorEdge, Epa, EpaFinding, EpaState, Refuted, SCHEMA, Transition,
};
use crate::query::{Edge, EdgeId, StateId};

impl Abstraction {
    /// The EPA as it is printed.
    pub fn epa(&self) -> Epa {
        let (constructors, transitions) = self.written(|id| !self.gone.edges.contains(&id));
        let gone = self.gone_written();
        Epa {
            schema: SCHEMA.into(),
            class: self.names.class.clone(),
            actions: self.names.actions.clone(),
            predicates: self.names.predicates.clone(),
            states: self.states().map(|(id, _)| self.state(id)).collect(),
            constructors,
            transitions,
            refuted: gone,
            runs: self.runs.clone(),
            findings: self.findings.iter().map(|f| self.finding(f)).collect(),
            notes: self.notes.clone(),
            stats: self.stats.clone(),
        }
    }

    fn state(&self, id: StateId) -> EpaState {
        EpaState {
            id: self.names.state(id).to_owned(),
            enabled: self.names.marks(&self.automaton[id]),
            initial: self.initial().contains(&id),
        }
    }

    /// Some of the edges: those of the constructors, and the transitions.
    fn written(&self, wanted: impl Fn(EdgeId) -> bool) -> (Vec<ConstructorEdge>, Vec<Transition>) {
        let (mut constructors, mut transitions) = (Vec::new(), Vec::new());
        for (index, (edge, known)) in self.automaton.edges.iter().zip(&self.known).enumerate() {
            if !wanted(EdgeId(index)) {
                continue;
            }
            match (edge.source, edge.target) {
                (Some(source), Some(target)) => {
                    transitions.push(self.transition(source, target, edge, known));
                }
                _ => constructors.push(self.constructor(edge, known)),
            }
        }
        (constructors, transitions)
    }

    fn constructor(&self, edge: &Edge, known: &EdgeKnowledge) -> ConstructorEdge {
        ConstructorEdge {
            name: self.names.callee(edge.callee).to_owned(),
            target: edge.target.map(|id| self.names.state(id).to_owned()),
            exception: self.names.exception(&edge.exit).map(str::to_owned),
            verdict: certainty(known),
            reason: known.doubt.as_ref().map(ToString::to_string),
            violates_invariant: known.violates_invariant,
            confirmation: known.confirmation.clone(),
            answer: None,
        }
    }

    fn transition(
        &self,
        source: StateId,
        target: StateId,
        edge: &Edge,
        known: &EdgeKnowledge,
    ) -> Transition {
        Transition {
            source: self.names.state(source).to_owned(),
            action: self.names.callee(edge.callee).to_owned(),
            target: self.names.state(target).to_owned(),
            outcome: self
                .names
                .outcome(edge.callee, &edge.exit)
                .map(str::to_owned),
            exception: self.names.exception(&edge.exit).map(str::to_owned),
            verdict: certainty(known),
            reason: known.doubt.as_ref().map(ToString::to_string),
            violates_invariant: known.violates_invariant,
            confirmation: known.confirmation.clone(),
            answer: None,
        }
    }

    fn gone_written(&self) -> Option<Refuted> {
        let gone = &self.gone;
        let (constructors, transitions) = self.written(|id| gone.edges.contains(&id));
        let is_empty = gone.edges.is_empty() && gone.states.is_empty();
        (!is_empty).then(|| Refuted {
            invariant: gone.invariant.clone(),
            states: gone.states.iter().map(|id| self.state(*id)).collect(),
            constructors,
            transitions,
        })
    }

    fn finding(&self, finding: &super::findings::Finding) -> EpaFinding {
        EpaFinding {
            kind: finding.kind().to_owned(),
            state: finding.state().map(|id| self.names.state(id).to_owned()),
            action: finding
                .callee()
                .map(|callee| self.names.callee(callee).to_owned()),
            message: finding.message(&self.names),
            run: finding.run().cloned(),
        }
    }
}

fn certainty(known: &EdgeKnowledge) -> Certainty {
    match known.doubt {
        Some(_) => Certainty::Maybe,
        None => Certainty::Reached,
    }
}
