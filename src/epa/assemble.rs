//! Writing an explored class down as an EPA: states numbered, edges sorted.

use std::collections::BTreeMap;

use crate::encode::{ActionSet, Encoding, Exit, Step};

use super::explore::{Edges, Explored, Violation};
use super::findings;
use super::model::{self, Certainty, ConstructorEdge, Epa, State, Stats, Transition};
use super::premises::Premises;

/// Numbers the states and writes everything down.
pub fn assemble(
    encoding: &Encoding<'_>,
    explored: Explored,
    premises: Premises,
    stats: Stats,
) -> Epa {
    let (states, initial) = explored.states();
    let ids = explored.ids();
    let Explored {
        constructors,
        calls,
        failing_constructors,
        runtime_errors,
        violating: _,
    } = explored;
    let id = |set: &ActionSet| ids.get(set).cloned().unwrap_or_default();
    let names = |set: &ActionSet| {
        set.iter()
            .map(|a| encoding.actions[a].name.clone())
            .collect()
    };

    let mut edges = Vec::new();
    for e in &constructors {
        let Step::Construct { constructor, .. } = e.step else {
            continue;
        };
        for (target, doubt) in &e.targets {
            edges.push(ConstructorEdge {
                name: encoding.constructors[constructor].display.clone(),
                target: Some(id(target)),
                exception: None,
                verdict: certainty(doubt),
                reason: doubt.clone(),
                violates_invariant: e.violation != Violation::Never,
                confirmation: None,
                answer: None,
            });
        }
    }
    for raised in &failing_constructors {
        edges.push(ConstructorEdge {
            name: encoding.constructors[raised.by].display.clone(),
            target: None,
            exception: Some(encoding.source().exception(raised.exception).to_string()),
            verdict: certainty(&raised.doubt),
            reason: raised.doubt.clone(),
            violates_invariant: false,
            confirmation: None,
            answer: None,
        });
    }
    let mut transitions = Vec::new();
    for e in &calls {
        let Step::Call {
            source: Some(source),
            action,
            exit,
        } = &e.step
        else {
            continue;
        };
        let label = encoding.outcome_label(*action, exit);
        for (target, doubt) in &e.targets {
            transitions.push(Transition {
                source: id(source),
                action: encoding.actions[*action].name.clone(),
                target: id(target),
                outcome: (!label.is_empty()).then(|| label.clone()),
                exception: match exit {
                    Exit::Exception(e) => Some(encoding.source().exception(*e).to_string()),
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
    let mut epa = Epa {
        schema: model::SCHEMA.into(),
        class: encoding.source().class(encoding.class()).name.clone(),
        actions: encoding.actions.iter().map(|a| a.name.clone()).collect(),
        states: states
            .iter()
            .enumerate()
            .map(|(i, set)| State {
                id: id(set),
                enabled: names(set),
                initial: i < initial,
            })
            .collect(),
        constructors: edges,
        transitions,
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
    let exit_of = |e: &Edges| match &e.step {
        Step::Construct { constructor, .. } => {
            let name = &encoding.constructors[*constructor].display;
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
            state: source.as_ref().map(&id),
            action: encoding.actions[*action].name.clone(),
            label: exit_label(encoding, *action, exit),
        },
    };
    let all_edges = || constructors.iter().chain(&calls);
    let always = all_edges()
        .filter(|e| e.violation == Violation::Certain && e.targets.is_empty())
        .map(|e| findings::always_violates(&exit_of(e)));
    let perhaps = all_edges().filter_map(|e| match &e.violation {
        Violation::Possible(doubt) => Some(findings::may_violate(&exit_of(e), doubt)),
        Violation::Never | Violation::Certain => None,
    });
    let known = findings::Known {
        premises: premises.findings,
        violations: always.chain(perhaps).collect(),
        control: encoding.control(),
    };
    epa.findings = findings::of_shape(&epa, &known);
    epa.findings.extend(runtime_errors.iter().map(|raised| {
        findings::runtime_error(
            &encoding.actions[raised.by].name,
            encoding.source().exception(raised.exception),
            raised.doubt.as_deref(),
        )
    }));
    epa
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
