//! Questions of which an EPA is made: where a call may end, and how.

use std::collections::BTreeSet;

use super::QuestionKind;
use crate::ir::Expr;
use crate::query::words::capped;
use crate::query::{
    AbstractState, ActionId, Callee, Clause, End, Exit, Holds, Mark, Places, Query, StateEnd, Step,
    Subject,
};

/// The kinds that can be asked by name.
pub const KINDS: &[QuestionKind] = &[
    QuestionKind {
        name: "initial-state",
        about: "Can --constructor end in --to?",
        query: |subject, given| {
            Ok(transition(
                subject,
                &given.construct(subject)?,
                &given.target()?,
            ))
        },
    },
    QuestionKind {
        name: "transition",
        about: "Can --action, called in --from, end in --to?",
        query: |subject, given| Ok(transition(subject, &given.step()?, &given.target()?)),
    },
    QuestionKind {
        name: CERTAIN_TRANSITION,
        about: "Can --action, called certainly in --from, end certainly in --to?",
        query: |subject, given| {
            Ok(certain_transition(
                subject,
                &given.step()?,
                &given.target()?,
            ))
        },
    },
    QuestionKind {
        name: "exceptional-exit",
        about: "Can --action, called in --from, raise --exception and leave the object in --to?",
        query: |subject, given| Ok(transition(subject, &given.step()?, &given.target()?)),
    },
    QuestionKind {
        name: "necessarily-enabled",
        about: "Is --of enabled whenever --action, called in --from, has ended?",
        query: |subject, given| {
            Ok(necessarily_enabled(
                subject,
                &given.step()?,
                Mark::Enabled(given.of()?),
            ))
        },
    },
    QuestionKind {
        name: "necessarily-disabled",
        about: "Is --of disabled whenever --action, called in --from, has ended?",
        query: |subject, given| {
            Ok(necessarily_disabled(
                subject,
                &given.step()?,
                Mark::Enabled(given.of()?),
            ))
        },
    },
    QuestionKind {
        name: ANY_OTHER_TARGET,
        about: "Can --action, called in --from, end in none of the --to?",
        query: |subject, given| Ok(any_other_target(subject, &given.step()?, &given.targets())),
    },
    QuestionKind {
        name: "stays",
        about: "Can --action, called in --from, leave the object in any other state?",
        query: |subject, given| Ok(stays(subject, &given.step()?)),
    },
    QuestionKind {
        name: "invariant-violation",
        about: "Can --action, called in --from (or anywhere), break the invariant?",
        query: |subject, given| Ok(invariant_violation(subject, &given.step_anywhere()?)),
    },
    QuestionKind {
        name: "consistent-state",
        about: "Is there a configuration in --to at all?",
        query: |subject, given| Ok(consistent_state(subject, &given.target()?)),
    },
    QuestionKind {
        name: "any-other-state",
        about: "Is there a configuration in none of the --to?",
        query: |subject, given| Ok(any_other_state(subject, &given.targets())),
    },
];

const CERTAIN_TRANSITION: &str = "certain-transition";

/// The name of the kind, for the counts.
pub const ANY_OTHER_TARGET: &str = "any-other-target";
/// The name of the kind, for the counts.
pub const ANY_OTHER_WAY: &str = "any-other-way";

/// Is there a configuration in which exactly these actions are enabled?
pub fn consistent_state(subject: &Subject, state: &AbstractState) -> Query {
    let name = format!("consistent_state.to_{}", subject.state_word(state));
    let words = subject.state_words(state);
    let sentence = format!("is there a configuration in {words}?");
    Query {
        end: in_state(subject, state),
        ..Query::of_configurations("consistent-state", name, sentence)
    }
}

/// Is there a configuration whose enabled actions are none of these sets?
pub fn any_other_state(subject: &Subject, known: &BTreeSet<AbstractState>) -> Query {
    let name = format!("any_other_state.outside_{}", subject.states_word(known));
    let sentence = "is there a configuration in a state not known yet?".into();
    Query {
        end: in_other_state(subject, known),
        ..Query::of_configurations("any-other-state", name, sentence)
    }
}

/// Can the call end in this state?
pub fn transition(subject: &Subject, step: &Step, target: &AbstractState) -> Query {
    let kind = match &step.exit {
        _ if step.callee.is_constructor() => "initial-state",
        Exit::Exception(_) => "exceptional-exit",
        _ => "transition",
    };
    let to = format!(".to_{}", subject.state_word(target));
    let end = format!("in {}", subject.state_words(target));
    Query {
        end: in_state(subject, target),
        ..call(subject, kind, step, &to, &end)
    }
}

