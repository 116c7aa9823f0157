//! Questions of a proof by induction: does every call keep these clauses, and does an edge stay where they hold?
//!
//! The clauses may speak of the number of calls made so far, the constructor counted ([`calls`]).

use super::calls::{exit, guards, invariant_violation, transition};
use crate::ir::effects::Footprint;
use crate::ir::formula::{self, Substitution};
use crate::ir::{BinaryOp, CompareOp, Expr, ExprKind, Type, Var, VarId};
use crate::query::{AbstractState, End, Holds, Query, Step, Subject};

/// The number of calls made so far, as a variable.
const CALLS: VarId = VarId(usize::MAX / 4);

/// The number of calls made so far, the constructor counted.
pub fn calls() -> Expr {
    formula::expr(ExprKind::Var(CALLS), Type::Int)
}

/// A clause with the number of calls put in.
pub fn after_calls(clause: &Expr, calls: Expr) -> Expr {
    Substitution::one(CALLS, calls).apply(clause)
}

/// Does the call, where all of `assumed` holds, end where one of `clauses` does not? Which, is recorded.
pub fn breaks_some(subject: &Subject, step: &Step, assumed: &[Expr], clauses: &[Expr]) -> Query {
    let (mut query, clauses) = kept(subject, "breaks-some", step, assumed, clauses);
    query.name = format!("breaks_some.{}", query.name);
    query.sentence = format!(
        "does {} break one of {} clauses?",
        subject.called_words(step.callee),
        clauses.len()
    );
    query.end = End::Fails {
        state: vec![],
        clauses,
    };
    query
}

/// The same of a call that ends in this state.
pub fn breaks_some_in(
    subject: &Subject,
    step: &Step,
    assumed: &[Expr],
    target: &AbstractState,
    clauses: &[Expr],
) -> Query {
    let plain = breaks_some(subject, step, assumed, clauses);
    Query {
        name: format!("{}.to_{}", plain.name, subject.state_word(target)),
        sentence: format!(
            "does {}, ending in {}, break one of {} clauses?",
            subject.step_words(step),
            subject.state_words(target),
            clauses.len()
        ),
        end: End::Fails {
            state: guards(subject, target),
            clauses: clauses.to_vec(),
        },
        ..plain
    }
}

/// Is there a configuration in this state, where all of `assumed` holds, in which one of `clauses` does not? Which, is recorded.
pub fn lacks_some(
    subject: &Subject,
    state: Option<&AbstractState>,
    assumed: &[Expr],
    clauses: &[Expr],
) -> Query {
    let (word, words) = match state {
        Some(state) => (subject.state_word(state), subject.state_words(state)),
        None => ("any".to_owned(), "any state".to_owned()),
    };
    let name = format!("lacks_some.{word}");
    let sentence = format!(
        "is there a configuration in {words} in which one of {} clauses does not hold?",
        clauses.len()
    );
    let mut query = Query::of_configurations("lacks-some", name, sentence);
    query.start.state = state.map_or_else(Vec::new, |state| guards(subject, state));
    query.start.known = assumed.to_vec();
    query.end = End::Fails {
        state: vec![],
        clauses: clauses.to_vec(),
    };
    query
}

/// Does the call, where all of `assumed` holds, end where not all of `clauses` do?
pub fn breaks(subject: &Subject, step: &Step, assumed: &[Expr], clauses: &[Expr]) -> Query {
    let (mut query, clauses) = kept(subject, "breaks", step, assumed, clauses);
    let (what, kind) = match step.callee.is_constructor() {
        true => ("end without establishing", "base"),
        false => ("break", "step"),
    };
    query.name = format!("{kind}.{}", query.name);
    let called = subject.called_words(step.callee);
    query.sentence = format!("can {called} {what} the invariant?");
    query.end = End::Holds {
        remark: "one of these does not hold now".into(),
        formulas: vec![formula::not(formula::all(clauses))],
    };
    query
}

