//! Quantifiers over a range of integers, as nearly all are that speak of arrays: `forall i: int :: 0 <= i < a.length ==> …`.
//!
//! To find an object where such a clause holds, a solver would have to find elements for any length at all, and mostly gives up. A
//! short one is enough: where the range has but a few integers, the clause is said of each of them.

use num_bigint::BigInt;

use super::term::BoogieTerm;
use crate::ir::formula;
use crate::ir::{BinaryOp, CompareOp, Expr, ExprKind, Quantifier, Type, VarId};

/// A range with more integers than these is not short.
const MOST_INTEGERS: u32 = 3;

/// The integers that a quantified clause is about: all others make no difference to it.
pub(super) struct IntegerRange<'e> {
    /// The first of them.
    first: BigInt,
    /// Where they end.
    end: &'e Expr,
    /// Whether the end is one of them.
    is_closed: bool,
}

impl<'e> IntegerRange<'e> {
    /// The range of a variable, where the clause says it and quantifies over nothing else.
    pub(super) fn of(
        quantifier: Quantifier,
        (var, ty): (VarId, &Type),
        body: &'e Expr,
    ) -> Option<Self> {
        let mut first = match ty {
            Type::Int => None,
            Type::Nat => Some(BigInt::from(0)),
            _ => return None,
        };
        if formula::contains(body, &mut |e| matches!(&*e.kind, ExprKind::Quantified(..))) {
            return None;
        }
        let mut end = None;
        for bound in bounds(quantifier, body) {
            let ExprKind::Compare(op, a, b) = &*bound.kind else {
                continue;
            };
            let is_var = |e: &Expr| matches!(&*e.kind, ExprKind::Var(id) if *id == var);
            let (op, other) = match (is_var(a), is_var(b)) {
                (true, false) => (*op, b),
                (false, true) => (op.mirrored(), a),
                _ => continue,
            };
            let past = |n: &BigInt, by: u8| n + BigInt::from(by);
            match (op, &*other.kind) {
                (CompareOp::Ge, ExprKind::Int(n)) => first = first.max(Some(past(n, 0))),
                (CompareOp::Gt, ExprKind::Int(n)) => first = first.max(Some(past(n, 1))),
                (CompareOp::Lt | CompareOp::Le, _) if end.is_none() => {
                    let is_free = !formula::contains(other, &mut |e| is_var(e));
                    end = is_free.then_some((other, op == CompareOp::Le));
                }
                _ => {}
            }
        }
        let (end, is_closed) = end?;
        Some(IntegerRange {
            first: first?,
            end,
            is_closed,
        })
    }

    /// That there are but a few of them, where it ends here.
    pub(super) fn is_short(&self, encode: impl Fn(&Expr) -> BoogieTerm) -> BoogieTerm {
        let op = if self.is_closed { "<" } else { "<=" };
        let last = BoogieTerm::int(&(&self.first + BigInt::from(MOST_INTEGERS)));
        BoogieTerm::binary(op, encode(self.end), last)
    }

    /// These few.
    pub(super) fn integers(&self) -> impl Iterator<Item = BigInt> + '_ {
        (0..MOST_INTEGERS).map(|n| &self.first + BigInt::from(n))
    }
}

/// What the clause says of the variable before it says more: of what is outside, it says nothing.
fn bounds(quantifier: Quantifier, body: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    let mut open = Vec::new();
    match quantifier {
        Quantifier::Exists => open.push(body),
        Quantifier::Forall => {
            let mut rest = body;
            while let ExprKind::Binary(BinaryOp::Implies, condition, then) = &*rest.kind {
                open.push(condition);
                rest = then;
            }
            if let ExprKind::Not(never) = &*rest.kind {
                open.push(never);
            }
        }
    }
    while let Some(e) = open.pop() {
        match &*e.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => open.extend([a, b]),
            _ => found.push(e),
        }
    }
    found
}
