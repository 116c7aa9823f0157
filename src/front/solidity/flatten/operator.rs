//! Operators.

use super::writer::{Value, Writer};
use super::{Flat, Stop};
use crate::front::solidity::ast::{Binary, Expression, NodeId, Type as Ast, Unary};
use crate::front::solidity::flat::{
    BinaryOp, Expr, ExprKind, Overflow, StmtKind, Type, UnaryOp, Why,
};
use crate::front::solidity::place::Place;
use crate::front::solidity::solc::Version;

impl Writer<'_, '_> {
    pub fn unary(
        &mut self,
        e: &Expression,
        operator: Unary,
        prefix: bool,
        operand: &Expression,
        function: Option<NodeId>,
    ) -> Flat<Value> {
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
            return Ok(Value::Expr(Expr {
                place: e.place,
                ..inner.negated()
            }));
        }
        let overflow = match op {
            UnaryOp::Minus => self.overflow(),
            UnaryOp::Not | UnaryOp::BitNot => Overflow::Wrapping,
        };
        let ty = inner.ty.clone();
        let kind = ExprKind::Unary(op, Box::new(inner), overflow);
        Ok(Value::Expr(Expr::new(kind, ty, e.place)))
    }

    pub fn binary(
        &mut self,
        e: &Expression,
        operator: Binary,
        (left, right): (&Expression, &Expression),
        common: &Ast,
        function: Option<NodeId>,
    ) -> Flat<Value> {
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
                Ok(Value::Expr(self.arithmetic(op, l, r, e.place)))
            }
        }
    }

    /// An operator between operands of one type.
    pub fn arithmetic(&self, op: BinaryOp, left: Expr, right: Expr, place: Place) -> Expr {
        let ty = if op.is_boolean() {
            Type::Bool
        } else {
            left.ty.clone()
        };
        let kind = ExprKind::Binary(op, Box::new(left), Box::new(right), self.overflow());
        Expr::new(kind, ty, place)
    }

    /// `&&` and `||`: the right operand, and what it does, only where it matters.
    fn lazy(
        &mut self,
        e: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Flat<Value> {
        let l = self.value_as(left, &Ast::Bool)?;
        let (mut block, r) = self.nested(|w| w.value_as(right, &Ast::Bool))?;
        if block.is_empty() {
            let op = plain_op(operator);
            return Ok(Value::Expr(self.arithmetic(op, l, r, e.place)));
        }
        let local = self.temporary(Type::Bool, e.place);
        self.write(StmtKind::Declare(local, Some(l)), e.place)?;
        let so_far = Expr::local(local, Type::Bool, e.place);
        let set = StmtKind::Declare(local, Some(r));
        block.push(crate::front::solidity::flat::Stmt::new(set, e.place));
        let goes_on = match operator {
            Binary::And => so_far.clone(),
            _ => so_far.clone().negated(),
        };
        self.write(StmtKind::If(goes_on, block, Vec::new()), e.place)?;
        Ok(Value::Expr(so_far))
    }

    /// Shifts and powers: the result has the type of the left operand, the right one its own.
    fn power(
        &mut self,
        e: &Expression,
        operator: Binary,
        left: &Expression,
        right: &Expression,
    ) -> Flat<Value> {
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
        self.power_of(operator, l, r, e.place).map(Value::Expr)
    }

    /// A shift or a power of operands that are there.
    pub fn power_of(&mut self, operator: Binary, l: Expr, r: Expr, place: Place) -> Flat<Expr> {
        let op = match operator {
            Binary::Exp => BinaryOp::Exp,
            Binary::Shl => BinaryOp::Shl,
            _ if self.f.program.version < Version::new(0, 5, 0) => BinaryOp::ShrToZero,
            _ => BinaryOp::Shr,
        };
        // Until 0.6 a shift could be by a negative number, which reverts.
        let mut r = r;
        if matches!(&r.ty, Type::Int(int) if int.signed) {
            r = self.keep(r)?;
            let zero = Expr::number(0, r.ty.clone(), place);
            let positive = self.arithmetic(BinaryOp::Ge, r.clone(), zero, place);
            self.write(StmtKind::Require(positive, Why::Panic(0x11)), place)?;
        }
        let overflow = match op {
            BinaryOp::Exp => self.overflow(),
            _ => Overflow::Wrapping,
        };
        let ty = l.ty.clone();
        let kind = ExprKind::Binary(op, Box::new(l), Box::new(r), overflow);
        Ok(Expr::new(kind, ty, place))
    }

    /// `x op y` where `op` may be any that assigns: `x op= y`.
    pub fn combined(
        &mut self,
        operator: Binary,
        left: Expr,
        right: Expr,
        place: Place,
    ) -> Flat<Expr> {
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
    ) -> Flat<Value> {
        let function = self
            .function(function)
            .ok_or_else(|| Stop::at(e.place, "the function of this operator is missing"))?;
        let values = self.sequence(operands, false)?;
        let types: Vec<&Ast> = operands.iter().map(|operand| &operand.ty).collect();
        self.call_function(&function, values, &types, e.place)
    }
}

fn plain_op(operator: Binary) -> BinaryOp {
    match operator {
        Binary::Add => BinaryOp::Add,
        Binary::Sub => BinaryOp::Sub,
        Binary::Mul => BinaryOp::Mul,
        Binary::Div => BinaryOp::Div,
        Binary::Mod => BinaryOp::Mod,
        Binary::Exp => BinaryOp::Exp,
        Binary::Shl => BinaryOp::Shl,
        Binary::Shr => BinaryOp::Shr,
        Binary::BitAnd => BinaryOp::BitAnd,
        Binary::BitOr => BinaryOp::BitOr,
        Binary::BitXor => BinaryOp::BitXor,
        Binary::Eq => BinaryOp::Eq,
        Binary::Ne => BinaryOp::Ne,
        Binary::Lt => BinaryOp::Lt,
        Binary::Le => BinaryOp::Le,
        Binary::Gt => BinaryOp::Gt,
        Binary::Ge => BinaryOp::Ge,
        Binary::And => BinaryOp::And,
        Binary::Or => BinaryOp::Or,
    }
}
