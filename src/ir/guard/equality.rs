//! Elimination of a variable that is only compared for equality, over a type without end: an opaque type, or
//! references (a caller can always make one more object).
//!
//! `∃x. φ` holds exactly when `φ` holds for `x` equal to something it is compared to, or different from all of
//! it.

use num_traits::Zero;

use super::elimination::Stuck;
use super::is_natural;
use crate::ir::formula::mentions;
use crate::ir::formula::{self, Substitution};
use crate::ir::{CompareOp, Expr, ExprKind, VarId};

/// `∃ var. e`
pub(super) fn exists(var: VarId, e: &Expr) -> Result<Expr, Stuck> {
    let others = compared_to(var, e)?;
    let mut cases = vec![different(var, e)];
    cases.extend(
        others
            .iter()
            .map(|other| Substitution::one(var, other.clone()).apply(e)),
    );
    match cases.iter().any(|case| mentions(case, &[var])) {
        true => Err(Stuck::Form),
        false => Ok(formula::any(cases)),
    }
}

/// What the variable is compared to, but for its own parts.
///
/// # Errors
/// Where it is neither compared nor looked into; where a quantifier says what it is compared to.
pub(super) fn compared_to(var: VarId, e: &Expr) -> Result<Vec<Expr>, Stuck> {
    let mut others = Vec::new();
    collect(var, e, &mut Vec::new(), &mut others)?;
    Ok(others)
}

fn collect(
    var: VarId,
    e: &Expr,
    bound: &mut Vec<VarId>,
    others: &mut Vec<Expr>,
) -> Result<(), Stuck> {
    if let Some(other) = compared(var, e) {
        if mentions(other, bound) {
            return Err(Stuck::Form);
        }
        if mentions(other, &[var]) {
            return collect(var, other, bound, others);
        }
        if !others.iter().any(|o| formula::same(o, other)) {
            others.push(other.clone());
        }
        return Ok(());
    }
    let before = bound.len();
    let mut children = e.children();
    match &*e.kind {
        ExprKind::Var(id) if *id == var => return Err(Stuck::Form),
        ExprKind::Quantified(_, vars, _) => bound.extend(vars),
        ExprKind::Field(of, _) | ExprKind::Length(of) if is_var(var, of) => return Ok(()),
        ExprKind::Element(of, _) | ExprKind::Select(of, _) if is_var(var, of) => {
            children.remove(0);
        }
        _ => {}
    }
    for child in children {
        collect(var, child, bound, others)?;
    }
    bound.truncate(before);
    Ok(())
}

pub(super) fn is_var(var: VarId, e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Var(id) if *id == var)
}

/// The other side of a comparison for equality with the variable.
fn compared(var: VarId, e: &Expr) -> Option<&Expr> {
    match &*e.kind {
        ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) if is_var(var, a) => Some(b),
        ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) if is_var(var, b) => Some(a),
        _ => None,
    }
}

/// The formula where the variable is equal to nothing it is compared to, but for its own parts.
pub(super) fn different(var: VarId, e: &Expr) -> Expr {
    if compared(var, e).is_some_and(|other| !mentions(other, &[var])) {
        return formula::bool(matches!(&*e.kind, ExprKind::Compare(CompareOp::Ne, ..)));
    }
    formula::map_children(e, |child| different(var, child))
}

/// The formula where the variable is `null`, as far as it is compared; what is read of it stays.
pub(super) fn as_null(var: VarId, e: &Expr) -> Expr {
    if let (Some(other), ExprKind::Compare(op, ..)) = (compared(var, e), &*e.kind) {
        return formula::compare(*op, formula::null(), other.clone());
    }
    formula::map_children(e, |child| as_null(var, child))
}

/// Whether something that the variable is compared to for equality is a value for it wherever `given` holds: `owner == v ||
/// approved[owner][v]` has one, whatever `approved` is.
pub(super) fn has_witness(var: VarId, e: &Expr, given: &[Expr]) -> bool {
    let mut others = Vec::new();
    equal_to(var, e, &mut Vec::new(), &mut others);
    others.into_iter().any(|other| {
        let instance = Substitution::one(var, other).apply(e);
        let mut left = formula::conjuncts_of(instance).into_iter();
        left.all(|c| is_known(&c) || given.iter().any(|g| formula::same(g, &c)))
    })
}

/// What the variable is compared to for equality, wherever it stands.
fn equal_to(var: VarId, e: &Expr, bound: &mut Vec<VarId>, others: &mut Vec<Expr>) {
    if let (ExprKind::Compare(CompareOp::Eq, ..), Some(other)) = (&*e.kind, compared(var, e))
        && !mentions(other, bound)
        && !mentions(other, &[var])
    {
        others.push(other.clone());
    }
    let before = bound.len();
    if let ExprKind::Quantified(_, vars, _) = &*e.kind {
        bound.extend(vars);
    }
    for child in e.children() {
        equal_to(var, child, bound, others);
    }
    bound.truncate(before);
}

/// Whether it holds whatever the values are.
fn is_known(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Compare(CompareOp::Ge, value, zero) => {
            is_natural(value) && matches!(&*zero.kind, ExprKind::Int(zero) if zero.is_zero())
        }
        _ => formula::is_bool(e, true),
    }
}
