//! Quantifiers, lambda expressions, and the names they bring.

use super::expr::{CheckResult, ExprChecker, of};
use crate::boogie::ast::{self, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{BoogieType, MapType, Quantified, TypedExpr, TypedExprKind};

impl ExprChecker<'_> {
    /// Brings a bound variable into scope. It may hide any name but that of another of the same binder, which are those
    /// from `first` on.
    pub(super) fn bind(
        &mut self,
        name: &str,
        number: u32,
        ty: BoogieType,
        pos: Pos,
        first: usize,
    ) -> CheckResult<()> {
        if self.bound.iter().skip(first).any(|(n, ..)| n == name) {
            let message = format!("more than one declaration of variable: {name}");
            return Err(Error::new(pos, message));
        }
        self.bound.push((name.to_string(), number, ty));
        Ok(())
    }

    pub(super) fn quantified(
        &mut self,
        q: &ast::QuantifiedExpr,
        pos: Pos,
    ) -> CheckResult<TypedExpr> {
        let type_params: Vec<u32> = q.type_params.iter().map(|_| self.number()).collect();
        self.scope.push(&q.type_params, &type_params);
        let bound = self.bound.len();
        let result = self.quantified_inside(q, pos, type_params);
        self.bound.truncate(bound);
        self.scope.pop(q.type_params.len());
        result
    }

    fn quantified_inside(
        &mut self,
        q: &ast::QuantifiedExpr,
        pos: Pos,
        type_params: Vec<u32>,
    ) -> CheckResult<TypedExpr> {
        let first = self.bound.len();
        let mut vars = Vec::new();
        for var in &q.vars {
            if var.where_.is_some() {
                let message = "a where clause is not allowed on a bound variable";
                return Err(Error::new(var.pos, message));
            }
            let ty = self.resolve_type(&var.ty)?;
            let number = self.number();
            vars.push((number, ty.clone()));
            self.bind(&var.name, number, ty, var.pos, first)?;
        }
        let lambda = q.kind == ast::QuantKind::Lambda;
        let mut triggers = Vec::new();
        for trigger in &q.triggers {
            let trigger = trigger
                .iter()
                .map(|e| self.expr(e))
                .collect::<Result<Vec<_>, _>>()?;
            triggers.push(trigger);
        }
        let body = self.expr(&q.body)?;
        let ty = match lambda {
            true => {
                let domain = vars.iter().map(|(_, ty)| ty.clone()).collect();
                MapType::closed(&type_params, domain, self.metas.zonk(&body.ty))
            }
            false => {
                self.same(
                    &body.ty,
                    &BoogieType::Bool,
                    q.body.pos,
                    "the body of a quantifier",
                )?;
                BoogieType::Bool
            }
        };
        let quantified = Quantified {
            kind: q.kind,
            pos,
            type_params,
            vars,
            triggers,
            body,
        };
        Ok(of(TypedExprKind::Quantified(Box::new(quantified)), ty))
    }
}