/// Can the call, where all of `assumed` holds, end in this state?
pub fn still_takes(
    subject: &Subject,
    step: &Step,
    assumed: &[Expr],
    target: &AbstractState,
) -> Query {
    Query {
        end: End::State(guards(subject, target)),
        ..still(subject, step, assumed, transition(subject, step, target))
    }
}

/// Can the call, where all of `assumed` holds, end this way, wherever it leaves the object?
pub fn still_ends(subject: &Subject, step: &Step, assumed: &[Expr]) -> Query {
    still(subject, step, assumed, exit(subject, step))
}

/// Can the call, where all of `assumed` holds, break the invariant?
pub fn still_breaks(subject: &Subject, step: &Step, assumed: &[Expr]) -> Query {
    still(subject, step, assumed, invariant_violation(subject, step))
}

/// A question about a call, where all of `assumed` holds before it.
fn still(subject: &Subject, step: &Step, assumed: &[Expr], plain: Query) -> Query {
    let (query, _) = kept(subject, "refutation", step, assumed, &[]);
    Query {
        name: format!("refutation.{}", plain.name),
        sentence: plain.sentence,
        calls: plain.calls,
        end: plain.end,
        ..query
    }
}

/// A call where clauses are assumed, named like one after how it ends; and clauses, as they are where it ends.
fn kept(
    subject: &Subject,
    kind: &'static str,
    step: &Step,
    assumed: &[Expr],
    clauses: &[Expr],
) -> (Query, Vec<Expr>) {
    let mut query = exit(subject, step).ending_where(Holds::Yes);
    query.kind = kind;
    let is_counted = |e: &Expr| formula::contains(e, &mut is_calls);
    // An object that is made needs nothing but the invariant assumed behind the call.
    let after = if step.callee.is_constructor() {
        formula::int(1)
    } else if assumed.iter().chain(clauses).any(is_counted) {
        let one = formula::int(1);
        let some = formula::compare(CompareOp::Le, one.clone(), calls());
        query.start.known.push(some);
        let number = Var {
            name: "calls".into(),
            ty: Type::Int,
        };
        query.ghosts.push((CALLS, number));
        formula::expr(ExprKind::Binary(BinaryOp::Add, calls(), one), Type::Int)
    } else {
        calls()
    };
    if !step.callee.is_constructor() {
        query.start.known.extend_from_slice(assumed);
    }
    let clauses = clauses.iter().map(|e| after_calls(e, after.clone()));
    let clauses = clauses.collect();
    (query, clauses)
}

/// Whether a call may change what a clause speaks of.
pub fn may_change(subject: &Subject, step: &Step, clause: &Expr) -> bool {
    let routine = match step.callee.is_constructor() {
        true => None,
        false => subject.routine(step.callee),
    };
    let Some(routine) = routine else { return true };
    let effects = subject.effects.routine(routine);
    formula::contains(clause, &mut is_calls)
        || effects.may_change(&Footprint::of(&subject.program, clause))
}

fn is_calls(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Var(id) if *id == CALLS)
}

/// Whether a clause speaks of nothing but the object's own fields, what is in objects and arrays that it owns, and the number
/// of calls: such a clause stays true whatever others do.
pub fn is_own(subject: &Subject, clause: &Expr) -> bool {
    !formula::contains(clause, &mut |e| match &*e.kind {
        ExprKind::Field(object, _) => match &*object.kind {
            ExprKind::This => false,
            ExprKind::Field(_, field) => !subject.owned().contains(field),
            _ => true,
        },
        ExprKind::Var(id) => *id != CALLS,
        // The length of an array never changes.
        ExprKind::Length(array) => {
            !matches!(&*array.kind, ExprKind::Field(object, _) if matches!(*object.kind, ExprKind::This))
        }
        ExprKind::Element(array, _) => {
            !matches!(&*array.kind, ExprKind::Field(_, field) if subject.owned().contains(field))
        }
        ExprKind::Store(..)
        | ExprKind::Call { .. }
        | ExprKind::Quantified(..)
        | ExprKind::Old(_) => true,
        _ => false,
    })
}
