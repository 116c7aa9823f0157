//! Clauses that may hold in a state, the telling ones first.

use crate::epa::confirm;
use crate::ir::formula;
use crate::ir::{BinaryOp, CompareOp, Expr, ExprKind, Type};
use crate::query::Subject;

/// No more clauses than these are tried in one state.
const MOST: usize = 300;

/// What the class by itself suggests. Where several say the same, those in front are the ones to keep.
pub(super) fn of_class(subject: &Subject) -> Vec<Expr> {
    let mut clauses = confirm::atoms_of_class(subject);
    clauses.extend(positions(subject));
    clauses.sort_by_key(rank);
    clauses.truncate(MOST);
    clauses
}

/// Where the numbers of an object are within its arrays.
fn positions(subject: &Subject) -> Vec<Expr> {
    let fields = formula::own_fields(&subject.program, subject.class);
    let numbers = fields.iter().filter(|field| field.ty == Type::Int);
    let mut found = Vec::new();
    for number in numbers {
        for array in &fields {
            let Type::Array { nullable, .. } = array.ty else {
                continue;
            };
            let length = formula::expr(ExprKind::Length(array.clone()), Type::Int);
            for op in [CompareOp::Eq, CompareOp::Lt, CompareOp::Le] {
                let within = formula::compare(op, number.clone(), length.clone());
                found.push(match nullable {
                    true => {
                        let there = formula::compare(CompareOp::Ne, array.clone(), formula::null());
                        formula::implies(there, within)
                    }
                    false => within,
                });
            }
        }
    }
    found
}

/// The clause without a condition that is known to hold: `a != null ==> n < a.length` where `a != null`.
pub(super) fn shortened(clause: Expr, known: &[Expr]) -> Expr {
    match &*clause.kind {
        ExprKind::Binary(BinaryOp::Implies, condition, then)
            if known.iter().any(|other| formula::same(other, condition)) =>
        {
            then.clone()
        }
        _ => clause,
    }
}

/// What a clause tells, of the same length: what something is, before what it is not.
pub(super) fn rank(clause: &Expr) -> u8 {
    match &*clause.kind {
        ExprKind::Compare(op, a, b) => match op {
            _ if is_null(a) || is_null(b) => 0,
            CompareOp::Eq => 1,
            CompareOp::Lt | CompareOp::Gt => 2,
            CompareOp::Le | CompareOp::Ge => 3,
            CompareOp::Ne => 4,
        },
        ExprKind::Binary(BinaryOp::Implies, _, then) => 5 + rank(then),
        _ => 0,
    }
}

fn is_null(e: &Expr) -> bool {
    matches!(*e.kind, ExprKind::Null)
}
