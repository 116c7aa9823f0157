//! When an action can be called: `∃p. requires(c, p)` as a formula over the configuration `c` alone.
//!
//! The parameters are eliminated exactly wherever that is possible: clauses over fields only and over parameters
//! only, booleans and enums by their values, linear integer arithmetic by Cooper's method (`cooper`), opaque
//! values and references by what they may be equal to (`equality`). Where it is not possible, integers and
//! their kin stay under an `exists` that the solver has to deal with, which is still exact; a guard that reads
//! the heap through a parameter in a way that cannot be taken apart is over-approximated. Both are said in a note, and
//! there the class may say itself when the action can be called ([`split`]).

mod cooper;
mod equality;
pub(crate) mod linear;
pub mod split;
#[cfg(test)]
mod tests;

use crate::ir::{ClassId, Expr, ExprKind, Program, Routine, RoutineRef, Type, VarId};
use crate::ir::{CompareOp, Quantifier};
use crate::ir::{formula, formula::Substitution};

/// When an action can be called.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Holds wherever some parameters meet the `requires` clauses.
    pub enabled: Expr,
    /// Holds wherever none do. The negation of `enabled`, except where the guard is over-approximated: then both
    /// may hold of one configuration.
    pub disabled: Expr,
    /// What a person should know about how exact it is.
    pub note: Option<String>,
}

impl Guard {
    /// Whether it holds exactly where some parameters meet the `requires` clauses.
    pub fn is_exact(&self) -> bool {
        formula::same(&self.disabled, &formula::not(self.enabled.clone()))
    }
}

/// Why a variable could not be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stuck {
    /// The variable occurs where the method cannot follow it.
    Form,
    /// The result would be too long to be of use.
    Size,
}

/// The elimination of one guard's parameters.
struct Elimination<'a> {
    program: &'a Program,
    /// The class whose actions these are.
    class: ClassId,
    /// The types of variables made up on the way: what an object given as a parameter holds.
    fresh: Vec<Type>,
    /// How many objects are being looked into.
    depth: usize,
}

/// Objects are not looked into further than this.
const DEPTH: usize = 4;

/// Ids of made-up variables start here, far behind those of any program.
const FRESH: usize = usize::MAX / 2;

/// The guard of a routine: its `requires` clauses with the facts of its parameters' types, the parameters
/// eliminated.
pub fn guard(program: &Program, routine: RoutineRef) -> Guard {
    let class = routine.class;
    let routine = program.routine(routine);
    let clauses = routine
        .requires
        .iter()
        .map(|r| formula::clause_under_invariant(program, r));
    let facts = routine
        .params
        .iter()
        .filter_map(|p| parameter_fact(program, *p));
    let whole = formula::all(facts.chain(clauses));
    let mut elimination = Elimination {
        program,
        class,
        fresh: Vec::new(),
        depth: 0,
    };
    let whole = elimination.without_quantifiers(whole);
    let (stuck, rest) = elimination.exists_most(&routine.params, whole);
    if stuck.is_empty() {
        return Guard {
            disabled: formula::not(rest.clone()),
            enabled: rest,
            note: split::not_needed(routine),
        };
    }
    split::apply(program, routine, fallback(program, routine, stuck, rest))
}

/// The guard of a routine of whose parameters these could not be eliminated.
fn fallback(program: &Program, routine: &Routine, stuck: Vec<VarId>, rest: Expr) -> Guard {
    let (about_parameters, about_fields): (Vec<Expr>, Vec<Expr>) = formula::conjuncts_of(rest)
        .into_iter()
        .partition(|c| mentions(c, &stuck));
    let names: Vec<&str> = stuck
        .iter()
        .map(|p| program.var(*p).name.as_str())
        .collect();
    let names = names.join(", ");
    let is_reference = |p: &VarId| {
        matches!(
            program.var(*p).ty,
            Type::Class { .. } | Type::Array { .. } | Type::Map(..)
        )
    };
    if stuck.iter().any(is_reference) {
        return Guard {
            enabled: formula::all(about_fields),
            disabled: formula::bool(true),
            note: Some(format!(
                "the guard of `{}` is over-approximated: whether some `{names}` meets it cannot be said of the \
                 fields alone, so it is taken to be possibly enabled, and possibly not, wherever the clauses \
                 without `{names}` hold",
                routine.name
            )),
        };
    }
    let some = formula::expr(
        ExprKind::Quantified(Quantifier::Exists, stuck, formula::all(about_parameters)),
        Type::Bool,
    );
    let enabled = formula::all(about_fields.into_iter().chain([some]));
    Guard {
        disabled: formula::not(enabled.clone()),
        enabled,
        note: Some(format!(
            "the guard of `{}` keeps a quantifier over `{names}`: it is exact, but a solver may not be able to \
             decide it",
            routine.name
        )),
    }
}

