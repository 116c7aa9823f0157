//! When can a call end in an error, or normally where a formula holds? The answer is a disjunction of cases over the
//! configuration and the parameters before the call, never too strong: every call that can end so is in some case.
//!
//! A routine is followed along all its paths, calls inlined, so that each path ends with what was decided on it and
//! with the values that everything has, as formulas over the start (2012 thesis, §3.1, forwards: the substitutions
//! are the same ones). The condition of a path for a target is what was decided, and the target with the values put
//! in. On code without loops that is exact. A loop or recursion is followed up to a bound; what goes on beyond is a
//! case of its own, marked widened, since anything may happen there.
//!
//! | step | where |
//! |---|---|
//! | a path, and the heap on it | `path` |
//! | values and decisions | `evaluate` |
//! | statements, calls | `execute`, `calls` |
//! | paths to cases, in one of two normal forms | `normal` |

mod calls;
mod evaluate;
mod execute;
mod normal;
mod path;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

use crate::engine::{EngineConfig, EngineError, Interrupt};
use crate::ir::formula;
use crate::ir::{ClassId, ExceptionId, Expr, ExprKind, FieldRef, Program, RoutineRef, Type, VarId};

use crate::query::Limits;
use crate::workers::a_core_each;

use super::known::Known;
use path::{Completion, Heap, RoutineEnd, RoutinePath, RoutinePaths};

pub use super::cases::Case;
pub use normal::NormalForm;

/// No more paths than these are kept apart where they were given up.
const MOST_GIVEN_UP: usize = 16;

/// How the analysis is made.
#[derive(Clone, Debug)]
pub struct PreconditionOptions {
    /// The normal form of the cases.
    pub mode: NormalForm,
    /// How many rounds of a loop, and how many calls of one routine within itself, are followed.
    pub bound: u32,
    /// How many decisions are made in one routine; what is left after them is widened.
    pub forks: usize,
    /// Z3, if it was named.
    pub z3: Option<PathBuf>,
    /// Of how many routines contracts are found at once.
    pub jobs: usize,
    /// From when on routines are not gone through any more, nor questions asked: what they require is not known then.
    pub until: Option<Instant>,
    /// Ends questions early: what they would have told is not known then.
    pub interrupt: Interrupt,
}

impl PreconditionOptions {
    /// Within the limits of an engine, and with its solver.
    pub fn within(config: &EngineConfig) -> Self {
        PreconditionOptions {
            bound: config.limits.recursion_bound,
            z3: config.z3.clone(),
            interrupt: config.interrupt.clone(),
            ..PreconditionOptions::default()
        }
    }

    /// What ends the looking: the interrupt, or that time is over.
    pub(in crate::typestate) fn patience(&self) -> Interrupt {
        self.interrupt.until(self.until)
    }
}

impl Default for PreconditionOptions {
    fn default() -> Self {
        PreconditionOptions {
            mode: NormalForm::Prime,
            bound: Limits::DEFAULT.recursion_bound,
            forks: 120,
            z3: None,
            jobs: a_core_each(),
            until: None,
            interrupt: Interrupt::default(),
        }
    }
}

/// How a call is to end.
#[derive(Clone, Copy, Debug)]
pub enum PreconditionTarget<'t> {
    /// In an exception, or it is not allowed by what it requires.
    Error,
    /// Normally, where this holds of the object.
    State(&'t Expr),
}

/// When a call can end in a target.
#[derive(Clone, Debug)]
pub struct Precondition {
    /// The cases: the call can end there only if one of them holds.
    pub cases: Vec<Case>,
}

impl Precondition {
    /// The disjunction of the cases.
    pub fn formula(&self) -> Expr {
        formula::any(self.cases.iter().map(Case::formula))
    }
}

