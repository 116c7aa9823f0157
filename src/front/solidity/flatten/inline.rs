//! Calls of functions that are only an expression, such as `owner()` or `_msgSender()`: the expression itself.

use std::collections::BTreeMap;

use super::writer::{Value, Writer};
use crate::front::solidity::flat::{
    BinaryOp, Expr, ExprKind, LocalId, Lvalue, Root, RoutineId, Step, StmtKind,
};

/// How large such an expression may be.
const MAX_SIZE: usize = 12;

/// How deep an expression may become.
const MAX_DEPTH: u32 = 100;

/// Whether an expression is deeper than that.
fn is_deep(expr: &Expr, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    match &expr.kind {
        ExprKind::Unary(_, inner, _) | ExprKind::Convert(inner) => is_deep(inner, depth),
        ExprKind::Binary(_, left, right, _) => is_deep(left, depth) || is_deep(right, depth),
        ExprKind::Conditional(condition, yes, no) => [condition, yes, no]
            .iter()
            .any(|inner| is_deep(inner, depth)),
        ExprKind::Read(lvalue) | ExprKind::StorageLength(lvalue) => {
            super::place::told(lvalue).any(|key| is_deep(key, depth))
        }
        ExprKind::Builtin(_, inner) => inner.iter().any(|inner| is_deep(inner, depth)),
        _ => false,
    }
}

/// What stands for the parameters.
struct Arguments<'a> {
    given: &'a BTreeMap<LocalId, Expr>,
    /// How often each was used.
    used: BTreeMap<LocalId, usize>,
    /// Whether a part may not be looked at.
    lazy: bool,
    size: usize,
}

impl Writer<'_, '_> {
    /// The expression that a call is, if it is one. It says the same whenever it is looked at, as long as nothing changes.
    pub fn inlined(&self, routine: RoutineId, values: &[Value]) -> Option<Expr> {
        let routine = self.f.routines.get(routine.index())?.as_ref()?;
        let [statement] = routine.body.as_slice() else {
            return None;
        };
        let StmtKind::Assign(target, expr) = &statement.kind else {
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
            let Value::Expr(argument) = value else {
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
    fn expr(&mut self, expr: &Expr) -> Option<Expr> {
        self.size += 1;
        if self.size > MAX_SIZE {
            return None;
        }
        self.lazy |= matches!(
            expr.kind,
            ExprKind::Conditional(..) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..)
        );
        let kind = match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Constant(_) | ExprKind::Env(_)
                if expr.ty.is_value() =>
            {
                expr.kind.clone()
            }
            ExprKind::Read(Lvalue {
                root: Root::Local(local),
                ..
            }) => {
                *self.used.entry(*local).or_default() += 1;
                return self.given.get(local).cloned();
            }
            ExprKind::Read(lvalue) => ExprKind::Read(self.lvalue(lvalue)?),
            ExprKind::StorageLength(lvalue) => ExprKind::StorageLength(self.lvalue(lvalue)?),
            ExprKind::Unary(op, inner, overflow) => {
                ExprKind::Unary(*op, Box::new(self.expr(inner)?), *overflow)
            }
            ExprKind::Binary(op, left, right, overflow) => ExprKind::Binary(
                *op,
                Box::new(self.expr(left)?),
                Box::new(self.expr(right)?),
                *overflow,
            ),
            ExprKind::Conditional(condition, yes, no) => ExprKind::Conditional(
                Box::new(self.expr(condition)?),
                Box::new(self.expr(yes)?),
                Box::new(self.expr(no)?),
            ),
            ExprKind::Convert(inner) => ExprKind::Convert(Box::new(self.expr(inner)?)),
            _ => return None,
        };
        Some(Expr {
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
                Step::Member(member) => Step::Member(*member),
                Step::Key(key) => Step::Key(self.expr(key)?),
                Step::Index { index, checked } => Step::Index {
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
