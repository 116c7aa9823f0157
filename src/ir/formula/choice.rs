//! `if` in formulas: made, found inside an atom, and decided there.

use super::{expr, is_bool, map_children, same};
use crate::ir::{Expr, ExprKind};

/// `if condition then … else …`; the type is that of the second branch, what a place held before.
pub fn choice(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    if is_bool(&condition, true) || same(&then, &otherwise) {
        return then;
    }
    if is_bool(&condition, false) {
        return otherwise;
    }
    let ty = otherwise.ty.clone();
    expr(ExprKind::If(condition, then, otherwise), ty)
}

/// The condition of an `if` in an atom, an innermost one; none under a quantifier.
pub fn inner_choice(e: &Expr) -> Option<Expr> {
    match &*e.kind {
        ExprKind::Quantified(..) => None,
        ExprKind::If(condition, a, b) => inner_choice(condition)
            .or_else(|| inner_choice(a))
            .or_else(|| inner_choice(b))
            .or_else(|| Some(condition.clone())),
        _ => e.children().into_iter().find_map(inner_choice),
    }
}

/// The atom where an `if`'s condition is decided.
pub fn chosen(e: &Expr, condition: &Expr, holds: bool) -> Expr {
    if let ExprKind::If(c, a, b) = &*e.kind
        && same(c, condition)
    {
        return chosen(if holds { a } else { b }, condition, holds);
    }
    map_children(e, |child| chosen(child, condition, holds))
}
