//! When an action can be called: `∃p. requires(c, p)` as a formula over the configuration `c` alone.
//!
//! The parameters are eliminated exactly wherever that is possible: clauses over fields only and over parameters
//! only, booleans and enums by their values, linear integer arithmetic by Cooper's method (`cooper`), opaque
//! values and references by what they may be equal to (`equality`), objects, arrays and maps by what is read of
//! them (`content`). Where it is not possible, integers and their kin stay under an `exists` that the solver has to
//! deal with, which is still exact; a guard that looks at more of an array or a map than can be named is
//! over-approximated. So is one that looks at products of parameters (`shares`). Each is said in a note, and there the class may say
//! itself when the action can be called ([`split`]).

mod content;
mod cooper;
mod elimination;
mod equality;
pub(crate) mod linear;
mod shares;
pub mod split;
#[cfg(test)]
mod tests;

use crate::ir::formula;
use crate::ir::{ClassId, Expr, ExprKind, Program, Routine, RoutineRef, Type, VarId};
use crate::ir::{CompareOp, Quantifier};
use elimination::Elimination;

/// When an action can be called.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Holds wherever some parameters meet the `requires` clauses.
    pub enabled: Expr,
    /// Holds wherever none do. The negation of `enabled`, except where the guard is over-approximated: then both
    /// may hold of one configuration.
    pub disabled: Expr,
    /// Where it is not known everywhere whether a call is refused: what suffices for one that is not. Wherever `enabled` holds
    /// the action is taken to be enabled then, and that it is so is certain only here.
    pub surely: Option<Expr>,
    /// What a person should know about how exact it is.
    pub note: Option<String>,
}

impl Guard {
    /// Of what holds exactly here.
    pub fn exactly(enabled: Expr) -> Self {
        Guard {
            disabled: formula::not(enabled.clone()),
            enabled,
            surely: None,
            note: None,
        }
    }

    /// Whether each configuration is either one where the action counts as enabled, or one where it does not.
    pub fn is_exact(&self) -> bool {
        formula::same(&self.disabled, &formula::not(self.enabled.clone()))
    }

    /// Whether it holds exactly where some call can be made.
    pub fn is_certain(&self) -> bool {
        self.is_exact() && self.surely.is_none()
    }

    /// Holds only where some call can be made.
    pub fn certainly_enabled(&self) -> Expr {
        match &self.surely {
            Some(surely) => formula::and(self.enabled.clone(), surely.clone()),
            None => formula::not(self.disabled.clone()),
        }
    }
}

/// The guard of a routine: its `requires` clauses with the facts of its parameters' types, the parameters
/// eliminated.
pub fn guard(program: &Program, routine: RoutineRef) -> Guard {
    let mut elimination = Elimination::of(program, routine.class);
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
    let whole = elimination.without_quantifiers(whole);
    if let Some(guard) = shares::guard(&mut elimination, routine, &whole) {
        return split::apply(program, routine, guard);
    }
    let (stuck, rest) = elimination.exists_most(&routine.params, whole.clone());
    let certain = routine.from_body.as_ref().and_then(|f| f.certain.as_ref());
    if let Some(certain) = certain {
        let certain = formula::and(whole, formula::clause_under_invariant(program, certain));
        let (open, surely) = elimination.exists_most(&routine.params, certain);
        let surely = if open.is_empty() {
            surely
        } else {
            formula::bool(false)
        };
        return not_followed(routine, &stuck, rest, surely);
    }
    if stuck.is_empty() {
        return Guard {
            disabled: formula::not(rest.clone()),
            enabled: rest,
            surely: None,
            note: split::not_needed(routine),
        };
    }
    let guard = match can_be_quantified(program, &stuck) {
        true => quantified(program, routine, stuck, rest),
        false => {
            let without = elimination.without_clauses_about(&routine.params, &stuck, whole);
            over_approximated(program, routine, stuck, formula::and(rest, without))
        }
    };
    split::apply(program, routine, guard)
}

