//! Guards over shares of parameters, `p * x div y`, from which a parameter cannot be eliminated.
//!
//! A variable `s` is put in the place of each share, of which only what is linear is known, `L(s)`. Then
//!
//! ```text
//! possibly   ∃ p, s. L(s) ∧ requires(p, s)        wherever some call can be made
//! surely     ∃ p. ∀ s. L(s) ⇒ requires(p, s)      only where some call can be made
//! ```
//!
//! as the share itself is one of the values that meet `L`.

use super::elimination::Elimination;
use super::{Guard, can_be_quantified, some, without_clauses_about};
use crate::ir::formula::{self, mentions};
use crate::ir::shares::replaced;
use crate::ir::{Expr, ExprKind, Routine, Type, VarId};

/// The shares of parameters that a routine requires something of.
#[derive(Default)]
struct Shares {
    /// Each with the variable in its place.
    all: Vec<(Expr, VarId)>,
    /// What is linear of them.
    known: Vec<Expr>,
}

impl Shares {
    /// A formula with variables in the place of those of its shares that speak of these parameters.
    fn apart(&mut self, elimination: &mut Elimination<'_>, params: &[VarId], e: &Expr) -> Expr {
        let program = elimination.program;
        replaced(e, &mut |share, e| {
            // Of the fields alone, it is as good as a field.
            if !mentions(e, params) && !mentions(e, &self.values()) {
                return e.clone();
            }
            let mut all = self.all.iter();
            let known = all.find(|(other, _)| formula::same(other, e));
            let value = known.map(|(_, value)| *value);
            let value = value.unwrap_or_else(|| {
                let value = elimination.fresh_var(Type::Int);
                self.known
                    .push(share.linear_as_promised(program, &integer(value)));
                self.all.push((e.clone(), value));
                value
            });
            integer(value)
        })
    }

    fn values(&self) -> Vec<VarId> {
        self.all.iter().map(|(_, value)| *value).collect()
    }

    fn linear(&self) -> Expr {
        formula::all(self.known.iter().cloned())
    }
}

fn integer(var: VarId) -> Expr {
    formula::expr(ExprKind::Var(var), Type::Int)
}

/// The guard of a routine that requires something of shares of its parameters; none where it does not.
pub(super) fn guard(
    elimination: &mut Elimination<'_>,
    routine: &Routine,
    requires: &Expr,
) -> Option<Guard> {
    let program = elimination.program;
    let certain = routine.from_body.as_ref().and_then(|f| f.certain.as_ref());
    let certain = certain.map(|certain| formula::clause_under_invariant(program, certain));
    let mut shares = Shares::default();
    let mut apart = |e: &Expr| shares.apart(elimination, &routine.params, e);
    let requires = apart(requires);
    let certain = certain.map(|certain| apart(&certain));
    if shares.all.is_empty() {
        return None;
    }
    // Each variable that is eliminated later is so from more cases.
    let (inside, others): (Vec<VarId>, Vec<VarId>) = routine.params.iter().partition(|param| {
        let mut all = shares.all.iter();
        all.any(|(share, _)| mentions(share, &[**param]))
    });
    let mut without_others = |e: Expr| {
        let (stuck, e) = elimination.exists_most(&others, e);
        (inside.iter().copied().chain(stuck).collect::<Vec<_>>(), e)
    };
    let (params, possibly) = without_others(requires.clone());
    let (sure_params, surely) = match certain {
        None => (params.clone(), possibly.clone()),
        Some(certain) => without_others(formula::and(requires, certain)),
    };
    let surely = surely_met(elimination, &shares, &sure_params, surely);
    Some(Guard {
        enabled: possibly_met(elimination, &shares, &params, possibly),
        disabled: formula::not(surely.unwrap_or_else(|| formula::bool(false))),
        surely: None,
        note: Some(format!(
            "whether `{}` can be called depends on a product of variables: where what is linear of it does not say, it is \
             taken to be possibly enabled, and possibly not; `enabled when …` can say when it is",
            routine.shown()
        )),
    })
}

fn possibly_met(
    elimination: &mut Elimination<'_>,
    shares: &Shares,
    params: &[VarId],
    requires: Expr,
) -> Expr {
    let vars: Vec<VarId> = params.iter().copied().chain(shares.values()).collect();
    let whole = formula::and(requires, shares.linear());
    let (stuck, rest) = elimination.exists_most(&vars, whole);
    match can_be_quantified(elimination.program, &stuck) {
        true => some(stuck, rest),
        false => without_clauses_about(&stuck, rest),
    }
}

/// None where it cannot be said without the parameters.
fn surely_met(
    elimination: &mut Elimination<'_>,
    shares: &Shares,
    params: &[VarId],
    requires: Expr,
) -> Option<Expr> {
    let values = shares.values();
    let (about_shares, others): (Vec<Expr>, Vec<Expr>) = formula::conjuncts_of(requires)
        .into_iter()
        .partition(|clause| mentions(clause, &values));
    let fails = formula::not(formula::all(about_shares));
    let refused = formula::and(shares.linear(), fails);
    let refused = elimination.exists_all(&values, refused).ok()?;
    let never_refused = formula::all(others.into_iter().chain([formula::not(refused)]));
    let (stuck, rest) = elimination.exists_most(params, never_refused);
    can_be_quantified(elimination.program, &stuck).then(|| some(stuck, rest))
}
