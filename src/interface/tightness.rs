//! Whether what an interface prohibits is really wrong: for each prohibition, runs of the class itself.
//!
//! The histories looked at are those that end with each transition of the automaton (and the empty one): the shortest
//! history to its source, and the transition. Where the call does what must not happen after such a history, the run
//! is a witness. Where it cannot, but can be made there and ends, the prohibition is an artefact of the predicates.

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::encode::interface::runs::Run;
use crate::epa::desk::Answer;
use crate::epa::replay::{Objection, judged};
use crate::interp::{Outcome, Value};
use crate::ir::{Expr, VarId};
use crate::query::Trace;

use super::abstraction::{Alphabet, Word};
use super::automaton::Automaton;
use super::explore::Asker;
use super::model::{Artefact, Call, Prohibition, Witness};
use super::replay::{Called, Claim, Performed, Replayer};

/// What became of one history with a prohibited call behind it.
enum Found {
    /// It does what must not happen.
    Real(Witness),
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
    asker: &Asker<'_>,
    alphabet: &Alphabet,
    automaton: &Automaton,
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
    let found: Vec<Found> = pool.install(|| {
        let look = |(_, action, word): &(usize, usize, &Word)| look(asker, alphabet, word, *action);
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
            Found::Real(witness) => {
                prohibition.witness.get_or_insert(witness);
            }
            Found::Artefact => {
                let actions: Vec<usize> =
                    word.iter().map(|l| alphabet.letters[*l].action).collect();
                let predicates = suggest(&actions);
                let text = |p| asker.interface.predicate_text(p);
                prohibition.artefacts.push(Artefact {
                    after: alphabet.history(word),
                    suggested: predicates.iter().map(text).collect(),
                });
                suggested.extend(predicates);
            }
            Found::Impossible => {}
            Found::Unknown => prohibition.unknown.push(alphabet.history(word)),
        }
    }
    (result, suggested)
}

