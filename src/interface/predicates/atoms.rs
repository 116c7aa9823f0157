//! The atoms of formulas, each in one way to write it and its negation.

use crate::ir::formula;
use crate::ir::guard::linear::Linear;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Expr, ExprKind, Type};

/// No more atoms than this are followed through one body, and none that is longer than this.
const MOST_ATOMS: usize = 64;
const LONGEST_ATOM: usize = 60;

/// Predicates in an order, none twice.
#[derive(Clone, Debug, Default)]
pub(super) struct PredicateList(pub(super) Vec<Expr>);

impl PredicateList {
    /// Adds the atoms of a boolean expression.
    pub(super) fn add_all(&mut self, e: &Expr) {
        let mut open = vec![e.clone()];
        while let Some(e) = open.pop() {
            match &*e.kind {
                ExprKind::Binary(
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff,
                    a,
                    b,
                ) => open.extend([b.clone(), a.clone()]),
                ExprKind::Not(a) => open.push(a.clone()),
                ExprKind::If(c, a, b) if e.ty == Type::Bool => {
                    open.extend([b, a, c].map(Expr::clone));
                }
                _ => self.add(normal(&e)),
            }
        }
    }

    /// Adds an atom, unless it is there or says nothing.
    fn add(&mut self, atom: Expr) {
        let constant = formula::is_bool(&atom, true) || formula::is_bool(&atom, false);
        let known = self.0.iter().any(|a| formula::same(a, &atom));
        let fits = self.0.len() < MOST_ATOMS && is_short(&atom);
        if !constant && !known && fits {
            self.0.push(atom);
        }
    }

    pub(super) fn extend(&mut self, other: PredicateList) {
        for atom in other.0 {
            self.add(atom);
        }
    }

    /// Each atom with something put in.
    pub(super) fn map(self, change: impl Fn(&Expr) -> Expr) -> PredicateList {
        let mut changed = PredicateList::default();
        for atom in &self.0 {
            changed.add_all(&change(atom));
        }
        changed
    }

    /// The predicates about the object: those that speak of its fields, and of no variable.
    pub(super) fn of_object(self) -> PredicateList {
        let speaks = |e: &Expr| {
            let local = formula::contains(e, &mut |e| {
                matches!(
                    &*e.kind,
                    ExprKind::Var(_) | ExprKind::Old(_) | ExprKind::Quantified(..)
                )
            });
            let field = formula::contains(e, &mut |e| matches!(&*e.kind, ExprKind::Field(..)));
            field && !local
        };
        PredicateList(self.0.into_iter().filter(speaks).collect())
    }
}

fn is_short(e: &Expr) -> bool {
    let mut size = 0;
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        size += 1;
        if size > LONGEST_ATOM {
            return false;
        }
        open.extend(e.children());
    }
    true
}

/// An atom in one of the ways to write it and its negation: `==`, `<` or `<=`, integers with the variables to the
/// left of the constant.
fn normal(atom: &Expr) -> Expr {
    let ExprKind::Compare(op, a, b) = &*atom.kind else {
        return atom.clone();
    };
    let op = match op {
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Ge => CompareOp::Lt,
        CompareOp::Gt => CompareOp::Le,
        op => *op,
    };
    let integer = |e: &Expr| {
        matches!(
            e.ty,
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_)
        )
    };
    if !integer(a) || !integer(b) {
        return formula::compare(op, a.clone(), b.clone());
    }
    let compared = Linear::of(a).minus(&Linear::of(b)).compared_to_zero(op);
    match &*compared.kind {
        // Putting the variables to the left may have turned the comparison round.
        ExprKind::Compare(CompareOp::Ge, a, b) => {
            formula::compare(CompareOp::Lt, a.clone(), b.clone())
        }
        ExprKind::Compare(CompareOp::Gt, a, b) => {
            formula::compare(CompareOp::Le, a.clone(), b.clone())
        }
        _ => compared,
    }
}

/// Those that are not known yet, each once.
pub fn new_among(found: impl IntoIterator<Item = Expr>, known: &[Expr]) -> Vec<Expr> {
    let known: Vec<Expr> = known.iter().map(normal).collect();
    let mut atoms = PredicateList::default();
    for predicate in found {
        if !known.iter().any(|k| formula::same(k, &predicate)) {
            atoms.add(predicate);
        }
    }
    atoms.0
}
