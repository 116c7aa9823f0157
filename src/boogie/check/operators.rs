//! Operators of two operands, and the numbers they take.

use super::expr::{Checked, ExprChecker, of};
use crate::boogie::ast::{self, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{BinOp, Expr, ExprKind, Type};

impl ExprChecker<'_> {
    pub(super) fn numeric(&mut self, ty: &Type, pos: Pos, op: &str, arity: u8) -> Checked<Type> {
        match self.metas.head(ty) {
            Type::Int => Ok(Type::Int),
            Type::Real => Ok(Type::Real),
            // A sign is part of a literal; there is no operator.
            ty @ Type::Float(..) if arity == 2 => Ok(ty),
            Type::Meta(_) if self.metas.unify(ty, &Type::Int) => Ok(Type::Int),
            ty => {
                let ty = self.show(&ty);
                Err(Error::new(
                    pos,
                    format!("`{op}` is applied to {ty}, which is neither int nor real"),
                ))
            }
        }
    }

    pub(super) fn binary(
        &mut self,
        op: BinOp,
        l: &ast::Expr,
        r: &ast::Expr,
        pos: Pos,
    ) -> Checked<Expr> {
        let text = op.text();
        let build = |l, r, ty| of(ExprKind::Binary(op, Box::new(l), Box::new(r)), ty);
        Ok(match op {
            BinOp::Iff | BinOp::Implies | BinOp::Explies => {
                let l = self.operand(l, &Type::Bool, text)?;
                let r = self.operand(r, &Type::Bool, text)?;
                build(l, r, Type::Bool)
            }
            BinOp::Eq | BinOp::Ne => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Values whose types agree for some choice of type parameters may be compared.
                if !self.metas.could_agree(&l.ty, &r.ty) {
                    self.same(&r.ty, &l.ty, pos, &format!("the right operand of `{text}`"))?;
                }
                build(l, r, Type::Bool)
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Where nothing else says which type the left has, the right does.
                if matches!(self.metas.head(&l.ty), Type::Meta(_)) {
                    self.metas.unify(&l.ty, &r.ty);
                }
                let ty = self.numeric(&l.ty, pos, text, 2)?;
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                build(l, r, Type::Bool)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Where nothing else says which type the left has, the right does.
                if matches!(self.metas.head(&l.ty), Type::Meta(_)) {
                    self.metas.unify(&l.ty, &r.ty);
                }
                let ty = self.numeric(&l.ty, pos, text, 2)?;
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                build(l, r, ty)
            }
            BinOp::Div | BinOp::Mod => {
                let l = self.operand(l, &Type::Int, text)?;
                let r = self.operand(r, &Type::Int, text)?;
                build(l, r, Type::Int)
            }
            BinOp::RealDiv => {
                let mut real = |e: &ast::Expr| -> Checked<Expr> {
                    let e = self.expr(e)?;
                    Ok(match self.numeric(&e.ty, pos, text, 2)? {
                        Type::Int => of(ExprKind::ToReal(Box::new(e)), Type::Real),
                        _ => e,
                    })
                };
                let (l, r) = (real(l)?, real(r)?);
                let ty = self.metas.head(&l.ty);
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                build(l, r, ty)
            }
            BinOp::Pow => {
                let l = self.operand(l, &Type::Real, text)?;
                let r = self.operand(r, &Type::Real, text)?;
                build(l, r, Type::Real)
            }
            BinOp::Subtype => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                self.same(&r.ty, &l.ty, pos, "the right operand of `<:`")?;
                build(l, r, Type::Bool)
            }
            BinOp::Concat => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                match (self.metas.head(&l.ty), self.metas.head(&r.ty)) {
                    (Type::Bv(m), Type::Bv(n)) => {
                        let width = m
                            .checked_add(n)
                            .ok_or_else(|| Error::new(pos, "this bitvector is too wide"))?;
                        build(l, r, Type::Bv(width))
                    }
                    _ => return Err(Error::new(pos, "the operands of `++` must be bitvectors")),
                }
            }
        })
    }
}
