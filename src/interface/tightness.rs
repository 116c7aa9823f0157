//! Whether what an interface prohibits is really wrong: for each prohibition, runs of the class itself.
//!
//! The histories looked at are those that end with each transition of the automaton (and the empty one): the shortest
//! history to its source, and the transition. Where the call does what must not happen after such a history, the run
//! is a witness. Where it cannot, but can be made there and ends, the prohibition is an artefact of the predicates.

use rayon::ThreadPool;
use rayon::prelude::*;

use super::abstraction::{Alphabet, Word};
use super::automaton::InterfaceAutomaton;
use super::model::{Artefact, Prohibition, WitnessCall};
use super::study::Study;
use crate::ask::{Answer, PerformedCall, Witness};
use crate::interp::{Outcome, Value};
use crate::ir::{Expr, VarId};
use crate::query::kinds::interface::{Abstracted, History};
use crate::query::{ActionId, Callee, without_types};

/// What became of one history with a prohibited call behind it.
enum HistoryCheck {
    /// It does what must not happen.
    Real(super::model::InterfaceWitness),
    /// It does not, and it can be made.
    Artefact,
    /// There is no such history, or none behind which the call can be made and ends: nothing is lost by prohibiting
    /// it.
    Impossible,
    /// It is not known.
    Unknown,
}

/// Predicates that may tell why a call is not wrong after calls of these actions.
pub type Suggest<'s> = &'s dyn Fn(&[usize]) -> Vec<Expr>;

/// Looks for a run behind each prohibition; with them, all the predicates suggested for those that are artefacts.
pub fn prohibitions(
    study: &Study<'_>,
    alphabet: &Alphabet,
    automaton: &InterfaceAutomaton,
    pool: &ThreadPool,
    suggest: Suggest<'_>,
) -> (Vec<Prohibition>, Vec<Expr>) {
    let histories = histories(automaton);
    let actions = 0..alphabet.actions.len();
    let mut asked: Vec<(usize, usize, &Word)> = Vec::new();
    for (q, state) in automaton.states.iter().enumerate() {
        for action in actions.clone().filter(|a| !state.legal.contains(a)) {
            let of_state = histories.iter().filter(|(target, _)| *target == q);
            asked.extend(of_state.map(|(_, word)| (q, action, word)));
        }
    }
    let found: Vec<HistoryCheck> = pool.install(|| {
        let look = |(_, action, word): &(usize, usize, &Word)| look(study, alphabet, word, *action);
        asked.par_iter().map(look).collect()
    });
    let mut result: Vec<Prohibition> = Vec::new();
    let mut suggested = Vec::new();
    for ((q, action, word), found) in asked.iter().zip(found) {
        let (state, name) = (format!("Q{}", q + 1), &alphabet.actions[*action]);
        let is_next = |p: &Prohibition| p.state != state || p.action != *name;
        if result.last().is_none_or(is_next) {
            result.push(Prohibition {
                state,
                action: name.clone(),
                witness: None,
                artefacts: vec![],
                unknown: vec![],
            });
        }
        let Some(prohibition) = result.last_mut() else {
            continue;
        };
        match found {
            HistoryCheck::Real(witness) => {
                prohibition.witness.get_or_insert(witness);
            }
            HistoryCheck::Artefact => {
                let actions: Vec<usize> =
                    word.iter().map(|l| alphabet.letters[*l].action).collect();
                let predicates = suggest(&actions);
                let text = |p| study.abstracted.predicate_text(p);
                prohibition.artefacts.push(Artefact {
                    after: alphabet.history(word),
                    suggested: predicates.iter().map(text).collect(),
                });
                suggested.extend(predicates);
            }
            HistoryCheck::Impossible => {}
            HistoryCheck::Unknown => prohibition.unknown.push(alphabet.history(word)),
        }
    }
    (result, suggested)
}

/// Histories to states, the shortest first.
fn histories(automaton: &InterfaceAutomaton) -> Vec<(usize, Word)> {
    let access = automaton.access();
    let mut found: Vec<(usize, Word)> = Vec::new();
    if !automaton.states.is_empty() {
        found.push((0, vec![]));
    }
    for (state, word) in automaton.states.iter().zip(&access) {
        let Some(word) = word else { continue };
        for (letter, target) in &state.next {
            found.push((*target, [word.as_slice(), &[*letter]].concat()));
        }
    }
    found.sort_by_key(|(_, word)| word.len());
    found
}

