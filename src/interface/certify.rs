//! The check of an interface on the class itself, by questions of one call each.
//!
//! For each state of the automaton: whatever object is in one of the cubes that go with the state, each call that is
//! allowed does not do what must not happen, and ends in the cubes of the state that what is seen leads to. With the
//! constructors, that is an inductive proof of safety for histories of any length. It takes nothing from the game or
//! the learner but the automaton and the cubes, which may be wrong.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::abstraction::{CubeGame, Knowledge};
use super::automaton::InterfaceAutomaton;
use super::explore::ExploredClass;
use super::model::Certificate;
use super::study::Study;
use crate::ask::Answer;
use crate::query::kinds::{self, interface::Cube};
use crate::query::{ActionId, ConstructorId, Exit, Step, Subject};

/// The abstract states that an object may be in, for each state of an interface.
pub fn regions(abstraction: &CubeGame, automaton: &InterfaceAutomaton) -> Vec<Knowledge> {
    let mut regions = vec![Knowledge::new(); automaton.states.len()];
    let mut open: Vec<(usize, usize)> = abstraction.initial.iter().map(|s| (*s, 0)).collect();
    while let Some((state, q)) = open.pop() {
        let Some(declared) = automaton.states.get(q) else {
            continue;
        };
        if !regions[q].insert(state) {
            continue;
        }
        for (letter, target) in &declared.next {
            open.extend(abstraction.successors(state, *letter).map(|s| (s, *target)));
        }
    }
    regions
}

/// What is asked for a certificate.
enum Ask {
    Start(ConstructorId),
    Call { q: usize, action: ActionId },
    Invariant(Step),
}

/// Checks an interface on the class.
pub fn certify(
    study: &Study<'_>,
    explored: &ExploredClass,
    automaton: &InterfaceAutomaton,
) -> Certificate {
    let interface = study.abstracted;
    let subject = study.desk.subject();
    let regions: Vec<BTreeSet<Cube>> = regions(&explored.abstraction, automaton)
        .iter()
        .map(|region| region.iter().map(|s| explored.cubes[*s].clone()).collect())
        .collect();
    let mut questions: Vec<Ask> = subject.constructor_ids().map(Ask::Start).collect();
    for (q, state) in automaton.states.iter().enumerate() {
        let legal = state.legal.iter().map(|action| ActionId(*action));
        questions.extend(legal.map(|action| Ask::Call { q, action }));
    }
    let own = questions.len();
    questions.extend(invariant_steps(subject).into_iter().map(Ask::Invariant));
    let failures: Vec<Option<(bool, String)>> = questions
        .par_iter()
        .map(|question| match question {
            Ask::Start(constructor) => {
                let inside = regions.first().cloned().unwrap_or_default();
                let name = format!("`{}`", subject[*constructor].shown);
                let answer = study.ask(&interface.starts_outside(*constructor, &inside));
                failure(answer, &name, "may end where the interface does not start")
                    .map(|f| (true, f))
            }
            Ask::Call { q, action } => {
                let state = &automaton.states[*q];
                let letters = explored.abstraction.alphabet.of_action(action.0);
                let targets: BTreeMap<usize, BTreeSet<Cube>> = letters
                    .enumerate()
                    .filter_map(|(seen, letter)| {
                        let target = state.next.get(&letter)?;
                        Some((seen, regions[*target].clone()))
                    })
                    .collect();
                let label = format!("Q{}", q + 1);
                let answer = study.ask(&interface.escapes(&label, &regions[*q], *action, &targets));
                let name = format!("`{}` in {label}", subject[*action].shown);
                let what = format!(
                    "may {}, or end where the interface does not say",
                    interface.forbidden_words()
                );
                failure(answer, &name, &what).map(|f| (true, f))
            }
            Ask::Invariant(step) => {
                let answer = study.ask(&kinds::invariant_violation(subject, step));
                (!answer.is_no()).then(|| (false, subject.shown(step.callee).to_owned()))
            }
        })
        .collect();
    let found: Vec<(bool, String)> = failures.into_iter().flatten().collect();
    let of = |own: bool| -> Vec<String> {
        let matching = found.iter().filter(|(is_own, _)| *is_own == own);
        matching.map(|(_, text)| text.clone()).collect()
    };
    let failures = of(true);
    Certificate {
        holds: failures.is_empty(),
        questions: own,
        failures,
        breaks_invariant: of(false),
    }
}

fn failure(answer: Answer, name: &str, what: &str) -> Option<String> {
    match answer.settled() {
        Ok(None) => None,
        Ok(Some(_)) => Some(format!("{name} {what}")),
        Err(why) => Some(format!("{name} {what}: not known ({why})")),
    }
}

/// The calls that could break the invariant.
fn invariant_steps(subject: &Subject) -> Vec<Step> {
    if !subject.has_invariant() {
        return vec![];
    }
    let constructors = subject.constructor_ids();
    let constructors = constructors.filter(|id| subject[*id].routine.is_some());
    let constructors = constructors.map(|id| Step::construct(id, Exit::Normal));
    let actions = subject.action_ids();
    let actions = actions.filter(|id| subject.changes_something(subject[*id].routine));
    let actions = actions.map(|id| Step::anywhere(id, Exit::Any));
    constructors.chain(actions).collect()
}