/// Can the call, made where it is certain which actions can be called, end in this state and certainly in no other?
pub fn certain_transition(subject: &Subject, step: &Step, target: &AbstractState) -> Query {
    let to = format!(".to_{}", subject.state_word(target));
    let end = format!(
        "in {} and certainly in no other",
        subject.state_words(target)
    );
    let mut query = call(subject, CERTAIN_TRANSITION, step, &to, &end);
    if let Some(source) = &step.source {
        query.start.state = certainly(subject, source);
    }
    query.end = End::State(certainly(subject, target));
    query
}

/// Can the call end in a state that is none of these?
pub fn any_other_target(subject: &Subject, step: &Step, known: &BTreeSet<AbstractState>) -> Query {
    let outside = format!(".outside_{}", subject.states_word(known));
    let end = "in a state not known yet";
    Query {
        end: in_other_state(subject, known),
        ..call(subject, ANY_OTHER_TARGET, step, &outside, end)
    }
}

/// Can the action, called in this state, end in one of these ways, in a state in which it is not known to end so?
pub fn any_other_way(
    subject: &Subject,
    source: &AbstractState,
    action: ActionId,
    exits: &[Exit],
    known: &BTreeSet<StateEnd>,
) -> Query {
    let raised = subject.exceptions_of(subject[action].routine);
    let step = Step::call(source.clone(), action, Exit::any_of(exits, raised));
    let outside = format!(".outside_{}", subject.ends_word(exits.len(), known));
    let end = "in a way and a state not known yet";
    Query {
        end: End::OtherState {
            exits: exits.to_vec(),
            known: known.clone(),
            assumed: subject.assumptions(),
        },
        ..call(subject, ANY_OTHER_WAY, &step, &outside, end)
    }
}

/// Can the call end in one of these ways, wherever it leaves the object, and in none of those known (by their positions)? In
/// which, is recorded.
pub fn any_other_exit(
    subject: &Subject,
    callee: Callee,
    source: Option<&AbstractState>,
    exits: &[Exit],
    known: &BTreeSet<usize>,
) -> Query {
    let thrown = subject.thrown_by(callee);
    let step = Step {
        callee,
        source: source.cloned(),
        exit: Exit::any_of(exits, &thrown),
    };
    let ways: Vec<String> = exits.iter().map(|exit| subject.way_word(exit)).collect();
    let known_ways: Vec<String> = known.iter().map(usize::to_string).collect();
    let (ways, known_ways) = (capped(&ways, "way"), capped(&known_ways, "way"));
    let of = format!(".in_{ways}.outside_{known_ways}");
    let end = match step.exit {
        Exit::OtherException(_) => "in an exception not known yet",
        _ => "in a way not known yet",
    };
    let query = call(subject, "any-other-exit", &step, &of, end);
    let invariant = match source {
        Some(_) => Holds::Yes,
        None => Holds::Either,
    };
    Query {
        end: End::Place(Places {
            seen: Some(exits.to_vec()),
            predicates: Vec::new(),
            known: known.iter().map(|exit| (*exit, Vec::new())).collect(),
            wanted: None,
        }),
        ..query.ending_where(invariant)
    }
}

/// Can the call end in another state than the one that it is made in?
pub fn stays(subject: &Subject, step: &Step) -> Query {
    let known = step.source.iter().cloned().collect();
    Query {
        end: in_other_state(subject, &known),
        ..call(subject, "stays", step, "", "in another state")
    }
}

/// Can the call end with the action disabled? (If not, it is necessarily enabled: in B⁺.) Or without what a predicate says.
pub fn necessarily_enabled(subject: &Subject, step: &Step, mark: Mark) -> Query {
    let words = match mark {
        Mark::Enabled(_) => ("disabled", "cannot be called now"),
        Mark::Holds(_) => ("false", "does not hold now"),
    };
    let formula = &subject.guard(mark).disabled;
    marked(subject, "necessarily-enabled", step, mark, words, formula)
}

/// Can the call end with the action enabled? (If not, it is necessarily disabled: in B⁻.) Or with what a predicate says.
pub fn necessarily_disabled(subject: &Subject, step: &Step, mark: Mark) -> Query {
    let words = match mark {
        Mark::Enabled(_) => ("enabled", "can be called now"),
        Mark::Holds(_) => ("true", "holds now"),
    };
    let formula = &subject.guard(mark).enabled;
    marked(subject, "necessarily-disabled", step, mark, words, formula)
}

