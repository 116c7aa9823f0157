//! What a quantifier says of a variable before it says more: `forall i: int :: lo <= i < hi ==> …`.

use crate::ir::{BinaryOp, CompareOp, Expr, ExprKind, Quantifier, Type, VarId};

/// The conjuncts, in order, without which the body decides nothing: where one of them is false, the body of a universal
/// quantifier is true, and that of an existential one false.
pub fn guard_of(quantifier: Quantifier, body: &Expr) -> Vec<&Expr> {
    let mut conjuncts = Vec::new();
    match quantifier {
        Quantifier::Exists => collect_conjuncts(body, &mut conjuncts),
        Quantifier::Forall => {
            let mut rest = body;
            while let ExprKind::Binary(BinaryOp::Implies, premise, conclusion) = &*rest.kind {
                collect_conjuncts(premise, &mut conjuncts);
                rest = conclusion;
            }
            if let ExprKind::Not(never) = &*rest.kind {
                collect_conjuncts(never, &mut conjuncts);
            }
        }
    }
    conjuncts
}

fn collect_conjuncts<'e>(expr: &'e Expr, conjuncts: &mut Vec<&'e Expr>) {
    let mut open = vec![expr];
    while let Some(e) = open.pop() {
        match &*e.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => open.extend([b, a]),
            _ => conjuncts.push(e),
        }
    }
}

/// The comparison of an integer as `var op bound`, where it is one.
pub fn bound_on(conjunct: &Expr, var: VarId) -> Option<(CompareOp, &Expr)> {
    let ExprKind::Compare(op, a, b) = &*conjunct.kind else {
        return None;
    };
    let is_integer = |e: &Expr| {
        matches!(
            e.ty,
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_)
        )
    };
    if !is_integer(a) || !is_integer(b) {
        return None;
    }
    if is_var(a, var) {
        return Some((*op, b));
    }
    is_var(b, var).then_some((op.mirrored(), a))
}

/// Whether the expression is this variable; widening to `int` does not change a value.
pub fn is_var(expr: &Expr, var: VarId) -> bool {
    match &*expr.kind {
        ExprKind::Var(v) => *v == var,
        ExprKind::Convert(e) if expr.ty == Type::Int => {
            matches!(&*e.kind, ExprKind::Var(v) if *v == var)
        }
        _ => false,
    }
}
