//! Conditions as diagrams; and what they were before a place was written.

use rustc_hash::FxHashMap;

use super::diagram::{AtomId, Bdd};
use super::{Backwards, Behind, By};
use crate::ir::formula::{self, Substitution};
use crate::ir::{BinaryOp, CompareOp, Expr, ExprKind, Place, Type, VarId};

impl Backwards {
    /// An expression of the routine that is being gone through, as one over the whole: [`Backwards::here_with`] what is known here.
    pub(super) fn here(&self, e: &Expr) -> Expr {
        self.here_with(e, &self.frame.constants)
    }

    /// A boolean expression that is defined everywhere, as a diagram.
    pub(super) fn condition(&mut self, e: &Expr) -> Bdd {
        let e = simple(&formula::inline_functions(&self.program, e));
        self.of(&e)
    }

    /// The right side first: what is looked at first is met last on the way back.
    fn of(&mut self, e: &Expr) -> Bdd {
        match &*e.kind {
            ExprKind::Bool(value) => Bdd::of(*value),
            ExprKind::Not(inner) => {
                let inner = self.of(inner);
                self.diagrams.not(inner)
            }
            ExprKind::Binary(op, a, b) if e.ty == Type::Bool => {
                let (b, a) = (self.of(b), self.of(a));
                match op {
                    BinaryOp::And => self.diagrams.and(a, b),
                    BinaryOp::Or => self.diagrams.or(a, b),
                    BinaryOp::Implies => self.diagrams.choice(a, b, Bdd::TRUE),
                    _ => self.equal(a, b),
                }
            }
            ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) if a.ty == Type::Bool => {
                let (b, a) = (self.of(b), self.of(a));
                let equal = self.equal(a, b);
                match op {
                    CompareOp::Eq => equal,
                    _ => self.diagrams.not(equal),
                }
            }
            ExprKind::If(c, a, b) => {
                let (b, a, c) = (self.of(b), self.of(a), self.of(c));
                self.diagrams.choice(c, a, b)
            }
            _ => self.atom(e),
        }
    }

    fn equal(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let not_b = self.diagrams.not(b);
        self.diagrams.choice(a, b, not_b)
    }

    fn atom(&mut self, e: &Expr) -> Bdd {
        if let Some(condition) = formula::inner_choice(e) {
            // One choice within another in each of ten steps makes a thousand cases.
            self.diagrams.works(formula::size(e));
            if self.diagrams.is_full() {
                return self.diagrams.unknown();
            }
            let then = simple(&formula::chosen(e, &condition, true));
            let otherwise = simple(&formula::chosen(e, &condition, false));
            let (otherwise, then) = (self.of(&otherwise), self.of(&then));
            let condition = self.of(&condition);
            return self.diagrams.choice(condition, then, otherwise);
        }
        match self.atoms.id(e) {
            Some((atom, true)) => self.diagrams.atom(atom),
            Some((atom, false)) => {
                let atom = self.diagrams.atom(atom);
                self.diagrams.not(atom)
            }
            None => self.anything("a condition is too large"),
        }
    }

    /// The condition before a run of which it is not known where it ends.
    pub(super) fn any_end(&mut self, reason: &'static str) -> Bdd {
        if self.perhaps_only {
            self.reasons.insert(reason);
            return Bdd::TRUE;
        }
        self.anything(reason)
    }

    /// A condition of which it is not known where it holds.
    pub(super) fn anything(&mut self, reason: &'static str) -> Bdd {
        self.reasons.insert(reason);
        let id = self.variable("open", &Type::Bool);
        self.open.insert(id);
        let e = formula::var(&self.program, id);
        match self.atoms.id(&e) {
            Some((atom, _)) => self.diagrams.atom(atom),
            None => self.diagrams.unknown(),
        }
    }

    pub(super) fn variable(&mut self, name: &str, ty: &Type) -> VarId {
        self.program.new_var(name, ty.clone())
    }

    /// The diagram with each atom changed.
    pub(super) fn mapped(&mut self, node: Bdd, change: &mut dyn FnMut(&Expr) -> Expr) -> Bdd {
        let mut atoms: Vec<AtomId> = self.diagrams.support(node).into_iter().collect();
        // In the order in which they were met, and they keep it.
        atoms.sort_by_key(|atom| self.atoms.earliness(*atom));
        let changed: Vec<Option<Expr>> = atoms
            .iter()
            .map(|atom| {
                let shown = self.atoms.shown(*atom);
                self.diagrams.works(formula::size(shown));
                let changed = change(shown);
                (!formula::same(&changed, shown)).then_some(changed)
            })
            .collect();
        if changed.iter().all(Option::is_none) {
            return node;
        }
        let mut by = FxHashMap::default();
        for (atom, changed) in atoms.into_iter().zip(changed) {
            match changed {
                Some(changed) => {
                    let changed = simple(&changed);
                    by.insert(atom, self.of(&changed));
                }
                None => self.atoms.meet(atom),
            }
        }
        self.diagrams.replace(node, &by)
    }

    /// The diagram before variables were given values, all at once.
    pub(super) fn substituted(&mut self, node: Bdd, by: &Substitution) -> Bdd {
        self.mapped(node, &mut |e| by.apply(e))
    }

    /// The diagram before this value was written to this place, both over the whole.
    pub(super) fn before_write(&mut self, node: Bdd, place: &Place, value: &Expr) -> Bdd {
        match place {
            Place::Var(id) => self.substituted(node, &Substitution::one(*id, value.clone())),
            _ => self.mapped(node, &mut |e| unwritten(e, place, value)),
        }
    }

    /// The node, where evaluating the expression raises nothing; else what its exceptions lead to.
    pub(super) fn if_defined(&mut self, e: &Expr, node: Bdd, behind: &Behind) -> Bdd {
        let hazards = formula::hazards(&self.program, e);
        hazards.iter().rev().fold(node, |node, hazard| {
            let when = self.here(&hazard.when);
            let when = self.condition(&when);
            let raised = behind.throws(hazard.exception.id(), By::Body);
            self.diagrams.choice(when, raised, node)
        })
    }
}