/// Can the call end where this holds, which says of a mark whether it is there? With words for the sentence, and for the text.
fn marked(
    subject: &Subject,
    kind: &'static str,
    step: &Step,
    mark: Mark,
    (end, remark): (&str, &str),
    formula: &Expr,
) -> Query {
    let of = match mark {
        Mark::Enabled(action) => format!(".of_{}", subject[action].name),
        // A predicate is no word.
        Mark::Holds(predicate) => format!(".of_predicate_{}", predicate.0 + 1),
    };
    let name = subject.mark_name(mark);
    Query {
        end: End::Holds {
            remark: format!("{name} {remark}"),
            formulas: vec![formula.clone()],
        },
        ..call(subject, kind, step, &of, &format!("with `{name}` {end}"))
    }
}

/// Can the call end in a configuration that breaks the invariant?
pub fn invariant_violation(subject: &Subject, step: &Step) -> Query {
    let end = "where the invariant does not hold";
    Query {
        end: End::Holds {
            remark: "the invariant does not hold".into(),
            formulas: vec![],
        },
        ..call(subject, "invariant-violation", step, "", end)
    }
    .ending_where(Holds::No)
}

/// Can the call end this way, wherever it leaves the object?
pub fn exit(subject: &Subject, step: &Step) -> Query {
    let mut query = call(subject, "exit", step, "", "").ending_where(Holds::Either);
    if let Exit::Exception(e) = &step.exit {
        let called = subject.step_words(step);
        query.sentence = format!(
            "can {called} raise {}?",
            subject.program.exception_shown(*e)
        );
    }
    query
}

/// Can the call end with the invariant kept, and what is still to be said? What its name and its sentence end in is given.
fn call(subject: &Subject, kind: &'static str, step: &Step, of: &str, end: &str) -> Query {
    let name = format!("{}{}{of}", kind.replace('-', "_"), subject.step_word(step));
    let space = if end.is_empty() { "" } else { " " };
    let sentence = format!(
        "can {} {}{space}{end}?",
        subject.step_words(step),
        subject.end_words(step)
    );
    let mut query = Query::of_call(kind, name, sentence, step).ending_where(Holds::Yes);
    if let Some(source) = &step.source {
        query.start.state = state(subject, source);
    }
    query
}

/// Exactly these actions can be called, and what the class says of this state.
fn in_state(subject: &Subject, target: &AbstractState) -> End {
    End::State(state(subject, target))
}

fn in_other_state(subject: &Subject, known: &BTreeSet<AbstractState>) -> End {
    End::OtherState {
        exits: Vec::new(),
        known: known.iter().map(|state| (0, state.clone())).collect(),
        assumed: subject.assumptions(),
    }
}

/// A state, clause by clause: which actions can be called, and what the class says of it.
pub fn state(subject: &Subject, state: &AbstractState) -> Vec<Clause> {
    let known = subject
        .assumptions()
        .into_iter()
        .filter(|(assumed, _)| assumed.enables_the_same(state));
    let known = known.map(|(_, formula)| Clause {
        formula,
        remark: "known of this state".into(),
    });
    guards(subject, state).into_iter().chain(known).collect()
}

/// As [`state`], of objects of which it is certain that they are in this state: the same but where a guard is
/// over-approximated.
pub fn certainly(subject: &Subject, target: &AbstractState) -> Vec<Clause> {
    let mut clauses = state(subject, target);
    for (clause, mark) in clauses.iter_mut().zip(subject.marks()) {
        if !subject.guard(mark).is_certain() {
            clause.formula = subject.certain_in(target, mark);
            clause.remark = format!("{}, certainly", clause.remark);
        }
    }
    clauses
}

/// What tells a state from others, clause by clause, in the order of [`Subject::marks`].
pub fn guards(subject: &Subject, state: &AbstractState) -> Vec<Clause> {
    let clauses = subject.marks().map(|mark| {
        let verb = match (mark, state.has(mark)) {
            (Mark::Enabled(_), true) => "is enabled",
            (Mark::Enabled(_), false) => "is disabled",
            (Mark::Holds(_), true) => "holds",
            (Mark::Holds(_), false) => "does not hold",
        };
        Clause {
            formula: subject.guard_in(state, mark).clone(),
            remark: format!("{} {verb}", subject.mark_name(mark)),
        }
    });
    clauses.collect()
}
