//! When calls end in some way, as cases over the configuration and the parameters before them: found backwards through the
//! bodies ([`crate::ir::backwards`]), and brought into a form with few and short cases with the help of the solver, which knows
//! what holds of every object.
//!
//! Automata are made from the conditions of single paths ([`super::precondition`]), as in the thesis; here paths come together.

mod normal;
#[cfg(test)]
mod tests;

use crate::engine::EngineError;
use crate::ir::backwards::{Backwards, Limits, Wanted, Which};
use crate::ir::formula;
use crate::ir::{ClassId, Expr, Program, RoutineKind, RoutineRef, VarId};

use super::precondition::Options;
use super::solver::{Answer, Solver};

pub(super) use normal::Case;

/// With more cases than these, it is not known when a call can end so.
const MOST_CASES: usize = 400;

/// The analysis of one class.
pub(super) struct Conditions {
    program: Program,
    backwards: Backwards,
    solver: Solver,
    /// What is known of every object before a call: the invariant.
    invariant: Vec<Expr>,
    /// What is known where the routine under analysis starts.
    background: Vec<Expr>,
}

impl Conditions {
    /// The analysis of a class, whose objects are taken to keep its invariant.
    ///
    /// # Errors
    /// Z3 cannot be run.
    pub(super) fn new(
        program: &Program,
        class: ClassId,
        options: &Options,
    ) -> Result<Self, EngineError> {
        let solver = Solver::start(class, options.z3.as_deref(), &options.interrupt)?;
        let clauses = program.class(class).invariants.iter();
        let invariant = clauses
            .map(|e| formula::clause_under_invariant(program, e))
            .flat_map(formula::conjuncts_of)
            .collect();
        let limits = Limits {
            bound: options.bound,
            cases: MOST_CASES,
        };
        Ok(Conditions {
            program: program.clone(),
            backwards: Backwards::new(program, class, limits),
            solver,
            invariant,
            background: Vec::new(),
        })
    }

    /// The program.
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// When a call of the routine can end as wanted. None for making an object of a class without a constructor.
    pub(super) fn ends(&mut self, routine: Option<RoutineRef>, wanted: &Wanted) -> Vec<Case> {
        self.begin(routine);
        let params = self.params_of(routine);
        let found =
            self.asked(|backwards, impossible| backwards.before(routine, wanted, impossible));
        let cases = self.cases(found, &params);
        self.background.clear();
        cases
    }

    /// When calls of the routine are refused: [`Backwards::refusals`].
    pub(super) fn refusals(&mut self, routine: RoutineRef, which: &Which) -> Vec<Case> {
        self.begin(Some(routine));
        let params = self.params_of(Some(routine));
        let found =
            self.asked(|backwards, impossible| backwards.refusals(routine, which, impossible));
        let cases = self.cases(found, &params);
        self.background.clear();
        cases
    }

    /// Goes backwards, with the solver to say what cannot be.
    fn asked<T>(
        &mut self,
        ask: impl FnOnce(&mut Backwards, &mut dyn FnMut(&[&Expr]) -> bool) -> T,
    ) -> T {
        let (program, solver, background) = (&self.program, &mut self.solver, &self.background);
        // What is read from `null` is not known: a literal is there for what keeps another one defined.
        solver.know_null_cells(false);
        let found = ask(&mut self.backwards, &mut |literals| {
            let all: Vec<&Expr> = background.iter().chain(literals.iter().copied()).collect();
            solver.contradictory(program, &all)
        });
        solver.know_null_cells(true);
        found
    }

    /// Whether an object that keeps the invariant can be where all of this holds.
    pub(super) fn possible(&mut self, all: &[&Expr]) -> bool {
        let all: Vec<&Expr> = self.invariant.iter().chain(all.iter().copied()).collect();
        self.solver.know_null_cells(false);
        let answer = self.solver.satisfiable(&self.program, &all);
        self.solver.know_null_cells(true);
        answer != Answer::Unsatisfiable
    }

    /// What the routine requires, each clause as a formula that is always defined.
    pub(super) fn required_by(&self, routine: RoutineRef) -> Vec<Expr> {
        let clauses = self.program.routine(routine).requires.iter();
        clauses.map(|e| formula::clause(&self.program, e)).collect()
    }

    /// The case without literals that follow from its others and from what is given.
    pub(super) fn case_given(&mut self, case: &Case, given: &[Expr]) -> Case {
        let mut case = case.clone();
        for index in (0..case.fields.len()).rev() {
            let others = case.fields.iter().enumerate().filter(|(i, _)| *i != index);
            let known = others.map(|(_, e)| e).chain(&case.params).chain(given);
            let known: Vec<&Expr> = known.collect();
            if self
                .solver
                .implied(&self.program, &known, &case.fields[index])
            {
                case.fields.remove(index);
            }
        }
        for index in (0..case.params.len()).rev() {
            let others = case.params.iter().enumerate().filter(|(i, _)| *i != index);
            let known = others.map(|(_, e)| e).chain(&case.fields).chain(given);
            let known: Vec<&Expr> = known.collect();
            if self
                .solver
                .implied(&self.program, &known, &case.params[index])
            {
                case.params.remove(index);
            }
        }
        case
    }

    /// The parameters of a routine.
    fn params_of(&self, routine: Option<RoutineRef>) -> Vec<VarId> {
        routine.map_or(Vec::new(), |r| self.program.routine(r).params.clone())
    }

    fn is_constructor(&self, routine: Option<RoutineRef>) -> bool {
        routine.is_none_or(|r| self.program.routine(r).kind == RoutineKind::Constructor)
    }

    /// What is known where the routine starts.
    fn begin(&mut self, routine: Option<RoutineRef>) {
        self.background = match self.is_constructor(routine) {
            true => Vec::new(),
            false => self.invariant.clone(),
        };
    }
}