/// What a declared type says of a value, as a formula. Ranges of enums are part of the type itself, and a map
/// with values of the right kind always exists.
fn type_fact(ty: &Type, value: Expr) -> Option<Expr> {
    match ty {
        Type::Nat => Some(formula::compare(CompareOp::Ge, value, formula::int(0))),
        Type::Machine(m) => Some(formula::and(
            formula::compare(CompareOp::Ge, value.clone(), formula::int((*m).min())),
            formula::compare(CompareOp::Le, value, formula::int((*m).max())),
        )),
        Type::Class {
            nullable: false, ..
        }
        | Type::Array {
            nullable: false, ..
        } => Some(formula::compare(CompareOp::Ne, value, formula::null())),
        _ => None,
    }
}

/// What the declared type of a parameter says of it.
pub fn parameter_fact(program: &Program, param: VarId) -> Option<Expr> {
    type_fact(&program.var(param).ty, formula::var(program, param))
}

fn mentions(e: &Expr, vars: &[VarId]) -> bool {
    formula::contains(
        e,
        &mut |e| matches!(&*e.kind, ExprKind::Var(id) if vars.contains(id)),
    )
}

impl Elimination<'_> {
    fn type_of(&self, var: VarId) -> Type {
        match var.0.checked_sub(FRESH) {
            Some(index) => self.fresh.get(index).cloned().unwrap_or(Type::Int),
            None => self.program.var(var).ty.clone(),
        }
    }

    fn fresh_var(&mut self, ty: Type) -> VarId {
        self.fresh.push(ty);
        VarId(FRESH + self.fresh.len() - 1)
    }

    /// The formula without the quantifiers that its author wrote, as far as they can be eliminated too: no solver has
    /// to guess instances then.
    fn without_quantifiers(&mut self, e: Expr) -> Expr {
        let e = formula::map_children(&e, |child| self.without_quantifiers(child.clone()));
        let ExprKind::Quantified(quantifier, vars, body) = &*e.kind else {
            return e;
        };
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
    fn exists_all(&mut self, vars: &[VarId], e: Expr) -> Result<Expr, Stuck> {
        vars.iter().rev().try_fold(e, |e, var| self.exists(*var, e))
    }

    /// `∃ vars. e` without those variables that can be eliminated, and before it those that cannot.
    fn exists_most(&mut self, vars: &[VarId], e: Expr) -> (Vec<VarId>, Expr) {
        let (mut stuck, mut rest) = (Vec::new(), e);
        for var in vars.iter().rev() {
            match self.exists(*var, rest.clone()) {
                Ok(without) => rest = without,
                Err(_) => stuck.insert(0, *var),
            }
        }
        stuck.retain(|var| mentions(&rest, &[*var]));
        (stuck, rest)
    }

    /// `∃ var. e`; only the conjuncts that mention the variable take part.
    fn exists(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        let (with, mut without): (Vec<Expr>, Vec<Expr>) = formula::conjuncts_of(e)
            .into_iter()
            .partition(|c| mentions(c, &[var]));
        if with.is_empty() {
            return Ok(formula::all(without));
        }
        let with = formula::all(with);
        let result = match self.type_of(var) {
            Type::Bool => {
                formula::any([true, false].map(|b| self.replace(var, formula::bool(b), &with)))
            }
            Type::Enum(id) => {
                let members = 0..self.program.enums[id.0].members.len();
                formula::any(members.map(|m| {
                    let member = formula::expr(ExprKind::Member(id, m), Type::Enum(id));
                    self.replace(var, member, &with)
                }))
            }
            Type::Int | Type::Nat | Type::Machine(_) => cooper::exists(var, &with)?,
            Type::Opaque(_) => equality::exists(var, &with)?,
            Type::Class { .. } | Type::Array { .. } => self.exists_reference(var, with)?,
            Type::Map(..) | Type::Null => return Err(Stuck::Form),
        };
        without.push(result);
        Ok(formula::all(without))
    }

    fn replace(&self, var: VarId, value: Expr, e: &Expr) -> Expr {
        Substitution::one(var, value).apply(e)
    }

    /// A reference: a caller can make any object it likes, so what the object holds is free as well. Each field
    /// of it (and the length of an array) becomes a variable of its own, to be eliminated in turn. What an object
    /// of another class holds satisfies the invariant of that class.
    fn exists_reference(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        if self.depth == DEPTH {
            return Err(Stuck::Size);
        }
        self.depth += 1;
        let result = self.look_into(var, e);
        self.depth -= 1;
        result
    }

    fn look_into(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        let mut e = e;
        let mut content = Vec::new();
        if let Type::Class { class, .. } = self.type_of(var)
            && class != self.class
            && part_of(var, &e).is_some()
        {
            e = self.under_invariant(var, class, e);
        }
        while let Some(part) = part_of(var, &e) {
            let fresh = self.fresh_var(match &*part.kind {
                ExprKind::Length(_) => Type::Nat,
                ExprKind::Field(_, field) => self.program.field(*field).ty.clone(),
                _ => part.ty.clone(),
            });
            e = replace_part(&part, fresh, &e);
            content.push(fresh);
        }
        if !content.is_empty() && equality::compared_to_others(var, &e) {
            // It might be an object that is already there, and then it does not hold just anything.
            return Err(Stuck::Form);
        }
        let facts: Vec<Expr> = content
            .iter()
            .filter_map(|v| {
                let ty = self.type_of(*v);
                let value_ty = if ty == Type::Nat {
                    Type::Int
                } else {
                    ty.clone()
                };
                type_fact(&ty, formula::expr(ExprKind::Var(*v), value_ty))
            })
            .collect();
        let e = formula::all(facts.into_iter().chain([e]));
        let e = self.exists_all(&content, e)?;
        if mentions(&e, &[var]) {
            equality::exists(var, &e)
        } else {
            Ok(e)
        }
    }

    /// The formula and, if the variable is an object at all, its invariant.
    fn under_invariant(&self, var: VarId, class: ClassId, e: Expr) -> Expr {
        let ty = Type::Class {
            class,
            nullable: true,
        };
        let object = formula::expr(ExprKind::Var(var), ty);
        let substitution = Substitution {
            this: Some(object.clone()),
            ..Substitution::default()
        };
        let clauses = self.program.class(class).invariants.iter();
        let invariant = formula::all(clauses.map(|clause| {
            substitution.apply(&formula::clause_under_invariant(self.program, clause))
        }));
        let is_null = formula::compare(CompareOp::Eq, object, formula::null());
        formula::all([e, formula::or(is_null, invariant)])
    }
}

