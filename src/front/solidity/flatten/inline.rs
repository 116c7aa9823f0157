//! Calls of functions that are only an expression, such as `owner()` or `_msgSender()`: the expression itself.

use std::collections::BTreeMap;

use super::writer::{RoutineWriter, WrittenValue};
use crate::front::solidity::flat::{
    AccessStep, FlatBinaryOp, FlatExpr, FlatExprKind, FlatStmtKind, LocalId, Lvalue, Root,
    RoutineId,
};

/// How large such an expression may be.
const MAX_SIZE: usize = 12;

/// How deep an expression may become.
const MAX_DEPTH: u32 = 100;

/// Whether an expression is deeper than that.
fn is_deep(expr: &FlatExpr, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    match &expr.kind {
        FlatExprKind::Unary(_, inner, _) | FlatExprKind::Convert(inner) => is_deep(inner, depth),
        FlatExprKind::Binary(_, left, right, _) => is_deep(left, depth) || is_deep(right, depth),
        FlatExprKind::Conditional(condition, yes, no) => [condition, yes, no]
            .iter()
            .any(|inner| is_deep(inner, depth)),
        FlatExprKind::Read(lvalue) | FlatExprKind::StorageLength(lvalue) => {
            super::place::told(lvalue).any(|key| is_deep(key, depth))
        }
        FlatExprKind::Builtin(_, inner) => inner.iter().any(|inner| is_deep(inner, depth)),
        _ => false,
    }
}

/// What stands for the parameters.
struct Arguments<'a> {
    given: &'a BTreeMap<LocalId, FlatExpr>,
    /// How often each was used.
    used: BTreeMap<LocalId, usize>,
    /// Whether a part may not be looked at.
    lazy: bool,
    size: usize,
}

impl RoutineWriter<'_, '_> {
    /// The expression that a call is, if it is one. It says the same whenever it is looked at, as long as nothing changes.
    pub(super) fn inlined(&self, routine: RoutineId, values: &[WrittenValue]) -> Option<FlatExpr> {
        let routine = self.f.routines.get(routine.index())?.as_ref()?;
        let [statement] = routine.body.as_slice() else {
            return None;
        };
        let FlatStmtKind::Assign(target, expr) = &statement.kind else {
            return None;
        };
        let (Root::Local(target), [result]) = (&target.root, routine.results.as_slice()) else {
            return None;
        };
        if target != result || !expr.ty.is_value() || values.len() != routine.parameters.len() {
            return None;
        }
        let mut given = BTreeMap::new();
        for (parameter, value) in routine.parameters.iter().zip(values) {
            let WrittenValue::Expr(argument) = value else {
                return None;
            };
            given.insert(*parameter, argument.clone());
        }
        let mut arguments = Arguments {
            given: &given,
            used: BTreeMap::new(),
            lazy: false,
            size: 0,
        };
        let inlined = arguments.expr(expr)?;
        let whole = given.iter().all(|(parameter, argument)| {
            match arguments.used.get(parameter) {
                // What is looked at several times must cost nothing, and what may not be looked at must not revert.
                Some(1) if !arguments.lazy => argument.ty.is_value(),
                Some(1) => {
                    argument.ty.is_value()
                        && !crate::front::solidity::flat::effects::may_revert(argument)
                }
                Some(_) => self.is_stable(argument),
                None => !crate::front::solidity::flat::effects::may_revert(argument),
            }
        });
        (whole && !is_deep(&inlined, MAX_DEPTH)).then_some(inlined)
    }
}

impl Arguments<'_> {
    /// The expression with the arguments in it. None where it has variables of its own, or makes something in memory.
    fn expr(&mut self, expr: &FlatExpr) -> Option<FlatExpr> {
        self.size += 1;
        if self.size > MAX_SIZE {
            return None;
        }
        self.lazy |= matches!(
            expr.kind,
            FlatExprKind::Conditional(..)
                | FlatExprKind::Binary(FlatBinaryOp::And | FlatBinaryOp::Or, ..)
        );
        let kind = match &expr.kind {
            FlatExprKind::Literal(_) | FlatExprKind::Constant(_) | FlatExprKind::Env(_)
                if expr.ty.is_value() =>
            {
                expr.kind.clone()
            }
            FlatExprKind::Read(Lvalue {
                root: Root::Local(local),
                ..
            }) => {
                *self.used.entry(*local).or_default() += 1;
                return self.given.get(local).cloned();
            }
            FlatExprKind::Read(lvalue) => FlatExprKind::Read(self.lvalue(lvalue)?),
            FlatExprKind::StorageLength(lvalue) => {
                FlatExprKind::StorageLength(self.lvalue(lvalue)?)
            }
            FlatExprKind::Unary(op, inner, overflow) => {
                FlatExprKind::Unary(*op, Box::new(self.expr(inner)?), *overflow)
            }
            FlatExprKind::Binary(op, left, right, overflow) => FlatExprKind::Binary(
                *op,
                Box::new(self.expr(left)?),
                Box::new(self.expr(right)?),
                *overflow,
            ),
            FlatExprKind::Conditional(condition, yes, no) => FlatExprKind::Conditional(
                Box::new(self.expr(condition)?),
                Box::new(self.expr(yes)?),
                Box::new(self.expr(no)?),
            ),
            FlatExprKind::Convert(inner) => FlatExprKind::Convert(Box::new(self.expr(inner)?)),
            _ => return None,
        };
        Some(FlatExpr {
            kind,
            ty: expr.ty.clone(),
            place: expr.place,
        })
    }

    /// A place in storage.
    fn lvalue(&mut self, lvalue: &Lvalue) -> Option<Lvalue> {
        let Root::Variable(_) = lvalue.root else {
            return None;
        };
        let mut steps = Vec::new();
        for step in &lvalue.steps {
            steps.push(match step {
                AccessStep::Member(member) => AccessStep::Member(*member),
                AccessStep::Key(key) => AccessStep::Key(self.expr(key)?),
                AccessStep::Index { index, checked } => AccessStep::Index {
                    index: self.expr(index)?,
                    checked: *checked,
                },
            });
        }
        Some(Lvalue {
            steps,
            ..lvalue.clone()
        })
    }
}
