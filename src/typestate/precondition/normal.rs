//! From paths to cases: what was made up on the way goes, and each case is split into what it says of the fields and
//! what it says of the parameters.

use crate::ir::formula;
use crate::ir::guard;
use crate::ir::{Expr, ExprKind, VarId};

use super::Analysis;
use super::path::Path;

/// With more cases than these, each is left as it is on its path: to compare them all takes too long.
const MOST_CASES: usize = 40;

/// The normal forms of a precondition: the automaton depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// One case a path.
    Path,
    /// Each case with as few literals as the whole allows, and none that another one covers.
    #[default]
    Prime,
}

impl Mode {
    /// `path` or `prime`.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Path => "path",
            Mode::Prime => "prime",
        }
    }
}

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
    /// The case as one formula.
    pub fn formula(&self) -> Expr {
        formula::all(self.fields.iter().chain(&self.params).cloned())
    }

    /// Whether every call in it can end in the target, as far as the analysis knows.
    pub fn is_certain(&self) -> bool {
        !self.widened && !self.loosened
    }
}

impl Analysis {
    /// The cases of paths; the flag says whether a path was given up.
    pub(super) fn cases(&mut self, paths: Vec<(Path, bool)>, params: &[VarId]) -> Vec<Case> {
        let many = paths.len() > MOST_CASES;
        let mut cases: Vec<Case> = Vec::new();
        for (path, widened) in paths {
            for (literals, loosened) in self.without_made_up(path) {
                let mut case = split(literals, params);
                case.widened = widened;
                case.loosened = loosened;
                // A literal that follows from the path's others may be the one that the whole can do with.
                if self.options.mode == Mode::Path || many {
                    self.shorten(&mut case);
                }
                add(&mut cases, case);
            }
        }
        match self.options.mode {
            Mode::Prime if cases.len() <= MOST_CASES => self.prime(cases),
            _ => cases,
        }
    }

    /// What a path says without the values that were made up on the way: eliminated where that is possible, else
    /// left out.
    fn without_made_up(&mut self, path: Path) -> Vec<(Vec<Expr>, bool)> {
        let made_up = |analysis: &Analysis, e: &Expr| -> Vec<VarId> {
            let vars = formula::vars_of(e).into_iter();
            vars.filter(|v| analysis.unknown.contains(v) || analysis.fresh.contains(v))
                .collect()
        };
        let (about, plain): (Vec<Expr>, Vec<Expr>) = path
            .literals
            .iter()
            .cloned()
            .partition(|l| !made_up(self, l).is_empty());
        if about.is_empty() {
            return vec![(plain, false)];
        }
        let about = formula::all(about);
        let vars = made_up(self, &about);
        let eliminated = guard::eliminate(&self.program, self.class, &vars, about)
            .filter(|e| made_up(self, e).is_empty());
        let path = Path {
            literals: plain,
            ..path
        };
        let Some(eliminated) = eliminated else {
            return vec![(path.literals, true)];
        };
        let before = self.given_up.len();
        let (holds, _) = self.decide(path, &eliminated);
        let cut = self.given_up.split_off(before);
        let cut = cut.into_iter().map(|p| (p.literals, true));
        holds
            .into_iter()
            .map(|p| (p.literals, false))
            .chain(cut)
            .collect()
    }

    /// The case without literals that follow from its others; what keeps another one defined stays.
    fn shorten(&mut self, case: &mut Case) {
        self.solver.know_null_cells(false);
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
        self.solver.know_null_cells(true);
    }

    fn follows(&mut self, from: &[&Expr], e: &Expr) -> bool {
        let all: Vec<&Expr> = self.background.iter().chain(from.iter().copied()).collect();
        self.solver.implied(&self.program, &all, e)
    }

    /// Each case with as few literals as the whole allows, those over fields dropped first; then without those that
    /// another one covers.
    fn prime(&mut self, cases: Vec<Case>) -> Vec<Case> {
        let of = |certain: bool| {
            let alike = cases.iter().filter(|c| c.is_certain() == certain);
            formula::any(alike.map(Case::formula))
        };
        let (certain, uncertain) = (of(true), of(false));
        let mut shorter: Vec<Case> = Vec::new();
        for mut case in cases {
            // A certain case does not grow into what is not certain, and there is no need for the other way.
            let whole = if case.is_certain() {
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
                    if case.is_certain() && !other.is_certain() {
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
        widened: false,
        loosened: false,
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
            known.widened &= case.widened;
            known.loosened &= case.loosened;
        }
        None => cases.push(case),
    }
}
