//! Invariants: clauses are proposed ([`super::candidates`]), and those stay that every constructor establishes and every call
//! keeps.

use std::collections::BTreeSet;

use crate::ask::houdini::{self, Kept};
use crate::engine::EngineError;
use crate::ir::backwards::{WantedEnd, Which};
use crate::ir::effects::Effects;
use crate::ir::formula;
use crate::ir::{BinaryOp, ClassId, Expr, ExprKind, FieldRef, Program, RoutineRef};

use super::candidates::{Proposed, candidates};
use crate::typestate::conditions::Conditions;
use crate::typestate::precondition::PreconditionOptions;

/// No more clauses than these are tried.
const MOST: usize = 160;

/// Nor is more done for them: some seconds' work. What is not tried by then is not kept.
const MOST_WORK: u64 = 8_000_000;

/// Clauses over the object's own fields that every constructor establishes and every allowed call of the actions
/// keeps, however it ends; none that follows from the class's own invariant and the others.
///
/// # Errors
/// Z3 cannot be run.
pub fn invariants(
    program: &Program,
    class: ClassId,
    actions: &[RoutineRef],
    proposed: &Proposed,
    options: &PreconditionOptions,
) -> Result<Vec<Expr>, EngineError> {
    let mut conditions = Conditions::new(program, class, options)?;
    let own = conditions.invariant().to_vec();
    let mut clauses = candidates(program, class, proposed);
    clauses.truncate(MOST);
    let constructors = program.constructors(class);
    let actions: Vec<_> = actions.iter().copied().map(Some).collect();
    let effects = Effects::of(program);
    let may_break = |routine: &Option<RoutineRef>, clause: &Expr| {
        constructors.contains(routine)
            || routine.is_none_or(|r| !effects.routine(r).writes.is_disjoint(&fields_of(clause)))
    };
    let ask = |routine: &Option<RoutineRef>, assumed: &[Expr], goal: &[Expr]| {
        // Of an object that is only being made, no clause holds yet, and there is none where that ends in an exception.
        let makes = constructors.contains(routine);
        if conditions.work() > MOST_WORK || options.interrupt.is_set() {
            return Kept::But((0..goal.len()).collect());
        }
        conditions.assume(own.iter().chain(assumed).cloned().collect());
        let mut breaks = |clauses: &[Expr]| {
            let broken = formula::not(formula::all(clauses.iter().cloned()));
            let ends = match makes {
                true => normally(broken),
                false => anyhow(broken),
            };
            conditions.work() > MOST_WORK || conditions.may_end(*routine, &ends)
        };
        let broken = broken_among(goal, 0, &mut breaks);
        match broken.is_empty() {
            true => Kept::All,
            false => Kept::But(broken),
        }
    };
    clauses = houdini::kept(clauses, &constructors, &actions, may_break, ask);
    conditions.assume(own);
    let mut index = clauses.len();
    while index > 0 {
        index -= 1;
        let others = clauses.iter().enumerate().filter(|(i, _)| *i != index);
        let others: Vec<&Expr> = others.map(|(_, c)| c).collect();
        if conditions.implied(&others, &clauses[index]) {
            clauses.remove(index);
        }
    }
    let known = clauses.clone();
    Ok(clauses.into_iter().map(|e| shortened(e, &known)).collect())
}

/// The clause without what it leaves open and another one excludes: `a == null || a.length == 1` where `a != null`.
fn shortened(clause: Expr, known: &[Expr]) -> Expr {
    let ExprKind::Binary(BinaryOp::Or, a, b) = &*clause.kind else {
        return clause;
    };
    let excluded = formula::not(a.clone());
    match known.iter().any(|other| formula::same(other, &excluded)) {
        true => b.clone(),
        false => clause,
    }
}

/// Which of the clauses are broken, by their positions behind the first. Mostly none is, or few: all are asked about at once,
/// then halves of them.
fn broken_among(
    clauses: &[Expr],
    first: usize,
    breaks: &mut impl FnMut(&[Expr]) -> bool,
) -> BTreeSet<usize> {
    if clauses.is_empty() || !breaks(clauses) {
        return BTreeSet::new();
    }
    if clauses.len() == 1 {
        return BTreeSet::from([first]);
    }
    let (front, back) = clauses.split_at(clauses.len() / 2);
    let mut broken = broken_among(front, first, breaks);
    broken.extend(broken_among(back, first + front.len(), breaks));
    broken
}

/// That a call ends normally where this holds.
fn normally(state: Expr) -> WantedEnd {
    WantedEnd {
        normal: Some(state),
        ..WantedEnd::default()
    }
}

/// That a call ends where this holds, in whatever way.
fn anyhow(state: Expr) -> WantedEnd {
    WantedEnd {
        normal: Some(state.clone()),
        raised: Some((Which::All, state.clone())),
        outside: Some(state),
        refused: false,
    }
}

/// The fields that a clause speaks of.
fn fields_of(clause: &Expr) -> BTreeSet<FieldRef> {
    let mut found = BTreeSet::new();
    formula::contains(clause, &mut |e| {
        if let ExprKind::Field(_, field) = &*e.kind {
            found.insert(*field);
        }
        false
    });
    found
}
