//! Elimination of a variable that is only compared for equality, over a type without end: an opaque type, or
//! references (a caller can always make one more object).
//!
//! `∃x. φ` holds exactly when `φ` holds for `x` equal to something it is compared to, or different from all of
//! it.

use crate::ir::CompareOp;
use crate::ir::{Expr, ExprKind, VarId};
use crate::ir::{formula, formula::Substitution};

use super::{Stuck, mentions};

/// `∃ var. e`
pub fn exists(var: VarId, e: &Expr) -> Result<Expr, Stuck> {
    let mut others = Vec::new();
    collect(var, e, &mut others)?;
    let mut cases = vec![different(var, e)];
    cases.extend(
        others
            .iter()
            .map(|other| Substitution::one(var, other.clone()).apply(e)),
    );
    Ok(formula::any(cases))
}

/// Whether the variable is compared to something other than `null`.
pub fn compared_to_others(var: VarId, e: &Expr) -> bool {
    let mut others = Vec::new();
    collect(var, e, &mut others).is_err()
        || others.iter().any(|o| !matches!(*o.kind, ExprKind::Null))
}

/// What the variable is compared to. Stuck where it occurs otherwise.
fn collect(var: VarId, e: &Expr, others: &mut Vec<Expr>) -> Result<(), Stuck> {
    if let Some(other) = compared(var, e) {
        if mentions(other, &[var]) {
            return Err(Stuck::Form);
        }
        if !others.iter().any(|o| formula::same(o, other)) {
            others.push(other.clone());
        }
        return Ok(());
    }
    match &*e.kind {
        ExprKind::Var(id) if *id == var => Err(Stuck::Form),
        ExprKind::Quantified(..) if mentions(e, &[var]) => Err(Stuck::Form),
        _ => e
            .children()
            .into_iter()
            .try_for_each(|child| collect(var, child, others)),
    }
}

/// The other side of a comparison for equality with the variable.
fn compared(var: VarId, e: &Expr) -> Option<&Expr> {
    let is_var = |e: &Expr| matches!(&*e.kind, ExprKind::Var(id) if *id == var);
    match &*e.kind {
        ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) if is_var(a) => Some(b),
        ExprKind::Compare(CompareOp::Eq | CompareOp::Ne, a, b) if is_var(b) => Some(a),
        _ => None,
    }
}

/// The formula where the variable is equal to nothing it is compared to.
fn different(var: VarId, e: &Expr) -> Expr {
    if compared(var, e).is_some() {
        return formula::bool(matches!(&*e.kind, ExprKind::Compare(CompareOp::Ne, ..)));
    }
    formula::map_children(e, |child| different(var, child))
}
