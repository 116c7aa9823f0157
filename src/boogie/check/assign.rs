//! Assignments: to variables, into maps and datatypes, and of a value taken apart.

use super::expr::{CheckResult, LocalName, of};
use super::stmt::BodyChecker;
use crate::boogie::ast::{self, AccessPath, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{
    BoogieType, CmdKind, GlobalName, TypedExpr, TypedExprKind, VariableRef,
};

impl BodyChecker<'_, '_> {
    pub(super) fn target(&self, name: &str, pos: Pos) -> CheckResult<(VariableRef, BoogieType)> {
        if let Some(LocalName { id, ty }) = self.exprs.locals.get(name) {
            return Ok((VariableRef::Local(*id), ty.clone()));
        }
        match self.exprs.program.names.vars.get(name) {
            Some(GlobalName::Global(i)) => {
                let global = self.exprs.program.globals.at(*i)?;
                Ok((VariableRef::Global(*i), global.ty.clone()))
            }
            Some(GlobalName::Const(_)) => Err(Error::new(
                pos,
                format!("the constant {name} cannot be assigned"),
            )),
            None => Err(Error::new(pos, format!("undeclared identifier: {name}"))),
        }
    }

    pub(super) fn assign(
        &mut self,
        lhs: &[ast::Lhs],
        rhs: &[ast::BoogieExpr],
    ) -> CheckResult<Vec<(VariableRef, TypedExpr)>> {
        let mut pairs: Vec<(VariableRef, TypedExpr)> = Vec::new();
        for (target, value) in lhs.iter().zip(rhs) {
            let (var, ty) = self.target(&target.name, target.pos)?;
            if pairs.iter().any(|(v, _)| *v == var) {
                return Err(Error::new(
                    target.pos,
                    format!("{} is assigned twice in one assignment", target.name),
                ));
            }
            self.exprs.metas = Default::default();
            let whole = of(TypedExprKind::Var(var), ty);
            let mut stored = self.stored(whole, &target.path, value, target)?;
            self.exprs.finish(&mut stored);
            pairs.push((var, stored));
        }
        Ok(pairs)
    }

    /// `map` with what is at the end of the path replaced: the value of `m[i][j] := e` is `m[i := m[i][j := e]]`.
    fn stored(
        &mut self,
        map: TypedExpr,
        path: &[AccessPath],
        value: &ast::BoogieExpr,
        lhs: &ast::Lhs,
    ) -> CheckResult<TypedExpr> {
        let Some((first, rest)) = path.split_first() else {
            let typed = self.exprs.expr(value)?;
            if !self.exprs.metas.unify(&typed.ty, &map.ty) {
                let (found, wanted) = (self.exprs.show(&typed.ty), self.exprs.show(&map.ty));
                return Err(Error::new(
                    lhs.pos,
                    format!(
                        "mismatched types in assignment command (cannot assign {found} to {wanted})"
                    ),
                ));
            }
            return Ok(typed);
        };
        let first = match first {
            AccessPath::Index(indices) => indices,
            AccessPath::Field(field) => {
                let inner = self.exprs.field(map.clone(), field, lhs.pos)?;
                let inner = self.stored(inner, rest, value, lhs)?;
                return self.exprs.update(map, field, inner, lhs.pos);
            }
        };
        let (typed, args, range) = self.exprs.access(&map.ty, first, lhs.pos)?;
        let inner = of(
            TypedExprKind::Select(Box::new(map.clone()), typed.clone(), args.clone()),
            range,
        );
        let inner = self.stored(inner, rest, value, lhs)?;
        let ty = map.ty.clone();
        Ok(of(
            TypedExprKind::Store(Box::new(map), typed, Box::new(inner), args),
            ty,
        ))
    }

    /// `C(x, y) := e;` asserts that `C` made the value, and assigns its fields.
    pub(super) fn unpack(
        &mut self,
        constructor: &str,
        targets: &[(String, Pos)],
        value: &ast::BoogieExpr,
        pos: Pos,
    ) -> CheckResult<()> {
        self.exprs.metas = Default::default();
        let text = format!("assert {value} is {constructor};");
        let value = self.exprs.expr(value)?;
        let (mut is, fields) = self.exprs.unpacked(constructor, &value, pos)?;
        if fields.len() != targets.len() {
            let (wanted, found) = (fields.len(), targets.len());
            let message = format!("{constructor} takes {wanted} arguments, not {found}");
            return Err(Error::new(pos, message));
        }
        let mut pairs: Vec<(VariableRef, TypedExpr)> = Vec::new();
        for ((name, pos), field) in targets.iter().zip(fields) {
            let (var, ty) = self.target(name, *pos)?;
            if pairs.iter().any(|(v, _)| *v == var) {
                let message =
                    format!("variable {name} is assigned more than once in unpack command");
                return Err(Error::new(*pos, message));
            }
            self.exprs.same(&field.ty, &ty, *pos, "the field")?;
            pairs.push((var, field));
        }
        self.exprs.finish(&mut is);
        pairs.iter_mut().for_each(|(_, e)| self.exprs.finish(e));
        self.push(pos, CmdKind::Assert(is, text));
        self.push(pos, CmdKind::Assign(pairs));
        Ok(())
    }
}