/// A field or the length of the object that a variable refers to.
fn part_of(var: VarId, e: &Expr) -> Option<Expr> {
    let is_var = |e: &Expr| matches!(&*e.kind, ExprKind::Var(id) if *id == var);
    match &*e.kind {
        ExprKind::Field(object, _) | ExprKind::Length(object) if is_var(object) => Some(e.clone()),
        _ => e
            .children()
            .into_iter()
            .find_map(|child| part_of(var, child)),
    }
}

/// The expression with every occurrence of a part replaced by a variable.
fn replace_part(part: &Expr, by: VarId, e: &Expr) -> Expr {
    if formula::same(part, e) {
        return formula::expr(ExprKind::Var(by), e.ty.clone());
    }
    formula::map_children(e, |child| replace_part(part, by, child))
}

/// `∃ vars. e` without the variables, exactly, for values that keep what their types promise; none where that is not
/// possible.
pub fn eliminate(program: &Program, class: ClassId, vars: &[VarId], e: Expr) -> Option<Expr> {
    let mut elimination = Elimination {
        program,
        class,
        fresh: Vec::new(),
        depth: 0,
    };
    let facts = vars.iter().filter_map(|v| parameter_fact(program, *v));
    let e = formula::all(facts.chain([e]));
    elimination.exists_all(vars, e).ok()
}
