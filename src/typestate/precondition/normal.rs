//! From paths to cases: what was made up on the way goes.

use crate::ir::formula;
use crate::ir::guard;
use crate::ir::{Expr, VarId};
use crate::typestate::cases::{Case, MOST_CASES, add};

use super::PathAnalysis;
use super::path::RoutinePath;

/// The normal forms of a precondition: the automaton depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NormalForm {
    /// One case a path.
    Path,
    /// Each case with as few literals as the whole allows, and none that another one covers.
    #[default]
    Prime,
}

impl NormalForm {
    /// `path` or `prime`.
    pub fn name(self) -> &'static str {
        match self {
            NormalForm::Path => "path",
            NormalForm::Prime => "prime",
        }
    }
}

impl PathAnalysis {
    /// The cases of paths; the flag says whether a path was given up.
    pub(super) fn cases(&mut self, paths: Vec<(RoutinePath, bool)>, params: &[VarId]) -> Vec<Case> {
        let many = paths.len() > MOST_CASES;
        let mut cases: Vec<Case> = Vec::new();
        for (path, widened) in paths {
            for (literals, loosened) in self.without_made_up(path) {
                let mut case = Case::split(literals, params);
                case.widened = widened;
                case.loosened = loosened;
                // A literal that follows from the path's others may be the one that the whole can do with.
                if self.options.mode == NormalForm::Path || many {
                    self.known
                        .without_null_cells(|known| known.shorten(&mut case));
                }
                add(&mut cases, case);
            }
        }
        match self.options.mode {
            NormalForm::Prime if cases.len() <= MOST_CASES => self.known.prime(cases),
            _ => cases,
        }
    }

    /// What a path says without the values that were made up on the way: eliminated where that is possible, else
    /// left out.
    fn without_made_up(&mut self, path: RoutinePath) -> Vec<(Vec<Expr>, bool)> {
        let made_up = |analysis: &PathAnalysis, e: &Expr| -> Vec<VarId> {
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
        let eliminated = guard::eliminate(&self.known.program, self.known.class, &vars, about)
            .filter(|e| made_up(self, e).is_empty());
        let path = RoutinePath {
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
}