/// Histories to states, the shortest first.
fn histories(automaton: &Automaton) -> Vec<(usize, Word)> {
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

fn look(asker: &Asker<'_>, alphabet: &Alphabet, word: &Word, action: usize) -> Found {
    let constructors = asker.interface.encoding().constructors.len();
    let calls: Vec<(usize, usize)> = word
        .iter()
        .map(|letter| {
            let action = alphabet.letters[*letter].action;
            let first = alphabet.of_action(action).next().unwrap_or_default();
            (action, letter - first)
        })
        .collect();
    let mut unknown = false;
    for constructor in 0..constructors {
        let run = Run {
            constructor,
            calls: calls.clone(),
            last: Some(action),
        };
        match ask(asker, &run) {
            Answer::Yes(trace) => return Found::Real(witness(asker, &run, &trace)),
            Answer::No => {}
            Answer::Unknown(_) => unknown = true,
        }
    }
    let ends = 0..asker.interface.observations[action].len();
    let mut made = (0..constructors).flat_map(|constructor| {
        let calls = &calls;
        ends.clone().map(move |seen| Run {
            constructor,
            calls: [calls.as_slice(), &[(action, seen)]].concat(),
            last: None,
        })
    });
    let possible = made.any(|run| match ask(asker, &run) {
        Answer::Yes(_) => true,
        Answer::No => false,
        Answer::Unknown(_) => {
            unknown = true;
            false
        }
    });
    match (unknown, possible) {
        (true, _) => Found::Unknown,
        (false, true) => Found::Artefact,
        (false, false) => Found::Impossible,
    }
}

fn ask(asker: &Asker<'_>, run: &Run) -> Answer {
    let encoded = asker.interface.run(run);
    let sentence = asker.interface.run_sentence(run);
    asker.ask("run", sentence, &encoded, |trace| {
        judged(perform(asker, run, trace).map(|_| ()))
    })
}

/// Runs the calls in the interpreter.
fn perform(
    asker: &Asker<'_>,
    run: &Run,
    trace: &Trace,
) -> Result<Vec<(Called, Performed)>, Objection> {
    let interface = asker.interface;
    let mut replayer = Replayer::new(interface, trace)?;
    let mut performed = Vec::new();
    let made = Called::Constructor(run.constructor);
    performed.push((made, replayer.call(made, Claim::Well)?));
    for (action, seen) in &run.calls {
        let seen = interface.observations[*action].get(*seen);
        let seen = seen.ok_or_else(|| Objection::CannotTell("nothing like that is seen".into()))?;
        let called = Called::Action(*action);
        performed.push((called, replayer.call(called, Claim::Seen(seen))?));
    }
    if let Some(action) = run.last {
        let called = Called::Action(action);
        performed.push((called, replayer.call(called, Claim::Forbidden)?));
    }
    Ok(performed)
}

/// The run for a person: with its values where it could be run, else its calls only.
fn witness(asker: &Asker<'_>, run: &Run, trace: &Trace) -> Witness {
    let replayable = asker.interface.run(run).is_ok_and(|r| r.replayable);
    let performed = match replayable {
        true => perform(asker, run, trace),
        false => Err(Objection::CannotTell(
            "its values are not all recorded".into(),
        )),
    };
    match performed {
        Ok(performed) => Witness {
            calls: performed
                .iter()
                .map(|(called, performed)| shown(asker, *called, performed))
                .collect(),
            not_replayed: None,
        },
        Err(Objection::CannotTell(why) | Objection::Wrong(why)) => Witness {
            calls: by_name(asker, run),
            not_replayed: Some(why),
        },
    }
}

fn name_of(asker: &Asker<'_>, called: Called) -> String {
    let encoding = asker.interface.encoding();
    match called {
        // A constructor is shown with the types of its parameters.
        Called::Constructor(c) => {
            let display = &encoding.constructors[c].display;
            display.split('(').next().unwrap_or_default().to_string()
        }
        Called::Action(a) => encoding.actions[a].name.clone(),
    }
}

fn shown(asker: &Asker<'_>, called: Called, performed: &Performed) -> Call {
    let encoding = asker.interface.encoding();
    let program = encoding.source();
    let routine = match called {
        Called::Constructor(c) => encoding.constructors[c].routine,
        Called::Action(a) => Some(encoding.actions[a].routine),
    };
    let params: &[VarId] = match routine {
        Some(routine) => &program.routine(routine).params,
        None => &[],
    };
    let argument = |(param, value): (&VarId, &Value)| {
        (program.var(*param).name.clone(), value.display(program))
    };
    Call {
        name: name_of(asker, called),
        arguments: params
            .iter()
            .zip(&performed.arguments)
            .map(argument)
            .collect(),
        exception: match &performed.outcome {
            _ if performed.refused => Some("requires".into()),
            Outcome::Exception(e) => Some(program.exception(*e).to_string()),
            _ => None,
        },
    }
}

fn by_name(asker: &Asker<'_>, run: &Run) -> Vec<Call> {
    let made = Called::Constructor(run.constructor);
    let calls = run.calls.iter().map(|(action, _)| Called::Action(*action));
    let last = run.last.map(Called::Action);
    let call = |called| Call {
        name: name_of(asker, called),
        arguments: vec![],
        exception: None,
    };
    let mut all: Vec<Call> = [made]
        .into_iter()
        .chain(calls)
        .chain(last)
        .map(call)
        .collect();
    if let (Some(call), Some(_)) = (all.last_mut(), run.last) {
        call.exception = Some(forbidden_names(asker).join(" or "));
    }
    all
}

/// What must not happen, by its names.
pub fn forbidden_names(asker: &Asker<'_>) -> Vec<String> {
    let interface = asker.interface;
    let program = interface.encoding().source();
    let exceptions = interface.forbidden.exceptions.iter();
    let names = exceptions.map(|e| program.exception(*e).to_string());
    let requires = interface.forbidden.requires.then(|| "requires".to_string());
    names.chain(requires).collect()
}
