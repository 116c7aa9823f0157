//! Putting an explored class together as an EPA: states numbered, edges sorted.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::abstraction::{Abstraction, EdgeKnowledge, Gone};
use super::explore::{EdgesOfCall, ExploredEdges, Violation};
use super::findings::{self, CallOccurrence, Finding, Seen};
use super::premises::Premises;
use super::targets::TargetState;
use super::wire::EpaStats;
use crate::query::{AbstractState, Automaton, Callee, Edge, Exit, Names, StateId, Step, Subject};

/// Numbers the states and sorts the edges.
pub(super) fn assemble(
    subject: &Subject,
    explored: ExploredEdges,
    premises: Premises,
    stats: EpaStats,
) -> Abstraction {
    let (states, _) = explored.states();
    let names = Names::of(subject, states.len());
    let numbers = states.iter().cloned().zip((0..).map(StateId)).collect();
    let assembler = Assembler {
        names: &names,
        numbers,
        explored: &explored,
    };
    let (edges, known) = assembler.edges();
    let violations = assembler.violations();
    let guards = subject.actions.iter();
    let mut abstraction = Abstraction {
        automaton: Arc::new(Automaton { states, edges }),
        known,
        gone: Gone::default(),
        runs: Vec::new(),
        findings: Vec::new(),
        notes: guards
            .filter_map(|a| a.guard.note.clone())
            .chain(premises.notes)
            .collect(),
        stats,
        names,
    };
    let known = findings::Besides {
        premises: premises.findings,
        violations,
        ..findings::Besides::of_class(subject)
    };
    abstraction.findings = findings::of_shape(&abstraction, &known);
    let errors = explored
        .runtime_errors
        .iter()
        .filter_map(|raised| match raised.by {
            Callee::Action(action) => Some(Finding::RuntimeError {
                action,
                exception: raised.exception,
                doubt: raised.target.doubt.clone(),
                seen: Seen::default(),
            }),
            Callee::Constructor(_) => None,
        });
    abstraction.findings.extend(errors);
    abstraction
}

/// An explored class, with the numbers of its states.
struct Assembler<'w> {
    names: &'w Names,
    numbers: BTreeMap<AbstractState, StateId>,
    explored: &'w ExploredEdges,
}

impl Assembler<'_> {
    fn number(&self, set: &AbstractState) -> Option<StateId> {
        self.numbers.get(set).copied()
    }

    /// The edges of the constructors, to states, then into exceptions; then the transitions by source, action, exception,
    /// target, outcome.
    fn edges(&self) -> (Vec<Edge>, Vec<EdgeKnowledge>) {
        let mut edges: Vec<(Edge, EdgeKnowledge)> = Vec::new();
        for found in &self.explored.constructors {
            edges.extend(self.edges_of(found));
        }
        for raised in &self.explored.failing_constructors {
            let edge = Edge {
                breaks: false,
                source: None,
                callee: raised.by,
                exit: Exit::Exception(raised.exception),
                target: None,
            };
            edges.push((edge, known(&raised.target, &Violation::Never)));
        }
        let calls = self.explored.calls.iter();
        let mut transitions: Vec<_> = calls.flat_map(|found| self.edges_of(found)).collect();
        transitions.sort_by_cached_key(|(edge, _)| {
            let exception = self.names.exception(&edge.exit).map(str::to_owned);
            let outcome = self
                .names
                .outcome(edge.callee, &edge.exit)
                .map(str::to_owned);
            (edge.source, edge.callee, exception, edge.target, outcome)
        });
        edges.extend(transitions);
        edges.into_iter().unzip()
    }

    /// The edges of one call, one a target.
    fn edges_of(&self, found: &EdgesOfCall) -> impl Iterator<Item = (Edge, EdgeKnowledge)> {
        let source = found.step.source.as_ref().and_then(|set| self.number(set));
        found.targets.iter().map(move |(set, target)| {
            let edge = Edge {
                breaks: false,
                source,
                callee: found.step.callee,
                exit: found.step.exit.clone(),
                target: self.number(set),
            };
            (edge, known(target, &found.violation))
        })
    }

    /// The calls that break the invariant, whatever they end in, then those that may.
    fn violations(&self) -> Vec<Finding> {
        let edges = || {
            self.explored
                .constructors
                .iter()
                .chain(&self.explored.calls)
        };
        let always = edges()
            .filter(|e| matches!(e.violation, Violation::Certain) && e.targets.is_empty())
            .map(|e| Finding::AlwaysViolates(self.site(&e.step), Seen::default()));
        let perhaps = edges().filter_map(|e| match &e.violation {
            Violation::Possible(doubt) => {
                let site = self.site(&e.step);
                Some(Finding::MayViolate(site, doubt.clone(), Seen::default()))
            }
            Violation::Never | Violation::Certain => None,
        });
        always.chain(perhaps).collect()
    }

    fn site(&self, step: &Step) -> CallOccurrence {
        CallOccurrence {
            state: step.source.as_ref().and_then(|set| self.number(set)),
            callee: step.callee,
            exit: step.exit.clone(),
        }
    }
}

fn known(target: &TargetState, violation: &Violation) -> EdgeKnowledge {
    EdgeKnowledge {
        doubt: target.doubt.clone(),
        violates_invariant: !matches!(violation, Violation::Never),
        confirmation: None,
        heard: target.heard.clone(),
    }
}
