//! Code expressions.

use std::collections::HashMap;

use super::expr::{CheckResult, ExprChecker, LocalName, of};
use super::stmt::{BodyChecker, Signatures};
use crate::boogie::ast::{self, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{
    BlockId, BoogieType, CodeExpr, Jump, LocalId, TypedBlock, TypedExpr, TypedExprKind,
};
use crate::ids::{Id, Table};

impl ExprChecker<'_> {
    /// `|{ var x: T; A: …; return e; }|`
    pub(super) fn code(&mut self, body: &ast::ProcedureBody, pos: Pos) -> CheckResult<TypedExpr> {
        let outer = self.locals.clone();
        let metas = std::mem::take(&mut self.metas);
        let mut locals = Vec::new();
        for var in &body.locals {
            let ty = self.resolve_type(&var.ty)?;
            let id = LocalId::new(self.first_code_local.index() + self.code_locals.len());
            self.code_locals.push((var.name.clone(), ty.clone()));
            self.locals.insert(var.name.clone(), LocalName { id, ty });
            locals.push(id);
        }
        let empty = HashMap::new();
        let signatures = Signatures {
            base: &self.program.procedures,
            added: &[],
            added_names: &empty,
        };
        let mut checker = BodyChecker::new(self, &signatures);
        checker.in_code = true;
        checker.run(body);
        checker.missing_labels();
        let BodyChecker { errors, blocks, .. } = checker;
        let blocks: Table<BlockId, (TypedBlock, Option<TypedExpr>)> =
            blocks.into_iter().map(|d| (d.block, d.value)).collect();
        self.locals = outer;
        self.metas = metas;
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        if blocks
            .iter()
            .any(|(b, value)| matches!(b.jump, Jump::Return(_)) && value.is_none())
        {
            return Err(Error::new(
                pos,
                "a way through this code expression returns no value",
            ));
        }
        let code = CodeExpr {
            pos,
            locals,
            blocks,
        };
        Ok(of(TypedExprKind::Code(Box::new(code)), BoogieType::Bool))
    }
}
