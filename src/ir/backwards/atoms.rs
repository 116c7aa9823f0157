//! The atoms of diagrams: boolean expressions without a boolean structure of their own, each known by one number however
//! it is written (`x > 3`, `!(x <= 3)` and `x >= 4` are one atom and its negations).

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;

use super::diagram::AtomId;
use crate::ir::formula;
use crate::ir::{CompareOp, Expr, ExprKind, Type};

/// More atoms than this are not kept apart.
const MOST_ATOMS: usize = 3000;

/// Atoms larger than this, in nodes, are not looked at: doubling a value thirty times must not fill the memory.
const LARGEST: usize = 400;

/// All atoms of one analysis.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    /// As they were written first.
    shown: Vec<Expr>,
    /// When each was met last.
    met: Vec<usize>,
    now: usize,
    /// By their hash, with the form in which they are compared.
    known: HashMap<u64, Vec<(Expr, AtomId)>>,
}

impl Atoms {
    /// The atom as it was written first.
    pub(super) fn shown(&self, atom: AtomId) -> &Expr {
        &self.shown[atom as usize]
    }

    /// The larger, the earlier in a run the atom is looked at: on the way back it is met last.
    pub(super) fn earliness(&self, atom: AtomId) -> usize {
        self.met[atom as usize]
    }

    /// The atom is met again.
    pub(super) fn meet(&mut self, atom: AtomId) {
        self.now += 1;
        self.met[atom as usize] = self.now;
    }

    /// When each was met last.
    pub(super) fn all_met(&self) -> Vec<usize> {
        self.met.clone()
    }

    /// The atoms were met last when they were then; those that were not there then, now.
    pub(super) fn were_met(&mut self, then: Vec<usize>) {
        self.met.splice(..then.len(), then);
    }

    /// The same atom, with a number above all that there are.
    pub(super) fn again(&mut self, atom: AtomId) -> AtomId {
        self.shown.push(self.shown[atom as usize].clone());
        self.met.push(self.met[atom as usize]);
        (self.shown.len() - 1) as AtomId
    }

    /// The number of an atom, and whether the expression is the atom (or its negation); none where it is too large, or
    /// there are too many.
    pub(super) fn id(&mut self, e: &Expr) -> Option<(AtomId, bool)> {
        if formula::size(e) > LARGEST || self.shown.len() >= MOST_ATOMS {
            return None;
        }
        self.now += 1;
        let (normal, holds) = normal(e);
        let hash = hash(&normal);
        let alike = self.known.entry(hash).or_default();
        if let Some((_, id)) = alike
            .iter()
            .find(|(known, _)| formula::same(known, &normal))
        {
            self.met[*id as usize] = self.now;
            return Some((*id, holds));
        }
        self.met.push(self.now);
        let id = self.shown.len() as AtomId;
        alike.push((normal, id));
        self.shown.push(match holds {
            true => e.clone(),
            false => formula::not(e.clone()),
        });
        Some((id, holds))
    }
}

/// The form in which atoms are compared, and whether it says the same or the contrary.
fn normal(e: &Expr) -> (Expr, bool) {
    let ExprKind::Compare(op, a, b) = &*e.kind else {
        return (e.clone(), true);
    };
    // `a <= b` is `!(b < a)`.
    let (op, a, b, holds) = match op {
        CompareOp::Eq => (CompareOp::Eq, a, b, true),
        CompareOp::Ne => (CompareOp::Eq, a, b, false),
        CompareOp::Lt => (CompareOp::Lt, a, b, true),
        CompareOp::Gt => (CompareOp::Lt, b, a, true),
        CompareOp::Le => (CompareOp::Lt, b, a, false),
        CompareOp::Ge => (CompareOp::Lt, a, b, false),
    };
    if op == CompareOp::Eq {
        let (a, b) = if hash(b) < hash(a) { (b, a) } else { (a, b) };
        return (compared(op, a.clone(), b.clone()), holds);
    }
    match &*a.kind {
        // `3 < x` is `!(x < 4)`.
        ExprKind::Int(n) => (compared(op, b.clone(), formula::int(n + 1u32)), !holds),
        _ => (compared(op, a.clone(), b.clone()), holds),
    }
}

fn compared(op: CompareOp, a: Expr, b: Expr) -> Expr {
    formula::expr(ExprKind::Compare(op, a, b), Type::Bool)
}

/// The same for expressions that are the same.
fn hash(e: &Expr) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        discriminant(&*e.kind).hash(&mut hasher);
        match &*e.kind {
            ExprKind::Int(n) => n.hash(&mut hasher),
            ExprKind::Bool(b) => b.hash(&mut hasher),
            ExprKind::Member(ty, index) => (ty, index).hash(&mut hasher),
            ExprKind::Named(ty, index) => (ty, index).hash(&mut hasher),
            ExprKind::Var(id) => id.hash(&mut hasher),
            ExprKind::Field(_, field) => field.hash(&mut hasher),
            ExprKind::Binary(op, ..) => op.hash(&mut hasher),
            ExprKind::Compare(op, ..) => op.hash(&mut hasher),
            _ => {}
        }
        open.extend(e.children());
    }
    hasher.finish()
}
