//! Calls that do not simply check what the callee requires: `free call P(x)`, `call {:verified_under e} P(x)` and
//! `call P(*)`.

use std::convert::Infallible;

use super::Lowering;
use crate::boogie::ast::{Pos, QuantKind};
use crate::boogie::typed::{
    BinOp, BoogieType, ChainOp, LocalId, Quantified, TypedCall, TypedCondition, TypedExpr,
    TypedExprKind, TypedProcedure, VariableRef,
};
use crate::ids::Id;
use crate::reach::error::Result;
use crate::reach::graph::{FailedCheck, NodeId, Simple, local};

impl Lowering<'_> {
    /// What a call that does not simply check the callee's preconditions does about them: a free call assumes them, and so
    /// does one that is verified under circumstances that are there; a call with `*` checks that there are values for
    /// which they hold, and goes on with such values.
    pub(super) fn preconditions(
        &mut self,
        at: NodeId,
        pos: Pos,
        call: &TypedCall,
        callee: &TypedProcedure,
        args: Vec<Option<TypedExpr>>,
    ) -> Result<(NodeId, Vec<Option<TypedExpr>>)> {
        let checked: Vec<&TypedCondition> = callee.requires.iter().filter(|c| !c.free).collect();
        let open = args.iter().any(Option::is_none);
        let under = call.verified_under.as_ref().map(|e| self.expr(e));
        let under = under.transpose()?;
        if checked.is_empty() || !(call.free || open || under.is_some()) {
            return Ok((at, args));
        }
        let mut values = Vec::new();
        let mut unknown = Vec::new();
        for (arg, param) in args.into_iter().zip(&callee.vars) {
            let value = arg.unwrap_or_else(|| {
                let fresh = self.proc.fresh(&param.name, param.ty.clone());
                unknown.push((fresh, param.ty.clone()));
                local(fresh, param.ty.clone())
            });
            values.push(value);
        }
        let mut all = Vec::new();
        for condition in checked {
            let condition = self.expr(&condition.expr)?;
            all.push(with_args(&condition, &values));
        }
        let all = TypedExpr::bool(TypedExprKind::Chain(ChainOp::And, all));
        let mut at = at;
        if let (Some(under), false) = (&under, call.free || open) {
            // Where they need not hold, they do; elsewhere the callee checks them.
            let operands = (Box::new(under.clone()), Box::new(all));
            let assumed = TypedExprKind::Binary(BinOp::Implies, operands.0, operands.1);
            self.assume(at, TypedExpr::bool(assumed))?;
            return Ok((at, values.into_iter().map(Some).collect()));
        }
        if !call.free {
            let failure = FailedCheck::Requires(pos, callee.name.clone());
            let mut ways = vec![some_values(&all, &unknown, pos)];
            ways.extend(under);
            let holds = TypedExpr::bool(TypedExprKind::Chain(ChainOp::Or, ways));
            at = self.check(at, pos, holds, failure)?;
        }
        let vars = unknown
            .iter()
            .map(|(i, _)| VariableRef::Local(*i))
            .collect();
        self.cmd(at, None, Simple::Havoc(vars))?;
        self.assume(at, all)?;
        Ok((at, values.into_iter().map(Some).collect()))
    }
}

/// A condition on parameters, with the arguments in their place.
fn with_args(condition: &TypedExpr, args: &[TypedExpr]) -> TypedExpr {
    replaced(condition, &|i| args.get(i.index()).cloned())
}

/// The expression with local variables replaced.
fn replaced(expr: &TypedExpr, value: &dyn Fn(LocalId) -> Option<TypedExpr>) -> TypedExpr {
    let mut expr = expr.clone();
    let done: Result<(), Infallible> = expr.change(&mut |e| {
        if let TypedExprKind::Var(VariableRef::Local(i)) = e.kind
            && let Some(value) = value(i)
        {
            *e = value;
        }
        Ok(())
    });
    match done {
        Ok(()) => expr,
    }
}

/// Numbers of bound variables that no checked program reaches, and no code expression.
const FIRST_ARGUMENT: u32 = 7 << 28;

/// That there are values of these variables for which the condition holds.
fn some_values(condition: &TypedExpr, vars: &[(LocalId, BoogieType)], pos: Pos) -> TypedExpr {
    let number = |i: LocalId| {
        vars.iter()
            .position(|(v, _)| *v == i)
            .map(|at| FIRST_ARGUMENT + at as u32)
    };
    let body = replaced(condition, &|i| {
        let ty = vars.iter().find(|(v, _)| *v == i)?.1.clone();
        let kind = TypedExprKind::Bound(number(i)?);
        Some(TypedExpr { kind, ty })
    });
    let bound = vars
        .iter()
        .filter_map(|(i, ty)| Some((number(*i)?, ty.clone())));
    TypedExpr::bool(TypedExprKind::Quantified(Box::new(Quantified {
        kind: QuantKind::Exists,
        pos,
        type_params: Vec::new(),
        vars: bound.collect(),
        triggers: Vec::new(),
        body,
    })))
}
