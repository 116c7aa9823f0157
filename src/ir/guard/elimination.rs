//! `∃ v. e`, by the type of `v`.

use super::content::ContentVariable;
use super::{cooper, equality, parameter_fact};
use crate::ir::formula::mentions;
use crate::ir::formula::{self, Substitution};
use crate::ir::{ClassId, Expr, ExprKind, Program, Quantifier, Type, VarId};

/// Why a variable could not be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stuck {
    /// The variable occurs where the method cannot follow it.
    Form,
    /// The result would be too long to be of use.
    Size,
}

/// The elimination of variables from formulas about an object.
pub(super) struct Elimination<'a> {
    pub(super) program: &'a Program,
    /// The class of the object.
    pub(super) class: ClassId,
    /// The types of variables made up on the way: what a value given as a parameter holds.
    fresh: Vec<Type>,
    /// What stands for the parts of the values that are being looked into, outermost first.
    pub(super) parts: Vec<ContentVariable>,
    /// How many values are being looked into.
    pub(super) depth: usize,
}

/// Ids of made-up variables start here, far behind those of any program.
const FRESH: usize = usize::MAX / 2;

impl<'a> Elimination<'a> {
    /// For formulas about an object of this class.
    pub(super) fn of(program: &'a Program, class: ClassId) -> Self {
        Elimination {
            program,
            class,
            fresh: Vec::new(),
            parts: Vec::new(),
            depth: 0,
        }
    }

    pub(super) fn type_of(&self, var: VarId) -> Type {
        match var.0.checked_sub(FRESH) {
            Some(index) => self.fresh.get(index).cloned().unwrap_or(Type::Int),
            None => self.program.var(var).ty.clone(),
        }
    }

    pub(super) fn fresh_var(&mut self, ty: Type) -> VarId {
        self.fresh.push(ty);
        VarId(FRESH + self.fresh.len() - 1)
    }

    /// The formula without the quantifiers that its author wrote, as far as they can be eliminated too: no solver has
    /// to guess instances then.
    pub(super) fn without_quantifiers(&mut self, e: Expr) -> Expr {
        let e = formula::map_children(&e, |child| self.without_quantifiers(child.clone()));
        let ExprKind::Quantified(quantifier, vars, body) = &*e.kind else {
            return e;
        };
        if vars.iter().any(|v| !has_all_its_values(&self.type_of(*v))) {
            return e;
        }
        let facts = vars.iter().filter_map(|v| parameter_fact(self.program, *v));
        let eliminated = match quantifier {
            Quantifier::Exists => {
                let body = formula::all(facts.chain([body.clone()]));
                self.exists_all(vars, body)
            }
            Quantifier::Forall => {
                let counterexample = formula::all(facts.chain([formula::not(body.clone())]));
                self.exists_all(vars, counterexample).map(formula::not)
            }
        };
        eliminated.unwrap_or(e)
    }

    /// `∃ vars. e`
    pub(super) fn exists_all(&mut self, vars: &[VarId], e: Expr) -> Result<Expr, Stuck> {
        vars.iter().rev().try_fold(e, |e, var| self.exists(*var, e))
    }

    /// `∃ vars. e` without those variables that can be eliminated, and before it those that cannot.
    pub(super) fn exists_most(&mut self, vars: &[VarId], e: Expr) -> (Vec<VarId>, Expr) {
        let (mut stuck, mut rest) = (vars.to_vec(), e);
        loop {
            let before = stuck.len();
            for var in std::mem::take(&mut stuck).into_iter().rev() {
                match self.exists(var, rest.clone()) {
                    Ok(without) => rest = without,
                    Err(_) => stuck.insert(0, var),
                }
            }
            // Without the amount that is sent, it may not matter any more who sends it.
            if stuck.is_empty() || stuck.len() == before {
                break;
            }
        }
        stuck.retain(|var| mentions(&rest, &[*var]));
        (stuck, rest)
    }

    /// What follows from `∃ vars. e` by those clauses of `e` alone that do not mention a stuck variable: to eliminate
    /// a variable from all clauses at once may leave the stuck one in each of them.
    pub(super) fn without_clauses_about(
        &mut self,
        vars: &[VarId],
        stuck: &[VarId],
        e: Expr,
    ) -> Expr {
        let clauses = formula::conjuncts_of(e).into_iter();
        let clauses = formula::all(clauses.filter(|c| !mentions(c, stuck)));
        self.exists_all(vars, clauses)
            .unwrap_or_else(|_| formula::bool(true))
    }

    /// `∃ var. e`; only the conjuncts that mention the variable take part.
    pub(super) fn exists(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        let (with, mut without): (Vec<Expr>, Vec<Expr>) = formula::conjuncts_of(e)
            .into_iter()
            .partition(|c| mentions(c, &[var]));
        if with.is_empty() {
            return Ok(formula::all(without));
        }
        let with = formula::all(with);
        let result = match self.type_of(var) {
            Type::Bool => {
                formula::any([true, false].map(|b| replace(var, formula::bool(b), &with)))
            }
            Type::Enum(id) => {
                let members = formula::members(self.program, id).into_iter();
                formula::any(members.map(|member| replace(var, member, &with)))
            }
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
                match cooper::exists(var, &with) {
                    Ok(result) => result,
                    Err(_) if equality::has_witness(var, &with, &without) => formula::bool(true),
                    Err(stuck) => return Err(stuck),
                }
            }
            Type::Opaque(_) => equality::exists(var, &with)?,
            Type::Class { .. } | Type::Array { .. } | Type::Map(..) => self.look_into(var, with)?,
            Type::Null => return Err(Stuck::Form),
        };
        without.push(result);
        Ok(formula::all(without))
    }
}

/// Whether a quantifier over the type speaks of the same values at any time: of objects it speaks of those that are there,
/// while a caller can make one more for a parameter.
fn has_all_its_values(ty: &Type) -> bool {
    !matches!(ty, Type::Class { .. } | Type::Array { .. })
}

fn replace(var: VarId, value: Expr, e: &Expr) -> Expr {
    Substitution::one(var, value).apply(e)
}
