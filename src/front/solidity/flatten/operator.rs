//! Operators.

use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{Binary, Expression, NodeId, SolidityType as Ast, Unary};
use crate::front::solidity::flat::{
    FlatBinaryOp, FlatExpr, FlatExprKind, FlatStmtKind, FlatType, Overflow, UnaryOp, Why,
};
use crate::front::solidity::place::FileRange;
use crate::front::solidity::solc::Version;

impl RoutineWriter<'_, '_> {
    pub(super) fn unary(
        &mut self,
        e: &Expression,
        operator: Unary,
        prefix: bool,
        operand: &Expression,
        function: Option<NodeId>,
    ) -> Flat<WrittenValue> {
        if let Some(function) = function {
            return self.operator_function(e, function, &[operand]);
        }
        let op = match operator {
            Unary::Not => UnaryOp::Not,
            Unary::BitNot => UnaryOp::BitNot,
            Unary::Minus => UnaryOp::Minus,
            Unary::Plus => return self.expression(operand),
            Unary::Increment | Unary::Decrement | Unary::Delete => {
                return self.step_value(e, operator, prefix, operand);
            }
        };
        let inner = self.value_as(operand, &e.ty)?;
        if op == UnaryOp::Not {
            return Ok(WrittenValue::Expr(FlatExpr {
                place: e.place,
                ..inner.negated()
            }));
        }
        let overflow = match op {
            UnaryOp::Minus => self.overflow(),
            UnaryOp::Not | UnaryOp::BitNot => Overflow::Wrapping,
        };
        let ty = inner.ty.clone();
        let kind = FlatExprKind::Unary(op, Box::new(inner), overflow);
        Ok(WrittenValue::Expr(FlatExpr::new(kind, ty, e.place)))
    }

    pub(super) fn binary(
        &mut self,
        e: &Expression,
        operator: Binary,
        (left, right): (&Expression, &Expression),
        common: &Ast,
        function: Option<NodeId>,
    ) -> Flat<WrittenValue> {
        if let Some(function) = function {
            return self.operator_function(e, function, &[left, right]);
        }
        match operator {
            Binary::And | Binary::Or => self.lazy(e, operator, left, right),
            Binary::Shl | Binary::Shr | Binary::Exp => self.power(e, operator, left, right),
            _ => {
                let (l, r) = self.operands(left, right)?;
                let common = super::expression::mobile(common);
                let l = self.coerce(l, &left.ty, &common, left.place)?;
                let r = self.coerce(r, &right.ty, &common, right.place)?;
                let (l, r) = (self.plain(l, left.place)?, self.plain(r, right.place)?);
                let op = plain_op(operator);
                Ok(WrittenValue::Expr(self.arithmetic(op, l, r, e.place)))
            }
        }
    }

    /// An operator between operands of one type.
    pub(super) fn arithmetic(
        &self,
        op: FlatBinaryOp,
        left: FlatExpr,
        right: FlatExpr,
        place: FileRange,
    ) -> FlatExpr {
        let ty = if op.is_boolean() {
            FlatType::Bool
        } else {
            left.ty.clone()
        };
        let kind = FlatExprKind::Binary(op, Box::new(left), Box::new(right), self.overflow());
        FlatExpr::new(kind, ty, place)
    }

