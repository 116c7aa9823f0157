//! Comparisons of integers, tidied: `size + 1 == 3` is `size == 2`.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super as formula;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Expr, ExprKind, Type};

/// A sum of multiples of terms that are no sums themselves, and a number.
#[derive(Default)]
struct Sum {
    terms: Vec<(Expr, BigInt)>,
    constant: BigInt,
    /// How many numbers and repeated terms were put together.
    merged: usize,
    numbers: usize,
}

impl Sum {
    fn add(&mut self, e: &Expr, factor: &BigInt) {
        match &*e.kind {
            ExprKind::Int(n) => {
                self.constant += n * factor;
                self.numbers += 1;
            }
            ExprKind::Neg(inner) if e.ty == Type::Int => self.add(inner, &-factor),
            ExprKind::Binary(BinaryOp::Add, a, b) if e.ty == Type::Int => {
                self.add(a, factor);
                self.add(b, factor);
            }
            ExprKind::Binary(BinaryOp::Sub, a, b) if e.ty == Type::Int => {
                self.add(a, factor);
                self.add(b, &-factor);
            }
            ExprKind::Binary(BinaryOp::Mul, a, b) if e.ty == Type::Int => {
                match (&*a.kind, &*b.kind) {
                    (ExprKind::Int(n), _) => self.add(b, &(n * factor)),
                    (_, ExprKind::Int(n)) => self.add(a, &(n * factor)),
                    _ => self.term(e, factor),
                }
            }
            _ => self.term(e, factor),
        }
    }

    fn term(&mut self, e: &Expr, factor: &BigInt) {
        match self.terms.iter_mut().find(|(t, _)| formula::same(t, e)) {
            Some((_, n)) => {
                *n += factor;
                self.merged += 1;
            }
            None => self.terms.push((e.clone(), factor.clone())),
        }
    }
}

/// The formula with the comparisons of integers in it tidied, where that makes them shorter, and with comparisons
/// to `true` and `false` gone.
pub fn tidy(e: &Expr) -> Expr {
    let e = formula::map_children(e, tidy);
    let ExprKind::Compare(op, a, b) = &*e.kind else {
        return e;
    };
    if a.ty == Type::Bool {
        return against_constant(*op, a, b)
            .or_else(|| against_constant(*op, b, a))
            .unwrap_or(e);
    }
    let integer = |e: &Expr| matches!(e.ty, Type::Int | Type::Machine(_));
    if !integer(a) || !integer(b) {
        return e;
    }
    let mut sum = Sum::default();
    sum.add(a, &BigInt::one());
    sum.add(b, &-BigInt::one());
    let repeated = sum.merged > 0;
    sum.terms.retain(|(_, n)| !n.is_zero());
    match sum.terms.as_slice() {
        [] => formula::compare(*op, formula::int(sum.constant), formula::int(0)),
        [(term, factor)] if factor.abs().is_one() => {
            let bound = -&sum.constant * factor;
            let op = if factor.is_negative() {
                op.mirrored()
            } else {
                *op
            };
            formula::compare(op, term.clone(), formula::int(bound))
        }
        _ if repeated || sum.numbers > 1 => rebuilt(*op, &sum),
        _ => e,
    }
}

/// `x == true` and its kin.
fn against_constant(op: CompareOp, constant: &Expr, x: &Expr) -> Option<Expr> {
    let ExprKind::Bool(value) = &*constant.kind else {
        return None;
    };
    match (op, value) {
        (CompareOp::Eq, true) | (CompareOp::Ne, false) => Some(x.clone()),
        (CompareOp::Eq, false) | (CompareOp::Ne, true) => Some(formula::not(x.clone())),
        _ => None,
    }
}

/// What is added on the left, what is subtracted on the right.
fn rebuilt(op: CompareOp, sum: &Sum) -> Expr {
    let side = |positive: bool| {
        let terms = sum
            .terms
            .iter()
            .filter(|(_, n)| n.is_positive() == positive);
        let mut parts: Vec<Expr> = terms
            .map(|(term, n)| match n.abs() {
                n if n.is_one() => term.clone(),
                n => arithmetic(BinaryOp::Mul, formula::int(n), term.clone()),
            })
            .collect();
        if !sum.constant.is_zero() && sum.constant.is_positive() == positive {
            parts.push(formula::int(sum.constant.abs()));
        }
        parts
            .into_iter()
            .reduce(|a, b| arithmetic(BinaryOp::Add, a, b))
            .unwrap_or_else(|| formula::int(0))
    };
    formula::compare(op, side(true), side(false))
}

fn arithmetic(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    formula::expr(ExprKind::Binary(op, a, b), Type::Int)
}
