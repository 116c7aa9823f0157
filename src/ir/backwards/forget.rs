//! Values that somebody else chooses, eliminated: `∃ v.` of a diagram.

use num_bigint::BigInt;
use num_traits::Signed;

use super::coarsen::Between;
use super::diagram::{AtomId, Bdd};
use super::{Backwards, Mentioned, mentioned};
use crate::ir::formula::{self, Substitution};
use crate::ir::guard;
use crate::ir::{BinaryOp, ClassId, CompareOp, Expr, ExprKind, FieldRef, Type, VarId};

/// A variable of which more atoms than this speak is left open.
const MOST_ATOMS: usize = 10;

/// No more open variables than this are decided both ways at the end.
const MOST_OPEN: usize = 24;

impl Backwards {
    /// The condition that some values of the variables meet.
    pub(super) fn forget(&mut self, vars: &[VarId], node: Bdd) -> Bdd {
        vars.iter()
            .rev()
            .fold(node, |node, var| self.without(*var, node))
    }

    /// The same of both sides. Where a variable of the one that suffices is left open, less of that suffices as well.
    pub(super) fn forget_between(&mut self, vars: &[VarId], between: Between) -> Between {
        let mut surely = self.forget(vars, between.surely);
        let perhaps = match between.perhaps == between.surely {
            true => surely,
            false => self.forget(vars, between.perhaps),
        };
        if self.with_first_rounds && self.has_open_atoms(surely) {
            let few = self.sufficient(between.surely, MOST_ATOMS);
            let few = self.forget(vars, few);
            surely = self.diagrams.or(surely, few);
        }
        Between { surely, perhaps }
    }

    fn without(&mut self, var: VarId, node: Bdd) -> Bdd {
        let about: Vec<AtomId> = self.about(var, node);
        if about.is_empty() {
            return node;
        }
        if let Some((read, modulus)) = self.only_remainder(var, &about) {
            return self.without_remainder(&read, modulus, node);
        }
        if about.len() > MOST_ATOMS {
            return match self.first_rounds {
                // Only what suffices is looked for: less of it does as well.
                true => self.without_most(var, node),
                false => self.left_open(var, node),
            };
        }
        match *about {
            [atom] if is_var(self.atoms.shown(atom), var) => {
                let yes = self.diagrams.given(node, atom, true);
                let no = self.diagrams.given(node, atom, false);
                self.diagrams.or(yes, no)
            }
            _ => self.by_cases(var, node, &mut Vec::new()),
        }
    }

    /// A condition that some value of the variable meets which meets what suffices for this one; false where also that says too
    /// much of it.
    fn without_most(&mut self, var: VarId, node: Bdd) -> Bdd {
        let few = self.sufficient(node, MOST_ATOMS);
        match self.about(var, few).len() > MOST_ATOMS {
            true => Bdd::FALSE,
            false => self.without(var, few),
        }
    }

    fn about(&self, var: VarId, node: Bdd) -> Vec<AtomId> {
        let support = self.diagrams.support(node).into_iter();
        support
            .filter(|atom| mentioned(self.atoms.shown(*atom)).contains(&Mentioned::Var(var)))
            .collect()
    }

    /// What these atoms read of the variable, where that is its remainder by one number alone.
    fn only_remainder(&self, var: VarId, about: &[AtomId]) -> Option<(Expr, BigInt)> {
        let is_remainder = |e: &Expr| remainder(e, var).is_some();
        let first = self.atoms.shown(*about.first()?);
        let read = innermost(first, &is_remainder)?;
        let modulus = remainder(&read, var)?;
        let other = formula::int(0);
        let only = |atom: &AtomId| {
            let rest = replaced(self.atoms.shown(*atom), &read, &other);
            !mentioned(&rest).contains(&Mentioned::Var(var))
        };
        about.iter().all(only).then_some((read, modulus))
    }

    /// The condition that some remainder meets: it is any number that is small enough. (To eliminate the number itself, each
    /// remainder would be a case of its own.)
    fn without_remainder(&mut self, read: &Expr, modulus: BigInt, node: Bdd) -> Bdd {
        let id = self.variable("remainder", &Type::Int);
        let value = formula::var(&self.program, id);
        let node = self.mapped(node, &mut |e| replaced(e, read, &value));
        let range = formula::and(
            formula::compare(CompareOp::Ge, value.clone(), formula::int(0)),
            formula::compare(CompareOp::Lt, value, formula::int(modulus)),
        );
        let range = self.condition(&range);
        let node = self.diagrams.and(range, node);
        self.without(id, node)
    }