    /// `&&` and `||`: the right operand, and what it does, only where it matters.
    fn lazy(
        &mut self,
        e: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Flat<WrittenValue> {
        let l = self.value_as(left, &Ast::Bool)?;
        let (mut block, r) = self.nested(|w| w.value_as(right, &Ast::Bool))?;
        if block.is_empty() {
            let op = plain_op(operator);
            return Ok(WrittenValue::Expr(self.arithmetic(op, l, r, e.place)));
        }
        let local = self.temporary(FlatType::Bool, e.place);
        self.write(FlatStmtKind::Declare(local, Some(l)), e.place)?;
        let so_far = FlatExpr::local(local, FlatType::Bool, e.place);
        let set = FlatStmtKind::Declare(local, Some(r));
        block.push(crate::front::solidity::flat::FlatStmt::new(set, e.place));
        let goes_on = match operator {
            Binary::And => so_far.clone(),
            _ => so_far.clone().negated(),
        };
        self.write(FlatStmtKind::If(goes_on, block, Vec::new()), e.place)?;
        Ok(WrittenValue::Expr(so_far))
    }

    /// Shifts and powers: the result has the type of the left operand, the right one its own.
    fn power(
        &mut self,
        e: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Flat<WrittenValue> {
        let (l, r) = self.operands(left, right)?;
        let l = self.coerce(l, &left.ty, &e.ty, left.place)?;
        let l = self.plain(l, left.place)?;
        let r = self.coerce(
            r,
            &right.ty,
            &super::expression::mobile(&right.ty),
            right.place,
        )?;
        let r = self.plain(r, right.place)?;
        self.power_of(operator, l, r, e.place)
            .map(WrittenValue::Expr)
    }

    /// A shift or a power of operands that are there.
    pub(super) fn power_of(
        &mut self,
        operator: Binary,
        l: FlatExpr,
        r: FlatExpr,
        place: FileRange,
    ) -> Flat<FlatExpr> {
        let op = match operator {
            Binary::Exp => FlatBinaryOp::Exp,
            Binary::Shl => FlatBinaryOp::Shl,
            _ if self.f.program.version < Version::new(0, 5, 0) => FlatBinaryOp::ShrToZero,
            _ => FlatBinaryOp::Shr,
        };
        // Until 0.6 a shift could be by a negative number, which reverts.
        let mut r = r;
        if matches!(&r.ty, FlatType::Int(int) if int.signed) {
            r = self.keep(r)?;
            let zero = FlatExpr::number(0, r.ty.clone(), place);
            let positive = self.arithmetic(FlatBinaryOp::Ge, r.clone(), zero, place);
            self.write(FlatStmtKind::Require(positive, Why::Panic(0x11)), place)?;
        }
        let overflow = match op {
            FlatBinaryOp::Exp => self.overflow(),
            _ => Overflow::Wrapping,
        };
        let ty = l.ty.clone();
        let kind = FlatExprKind::Binary(op, Box::new(l), Box::new(r), overflow);
        Ok(FlatExpr::new(kind, ty, place))
    }

    /// `x op y` where `op` may be any that assigns: `x op= y`.
    pub(super) fn combined(
        &mut self,
        operator: Binary,
        left: FlatExpr,
        right: FlatExpr,
        place: FileRange,
    ) -> Flat<FlatExpr> {
        match operator {
            Binary::Shl | Binary::Shr | Binary::Exp => self.power_of(operator, left, right, place),
            _ => {
                let right = self.convert(right, &left.ty.clone());
                Ok(self.arithmetic(plain_op(operator), left, right, place))
            }
        }
    }

    /// An operator of a type of the user's own is a call.
    fn operator_function(
        &mut self,
        e: &Expression,
        function: NodeId,
        operands: &[&Expression],
    ) -> Flat<WrittenValue> {
        let function = self
            .function(function)
            .ok_or_else(|| Rejection::at(e.place, "the function of this operator is missing"))?;
        let values = self.sequence(operands, false)?;
        let types: Vec<&Ast> = operands.iter().map(|operand| &operand.ty).collect();
        self.call_function(&function, values, &types, e.place)
    }
}

fn plain_op(operator: Binary) -> FlatBinaryOp {
    match operator {
        Binary::Add => FlatBinaryOp::Add,
        Binary::Sub => FlatBinaryOp::Sub,
        Binary::Mul => FlatBinaryOp::Mul,
        Binary::Div => FlatBinaryOp::Div,
        Binary::Mod => FlatBinaryOp::Mod,
        Binary::Exp => FlatBinaryOp::Exp,
        Binary::Shl => FlatBinaryOp::Shl,
        Binary::Shr => FlatBinaryOp::Shr,
        Binary::BitAnd => FlatBinaryOp::BitAnd,
        Binary::BitOr => FlatBinaryOp::BitOr,
        Binary::BitXor => FlatBinaryOp::BitXor,
        Binary::Eq => FlatBinaryOp::Eq,
        Binary::Ne => FlatBinaryOp::Ne,
        Binary::Lt => FlatBinaryOp::Lt,
        Binary::Le => FlatBinaryOp::Le,
        Binary::Gt => FlatBinaryOp::Gt,
        Binary::Ge => FlatBinaryOp::Ge,
        Binary::And => FlatBinaryOp::And,
        Binary::Or => FlatBinaryOp::Or,
    }
}
