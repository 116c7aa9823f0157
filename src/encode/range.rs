//! Quantifiers over a range of integers, as nearly all are that speak of arrays: `forall i: int :: 0 <= i < a.length ==> …`.
//!
//! To find an object where such a clause holds, a solver would have to find elements for any length at all, and mostly gives up. A
//! short one is enough: where the range has but a few integers, the clause is said of each of them.

use num_bigint::BigInt;

use super::term::BoogieTerm;
use crate::ir::formula;
use crate::ir::{CompareOp, Expr, ExprKind, Program, Quantifier, Type, VarId};

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
    /// The range of the only variable, where the clause says it.
    pub(super) fn of(
        program: &Program,
        quantifier: Quantifier,
        vars: &[VarId],
        body: &'e Expr,
    ) -> Option<(VarId, Self)> {
        let [var] = *vars else {
            return None;
        };
        let mut first = match program.var(var).ty {
            Type::Int => None,
            Type::Nat => Some(BigInt::from(0)),
            _ => return None,
        };
        if formula::contains(body, &mut |e| matches!(&*e.kind, ExprKind::Quantified(..))) {
            return None;
        }
        let mut end = None;
        for conjunct in formula::guard_of(quantifier, body) {
            let Some((op, bound)) = formula::bound_on(conjunct, var) else {
                continue;
            };
            match (op, &*bound.kind) {
                (CompareOp::Ge, ExprKind::Int(n)) => first = first.max(Some(n.clone())),
                (CompareOp::Gt, ExprKind::Int(n)) => first = first.max(Some(n + 1)),
                (CompareOp::Lt | CompareOp::Le, _) if end.is_none() => {
                    let is_free = !formula::vars_of(bound).contains(&var);
                    end = is_free.then_some((bound, op == CompareOp::Le));
                }
                _ => {}
            }
        }
        let (end, is_closed) = end?;
        let range = IntegerRange {
            first: first?,
            end,
            is_closed,
        };
        Some((var, range))
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