    /// One case for each way of deciding the atoms that speak of the variable.
    fn by_cases(&mut self, var: VarId, node: Bdd, literals: &mut Vec<Expr>) -> Bdd {
        if node == Bdd::FALSE {
            return node;
        }
        let Some(atom) = self.about(var, node).pop() else {
            let here = self.some_value(var, formula::all(literals.iter().cloned()));
            return self.diagrams.and(here, node);
        };
        let shown = self.atoms.shown(atom).clone();
        let mut result = Bdd::FALSE;
        for holds in [true, false] {
            let rest = self.diagrams.given(node, atom, holds);
            literals.push(match holds {
                true => shown.clone(),
                false => formula::not(shown.clone()),
            });
            let case = self.by_cases(var, rest, literals);
            literals.pop();
            result = self.diagrams.or(result, case);
        }
        result
    }

    fn some_value(&mut self, var: VarId, e: Expr) -> Bdd {
        match guard::eliminate(&self.program, self.class, &[var], e.clone()) {
            Some(e) => self.condition(&e),
            None => {
                let node = self.condition(&e);
                self.left_open(var, node)
            }
        }
    }

    /// The condition before a variable gets a value of which nothing is known.
    pub(super) fn guessed(&mut self, var: VarId, node: Bdd) -> Bdd {
        if self.about(var, node).is_empty() {
            return node;
        }
        self.reasons
            .insert("it depends on values that are not known");
        self.opened(var, node)
    }

    /// Of the variable nothing is known, since it could not be eliminated.
    fn left_open(&mut self, var: VarId, node: Bdd) -> Bdd {
        self.reasons
            .insert("what somebody else chooses could not be eliminated");
        self.opened(var, node)
    }

    /// The variable stays, as one of which nothing is known.
    fn opened(&mut self, var: VarId, node: Bdd) -> Bdd {
        let ty = self.program.var(var).ty.clone();
        let open = self.variable("open", &ty);
        self.open.insert(open);
        let open = formula::var(&self.program, open);
        self.substituted(node, &Substitution::one(var, open))
    }

    /// Two conditions without what was left open: one that holds only where the whole does, whatever that is, and one
    /// that holds wherever it may.
    pub(super) fn closed(&mut self, between: Between) -> (Bdd, Bdd) {
        let surely = match self.few_open_atoms(between.surely) {
            Some(open) => self.in_every_case(&open, between.surely),
            None => Bdd::FALSE,
        };
        let perhaps = match self.few_open_atoms(between.perhaps) {
            Some(open) => self.in_some_case(&open, between.perhaps),
            None => Bdd::TRUE,
        };
        (surely, perhaps)
    }

    /// Whether something is left open in a diagram.
    pub(super) fn has_open_atoms(&self, node: Bdd) -> bool {
        let support = self.diagrams.support(node);
        support.into_iter().any(|atom| self.is_open(atom))
    }

    /// What is left open in a diagram; none where that is too much to decide it both ways.
    fn few_open_atoms(&self, node: Bdd) -> Option<Vec<AtomId>> {
        let support = self.diagrams.support(node).into_iter();
        let open: Vec<AtomId> = support.filter(|atom| self.is_open(*atom)).collect();
        (open.len() <= MOST_OPEN).then_some(open)
    }

    /// The condition without these atoms: what holds whatever they are, holds.
    pub(super) fn in_every_case(&mut self, atoms: &[AtomId], node: Bdd) -> Bdd {
        atoms.iter().fold(node, |node, atom| {
            let [yes, no] = [true, false].map(|holds| self.diagrams.given(node, *atom, holds));
            self.diagrams.and(yes, no)
        })
    }

    /// The condition without these atoms: what holds for some of what they may be, holds.
    pub(super) fn in_some_case(&mut self, atoms: &[AtomId], node: Bdd) -> Bdd {
        atoms.iter().fold(node, |node, atom| {
            let [yes, no] = [true, false].map(|holds| self.diagrams.given(node, *atom, holds));
            self.diagrams.or(yes, no)
        })
    }

    /// Whether an atom speaks of what is left open.
    pub(super) fn is_open(&self, atom: AtomId) -> bool {
        let about = mentioned(self.atoms.shown(atom));
        about
            .iter()
            .any(|m| matches!(m, Mentioned::Var(id) if self.open.contains(id)))
    }

    /// A variable for an object that is not there yet.
    pub(super) fn new_reference(&mut self, class: ClassId) -> Expr {
        let ty = Type::Class {
            class,
            nullable: false,
        };
        let id = self.variable("new", &ty);
        formula::var(&self.program, id)
    }