/// The analysis of one class.
pub struct PathAnalysis {
    known: Known,
    options: PreconditionOptions,
    unknown: BTreeSet<VarId>,
    /// References to new objects and arrays.
    fresh: BTreeSet<VarId>,
    /// The values of variables that are never assigned again.
    held: BTreeMap<VarId, Expr>,
    this_is_new: bool,
    /// The routines being run, outermost first.
    stack: Vec<RoutineRef>,
    /// How many blocks are around.
    nesting: usize,
    /// What the handlers have caught that are under way, innermost last.
    caught: Vec<ExceptionId>,
    forks: usize,
    given_up: Vec<RoutinePath>,
    runs: BTreeMap<Option<RoutineRef>, Rc<RoutinePaths>>,
    skipped: BTreeSet<RoutineRef>,
    /// Why something was given up.
    reasons: BTreeSet<&'static str>,
}

impl PathAnalysis {
    /// The analysis of a class, whose objects are taken to keep its invariant.
    ///
    /// # Errors
    /// Z3 cannot be run.
    pub fn new(
        program: &Program,
        class: ClassId,
        options: PreconditionOptions,
    ) -> Result<Self, EngineError> {
        Ok(PathAnalysis {
            known: Known::new(program, class, &options)?,
            options,
            unknown: BTreeSet::new(),
            fresh: BTreeSet::new(),
            held: BTreeMap::new(),
            this_is_new: false,
            stack: Vec::new(),
            nesting: 0,
            caught: Vec::new(),
            forks: 0,
            given_up: Vec::new(),
            runs: BTreeMap::new(),
            skipped: BTreeSet::new(),
            reasons: BTreeSet::new(),
        })
    }

    /// The program, with the variables that were made up on the way: formulas of the analysis are printed with it.
    pub fn program(&self) -> &Program {
        &self.known.program
    }

    /// The class.
    pub fn class(&self) -> ClassId {
        self.known.class
    }

    /// What every object is taken to keep.
    pub fn invariant(&self) -> &[Expr] {
        &self.known.invariant
    }

    /// The routines that were called, have no body, and whose contract says nothing: they were taken to do nothing.
    pub fn skipped(&self) -> &BTreeSet<RoutineRef> {
        &self.skipped
    }

