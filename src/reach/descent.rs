//! Recursive functions of integers that come to an end: each call has a smaller argument, and only where that argument
//! has a lower bound. Such a definition has a meaning at every value, so that a solver may unfold it where it is used.

use std::collections::BTreeSet;

use super::macros::recursive;
use crate::boogie::typed::{
    BinOp, BoogieType, ChainOp, FunctionId, TypedExpr, TypedExprKind, TypedFunction, TypedProgram,
};

/// Those functions of a program.
pub(super) fn descending(program: &TypedProgram) -> BTreeSet<FunctionId> {
    let recursive = recursive(program);
    let candidates = program
        .functions
        .pairs()
        .filter(|(id, _)| recursive.contains(id));
    candidates
        .filter(|(id, f)| descends(*id, f, &recursive))
        .map(|(id, _)| id)
        .collect()
}

fn descends(function: FunctionId, f: &TypedFunction, recursive: &BTreeSet<FunctionId>) -> bool {
    let Some(body) = &f.body else {
        return false;
    };
    // Only calls of itself are followed.
    let mut others = false;
    body.visit(&mut |e| {
        if let TypedExprKind::Call(g, ..) = e.kind {
            others |= g != function && recursive.contains(&g);
        }
    });
    let mut params = f.params.iter().enumerate();
    !others
        && params.any(|(place, (var, ty))| {
            let descent = Descent {
                function,
                place,
                var: *var,
            };
            *ty == BoogieType::Int && descent.holds(body, false)
        })
}

struct Descent {
    function: FunctionId,
    /// Which argument gets smaller, and the variable that stands for it.
    place: usize,
    var: u32,
}

impl Descent {
    /// Is every call within the expression one with a smaller argument, where that has a lower bound? `bounded` says whether
    /// it has one here.
    fn holds(&self, e: &TypedExpr, bounded: bool) -> bool {
        match &e.kind {
            TypedExprKind::Ite(c, a, b) => {
                self.holds(c, bounded)
                    && self.holds(a, bounded || self.bounds(c, true))
                    && self.holds(b, bounded || self.bounds(c, false))
            }
            TypedExprKind::Quantified(_) | TypedExprKind::Let(..) | TypedExprKind::Code(_) => {
                let mut calls = false;
                e.visit(&mut |e| {
                    calls |= matches!(e.kind, TypedExprKind::Call(f, ..) if f == self.function);
                });
                !calls
            }
            TypedExprKind::Call(f, _, args) if *f == self.function => {
                bounded
                    && args.get(self.place).is_some_and(|a| self.is_smaller(a))
                    && args.iter().all(|a| self.holds(a, bounded))
            }
            _ => e.children().into_iter().all(|e| self.holds(e, bounded)),
        }
    }

    fn is_var(&self, e: &TypedExpr) -> bool {
        matches!(e.kind, TypedExprKind::Bound(n) if n == self.var)
    }

    /// Is it the variable less a number above zero?
    fn is_smaller(&self, e: &TypedExpr) -> bool {
        let TypedExprKind::Binary(BinOp::Sub, l, r) = &e.kind else {
            return false;
        };
        self.is_var(l) && matches!(&r.kind, TypedExprKind::Int(n) if *n > 0.into())
    }

    /// Does the variable have a lower bound where the condition has that truth value?
    fn bounds(&self, condition: &TypedExpr, truth: bool) -> bool {
        match &condition.kind {
            TypedExprKind::Not(e) => self.bounds(e, !truth),
            TypedExprKind::Chain(op, all) if (*op == ChainOp::And) == truth => {
                all.iter().any(|e| self.bounds(e, truth))
            }
            TypedExprKind::Binary(op, l, r) => {
                let number = |e: &TypedExpr| matches!(e.kind, TypedExprKind::Int(_));
                let above = match op {
                    BinOp::Gt | BinOp::Ge => truth,
                    BinOp::Lt | BinOp::Le => !truth,
                    _ => return false,
                };
                (above && self.is_var(l) && number(r)) || (!above && number(l) && self.is_var(r))
            }
            _ => false,
        }
    }
}