    /// The condition before an object or array is made: it is none that is there, and its fields have any values.
    pub(super) fn unmade(&mut self, object: &Expr, node: Bdd) -> Bdd {
        let ExprKind::Var(id) = *object.kind else {
            return node;
        };
        let mut node = self.mapped(node, &mut |e| without_comparisons(e, id));
        // What is read of it, innermost first: what is in a field may be looked into.
        let of_it = |e: &Expr| matches!(&*e.kind, ExprKind::Field(object, _) if is_var(object, id));
        while let Some(read) = self.read_of(node, &of_it) {
            let ExprKind::Field(_, field) = &*read.kind else {
                break;
            };
            let ty = self.program.field(*field).ty.clone();
            let value = self.variable("unset", &ty);
            let by = formula::expr(ExprKind::Var(value), read.ty.clone());
            node = self.mapped(node, &mut |e| replaced(e, &read, &by));
            node = self.forget(&[value], node);
            node = self.mapped(node, &mut |e| without_comparisons(e, id));
        }
        self.forget(&[id], node)
    }

    /// Something of a kind that the diagram reads.
    fn read_of(&self, node: Bdd, wanted: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
        let mut atoms = self.diagrams.support(node).into_iter();
        atoms.find_map(|atom| innermost(self.atoms.shown(atom), wanted))
    }

    /// The condition before a field of all objects gets values that nobody knows, with variables for them in it.
    pub(super) fn before_any(&mut self, field: FieldRef, node: Bdd, all: &mut Vec<VarId>) -> Bdd {
        let wanted = |e: &Expr| matches!(&*e.kind, ExprKind::Field(_, f) if *f == field);
        let mut node = node;
        let mut values: Vec<(Expr, VarId)> = Vec::new();
        while let Some(read) = self.read_of(node, &wanted) {
            if values.len() >= MOST_ATOMS {
                return self.any_end("a contract changes too much");
            }
            let ExprKind::Field(object, _) = &*read.kind else {
                break;
            };
            let ty = self.program.field(field).ty.clone();
            let id = self.variable("any", &ty);
            let by = formula::expr(ExprKind::Var(id), read.ty.clone());
            node = self.mapped(node, &mut |e| replaced(e, &read, &by));
            // Two objects may be the same one, and then so are the values.
            for (other, other_id) in &values {
                let same_object = formula::compare(CompareOp::Eq, object.clone(), other.clone());
                let other_value = formula::expr(ExprKind::Var(*other_id), read.ty.clone());
                let same_value = formula::compare(CompareOp::Eq, by.clone(), other_value);
                let fits = self.condition(&formula::implies(same_object, same_value));
                node = self.diagrams.and(fits, node);
            }
            values.push((object.clone(), id));
        }
        all.extend(values.iter().map(|(_, id)| *id));
        node
    }

    /// The condition before a new array has its length.
    pub(super) fn with_length(&mut self, array: VarId, length: &Expr, node: Bdd) -> Bdd {
        fn known(e: &Expr, array: VarId, length: &Expr) -> Expr {
            match &*e.kind {
                ExprKind::Length(of) if is_var(of, array) => length.clone(),
                _ => formula::map_children(e, |child| known(child, array, length)),
            }
        }
        self.mapped(node, &mut |e| known(e, array, length))
    }
}

/// Of the remainder of a variable by a positive number, this number.
fn remainder(e: &Expr, var: VarId) -> Option<BigInt> {
    match &*e.kind {
        ExprKind::Binary(BinaryOp::Mod, of, by) if is_var(of, var) => match &*by.kind {
            ExprKind::Int(by) if by.is_positive() => Some(by.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn is_var(e: &Expr, id: VarId) -> bool {
    matches!(&*e.kind, ExprKind::Var(v) if *v == id)
}

/// The expression where nothing else that is compared to the variable is the same.
fn without_comparisons(e: &Expr, id: VarId) -> Expr {
    if let ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) = &*e.kind
        && is_var(a, id) != is_var(b, id)
    {
        return formula::bool(*op == CompareOp::Ne);
    }
    formula::map_children(e, |child| without_comparisons(child, id))
}

/// An innermost part of a kind, not under a quantifier.
fn innermost(e: &Expr, wanted: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    if matches!(&*e.kind, ExprKind::Quantified(..) | ExprKind::Old(_)) {
        return None;
    }
    let inside = e
        .children()
        .into_iter()
        .find_map(|child| innermost(child, wanted));
    inside.or_else(|| wanted(e).then(|| e.clone()))
}

fn replaced(e: &Expr, part: &Expr, by: &Expr) -> Expr {
    match &*e.kind {
        ExprKind::Old(_) => return e.clone(),
        _ if formula::same(e, part) => return by.clone(),
        _ => {}
    }
    formula::map_children(e, |child| replaced(child, part, by))
}
