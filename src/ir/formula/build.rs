//! Making formulas. The constructors simplify as they build (`true && e` is `e`, `2 < 3` is `true`), so that derived
//! formulas stay short enough for a person to read.

use std::sync::Arc;

use num_bigint::BigInt;

use super::{conjuncts_of, same};
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{ClassId, EnumId, Expr, ExprKind, FieldRef, Program, Type, VarId};

/// An expression without a place in the source.
pub fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr {
        kind: Arc::new(kind),
        ty,
        span: Span::default(),
    }
}

/// An integer.
pub fn int(value: impl Into<BigInt>) -> Expr {
    expr(ExprKind::Int(value.into()), Type::Int)
}

/// `true` or `false`.
pub fn bool(value: bool) -> Expr {
    expr(ExprKind::Bool(value), Type::Bool)
}

/// `null`.
pub fn null() -> Expr {
    expr(ExprKind::Null, Type::Null)
}

/// A variable.
pub fn var(program: &Program, id: VarId) -> Expr {
    expr(ExprKind::Var(id), program.var(id).ty.of_value())
}

/// The values of an enum, in the order declared.
pub fn members(program: &Program, id: EnumId) -> Vec<Expr> {
    let count = program.enums.get(id.0).map_or(0, |e| e.members.len());
    let member = |index| expr(ExprKind::Member(id, index), Type::Enum(id));
    (0..count).map(member).collect()
}

/// The fields of `this`, an object of the class, in the order declared.
pub fn own_fields(program: &Program, class: ClassId) -> Vec<Expr> {
    let this = this(class);
    let fields = program.class(class).fields.iter().enumerate();
    fields
        .map(|(index, field)| {
            let kind = ExprKind::Field(this.clone(), FieldRef { class, index });
            expr(kind, field.ty.of_value())
        })
        .collect()
}

/// Whether the expression is this boolean constant.
pub fn is_bool(e: &Expr, value: bool) -> bool {
    matches!(&*e.kind, ExprKind::Bool(b) if *b == value)
}

/// `!e`
pub fn not(e: Expr) -> Expr {
    match &*e.kind {
        ExprKind::Bool(b) => bool(!b),
        ExprKind::Not(inner) => inner.clone(),
        ExprKind::Compare(op, a, b) => compare(op.negated(), a.clone(), b.clone()),
        _ => expr(ExprKind::Not(e), Type::Bool),
    }
}

/// `a && b`
pub fn and(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, false) || is_bool(&b, false) {
        bool(false)
    } else if is_bool(&a, true) || same(&a, &b) {
        b
    } else if is_bool(&b, true) {
        a
    } else {
        expr(ExprKind::Binary(BinaryOp::And, a, b), Type::Bool)
    }
}

/// `a || b`
pub fn or(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, true) || is_bool(&b, true) {
        bool(true)
    } else if is_bool(&a, false) || same(&a, &b) {
        b
    } else if is_bool(&b, false) {
        a
    } else {
        expr(ExprKind::Binary(BinaryOp::Or, a, b), Type::Bool)
    }
}

/// `a ==> b`
pub fn implies(a: Expr, b: Expr) -> Expr {
    if is_bool(&a, false) || is_bool(&b, true) {
        bool(true)
    } else if is_bool(&a, true) {
        b
    } else if is_bool(&b, false) {
        not(a)
    } else {
        expr(ExprKind::Binary(BinaryOp::Implies, a, b), Type::Bool)
    }
}

/// The conjunction; repeated conjuncts are dropped.
pub fn all(conjuncts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for conjunct in conjuncts.into_iter().flat_map(conjuncts_of) {
        if !kept.iter().any(|k| same(k, &conjunct)) {
            kept.push(conjunct);
        }
    }
    kept.into_iter().reduce(and).unwrap_or_else(|| bool(true))
}

/// The disjunction; repeated disjuncts are dropped.
pub fn any(disjuncts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut kept: Vec<Expr> = Vec::new();
    for disjunct in disjuncts {
        if !kept.iter().any(|k| same(k, &disjunct)) {
            kept.push(disjunct);
        }
    }
    kept.into_iter().reduce(or).unwrap_or_else(|| bool(false))
}

/// `a op b`; decided where both sides are constants or the same expression.
pub fn compare(op: CompareOp, a: Expr, b: Expr) -> Expr {
    if let (Some(x), Some(y)) = (literal(&a), literal(&b)) {
        return bool(op.holds(x.cmp(&y)));
    }
    if let (ExprKind::Member(_, x), ExprKind::Member(_, y)) = (&*a.kind, &*b.kind) {
        return bool(op.holds(x.cmp(y)));
    }
    if let (ExprKind::Named(_, x), ExprKind::Named(_, y)) = (&*a.kind, &*b.kind) {
        return bool(op.holds(x.cmp(y)));
    }
    if let (ExprKind::Bool(x), ExprKind::Bool(y)) = (&*a.kind, &*b.kind) {
        return bool(op.holds(x.cmp(y)));
    }
    if matches!((&*a.kind, &*b.kind), (ExprKind::Null, ExprKind::Null)) || same(&a, &b) {
        return bool(op.holds(std::cmp::Ordering::Equal));
    }
    expr(ExprKind::Compare(op, a, b), Type::Bool)
}

/// The value of an integer literal, negative ones included.
fn literal(e: &Expr) -> Option<BigInt> {
    match &*e.kind {
        ExprKind::Int(value) => Some(value.clone()),
        ExprKind::Neg(inner) => match (&*inner.kind, &e.ty) {
            (ExprKind::Int(value), Type::Int) => Some(-value),
            _ => None,
        },
        _ => None,
    }
}

/// `this`, in a class.
pub fn this(class: ClassId) -> Expr {
    let ty = Type::Class {
        class,
        nullable: false,
    };
    expr(ExprKind::This, ty)
}
