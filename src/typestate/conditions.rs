//! When calls end in some way, as cases over the configuration and the parameters before them: found backwards through the
//! bodies ([`crate::ir::backwards`]), and made few and short ([`super::cases`]).
//!
//! Automata are made from the conditions of single paths ([`super::precondition`]), as in the thesis; here paths come together.

use crate::engine::EngineError;
use crate::ir::backwards::{
    BackwardLimits, Backwards, EndConditions, RefusalsOf, Refusing, WantedEnd,
};
use crate::ir::formula;
use crate::ir::{ClassId, Expr, Program, RoutineRef};

use super::cases::{self, Case};
use super::known::Known;
use super::precondition::PreconditionOptions;
use super::solver::Satisfiability;

/// With more cases than these, it is not known when a call can end so.
const MOST_CASES: usize = 400;

/// The analysis of one class.
pub(super) struct Conditions {
    known: Known,
    backwards: Backwards,
}

impl Conditions {
    /// The analysis of a class, whose objects are taken to keep its invariant.
    ///
    /// # Errors
    /// Z3 cannot be run.
    pub(super) fn new(
        program: &Program,
        class: ClassId,
        options: &PreconditionOptions,
    ) -> Result<Self, EngineError> {
        let limits = BackwardLimits {
            bound: options.bound,
            cases: MOST_CASES,
        };
        let patience = options.patience();
        Ok(Conditions {
            known: Known::new(program, class, options)?,
            backwards: Backwards::new(program, class, limits, move || patience.is_set()),
        })
    }

    /// The program.
    pub(super) fn program(&self) -> &Program {
        &self.known.program
    }

    /// Why something is not known of the call that was asked about last.
    pub(super) fn reasons(&self) -> Vec<&'static str> {
        self.backwards.reasons().iter().copied().collect()
    }

    /// What is known of every object before a call.
    pub(super) fn invariant(&self) -> &[Expr] {
        &self.known.invariant
    }

    /// Takes it from now on that this is what is known of every object before a call.
    pub(super) fn assume(&mut self, invariant: Vec<Expr>) {
        self.known.invariant = invariant;
    }

    /// Whether, of an object that keeps the invariant, the one follows from the others.
    pub(super) fn implied(&mut self, from: &[&Expr], e: &Expr) -> bool {
        self.known.implied(from, e)
    }

    /// When a call of the routine can end as wanted. None for making an object of a class without a constructor.
    pub(super) fn ends(&mut self, routine: Option<RoutineRef>, wanted: &WantedEnd) -> Vec<Case> {
        self.asked(routine, |backwards, impossible| {
            backwards.before(routine, wanted, impossible)
        })
    }

    /// Whether a call of the routine may end as wanted, as far as is known.
    pub(super) fn may_end(&mut self, routine: Option<RoutineRef>, wanted: &WantedEnd) -> bool {
        self.known.begin(routine);
        let found = self
            .backwards
            .perhaps_before(routine, wanted, &self.known.background);
        let vars = &self.backwards.program().vars;
        self.known.program.vars.clone_from(vars);
        self.known.without_null_cells(|known| {
            found.is_none_or(|clauses| {
                let clauses: Vec<&Expr> = clauses.iter().collect();
                known.possible_at_start(&clauses) != Satisfiability::Unsatisfiable
            })
        })
    }

    /// How much was done so far: [`Backwards::work`].
    pub(super) fn work(&self) -> u64 {
        self.backwards.work()
    }

    /// When calls of the routine are refused: [`Backwards::refusals`].
    pub(super) fn refusals(
        &mut self,
        routine: RoutineRef,
        refusing: &Refusing,
        of: RefusalsOf,
    ) -> Vec<Case> {
        self.asked(Some(routine), |backwards, impossible| {
            backwards.refusals(routine, (refusing, of), impossible)
        })
    }

    /// Goes backwards, with the solver to say what cannot be.
    fn asked(
        &mut self,
        routine: Option<RoutineRef>,
        ask: impl FnOnce(&mut Backwards, &mut dyn FnMut(&[&Expr]) -> bool) -> EndConditions,
    ) -> Vec<Case> {
        self.known.begin(routine);
        let backwards = &mut self.backwards;
        self.known.without_null_cells(|known| {
            let found = ask(backwards, &mut |literals| {
                known.possible_at_start(literals) == Satisfiability::Unsatisfiable
            });
            cases_of(known, found, routine)
        })
    }

    /// Whether an object that keeps the invariant can be where all of this holds.
    pub(super) fn possible(&mut self, all: &[&Expr]) -> bool {
        self.known.without_null_cells(|known| known.possible(all))
    }

    /// What the routine requires, each clause as a formula that is always defined.
    pub(super) fn required_by(&self, routine: RoutineRef) -> Vec<Expr> {
        let clauses = self.program().routine(routine).requires.iter();
        clauses
            .map(|e| formula::clause(self.program(), e))
            .collect()
    }

    /// The literals of the case, without those that follow from its others and from what is given.
    pub(super) fn literals_given(&mut self, mut case: Case, given: &[Expr]) -> Vec<Expr> {
        self.known.shorten_given(&mut case, given);
        case.fields.into_iter().chain(case.params).collect()
    }
}

/// What was found, as cases.
fn cases_of(known: &mut Known, found: EndConditions, routine: Option<RoutineRef>) -> Vec<Case> {
    let params = known.params_of(routine);
    let many = found.surely.len() + found.perhaps.len() > cases::MOST_CASES;
    let surely = found.surely.into_iter().map(|literals| (literals, false));
    let perhaps = found.perhaps.into_iter().map(|literals| (literals, true));
    let mut few: Vec<Case> = Vec::new();
    for (literals, open) in surely.chain(perhaps) {
        let mut case = Case::split(literals, &params);
        case.loosened = open;
        let all: Vec<&Expr> = case.literals().collect();
        if known.possible_at_start(&all) == Satisfiability::Unsatisfiable {
            continue;
        }
        // A literal that follows from the others of the case may be the one that the whole can do with.
        if many {
            known.shorten(&mut case);
        }
        cases::add(&mut few, case);
    }
    match many {
        true => few,
        false => known.prime(few),
    }
}
