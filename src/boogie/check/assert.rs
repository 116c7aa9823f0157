//! Assertions, and when they need not be verified.

use super::expr::CheckResult;
use super::stmt::BodyChecker;
use crate::boogie::ast::{self, Pos};
use crate::boogie::typed::{BoogieType, ChainOp, CmdKind, TypedExpr, TypedExprKind, VariableRef};

impl BodyChecker<'_, '_> {
    /// Asserts what need not be verified under certain circumstances, and goes on with it.
    pub(super) fn assertion(
        &mut self,
        pos: Pos,
        attrs: &[ast::Attribute],
        e: TypedExpr,
        text: String,
    ) -> CheckResult<()> {
        match self.verified_under(attrs)? {
            Some(verified) => {
                let either = TypedExprKind::Chain(ChainOp::Or, vec![verified, e.clone()]);
                self.push(pos, CmdKind::Assert(TypedExpr::bool(either), text));
                self.push(pos, CmdKind::Assume(e));
            }
            None => self.push(pos, CmdKind::Assert(e, text)),
        }
        Ok(())
    }

    /// When something need not be verified: `{:verified_under e}`, and before `{:start_checking_here}`.
    pub(super) fn verified_under(
        &mut self,
        attrs: &[ast::Attribute],
    ) -> CheckResult<Option<TypedExpr>> {
        let mut all = Vec::new();
        let attr = attrs.iter().find(|a| a.name == "verified_under");
        if let Some(ast::AttrArg::Expr(e)) = attr.and_then(|a| a.args.first()) {
            all.push(
                self.exprs
                    .of_type(e, &BoogieType::Bool, "`verified_under`")?,
            );
        }
        all.extend(
            self.unchecked
                .map(|v| TypedExpr::bool(TypedExprKind::Var(VariableRef::Local(v)))),
        );
        Ok(match all.len() {
            0 => None,
            _ => Some(TypedExpr::bool(TypedExprKind::Chain(ChainOp::Or, all))),
        })
    }
}
