//! What both analyses of when calls end know: the program, the class and its invariant, what holds where the routine under
//! analysis starts; and the solver that is asked what follows from that.

use crate::engine::EngineError;
use crate::ir::formula;
use crate::ir::{ClassId, Expr, Program, RoutineKind, RoutineRef, VarId};

use super::precondition::PreconditionOptions;
use super::solver::{FormulaSolver, Satisfiability};

/// A class under analysis, with a solver.
pub(super) struct Known {
    /// The program, with the variables that were made up on the way.
    pub(super) program: Program,
    pub(super) class: ClassId,
    pub(super) solver: FormulaSolver,
    /// What is known of every object before a call.
    pub(super) invariant: Vec<Expr>,
    /// What is known where the routine under analysis starts.
    pub(super) background: Vec<Expr>,
}

impl Known {
    /// A class whose objects are taken to keep its invariant.
    ///
    /// # Errors
    /// Z3 cannot be run.
    pub(super) fn new(
        program: &Program,
        class: ClassId,
        options: &PreconditionOptions,
    ) -> Result<Self, EngineError> {
        let clauses = program.class(class).invariants.iter();
        let invariant = clauses
            .map(|e| formula::clause_under_invariant(program, e))
            .flat_map(formula::conjuncts_of)
            .collect();
        Ok(Known {
            program: program.clone(),
            class,
            solver: FormulaSolver::start(class, options.z3.as_deref(), &options.patience())?,
            invariant,
            background: Vec::new(),
        })
    }

    /// The parameters of a routine; none for making an object of a class without a constructor.
    pub(super) fn params_of(&self, routine: Option<RoutineRef>) -> Vec<VarId> {
        routine.map_or(Vec::new(), |r| self.program.routine(r).params.clone())
    }

    /// Whether a call makes an object.
    pub(super) fn makes_object(&self, routine: Option<RoutineRef>) -> bool {
        routine.is_none_or(|r| self.program.routine(r).kind == RoutineKind::Constructor)
    }

    /// From now on this routine is under analysis: an object that is only being made keeps no invariant yet.
    pub(super) fn begin(&mut self, routine: Option<RoutineRef>) {
        self.background = match self.makes_object(routine) {
            true => Vec::new(),
            false => self.invariant.clone(),
        };
    }

    /// Whether all of this can hold where the routine under analysis starts.
    pub(super) fn possible_at_start(&mut self, all: &[&Expr]) -> Satisfiability {
        let all: Vec<&Expr> = self.background.iter().chain(all.iter().copied()).collect();
        self.solver.satisfiable(&self.program, &all)
    }

    /// Whether this follows where the routine under analysis starts; false where that is not known.
    pub(super) fn follows(&mut self, from: &[&Expr], e: &Expr) -> bool {
        let denied = formula::not(e.clone());
        let all: Vec<&Expr> = from.iter().copied().chain([&denied]).collect();
        self.possible_at_start(&all) == Satisfiability::Unsatisfiable
    }

    /// Whether an object that keeps the invariant can be where all of this holds.
    pub(super) fn possible(&mut self, all: &[&Expr]) -> bool {
        let all: Vec<&Expr> = self.invariant.iter().chain(all.iter().copied()).collect();
        self.solver.satisfiable(&self.program, &all) != Satisfiability::Unsatisfiable
    }

    /// Whether, of an object that keeps the invariant, the one follows from the others.
    pub(super) fn implied(&mut self, from: &[&Expr], e: &Expr) -> bool {
        let known: Vec<&Expr> = self.invariant.iter().chain(from.iter().copied()).collect();
        self.solver.implied(&self.program, &known, e)
    }

    /// Runs it without what is known of fields that are read from `null`: then nothing follows from a formula that is not
    /// defined, and a literal is there for what keeps another one defined.
    pub(super) fn without_null_cells<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.solver.know_null_cells(false);
        let made = run(self);
        self.solver.know_null_cells(true);
        made
    }
}
