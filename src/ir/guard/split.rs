//! Guards that the class itself splits into a part about the fields and a part about the parameters (TOSEM 2013,
//! §4.2.2): `enabled over e` says that `e` holds wherever the action can be called, `enabled under e with p := f`
//! that it can be called, with such parameters, wherever `e` holds.
//!
//! A split is used only where the parameters cannot be eliminated exactly. It is a claim: whoever builds an EPA on
//! it has to check it first, by the [`Claim`]s that are listed here.

use crate::ir::{Expr, ExprKind, Program, Routine, RoutineRef, VarId};
use crate::ir::{formula, formula::Substitution};

use super::{Guard, parameter_fact};
use crate::ir::formula::mentions;

/// A claim of a split, refuted by any configuration and parameters for which all of this holds.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The clause: `enabled over`, `enabled under`.
    pub word: &'static str,
    /// What is claimed, to be shown.
    pub condition: Expr,
    /// Whether the parameters meet what the action requires.
    pub required: bool,
    /// What refutes the claim, besides.
    pub refuted_by: Vec<Expr>,
    /// The part of what the action requires that is about parameters alone, of which no values are given: there
    /// must be some that meet it.
    pub parameters: Vec<Expr>,
}

/// The guard with the bounds that the class gives in the place of those that were not found.
pub(super) fn apply(program: &Program, routine: &Routine, guard: Guard) -> Guard {
    let split = &routine.split;
    if split.over.is_none() && split.under.is_none() {
        return guard;
    }
    let total = |e: &Expr| formula::clause_under_invariant(program, e);
    Guard {
        enabled: split.over.as_ref().map_or(guard.enabled, total),
        disabled: split
            .under
            .as_ref()
            .map_or(guard.disabled, |e| formula::not(total(e))),
        surely: None,
        note: Some(note(routine)),
    }
}

/// What is said of a split where the parameters could be eliminated.
pub(super) fn not_needed(routine: &Routine) -> Option<String> {
    let split = &routine.split;
    (split.over.is_some() || split.under.is_some()).then(|| {
        format!(
            "what `{}` says of when it is enabled was checked, but is not needed: its parameters were eliminated exactly",
            routine.shown()
        )
    })
}

fn note(routine: &Routine) -> String {
    let split = &routine.split;
    let name = routine.shown();
    match (&split.over, &split.under) {
        (Some(over), Some(under)) if formula::same(over, under) => {
            format!(
                "the guard of `{name}` is what its `enabled` says; that it is exact was checked"
            )
        }
        (Some(_), Some(_)) => format!(
            "the guard of `{name}` lies between what its `enabled over` and `enabled under` say, which was checked: \
             where they differ it is taken to be possibly enabled, and possibly not"
        ),
        (Some(_), None) => format!(
            "the guard of `{name}` is over-approximated by what its `enabled over` says, which was checked; there is no \
             `enabled under`"
        ),
        (None, _) => format!(
            "the guard of `{name}` is under-approximated by what its `enabled under` says, which was checked; there is no \
             `enabled over`"
        ),
    }
}

/// What the split of a routine claims.
pub fn claims(program: &Program, routine: RoutineRef) -> Vec<Claim> {
    let declared = program.routine(routine);
    let total = |e: &Expr| formula::clause_under_invariant(program, e);
    let over = declared.split.over.as_ref().map(|e| Claim {
        word: "enabled over",
        condition: e.clone(),
        required: true,
        refuted_by: vec![formula::not(total(e))],
        parameters: Vec::new(),
    });
    let under = declared.split.under.as_ref().map(|e| {
        let (parameters, rest) = parts(program, declared);
        let mut refuted_by = vec![total(e)];
        refuted_by.extend(parameters.iter().cloned());
        refuted_by.push(formula::not(formula::all(rest)));
        Claim {
            word: "enabled under",
            condition: e.clone(),
            required: false,
            refuted_by,
            parameters,
        }
    });
    over.into_iter().chain(under).collect()
}

/// What the routine requires, with the given parameters put in: what is about the other parameters alone, and the
/// rest.
fn parts(program: &Program, routine: &Routine) -> (Vec<Expr>, Vec<Expr>) {
    let witness = Substitution {
        vars: routine.split.witness.iter().cloned().collect(),
        this: None,
    };
    let given = |p: &VarId| routine.split.witness.iter().any(|(id, _)| id == p);
    let left: Vec<VarId> = routine
        .params
        .iter()
        .copied()
        .filter(|p| !given(p))
        .collect();
    let facts = routine
        .params
        .iter()
        .filter_map(|p| parameter_fact(program, *p));
    let clauses = routine.requires.iter().cloned();
    let conjuncts = facts.chain(clauses).flat_map(|e| {
        let e = witness.apply(&formula::inline_functions(program, &e));
        formula::conjuncts_of(formula::clause_under_invariant(program, &e))
    });
    let of_parameters = |e: &Expr| {
        mentions(e, &left) && !formula::contains(e, &mut |e| matches!(&*e.kind, ExprKind::This))
    };
    conjuncts.partition(of_parameters)
}
