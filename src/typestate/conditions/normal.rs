//! Few and short cases, each split into what it says of the fields and what it says of the parameters.

use crate::ir::backwards::Found;
use crate::ir::formula;
use crate::ir::{Expr, ExprKind, VarId};

use super::Conditions;

/// With more cases than these, each is left as it is on its path: to compare them all takes too long.
const MOST_CASES: usize = 40;

/// One case of a precondition: a conjunction.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// What it says of the configuration alone.
    pub(crate) fields: Vec<Expr>,
    /// What it says of the parameters, and of the configuration along with them.
    pub(crate) params: Vec<Expr>,
    /// Whether every call in it can end as wanted, as far as the analysis knows; else some may.
    pub(crate) is_certain: bool,
}

impl Case {
    /// The case as one formula.
    pub(crate) fn formula(&self) -> Expr {
        formula::all(self.fields.iter().chain(&self.params).cloned())
    }
}

impl Conditions {
    /// What was found, as cases.
    pub(super) fn cases(&mut self, found: Found, params: &[VarId]) -> Vec<Case> {
        // What is read from `null` is not known: a literal is there for what keeps another one defined.
        self.solver.know_null_cells(false);
        let cases = self.normal_form(found, params);
        self.solver.know_null_cells(true);
        cases
    }

    fn normal_form(&mut self, found: Found, params: &[VarId]) -> Vec<Case> {
        let many = found.surely.len() + found.perhaps.len() > MOST_CASES;
        let surely = found.surely.into_iter().map(|literals| (literals, false));
        let perhaps = found.perhaps.into_iter().map(|literals| (literals, true));
        let mut cases: Vec<Case> = Vec::new();
        for (literals, open) in surely.chain(perhaps) {
            let mut case = split(literals, params);
            case.is_certain = !open;
            let all: Vec<&Expr> = case.fields.iter().chain(&case.params).collect();
            let all: Vec<&Expr> = self.background.iter().chain(all).collect();
            if self.solver.contradictory(&self.program, &all) {
                continue;
            }
            // A literal that follows from the others of the case may be the one that the whole can do with.
            if many {
                self.shorten(&mut case);
            }
            add(&mut cases, case);
        }
        match many {
            true => cases,
            false => self.prime(cases),
        }
    }

    /// The case without literals that follow from its others; what keeps another one defined stays.
    fn shorten(&mut self, case: &mut Case) {
        for index in (0..case.fields.len()).rev() {
            let rest = without(&case.fields, index);
            if self.follows(&rest, &case.fields[index]) {
                case.fields.remove(index);
            }
        }
        for index in (0..case.params.len()).rev() {
            let rest = without(&case.params, index);
            let rest: Vec<&Expr> = case.fields.iter().chain(rest).collect();
            if self.follows(&rest, &case.params[index]) {
                case.params.remove(index);
            }
        }
    }

    fn follows(&mut self, from: &[&Expr], e: &Expr) -> bool {
        let all: Vec<&Expr> = self.background.iter().chain(from.iter().copied()).collect();
        self.solver.implied(&self.program, &all, e)
    }

    /// Each case with as few literals as the whole allows, those over fields dropped first; then without those that
    /// another one covers.
    fn prime(&mut self, cases: Vec<Case>) -> Vec<Case> {
        let of = |certain: bool| {
            let alike = cases.iter().filter(|c| c.is_certain == certain);
            formula::any(alike.map(Case::formula))
        };
        let (certain, uncertain) = (of(true), of(false));
        let mut shorter: Vec<Case> = Vec::new();
        for mut case in cases {
            // A certain case does not grow into what is not certain, and there is no need for the other way.
            let whole = if case.is_certain {
                &certain
            } else {
                &uncertain
            };
            let mut index = 0;
            while index < case.fields.len() {
                let rest = without(&case.fields, index).into_iter();
                let rest: Vec<&Expr> = rest.chain(&case.params).collect();
                if self.follows(&rest, whole) {
                    case.fields.remove(index);
                } else {
                    index += 1;
                }
            }
            // The latest first: it was decided where the others held already.
            for index in (0..case.params.len()).rev() {
                let rest = without(&case.params, index);
                let rest: Vec<&Expr> = case.fields.iter().chain(rest).collect();
                if self.follows(&rest, whole) {
                    case.params.remove(index);
                }
            }
            add(&mut shorter, case);
        }
        let mut index = 0;
        while index < shorter.len() {
            let covered = (0..shorter.len())
                .filter(|other| *other != index)
                .any(|other| {
                    let (case, other) = (&shorter[index], &shorter[other]);
                    if case.is_certain && !other.is_certain {
                        return false;
                    }
                    let (own, other) = (case.formula(), other.formula());
                    let all: Vec<&Expr> = self.background.iter().chain([&own]).collect();
                    self.solver.implied(&self.program, &all, &other)
                });
            if covered {
                shorter.remove(index);
            } else {
                index += 1;
            }
        }
        shorter
    }
}

/// All but the one at the index.
fn without<T>(items: &[T], index: usize) -> Vec<&T> {
    let others = items.iter().enumerate().filter(|(i, _)| *i != index);
    others.map(|(_, item)| item).collect()
}

/// The literals over the fields alone, and those that mention a parameter.
fn split(literals: Vec<Expr>, params: &[VarId]) -> Case {
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
        is_certain: true,
    }
}

/// Adds a case, unless it is there already.
fn add(cases: &mut Vec<Case>, case: Case) {
    let formula = case.formula();
    match cases
        .iter_mut()
        .find(|c| formula::same(&c.formula(), &formula))
    {
        // It is certain if it is so on one path.
        Some(known) => {
            known.is_certain |= case.is_certain;
        }
        None => cases.push(case),
    }
}
