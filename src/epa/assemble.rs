//! Writing an explored class down as an EPA: states numbered, edges sorted.

use std::collections::BTreeMap;

use crate::encode::{Encoding, Exit, Step};
use crate::ir::ExceptionId;
use crate::query::ActionSet;

use super::explore::{Edges, Explored, Violation};
use super::findings;
use super::model::{self, Certainty, ConstructorEdge, Epa, Finding, State, Stats, Transition};
use super::premises::Premises;

/// Numbers the states and writes everything down.
pub fn assemble(
    encoding: &Encoding<'_>,
    explored: Explored,
    premises: Premises,
    stats: Stats,
) -> Epa {
    let written = Written {
        encoding,
        ids: explored.ids(),
        explored: &explored,
    };
    let mut epa = Epa {
        schema: model::SCHEMA.into(),
        class: encoding.source().class(encoding.class()).name.clone(),
        actions: encoding.actions.iter().map(|a| a.name.clone()).collect(),
        states: written.states(),
        constructors: written.constructors(),
        transitions: written.transitions(),
        refuted: None,
        runs: Vec::new(),
        findings: Vec::new(),
        notes: encoding
            .actions
            .iter()
            .filter_map(|a| a.guard.note.clone())
            .chain(premises.notes)
            .collect(),
        stats,
    };
    sort_transitions(&mut epa);
    let known = findings::Known {
        premises: premises.findings,
        violations: written.violations(),
        control: encoding.control(),
    };
    epa.findings = findings::of_shape(&epa, &known);
    epa.findings.extend(written.runtime_errors());
    epa
}

/// An explored class, with the names that it is written down by.
struct Written<'w, 'a> {
    encoding: &'w Encoding<'a>,
    ids: BTreeMap<ActionSet, String>,
    explored: &'w Explored,
}

impl Written<'_, '_> {
    fn id(&self, set: &ActionSet) -> String {
        self.ids.get(set).cloned().unwrap_or_default()
    }

    fn action(&self, action: usize) -> String {
        self.encoding.actions[action].name.clone()
    }

    fn exception(&self, exception: ExceptionId) -> String {
        self.encoding.source().exception(exception).to_string()
    }

    fn states(&self) -> Vec<State> {
        let (states, initial) = self.explored.states();
        let states = states.iter().enumerate();
        states
            .map(|(i, set)| State {
                id: self.id(set),
                enabled: set.iter().map(|a| self.action(a)).collect(),
                initial: i < initial,
            })
            .collect()
    }

    /// The constructors' edges: to states, then into exceptions.
    fn constructors(&self) -> Vec<ConstructorEdge> {
        let mut edges = Vec::new();
        for e in &self.explored.constructors {
            let Step::Construct { constructor, .. } = e.step else {
                continue;
            };
            for (target, doubt) in &e.targets {
                edges.push(ConstructorEdge {
                    name: self.encoding.constructors[constructor].display.clone(),
                    target: Some(self.id(target)),
                    exception: None,
                    verdict: certainty(doubt),
                    reason: doubt.clone(),
                    violates_invariant: e.violation != Violation::Never,
                    confirmation: None,
                    answer: None,
                });
            }
        }
        for raised in &self.explored.failing_constructors {
            edges.push(ConstructorEdge {
                name: self.encoding.constructors[raised.by].display.clone(),
                target: None,
                exception: Some(self.exception(raised.exception)),
                verdict: certainty(&raised.doubt),
                reason: raised.doubt.clone(),
                violates_invariant: false,
                confirmation: None,
                answer: None,
            });
        }
        edges
    }

    fn transitions(&self) -> Vec<Transition> {
        let mut transitions = Vec::new();
        for e in &self.explored.calls {
            let Step::Call {
                source: Some(source),
                action,
                exit,
            } = &e.step
            else {
                continue;
            };
            let label = self.encoding.outcome_label(*action, exit);
            for (target, doubt) in &e.targets {
                transitions.push(Transition {
                    source: self.id(source),
                    action: self.action(*action),
                    target: self.id(target),
                    outcome: (!label.is_empty()).then(|| label.clone()),
                    exception: match exit {
                        Exit::Exception(e) => Some(self.exception(*e)),
                        _ => None,
                    },
                    verdict: certainty(doubt),
                    reason: doubt.clone(),
                    violates_invariant: e.violation != Violation::Never,
                    confirmation: None,
                    answer: None,
                });
            }
        }
        transitions
    }

    /// The calls that break the invariant, whatever they end in, then those that may.
    fn violations(&self) -> Vec<Finding> {
        let edges = || {
            let constructors = self.explored.constructors.iter();
            constructors.chain(&self.explored.calls)
        };
        let always = edges()
            .filter(|e| e.violation == Violation::Certain && e.targets.is_empty())
            .map(|e| findings::always_violates(&self.exit(e)));
        let perhaps = edges().filter_map(|e| match &e.violation {
            Violation::Possible(doubt) => Some(findings::may_violate(&self.exit(e), doubt)),
            Violation::Never | Violation::Certain => None,
        });
        always.chain(perhaps).collect()
    }

    /// How the call of an edge ends, for a finding.
    fn exit(&self, edge: &Edges) -> findings::Exit {
        match &edge.step {
            Step::Construct { constructor, .. } => {
                let name = &self.encoding.constructors[*constructor].display;
                findings::Exit {
                    state: None,
                    action: name.clone(),
                    label: name.clone(),
                }
            }
            Step::Call {
                source,
                action,
                exit,
            } => findings::Exit {
                state: source.as_ref().map(|set| self.id(set)),
                action: self.action(*action),
                label: exit_label(self.encoding, *action, exit),
            },
        }
    }

    fn runtime_errors(&self) -> impl Iterator<Item = Finding> {
        self.explored.runtime_errors.iter().map(|raised| {
            findings::runtime_error(
                &self.encoding.actions[raised.by].name,
                self.encoding.source().exception(raised.exception),
                raised.doubt.as_deref(),
            )
        })
    }
}

/// `pop`, `pop[ok]`, `pop!Empty`
pub(super) fn exit_label(encoding: &Encoding<'_>, action: usize, exit: &Exit) -> String {
    let name = &encoding.actions[action].name;
    match exit {
        Exit::Normal | Exit::Any => name.clone(),
        Exit::Outcome(_) => format!("{name}[{}]", encoding.outcome_label(action, exit)),
        Exit::Exception(e) => format!("{name}!{}", encoding.source().exception(*e)),
    }
}

fn certainty(doubt: &Option<String>) -> Certainty {
    if doubt.is_some() {
        Certainty::Maybe
    } else {
        Certainty::Reached
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
