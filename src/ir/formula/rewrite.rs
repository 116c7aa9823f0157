//! Expressions with something else in the place of their parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{and, compare, implies, is_bool, not, or};
use crate::ir::{BinaryOp, Quantifier};
use crate::ir::{Expr, ExprKind, FieldRef, FunctionRef, Program, VarId};

/// The same expression with its immediate subexpressions replaced.
pub fn map_children(e: &Expr, mut f: impl FnMut(&Expr) -> Expr) -> Expr {
    use ExprKind::*;
    let kind = match &*e.kind {
        Int(_) | Bool(_) | Member(..) | Named(..) | Null | This | Var(_) => {
            return e.clone();
        }
        Field(a, field) => Field(f(a), *field),
        Length(a) => Length(f(a)),
        Everywhere(a) => Everywhere(f(a)),
        Convert(a) => Convert(f(a)),
        Neg(a) => Neg(f(a)),
        Not(a) => {
            return Expr {
                span: e.span,
                ..not(f(a))
            };
        }
        Old(a) => Old(f(a)),
        Quantified(q, vars, body) => {
            let body = f(body);
            // The type may have no values (objects of a class), so only these two are decided.
            if is_bool(&body, *q == Quantifier::Forall) {
                return body;
            }
            Quantified(*q, vars.clone(), body)
        }
        Element(a, b) => Element(f(a), f(b)),
        Select(a, b) => Select(f(a), f(b)),
        Binary(BinaryOp::And, a, b) => return and(f(a), f(b)),
        Binary(BinaryOp::Or, a, b) => return or(f(a), f(b)),
        Binary(BinaryOp::Implies, a, b) => return implies(f(a), f(b)),
        Binary(op, a, b) => Binary(*op, f(a), f(b)),
        Compare(op, a, b) => return compare(*op, f(a), f(b)),
        Store(a, b, c) => Store(f(a), f(b), f(c)),
        If(a, b, c) => {
            let condition = f(a);
            match &*condition.kind {
                Bool(true) => return f(b),
                Bool(false) => return f(c),
                _ => If(condition, f(b), f(c)),
            }
        }
        Call {
            receiver,
            function,
            args,
        } => Call {
            receiver: f(receiver),
            function: *function,
            args: args.iter().map(f).collect(),
        },
    };
    Expr {
        kind: Arc::new(kind),
        ty: e.ty.clone(),
        span: e.span,
    }
}

/// What stands for a variable, or for `this`.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    /// Variables.
    pub vars: BTreeMap<VarId, Expr>,
    /// `this`, where it changes.
    pub this: Option<Expr>,
}

impl Substitution {
    /// One variable.
    pub fn one(var: VarId, value: Expr) -> Self {
        Substitution {
            vars: BTreeMap::from([(var, value)]),
            this: None,
        }
    }

    /// The expression with every variable replaced at once. Variables are distinct throughout a program, so
    /// nothing can be captured.
    pub fn apply(&self, e: &Expr) -> Expr {
        match &*e.kind {
            ExprKind::Var(id) => self.vars.get(id).cloned().unwrap_or_else(|| e.clone()),
            ExprKind::This => self.this.clone().unwrap_or_else(|| e.clone()),
            _ => map_children(e, |child| self.apply(child)),
        }
    }
}

/// The expression with a value in the place of a field of the object, `this`.
pub fn with_field(e: &Expr, field: FieldRef, value: &Expr) -> Expr {
    match &*e.kind {
        ExprKind::Field(object, own) if *own == field && matches!(*object.kind, ExprKind::This) => {
            value.clone()
        }
        _ => map_children(e, |child| with_field(child, field, value)),
    }
}

/// The expression without calls of functions: each replaced by its body. Functions do not recurse.
pub fn inline_functions(program: &Program, e: &Expr) -> Expr {
    match &*e.kind {
        ExprKind::Call {
            receiver,
            function,
            args,
        } => {
            let declared = program.function(*function);
            arguments(program, *function, receiver, args)
                .apply(&inline_functions(program, &declared.body))
        }
        _ => map_children(e, |child| inline_functions(program, child)),
    }
}

/// What a function's body stands for in a call.
pub(super) fn arguments(
    program: &Program,
    function: FunctionRef,
    receiver: &Expr,
    args: &[Expr],
) -> Substitution {
    let params = program.function(function).params.iter().copied();
    Substitution {
        vars: params
            .zip(args.iter().map(|arg| inline_functions(program, arg)))
            .collect(),
        this: Some(inline_functions(program, receiver)),
    }
}
