//! Operators of two operands, and the numbers they take.

use super::expr::{CheckResult, ExprChecker, of};
use crate::boogie::ast::{self, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{BinOp, BoogieType, TypedExpr, TypedExprKind};

impl ExprChecker<'_> {
    pub(super) fn numeric(
        &mut self,
        ty: &BoogieType,
        pos: Pos,
        op: &str,
        arity: u8,
    ) -> CheckResult<BoogieType> {
        match self.metas.head(ty) {
            BoogieType::Int => Ok(BoogieType::Int),
            BoogieType::Real => Ok(BoogieType::Real),
            // A sign is part of a literal; there is no operator.
            ty @ BoogieType::Float(..) if arity == 2 => Ok(ty),
            BoogieType::Meta(_) if self.metas.unify(ty, &BoogieType::Int) => Ok(BoogieType::Int),
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
        l: &ast::BoogieExpr,
        r: &ast::BoogieExpr,
        pos: Pos,
    ) -> CheckResult<TypedExpr> {
        let text = op.text();
        let build = |l, r, ty| of(TypedExprKind::Binary(op, Box::new(l), Box::new(r)), ty);
        Ok(match op {
            BinOp::Iff | BinOp::Implies | BinOp::Explies => {
                let l = self.operand(l, &BoogieType::Bool, text)?;
                let r = self.operand(r, &BoogieType::Bool, text)?;
                build(l, r, BoogieType::Bool)
            }
            BinOp::Eq | BinOp::Ne => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Values whose types agree for some choice of type parameters may be compared.
                if !self.metas.could_agree(&l.ty, &r.ty) {
                    self.same(&r.ty, &l.ty, pos, &format!("the right operand of `{text}`"))?;
                }
                build(l, r, BoogieType::Bool)
            }
            BinOp::Lt
            | BinOp::Le
            | BinOp::Gt
            | BinOp::Ge
            | BinOp::Add
            | BinOp::Sub
            | BinOp::Mul => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Where nothing else says which type the left has, the right does.
                if matches!(self.metas.head(&l.ty), BoogieType::Meta(_)) {
                    self.metas.unify(&l.ty, &r.ty);
                }
                let ty = self.numeric(&l.ty, pos, text, 2)?;
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                let compares = matches!(op, BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge);
                build(l, r, if compares { BoogieType::Bool } else { ty })
            }
            BinOp::Div | BinOp::Mod => {
                let l = self.operand(l, &BoogieType::Int, text)?;
                let r = self.operand(r, &BoogieType::Int, text)?;
                build(l, r, BoogieType::Int)
            }
            BinOp::RealDiv => {
                let mut real = |e: &ast::BoogieExpr| -> CheckResult<TypedExpr> {
                    let e = self.expr(e)?;
                    Ok(match self.numeric(&e.ty, pos, text, 2)? {
                        BoogieType::Int => of(TypedExprKind::ToReal(Box::new(e)), BoogieType::Real),
                        _ => e,
                    })
                };
                let (l, r) = (real(l)?, real(r)?);
                let ty = self.metas.head(&l.ty);
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                build(l, r, ty)
            }
            BinOp::Pow => {
                let l = self.operand(l, &BoogieType::Real, text)?;
                let r = self.operand(r, &BoogieType::Real, text)?;
                build(l, r, BoogieType::Real)
            }
            BinOp::Subtype => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                self.same(&r.ty, &l.ty, pos, "the right operand of `<:`")?;
                build(l, r, BoogieType::Bool)
            }
            BinOp::Concat => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                match (self.metas.head(&l.ty), self.metas.head(&r.ty)) {
                    (BoogieType::Bv(m), BoogieType::Bv(n)) => {
                        let width = m
                            .checked_add(n)
                            .ok_or_else(|| Error::new(pos, "this bitvector is too wide"))?;
                        build(l, r, BoogieType::Bv(width))
                    }
                    _ => return Err(Error::new(pos, "the operands of `++` must be bitvectors")),
                }
            }
        })
    }
}
