//! A share of an amount, `a * b / c`: any number that there can be.
//!
//! ```text
//! hidden share: nat
//! assume b <= c ==> share <= a;      what is vested is no more than all
//! assume b >= c ==> share >= a;
//! assume a == 0 || b == 0 ==> share == 0;
//! ```
//!
//! Whether a contract comes to a state then depends on a product of variables, which solvers decide by luck. What contracts live
//! by is that a part is no more than the whole, and that is kept. Every share that there is meets this: nothing is lost. That the
//! product overflows, which reverts, is left out, for that the call is then drawn as possible loses nothing either.

use super::action::LoweredAction;
use super::{Low, refuse};
use crate::front::solidity::flat::{
    FlatBinaryOp as Op, FlatExpr, FlatExprKind, FlatLiteral, Overflow,
};
use crate::front::tq::ast;
use crate::front::tq::build::{and, binary, compare, equal, int, or};
use crate::ir::{BinaryOp, CompareOp};

/// An amount, a part of another one, and that one.
pub(super) struct Share<'e> {
    amount: &'e FlatExpr,
    part: &'e FlatExpr,
    whole: &'e FlatExpr,
}

impl LoweredAction<'_, '_> {
    /// The share that a division is, where solvers would have to multiply variables.
    pub(super) fn as_share<'e>(&self, e: &'e FlatExpr) -> Option<Share<'e>> {
        let FlatExprKind::Binary(Op::Div, product, whole, _) = &e.kind else {
            return None;
        };
        // One that wraps around is no product.
        let FlatExprKind::Binary(Op::Mul, amount, part, Overflow::Checked) = &product.kind else {
            return None;
        };
        let varies =
            |e: &FlatExpr| self.integer(&e.ty).is_some_and(|ty| !ty.signed) && !self.is_number(e);
        let all = [amount, part, whole];
        all.into_iter().all(|e| varies(e)).then_some(Share {
            amount,
            part,
            whole,
        })
    }

    fn is_number(&self, e: &FlatExpr) -> bool {
        match &e.kind {
            FlatExprKind::Literal(FlatLiteral::Number(_)) => true,
            FlatExprKind::Convert(inner) => self.is_number(inner),
            FlatExprKind::Constant(id) => {
                let known = self.class.contract.constants.get(id.index());
                known.is_some_and(|known| self.is_number(&known.value))
            }
            _ => false,
        }
    }

    /// Its value.
    pub(super) fn share_of(&mut self, share: &Share<'_>, e: &FlatExpr) -> Low<ast::ExprSyntax> {
        if self.integer(&e.ty).is_none() {
            return refuse(e.place, "this operator is not taken yet");
        }
        let (a, b) = (self.value(share.amount)?, self.value(share.part)?);
        let c = self.value(share.whole)?;
        self.check(compare(CompareOp::Ne, c.clone(), int(0)));
        let value = self.hidden("share", &e.ty, e.place)?;
        let follows = |holds, then| binary(BinaryOp::Implies, holds, then);
        let mut known = Vec::new();
        for (factor, other) in [(&a, &b), (&b, &a)] {
            let is_part = compare(CompareOp::Le, other.clone(), c.clone());
            let is_whole = compare(CompareOp::Ge, other.clone(), c.clone());
            known.push(follows(
                is_part,
                compare(CompareOp::Le, value.clone(), factor.clone()),
            ));
            known.push(follows(
                is_whole,
                compare(CompareOp::Ge, value.clone(), factor.clone()),
            ));
        }
        let is_nothing = or(equal(a, int(0)), equal(b, int(0)));
        known.push(follows(is_nothing, equal(value.clone(), int(0))));
        if let Some(known) = known.into_iter().reduce(and) {
            self.check(known);
        }
        self.class.note(
            e.place,
            "a product of variables that is divided is taken as any number that is no more than each factor where the other is \
             no more than the divisor, and no less where it is no less: runs may take another one than the contract computes",
        );
        Ok(value)
    }
}
