//! Cases of what is not to be, as clauses that one would write: `closed ==> len == 0`, `state == 2 || state == 3`.

use crate::ir::formula;
use crate::ir::{CompareOp, Expr, ExprKind, RoutineRef};
use crate::typestate::cases::Case;
use crate::typestate::conditions::Conditions;

/// No more conditions than this are put in front of a clause, so that it is defined.
const MOST_GUARDS: usize = 8;

/// One clause for each case, so that together they hold just where none of the cases does. What the routine requires
/// already is not said again.
pub(super) fn clauses(
    conditions: &mut Conditions,
    routine: RoutineRef,
    cases: Vec<Case>,
) -> Vec<Expr> {
    let given = conditions.required_by(routine);
    let literals: Vec<Vec<Expr>> = cases
        .into_iter()
        .map(|case| conditions.literals_given(case, &given))
        .collect();
    let mut clauses: Vec<Expr> = Vec::new();
    for index in 0..literals.len() {
        let others = literals.iter().enumerate().filter(|(i, _)| *i != index);
        let others = formula::any(others.map(|(_, other)| formula::all(other.iter().cloned())));
        let known: Vec<Expr> = given
            .iter()
            .cloned()
            .chain([formula::not(others)])
            .collect();
        let defined = defined(conditions, &known, literals[index].clone());
        let clause = denied(defined);
        if !clauses.iter().any(|c| formula::same(c, &clause)) {
            clauses.push(clause);
        }
    }
    clauses
}

/// The literals, in an order in which each is defined where those before it hold: a clause that is not defined does not
/// hold, and would forbid what nothing is said of.
fn defined(conditions: &mut Conditions, known: &[Expr], literals: Vec<Expr>) -> Vec<Expr> {
    let mut literals = literals;
    for _ in 0..MOST_GUARDS {
        let Some((index, guard)) = first_hazard(conditions, known, &literals) else {
            break;
        };
        literals.retain(|e| !formula::same(e, &guard));
        literals.insert(index.min(literals.len()), guard);
    }
    literals
}

/// What has to hold before which literal.
fn first_hazard(
    conditions: &mut Conditions,
    known: &[Expr],
    literals: &[Expr],
) -> Option<(usize, Expr)> {
    for (index, literal) in literals.iter().enumerate() {
        for hazard in formula::hazards(conditions.program(), literal) {
            if hazard.against_type {
                continue;
            }
            let before = literals.get(..index).unwrap_or_default();
            let all: Vec<&Expr> = known.iter().chain(before).chain([&hazard.when]).collect();
            if conditions.possible(&all) {
                return Some((index, formula::not(hazard.when)));
            }
        }
    }
    None
}

/// That the literals do not all hold.
fn denied(mut literals: Vec<Expr>) -> Expr {
    let Some(last) = literals.pop() else {
        return formula::bool(false);
    };
    let denies = |e: &Expr| {
        matches!(
            &*e.kind,
            ExprKind::Not(_) | ExprKind::Compare(CompareOp::Ne, ..)
        )
    };
    let literals = literals.into_iter().rev();
    literals.fold(formula::not(last), |clause, literal| {
        match denies(&literal) {
            true => formula::or(formula::not(literal), clause),
            false => formula::implies(literal, clause),
        }
    })
}