/// The guard of a routine that was found in its body, where not all of that could be followed. Where it is not known whether
/// all calls are refused, the action counts as enabled: to be in two states there, with it and without it, would make twice
/// the states of each such action, and tell nothing.
fn not_followed(routine: &Routine, stuck: &[VarId], rest: Expr, surely: Expr) -> Guard {
    let enabled = without_clauses_about(stuck, rest);
    let surely = formula::tidy(&surely);
    // Some call is not refused wherever one may not be, though of others it is not known.
    if formula::is_bool(&surely, true) || formula::same(&surely, &formula::tidy(&enabled)) {
        return Guard::exactly(surely);
    }
    Guard {
        disabled: formula::not(enabled.clone()),
        enabled,
        surely: Some(surely),
        note: Some(format!(
            "whether `{}` can be called is not known everywhere: not all that its body does could be followed, so it is \
             taken to be enabled there; a `requires` clause can say when it is",
            routine.shown()
        )),
    }
}

/// Whether a quantifier over such parameters says what is meant: there are as many integers as there ever will be, but a caller
/// can make an object that is not there yet.
fn can_be_quantified(program: &Program, params: &[VarId]) -> bool {
    // Nobody else knows those that the elimination made up.
    let declared = |param: &VarId| program.vars.get(param.0);
    params.iter().map(declared).all(|param| {
        param.is_some_and(|param| {
            !matches!(
                param.ty,
                Type::Class { .. } | Type::Array { .. } | Type::Map(..)
            )
        })
    })
}

fn names_of(program: &Program, vars: &[VarId]) -> String {
    let names = vars.iter().map(|p| program.var(*p).name.as_str());
    names.collect::<Vec<_>>().join(", ")
}

/// The guard of a routine with a quantifier over those parameters that could not be eliminated.
fn quantified(program: &Program, routine: &Routine, stuck: Vec<VarId>, rest: Expr) -> Guard {
    let note = format!(
        "the guard of `{}` keeps a quantifier over `{}`: it is exact, but a solver may not be able to decide it",
        routine.shown(),
        names_of(program, &stuck)
    );
    let enabled = some(stuck, rest);
    Guard {
        disabled: formula::not(enabled.clone()),
        enabled,
        surely: None,
        note: Some(note),
    }
}

/// `∃ vars. e`
fn some(vars: Vec<VarId>, e: Expr) -> Expr {
    if vars.is_empty() {
        return e;
    }
    let (about_them, others): (Vec<Expr>, Vec<Expr>) = formula::conjuncts_of(e)
        .into_iter()
        .partition(|c| formula::mentions(c, &vars));
    let some = ExprKind::Quantified(Quantifier::Exists, vars, formula::all(about_them));
    let some = formula::expr(some, Type::Bool);
    formula::all(others.into_iter().chain([some]))
}

/// The clauses that do not speak of these variables.
fn without_clauses_about(vars: &[VarId], e: Expr) -> Expr {
    let clauses = formula::conjuncts_of(e).into_iter();
    formula::all(clauses.filter(|c| !formula::mentions(c, vars)))
}

/// The guard of a routine of which only what does not depend on these parameters is known.
fn over_approximated(
    program: &Program,
    routine: &Routine,
    stuck: Vec<VarId>,
    known: Expr,
) -> Guard {
    let names = names_of(program, &stuck);
    Guard {
        enabled: without_clauses_about(&stuck, known),
        disabled: formula::bool(true),
        surely: None,
        note: Some(format!(
            "the guard of `{}` is over-approximated: whether some `{names}` meets it cannot be said of the \
             fields alone, so it is taken to be possibly enabled, and possibly not, wherever the clauses \
             without `{names}` hold; `enabled when …` can say when it is",
            routine.shown()
        )),
    }
}

/// What a declared type says of a value, as a formula. Ranges of enums are part of the type itself, and a map
/// with values of the right kind always exists.
fn type_fact(ty: &Type, value: Expr) -> Option<Expr> {
    match ty {
        Type::Nat => Some(formula::compare(CompareOp::Ge, value, formula::int(0))),
        Type::Machine(m) | Type::Within(m) => Some(formula::and(
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

/// Whether the type of what is read says that it is not negative.
fn is_natural(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Select(map, _) => {
            matches!(&map.ty, Type::Map(_, value) if **value == Type::Nat)
        }
        ExprKind::Length(_) => true,
        _ => false,
    }
}

/// `∃ vars. e` without the variables, exactly, for values that keep what their types promise; none where that is not
/// possible.
pub fn eliminate(program: &Program, class: ClassId, vars: &[VarId], e: Expr) -> Option<Expr> {
    let facts = vars.iter().filter_map(|v| parameter_fact(program, *v));
    let e = formula::all(facts.chain([e]));
    Elimination::of(program, class).exists_all(vars, e).ok()
}