fn look(study: &Study<'_>, alphabet: &Alphabet, word: &Word, action: usize) -> HistoryCheck {
    let action = ActionId(action);
    let abstracted = study.abstracted;
    let constructors = abstracted.subject.constructor_ids();
    let calls = word.iter().map(|letter| {
        let action = alphabet.letters[*letter].action;
        let first = alphabet.of_action(action).next().unwrap_or_default();
        (ActionId(action), letter - first)
    });
    let calls: Vec<(ActionId, usize)> = calls.collect();
    let mut unknown = false;
    for constructor in constructors.clone() {
        let history = History {
            constructor,
            calls: calls.clone(),
            last: Some(action),
        };
        match study.ask(&abstracted.history(&history)) {
            Answer::Yes(witness) => {
                return HistoryCheck::Real(told(abstracted, &history, &witness));
            }
            Answer::No => {}
            Answer::Guess(_) | Answer::Unknown(_) => unknown = true,
        }
    }
    let ends = 0..abstracted.seen(action).len();
    let mut made = constructors.flat_map(|constructor| {
        let calls = &calls;
        ends.clone().map(move |seen| History {
            constructor,
            calls: [calls.as_slice(), &[(action, seen)]].concat(),
            last: None,
        })
    });
    let possible = made.any(|history| match study.ask(&abstracted.history(&history)) {
        Answer::Yes(_) => true,
        Answer::No => false,
        Answer::Guess(_) | Answer::Unknown(_) => {
            unknown = true;
            false
        }
    });
    match (unknown, possible) {
        (true, _) => HistoryCheck::Unknown,
        (false, true) => HistoryCheck::Artefact,
        (false, false) => HistoryCheck::Impossible,
    }
}

/// The run for a person: with its values where it could be run, else its calls only.
fn told(
    abstracted: &Abstracted,
    history: &History,
    witness: &Witness,
) -> super::model::InterfaceWitness {
    match witness.performed() {
        Some(performed) => super::model::InterfaceWitness {
            calls: performed
                .calls
                .iter()
                .map(|call| shown(abstracted, call))
                .collect(),
            not_replayed: None,
        },
        None => super::model::InterfaceWitness {
            calls: by_name(abstracted, history),
            not_replayed: witness.not_replayed().map(str::to_owned),
        },
    }
}

fn name_of(abstracted: &Abstracted, callee: Callee) -> String {
    let shown = abstracted.subject.shown(callee);
    match callee {
        Callee::Constructor(_) => without_types(shown).to_owned(),
        Callee::Action(_) => shown.to_owned(),
    }
}

fn shown(abstracted: &Abstracted, performed: &PerformedCall) -> WitnessCall {
    let subject = &abstracted.subject;
    let program = &subject.program;
    let params: &[VarId] = match subject.routine(performed.callee) {
        Some(routine) => &program.routine(routine).params,
        None => &[],
    };
    let argument = |(param, value): (&VarId, &Value)| {
        (program.var(*param).name.clone(), value.display(program))
    };
    WitnessCall {
        name: name_of(abstracted, performed.callee),
        arguments: params
            .iter()
            .zip(&performed.arguments)
            .map(argument)
            .collect(),
        exception: match &performed.outcome {
            _ if performed.refused => Some("requires".into()),
            Outcome::Exception(e) => Some(program.exception_shown(*e).to_string()),
            _ => None,
        },
    }
}

fn by_name(abstracted: &Abstracted, history: &History) -> Vec<WitnessCall> {
    let made = Callee::Constructor(history.constructor);
    let called = history
        .calls
        .iter()
        .map(|(action, _)| *action)
        .chain(history.last);
    let all = [made].into_iter().chain(called.map(Callee::Action));
    let mut calls: Vec<WitnessCall> = all
        .map(|callee| WitnessCall {
            name: name_of(abstracted, callee),
            arguments: vec![],
            exception: None,
        })
        .collect();
    if let (Some(call), Some(_)) = (calls.last_mut(), history.last) {
        call.exception = Some(forbidden_names(abstracted).join(" or "));
    }
    calls
}

/// What must not happen, by its names.
pub fn forbidden_names(abstracted: &Abstracted) -> Vec<String> {
    let exceptions = abstracted.forbidden.exceptions.iter();
    let names = exceptions.map(|e| abstracted.subject.program.exception_shown(*e).to_string());
    let requires = abstracted
        .forbidden
        .requires
        .then(|| "requires".to_string());
    names.chain(requires).collect()
}
