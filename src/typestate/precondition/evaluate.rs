//! Expressions along a path: their values as formulas over the start, and which way a condition goes.

use std::rc::Rc;

use crate::ir::formula;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{BuiltinException, Expr, ExprKind, FieldRef, Type, VarId};
use crate::typestate::solver::Satisfiability;

use super::PathAnalysis;
use super::path::{Heap, RoutinePath, Write};

/// Terms larger than this, in nodes, become unknown values: doubling a value thirty times must not fill the memory.
const LARGEST_TERM: usize = 400;

/// Where an expression is looked at.
#[derive(Clone, Copy)]
struct View<'v> {
    path: &'v RoutinePath,
    heap: &'v Heap,
}

impl PathAnalysis {
    /// The value of an expression here. Where what a reference is the same as is not decided, it is an `if`.
    pub(super) fn value(&mut self, path: &RoutinePath, e: &Expr) -> Expr {
        let e = formula::inline_functions(&self.known.program, e);
        let heap = &path.heap;
        let value = self.at(View { path, heap }, &e);
        if formula::size(&value) > LARGEST_TERM {
            return self.unknown(&e.ty);
        }
        value
    }

    fn at(&mut self, view: View<'_>, e: &Expr) -> Expr {
        match &*e.kind {
            ExprKind::Var(id) => {
                let held = view.path.vars.get(id).or_else(|| self.held.get(id));
                held.cloned().unwrap_or_else(|| e.clone())
            }
            ExprKind::This => view.path.this.clone(),
            ExprKind::Field(object, field) => {
                let object = self.at(view, object);
                self.read_field(view, &object, *field, &e.ty)
            }
            ExprKind::Length(array) => {
                let array = self.at(view, array);
                let new = view.heap.lengths.iter();
                let length = new
                    .filter(|(id, _)| is_var(&array, *id))
                    .map(|(_, length)| length.clone())
                    .next_back();
                length.unwrap_or_else(|| formula::expr(ExprKind::Length(array), Type::Int))
            }
            ExprKind::Element(array, index) => {
                let (array, index) = (self.at(view, array), self.at(view, index));
                self.read_element(view, array, index, &e.ty)
            }
            ExprKind::Select(map, key) => {
                let (map, key) = (self.at(view, map), self.at(view, key));
                select(map, key, &e.ty)
            }
            ExprKind::Old(inner) => match view.path.old.clone() {
                Some(heap) => self.at_old(view.path, &heap, inner),
                None => self.at(view, inner),
            },
            ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) => {
                let (a, b) = (self.at(view, a), self.at(view, b));
                match self.certainly_same(&a, &b) {
                    Some(same) => formula::bool(same == (*op == CompareOp::Eq)),
                    None => formula::compare(*op, a, b),
                }
            }
            _ => formula::map_children(e, |child| self.at(view, child)),
        }
    }

    fn at_old(&mut self, path: &RoutinePath, heap: &Rc<Heap>, e: &Expr) -> Expr {
        self.at(View { path, heap }, e)
    }

    fn read_field(&mut self, view: View<'_>, object: &Expr, field: FieldRef, ty: &Type) -> Expr {
        let writes = view.heap.fields.get(&field).map_or(&[][..], Vec::as_slice);
        // From the oldest to the latest: a later write hides an earlier one.
        let mut value = formula::expr(ExprKind::Field(object.clone(), field), ty.clone());
        for write in writes {
            match write {
                Write::All(map) => value = select(map.clone(), object.clone(), ty),
                Write::One(written, new) => {
                    value = match self.same_here(view.path, object, written) {
                        Some(true) => new.clone(),
                        Some(false) => value,
                        None => {
                            let same =
                                formula::compare(CompareOp::Eq, object.clone(), written.clone());
                            formula::choice(same, new.clone(), value)
                        }
                    }
                }
            }
        }
        value
    }

    fn read_element(&mut self, view: View<'_>, array: Expr, index: Expr, ty: &Type) -> Expr {
        let Type::Array { element, .. } = &array.ty else {
            return formula::expr(ExprKind::Element(array, index), ty.clone());
        };
        let writes = view
            .heap
            .elements
            .get(&**element)
            .map_or(&[][..], Vec::as_slice);
        let start = ExprKind::Element(array.clone(), index.clone());
        let mut value = formula::expr(start, ty.clone());
        for (written, at, new) in writes {
            let array_same = self.same_here(view.path, &array, written);
            let index_same = self.same_here(view.path, &index, at);
            if array_same == Some(false) || index_same == Some(false) {
                continue;
            }
            let mut conditions = Vec::new();
            if array_same.is_none() {
                conditions.push(formula::compare(
                    CompareOp::Eq,
                    array.clone(),
                    written.clone(),
                ));
            }
            if index_same.is_none() {
                conditions.push(formula::compare(CompareOp::Eq, index.clone(), at.clone()));
            }
            value = match conditions.is_empty() {
                true => new.clone(),
                false => formula::choice(formula::all(conditions), new.clone(), value),
            };
        }
        value
    }

    /// Whether two values are the same, as far as that is decided on this path.
    fn same_here(&mut self, path: &RoutinePath, a: &Expr, b: &Expr) -> Option<bool> {
        if let Some(known) = self.certainly_same(a, b) {
            return Some(known);
        }
        let same = formula::compare(CompareOp::Eq, a.clone(), b.clone());
        if self.known(path, &formula::not(same.clone())) {
            Some(false)
        } else if self.known(path, &same) {
            Some(true)
        } else {
            None
        }
    }

    /// Whether two values are the same, whatever was decided.
    fn certainly_same(&self, a: &Expr, b: &Expr) -> Option<bool> {
        if formula::same(a, b) {
            return Some(true);
        }
        let is_reference =
            |e: &Expr| matches!(e.ty, Type::Class { .. } | Type::Array { .. } | Type::Null);
        if !is_reference(a) || !is_reference(b) {
            return None;
        }
        if let (Type::Class { class: c, .. }, Type::Class { class: d, .. }) = (&a.ty, &b.ty)
            && c != d
        {
            return Some(false);
        }
        // What is new is nothing that was there before, nor another new one.
        let new = |e: &Expr| match &*e.kind {
            ExprKind::Var(id) => self.fresh.contains(id),
            ExprKind::This => self.this_is_new,
            _ => false,
        };
        let old = |e: &Expr| {
            !formula::contains(e, &mut |e| {
                let made_up = match &*e.kind {
                    ExprKind::Var(id) => self.unknown.contains(id),
                    ExprKind::If(..) => true,
                    _ => false,
                };
                made_up || new(e)
            })
        };
        match (new(a), new(b)) {
            (true, true) => Some(false),
            (true, false) if old(b) => Some(false),
            (false, true) if old(a) => Some(false),
            _ => None,
        }
    }

    /// Whether this follows from what was decided on the path.
    fn known(&mut self, path: &RoutinePath, e: &Expr) -> bool {
        let denied = formula::not(e.clone());
        self.possible(path, &denied) == Satisfiability::Unsatisfiable
    }

    /// Whether this can hold besides what was decided on the path.
    pub(super) fn possible(&mut self, path: &RoutinePath, e: &Expr) -> Satisfiability {
        let all: Vec<&Expr> = path.literals.iter().chain([e]).collect();
        self.known.possible_at_start(&all)
    }

    /// The paths on which what evaluating an expression raises is raised, and those on which nothing is.
    pub(super) fn raises(
        &mut self,
        path: RoutinePath,
        e: &Expr,
    ) -> (Vec<(RoutinePath, BuiltinException)>, Vec<RoutinePath>) {
        let mut raised = Vec::new();
        let mut paths = vec![path];
        for hazard in formula::hazards(&self.known.program, e) {
            let mut on = Vec::new();
            for path in paths {
                let when = self.value(&path, &hazard.when);
                let (struck, passed) = self.decide(path, &when);
                raised.extend(struck.into_iter().map(|p| (p, hazard.exception)));
                on.extend(passed);
            }
            paths = on;
        }
        (raised, paths)
    }

    /// The paths on which a formula (over the start) holds, and those on which it does not: one for each way of
    /// deciding its atoms, left to right.
    pub(super) fn decide(
        &mut self,
        path: RoutinePath,
        e: &Expr,
    ) -> (Vec<RoutinePath>, Vec<RoutinePath>) {
        let e = formula::tidy(e);
        match &*e.kind {
            ExprKind::Bool(true) => return (vec![path], vec![]),
            ExprKind::Bool(false) => return (vec![], vec![path]),
            _ => {}
        }
        if self.possible(&path, &e) == Satisfiability::Unsatisfiable {
            return (vec![], vec![path]);
        }
        let denied = formula::not(e.clone());
        if self.possible(&path, &denied) == Satisfiability::Unsatisfiable {
            return (vec![path], vec![]);
        }
        if self.forks >= self.options.forks {
            self.give_up(path, "one routine has too many paths");
            return (vec![], vec![]);
        }
        self.split(path, &e)
    }

    fn split(&mut self, path: RoutinePath, e: &Expr) -> (Vec<RoutinePath>, Vec<RoutinePath>) {
        match &*e.kind {
            ExprKind::Not(inner) => {
                let (yes, no) = self.decide(path, inner);
                (no, yes)
            }
            ExprKind::Binary(BinaryOp::And, a, b) => {
                let (both, first) = self.decide(path, a);
                let (yes, mut no) = self.decide_each(both, b);
                no.splice(0..0, first);
                (yes, no)
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                let (mut yes, neither) = self.decide(path, a);
                let (second, no) = self.decide_each(neither, b);
                yes.extend(second);
                (yes, no)
            }
            ExprKind::Binary(BinaryOp::Implies, a, b) => {
                let (holds, not) = self.decide(path, a);
                let (mut yes, no) = self.decide_each(holds, b);
                yes.splice(0..0, not);
                (yes, no)
            }
            ExprKind::Binary(BinaryOp::Iff, a, b) => self.split_equal(path, a, b),
            ExprKind::Compare(CompareOp::Eq, a, b) if a.ty == Type::Bool => {
                self.split_equal(path, a, b)
            }
            ExprKind::Compare(CompareOp::Ne, a, b) if a.ty == Type::Bool => {
                let (yes, no) = self.split_equal(path, a, b);
                (no, yes)
            }
            ExprKind::If(condition, a, b) => {
                let (then, otherwise) = self.decide(path, condition);
                let (mut yes, mut no) = self.decide_each(then, a);
                let (more_yes, more_no) = self.decide_each(otherwise, b);
                yes.extend(more_yes);
                no.extend(more_no);
                (yes, no)
            }
            _ => match formula::inner_choice(e) {
                Some(condition) => {
                    let (then, otherwise) = self.decide(path, &condition);
                    let (mut yes, mut no) =
                        self.decide_each(then, &formula::chosen(e, &condition, true));
                    let without = formula::chosen(e, &condition, false);
                    let (more_yes, more_no) = self.decide_each(otherwise, &without);
                    yes.extend(more_yes);
                    no.extend(more_no);
                    (yes, no)
                }
                None => {
                    self.forks += 1;
                    let mut other = path.clone();
                    let mut path = path;
                    path.literals.push(e.clone());
                    other.literals.push(formula::not(e.clone()));
                    (vec![path], vec![other])
                }
            },
        }
    }

    fn split_equal(
        &mut self,
        path: RoutinePath,
        a: &Expr,
        b: &Expr,
    ) -> (Vec<RoutinePath>, Vec<RoutinePath>) {
        let (true_a, false_a) = self.decide(path, a);
        let (mut yes, mut no) = self.decide_each(true_a, b);
        let (differ, same) = self.decide_each(false_a, b);
        yes.extend(same);
        no.extend(differ);
        (yes, no)
    }

    fn decide_each(
        &mut self,
        paths: Vec<RoutinePath>,
        e: &Expr,
    ) -> (Vec<RoutinePath>, Vec<RoutinePath>) {
        let (mut yes, mut no) = (Vec::new(), Vec::new());
        for path in paths {
            let (y, n) = self.decide(path, e);
            yes.extend(y);
            no.extend(n);
        }
        (yes, no)
    }
}

fn is_var(e: &Expr, id: VarId) -> bool {
    matches!(&*e.kind, ExprKind::Var(v) if *v == id)
}

/// `map[key]`, looked up as far as the keys are literals or the same.
fn select(map: Expr, key: Expr, ty: &Type) -> Expr {
    if let ExprKind::Everywhere(value) = &*map.kind {
        return value.clone();
    }
    if let ExprKind::Store(inner, stored, value) = &*map.kind {
        let same = formula::compare(CompareOp::Eq, stored.clone(), key.clone());
        if formula::is_bool(&same, true) {
            return value.clone();
        }
        if formula::is_bool(&same, false) {
            return select(inner.clone(), key, ty);
        }
    }
    formula::expr(ExprKind::Select(map, key), ty.clone())
}
