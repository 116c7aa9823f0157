//! A share of an amount, `a * b / c`, or a fee, `a * b / 10000`.
//!
//! That a product of 256 bits overflows, which reverts, is left out: to say when would take a product of variables by itself, which
//! solvers decide by luck. Of the share as a whole more is known (`crate::ir::shares`). Of smaller types it is not left out, where
//! amounts that there are can be too large.

use super::action::LoweredAction;
use super::{Low, refuse};
use crate::front::solidity::flat::{
    FlatBinaryOp as Op, FlatExpr, FlatExprKind, FlatLiteral, Overflow,
};
use crate::front::tq::ast;
use crate::front::tq::build::{binary, compare, int};
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
        let is_large = self.integer(&product.ty);
        let is_large = is_large.is_some_and(|ty| !ty.signed && ty.bits == 256);
        let vary = ![amount, part].into_iter().any(|e| self.is_number(e));
        (is_large && vary).then_some(Share {
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
        let Some(ty) = self.integer(&e.ty) else {
            return refuse(e.place, "this operator is not taken yet");
        };
        let (a, b) = (self.value(share.amount)?, self.value(share.part)?);
        let c = self.value(share.whole)?;
        self.check(compare(CompareOp::Ne, c.clone(), int(0)));
        self.class.note(
            e.place,
            "that this product is too large is left out: there the call reverts, and is taken to be possible",
        );
        let value = binary(BinaryOp::Div, binary(BinaryOp::Mul, a, b), c);
        // Where the share itself is too large, the product is, too.
        let (_, most) = self.class.limits(ty);
        self.check(compare(CompareOp::Le, value.clone(), most));
        Ok(value)
    }
}
