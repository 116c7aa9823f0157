//! What occurs in an expression, and whether two are the same.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ir::{BinaryOp, Expr, ExprKind, FieldRef, VarId};

/// What an expression is a conjunction of, from left to right; itself where it is none.
pub fn conjuncts(e: &Expr) -> Vec<&Expr> {
    let (mut found, mut open) = (Vec::new(), vec![e]);
    while let Some(e) = open.pop() {
        match &*e.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => open.extend([b, a]),
            _ => found.push(e),
        }
    }
    found
}

/// The same, where nothing else needs the expression.
pub fn conjuncts_of(e: Expr) -> Vec<Expr> {
    conjuncts(&e).into_iter().cloned().collect()
}

/// Whether two expressions are the same, places aside.
pub fn same(a: &Expr, b: &Expr) -> bool {
    use ExprKind::*;
    if Arc::ptr_eq(&a.kind, &b.kind) && a.ty == b.ty {
        return true;
    }
    match (&*a.kind, &*b.kind) {
        (Int(x), Int(y)) => x == y,
        (Bool(x), Bool(y)) => x == y,
        (Member(e, x), Member(f, y)) => e == f && x == y,
        (Named(e, x), Named(f, y)) => e == f && x == y,
        (Null, Null) | (This, This) => true,
        (Var(x), Var(y)) => x == y,
        (Field(x, f), Field(y, g)) => f == g && same(x, y),
        (Length(x), Length(y)) | (Neg(x), Neg(y)) | (Not(x), Not(y)) | (Old(x), Old(y)) => {
            same(x, y)
        }
        (Convert(x), Convert(y)) | (Everywhere(x), Everywhere(y)) => a.ty == b.ty && same(x, y),
        (Element(x, i), Element(y, j)) | (Select(x, i), Select(y, j)) => same(x, y) && same(i, j),
        (Store(x, i, v), Store(y, j, w)) | (If(x, i, v), If(y, j, w)) => {
            same(x, y) && same(i, j) && same(v, w)
        }
        (
            Call {
                receiver: x,
                function: f,
                args: xs,
            },
            Call {
                receiver: y,
                function: g,
                args: ys,
            },
        ) => {
            f == g
                && same(x, y)
                && xs.len() == ys.len()
                && xs.iter().zip(ys).all(|(x, y)| same(x, y))
        }
        (Binary(o, x, y), Binary(p, v, w)) => o == p && a.ty == b.ty && same(x, v) && same(y, w),
        (Compare(o, x, y), Compare(p, v, w)) => o == p && same(x, v) && same(y, w),
        (Quantified(q, vs, x), Quantified(r, ws, y)) => q == r && vs == ws && same(x, y),
        _ => false,
    }
}

/// The variables that occur in an expression, bound ones included.
pub fn vars_of(e: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if let ExprKind::Var(id) = &*e.kind {
            found.insert(*id);
        }
        stack.extend(e.children());
    }
    found
}

/// The fields that an expression reads, of any object; not those that functions read which it calls.
pub fn fields_of(e: &Expr) -> BTreeSet<FieldRef> {
    let mut found = BTreeSet::new();
    contains(e, &mut |e| {
        if let ExprKind::Field(_, field) = &*e.kind {
            found.insert(*field);
        }
        false
    });
    found
}

/// The field of the object itself that an expression is.
pub fn own_field(e: &Expr) -> Option<FieldRef> {
    match &*e.kind {
        ExprKind::Field(object, field) if matches!(*object.kind, ExprKind::This) => Some(*field),
        _ => None,
    }
}

/// Whether any subexpression (the expression itself included) satisfies the test.
pub fn contains(e: &Expr, test: &mut impl FnMut(&Expr) -> bool) -> bool {
    test(e) || e.children().into_iter().any(|child| contains(child, test))
}

/// Whether an expression speaks of one of these variables.
pub fn mentions(e: &Expr, vars: &[VarId]) -> bool {
    contains(
        e,
        &mut |e| matches!(&*e.kind, ExprKind::Var(id) if vars.contains(id)),
    )
}

/// How many nodes an expression has.
pub fn size(e: &Expr) -> usize {
    let mut count = 0;
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        count += 1;
        open.extend(e.children());
    }
    count
}
