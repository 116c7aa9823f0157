//! Few and short cases: when calls end in some way, as a disjunction of conjunctions, each split into what it says of the fields
//! and what it says of the parameters.

use crate::ir::formula;
use crate::ir::{Expr, ExprKind, VarId};

use super::known::Known;

/// With more cases than these, each is left as it is on its path: to compare them all takes too long.
pub(super) const MOST_CASES: usize = 40;

/// One case of a precondition: a conjunction.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it says of the configuration alone.
    pub fields: Vec<Expr>,
    /// What it says of the parameters, and of the configuration along with them.
    pub params: Vec<Expr>,
    /// Whether it is more than what was found: a loop or recursion goes on beyond the bound here, so anything may
    /// happen.
    pub widened: bool,
    /// Whether it leaves something out that could not be said of the configuration and the parameters.
    pub loosened: bool,
}

impl Case {
    /// Of these literals, those over the fields alone, and those that mention a parameter.
    pub(super) fn split(literals: Vec<Expr>, params: &[VarId]) -> Self {
        let mentions = |e: &Expr| {
            formula::contains(
                e,
                &mut |e| matches!(&*e.kind, ExprKind::Var(id) if params.contains(id)),
            )
        };
        let (params, fields) = literals.into_iter().partition(mentions);
        Case {
            fields,
            params,
            widened: false,
            loosened: false,
        }
    }

    /// The case as one formula.
    pub fn formula(&self) -> Expr {
        formula::all(self.literals().cloned())
    }

    /// Whether every call in it can end as wanted, as far as the analysis knows.
    pub fn is_certain(&self) -> bool {
        !self.widened && !self.loosened
    }

    /// What it says of the fields, then what it says of the parameters.
    pub(super) fn literals(&self) -> impl Iterator<Item = &Expr> {
        self.fields.iter().chain(&self.params)
    }
}

/// Adds a case, unless it is there already.
pub(super) fn add(cases: &mut Vec<Case>, case: Case) {
    let formula = case.formula();
    let same = |c: &&mut Case| formula::same(&c.formula(), &formula);
    match cases.iter_mut().find(same) {
        // It is certain if it is so on one path.
        Some(known) => {
            known.widened &= case.widened;
            known.loosened &= case.loosened;
        }
        None => cases.push(case),
    }
}

impl Known {
    /// The case without literals that follow from its others where the routine under analysis starts. What is said of the fields
    /// follows from the fields alone: it is what a state is made of.
    pub(super) fn shorten(&mut self, case: &mut Case) {
        let background = self.background.clone();
        let known: Vec<&Expr> = background.iter().collect();
        self.drop_implied(&mut case.fields, &known);
        let known: Vec<&Expr> = background.iter().chain(&case.fields).collect();
        self.drop_implied(&mut case.params, &known);
    }

    /// The case without literals that follow from its others and from what is given.
    pub(super) fn shorten_given(&mut self, case: &mut Case, given: &[Expr]) {
        let known: Vec<&Expr> = given.iter().chain(&case.params).collect();
        self.drop_implied(&mut case.fields, &known);
        let known: Vec<&Expr> = given.iter().chain(&case.fields).collect();
        self.drop_implied(&mut case.params, &known);
    }

    /// The literals, without those that follow from the others and from what is known.
    fn drop_implied(&mut self, literals: &mut Vec<Expr>, known: &[&Expr]) {
        // The latest first: it was decided where the others held already.
        for index in (0..literals.len()).rev() {
            let others = known.iter().copied().chain(without(literals, index));
            let others: Vec<&Expr> = others.collect();
            if self
                .solver
                .implied(&self.program, &others, &literals[index])
            {
                literals.remove(index);
            }
        }
    }

    /// Each case with as few literals as the whole allows, those over fields dropped first; then without those that
    /// another one covers.
    pub(super) fn prime(&mut self, cases: Vec<Case>) -> Vec<Case> {
        let of = |certain: bool| {
            let alike = cases.iter().filter(|c| c.is_certain() == certain);
            formula::any(alike.map(Case::formula))
        };
        let (certain, uncertain) = (of(true), of(false));
        let mut shorter: Vec<Case> = Vec::new();
        for mut case in cases {
            // A certain case does not grow into what is not certain, and there is no need for the other way.
            let whole = match case.is_certain() {
                true => &certain,
                false => &uncertain,
            };
            self.grow(&mut case, whole);
            add(&mut shorter, case);
        }
        self.uncovered(shorter)
    }

    /// The case without literals that the whole can do without.
    fn grow(&mut self, case: &mut Case, whole: &Expr) {
        let mut index = 0;
        while index < case.fields.len() {
            let rest: Vec<&Expr> = without(&case.fields, index).chain(&case.params).collect();
            match self.follows(&rest, whole) {
                true => drop(case.fields.remove(index)),
                false => index += 1,
            }
        }
        // The latest first: it was decided where the others held already.
        for index in (0..case.params.len()).rev() {
            let rest = case.fields.iter().chain(without(&case.params, index));
            let rest: Vec<&Expr> = rest.collect();
            if self.follows(&rest, whole) {
                case.params.remove(index);
            }
        }
    }

    /// The cases, but for those that another one covers; what is not certain covers nothing that is.
    fn uncovered(&mut self, mut cases: Vec<Case>) -> Vec<Case> {
        let mut index = 0;
        while index < cases.len() {
            let case = &cases[index];
            let own = case.formula();
            let covered = without(&cases, index).any(|other| {
                (other.is_certain() || !case.is_certain())
                    && self.follows(&[&own], &other.formula())
            });
            match covered {
                true => drop(cases.remove(index)),
                false => index += 1,
            }
        }
        cases
    }
}

/// All but the one at the index.
fn without<T>(items: &[T], index: usize) -> impl Iterator<Item = &T> {
    let others = items.iter().enumerate();
    others
        .filter(move |(i, _)| *i != index)
        .map(|(_, item)| item)
}