    /// Why cases were widened.
    pub fn reasons(&self) -> &BTreeSet<&'static str> {
        &self.reasons
    }

    /// When a call of the routine can end in the target. None for making an object of a class without a constructor.
    pub fn precondition(
        &mut self,
        routine: Option<RoutineRef>,
        target: PreconditionTarget<'_>,
    ) -> Precondition {
        let run = self.run_of(routine);
        self.begin(routine);
        let mut found: Vec<(RoutinePath, bool)> = Vec::new();
        for (path, end) in &run.ends {
            match (target, end) {
                (PreconditionTarget::Error, RoutineEnd::Exception(_) | RoutineEnd::Refused) => {
                    found.push((path.clone(), false))
                }
                (PreconditionTarget::State(state), RoutineEnd::Normal) => {
                    let state = self.value(path, state);
                    let (holds, _) = self.decide(path.clone(), &state);
                    found.extend(holds.into_iter().map(|p| (p, false)));
                }
                _ => {}
            }
        }
        let given_up = std::mem::take(&mut self.given_up);
        let mut given_up: Vec<RoutinePath> = run.given_up.iter().cloned().chain(given_up).collect();
        if given_up.len() > MOST_GIVEN_UP {
            // Too many to tell apart: anything may happen anywhere.
            given_up.truncate(1);
            given_up.iter_mut().for_each(|path| path.literals.clear());
        }
        found.extend(given_up.into_iter().map(|path| (path, true)));
        let params = self.known.params_of(routine);
        let cases = self.cases(found, &params);
        Precondition { cases }
    }

    /// Whether a call of the routine that ends normally may leave an object that does not keep its invariant.
    pub fn may_break_invariant(&mut self, routine: Option<RoutineRef>) -> bool {
        let fields = self
            .known
            .program
            .class(self.known.class)
            .fields
            .iter()
            .enumerate();
        let promises = fields.filter_map(|(index, field)| {
            let class = self.known.class;
            let place = ExprKind::Field(self.this(), FieldRef { class, index });
            calls::promise(&field.ty, formula::expr(place, field.ty.clone()))
        });
        let whole = formula::all(promises.chain(self.known.invariant.iter().cloned()));
        let broken = formula::not(whole);
        if formula::is_bool(&broken, false) {
            return false;
        }
        let found = self.precondition(routine, PreconditionTarget::State(&broken));
        found.cases.iter().any(|case| self.possible_case(case))
    }

    /// Whether an object that keeps the invariant can be in the case.
    pub fn possible_case(&mut self, case: &Case) -> bool {
        let literals: Vec<&Expr> = case.literals().collect();
        self.known.possible(&literals)
    }

    /// Whether, of an object that keeps the invariant, all of the one follows from the other.
    pub fn follows_all(&mut self, from: &[&Expr], to: &[Expr]) -> bool {
        to.iter().all(|e| self.known.implied(from, e))
    }

    /// How many questions the solver was asked.
    pub fn questions(&self) -> u64 {
        self.known.solver.asked()
    }

    fn begin(&mut self, routine: Option<RoutineRef>) {
        self.forks = 0;
        self.given_up.clear();
        self.this_is_new = self.known.makes_object(routine);
        self.known.begin(routine);
    }

    fn this(&self) -> Expr {
        formula::this(self.known.class)
    }

    /// Whether a variable or field can refer to an object of the class under analysis.
    fn has_references(&self) -> bool {
        fn leads(ty: &Type, to: ClassId) -> bool {
            match ty {
                Type::Class { class, .. } => *class == to,
                Type::Array { element, .. } => leads(element, to),
                Type::Map(key, value) => leads(key, to) || leads(value, to),
                _ => false,
            }
        }
        let fields = self.known.program.classes.iter().flat_map(|c| &c.fields);
        let types = fields
            .map(|f| &f.ty)
            .chain(self.known.program.vars.iter().map(|v| &v.ty));
        types.into_iter().any(|ty| leads(ty, self.known.class))
    }

    fn give_up(&mut self, path: RoutinePath, reason: &'static str) {
        self.reasons.insert(reason);
        self.given_up.push(path);
    }

    /// All ways through a routine; worked out once.
    fn run_of(&mut self, routine: Option<RoutineRef>) -> Rc<RoutinePaths> {
        if let Some(run) = self.runs.get(&routine) {
            return run.clone();
        }
        self.begin(routine);
        let this = self.this();
        let mut path = RoutinePath {
            literals: Vec::new(),
            heap: Heap::default(),
            old: None,
            vars: BTreeMap::new(),
            this: this.clone(),
        };
        if self.this_is_new {
            self.arbitrary_fields(&mut path, &this, self.known.class);
        }
        let mut ends = Vec::new();
        match routine {
            None => {
                let started = self.started(path, &this, self.known.class);
                ends.extend(started.into_iter().map(|p| (p, RoutineEnd::Normal)));
            }
            Some(routine) => {
                let params = self.known.params_of(Some(routine));
                let args: Vec<Expr> = params
                    .iter()
                    .map(|p| formula::var(&self.known.program, *p))
                    .collect();
                self.frame(&mut path, routine, &this, &args);
                let (passed, failed) = self.required(path, routine);
                ends.extend(failed.into_iter().map(|p| (p, RoutineEnd::Refused)));
                for path in passed {
                    for (path, flow) in self.run(path, routine) {
                        let end = match flow {
                            Completion::Throw(exception) => RoutineEnd::Exception(exception),
                            _ => RoutineEnd::Normal,
                        };
                        ends.push((path, end));
                    }
                }
            }
        }
        let run = Rc::new(RoutinePaths {
            ends,
            given_up: std::mem::take(&mut self.given_up),
        });
        self.runs.insert(routine, run.clone());
        run
    }
}