/// The expression with the value that a place had before it was written.
fn unwritten(e: &Expr, place: &Place, value: &Expr) -> Expr {
    if matches!(*e.kind, ExprKind::Old(_)) {
        return e.clone();
    }
    let e = formula::map_children(e, |child| unwritten(child, place, value));
    let here = match (&*e.kind, place) {
        (ExprKind::Field(object, field), Place::Field(written, other)) if field == other => {
            same_reference(object, written)
        }
        (ExprKind::Element(array, index), Place::Element(written, at))
            if element_of(&array.ty) == element_of(&written.ty) =>
        {
            let same_index = formula::compare(CompareOp::Eq, index.clone(), at.clone());
            formula::and(same_reference(array, written), same_index)
        }
        _ => return e,
    };
    formula::choice(here, value.clone(), e)
}

/// The expression in a form in which more of it is the same: maps are looked up where they were changed, sums are sums.
pub(super) fn simple(e: &Expr) -> Expr {
    fn looked_up(e: &Expr) -> Expr {
        let e = formula::map_children(e, looked_up);
        match &*e.kind {
            ExprKind::Select(map, key) => selected(map, key, &e),
            ExprKind::Compare(CompareOp::Eq, a, b) if is_this_and_null(a, b) => {
                formula::bool(false)
            }
            ExprKind::Compare(CompareOp::Ne, a, b) if is_this_and_null(a, b) => formula::bool(true),
            _ => e,
        }
    }
    formula::tidy(&looked_up(e))
}

fn is_this_and_null(a: &Expr, b: &Expr) -> bool {
    let one = |a: &Expr, b: &Expr| matches!((&*a.kind, &*b.kind), (ExprKind::This, ExprKind::Null));
    one(a, b) || one(b, a)
}

/// `map[key]`, looked up where the map was changed.
fn selected(map: &Expr, key: &Expr, e: &Expr) -> Expr {
    match &*map.kind {
        ExprKind::Store(inner, stored, value) => {
            let same = formula::compare(CompareOp::Eq, key.clone(), stored.clone());
            let rest = formula::expr(ExprKind::Select(inner.clone(), key.clone()), e.ty.clone());
            formula::choice(same, value.clone(), selected(inner, key, &rest))
        }
        _ => e.clone(),
    }
}

fn element_of(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Array { element, .. } => Some(element),
        _ => None,
    }
}

fn same_reference(a: &Expr, b: &Expr) -> Expr {
    if let (Type::Class { class: c, .. }, Type::Class { class: d, .. }) = (&a.ty, &b.ty)
        && c != d
    {
        return formula::bool(false);
    }
    formula::compare(CompareOp::Eq, a.clone(), b.clone())
}
