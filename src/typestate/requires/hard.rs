//! What calls keep of which going backwards says too little: those that go through loops, and large ones. It is asked of the
//! engine, in a program whose loops are cut ([`loops::cut`]).
//!
//! Backwards, a few rounds of a loop are followed, and what comes behind more of them is not known. Here the clauses
//! themselves are what holds before every round, as far as every round keeps them.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::ask::{Completeness, Desk, Heard, Witness};
use crate::encode::Encoding;
use crate::engine::{Builtin, EngineConfig, EngineError};
use crate::ir::effects::walk::statements;
use crate::ir::effects::{Effects, Written};
use crate::ir::loops::{self, OfRounds};
use crate::ir::{
    Block, Catch, ClassId, ExceptionId, Expr, FieldRef, Program, Routine, RoutineKind, RoutineRef,
    Stmt, StmtKind, formula,
};
use crate::query::{ActionId, Callee, End, Exit, Limits, Query, Subject, kinds};
use crate::typestate::precondition::PreconditionOptions;

/// No more questions than this are asked about a class: some seconds' work.
const MOST_QUESTIONS: usize = 120;

/// Where it is not known of more calls than this, it is not asked of others.
const MOST_UNKNOWN: usize = 1;

/// Of more ends than this it is not asked at once.
const MOST_EXITS: usize = 40;

/// How long the solver may work for a question: without loops, an answer comes soon.
const SOON: Duration = Duration::from_secs(1);

/// What is asked of some actions, or those of which it is not known.
type OrUnknown<T> = Result<T, BTreeSet<RoutineRef>>;

/// Those of the actions that may go through a loop which writes one of these fields.
pub(super) fn looped(
    program: &Program,
    effects: &Effects,
    actions: &[RoutineRef],
    fields: &BTreeSet<FieldRef>,
) -> BTreeSet<RoutineRef> {
    let mut writing: BTreeMap<RoutineRef, bool> = BTreeMap::new();
    let mut is_looped = |action: &RoutineRef| {
        let mut seen = BTreeSet::from([*action]);
        let mut open = vec![*action];
        while let Some(routine) = open.pop() {
            let writes = *writing
                .entry(routine)
                .or_insert_with(|| loops_write(program, effects, routine, fields));
            if writes {
                return true;
            }
            let body = program.routine(routine).body.as_deref();
            let called = statements(body).into_iter().filter_map(Stmt::called);
            open.extend(called.filter(|callee| seen.insert(*callee)));
        }
        false
    };
    let actions = actions.iter().copied();
    actions.filter(|action| is_looped(action)).collect()
}

/// Whether a loop of a routine's own body may write one of the fields.
fn loops_write(
    program: &Program,
    effects: &Effects,
    routine: RoutineRef,
    fields: &BTreeSet<FieldRef>,
) -> bool {
    let body = program.routine(routine).body.as_deref();
    let mut loops = statements(body)
        .into_iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::While { body, .. } => Some(body.as_slice()),
            _ => None,
        });
    loops.any(|body| {
        let written = Written::of(effects, &statements([body]));
        !written.fields.is_disjoint(fields)
    })
}

/// What hard calls keep.
pub(super) struct HardCalls<'a> {
    program: &'a Program,
    class: ClassId,
    effects: &'a Effects,
    engine: Builtin,
    questions: Cell<usize>,
}

impl<'a> HardCalls<'a> {
    pub(super) fn new(
        program: &'a Program,
        class: ClassId,
        effects: &'a Effects,
        options: &PreconditionOptions,
    ) -> HardCalls<'a> {
        let config = EngineConfig {
            z3: options.z3.clone(),
            interrupt: options.patience(),
            limits: Limits::DEFAULT.for_a_try(SOON),
            ..EngineConfig::default()
        };
        HardCalls {
            program,
            class,
            effects,
            engine: Builtin::new(&config).unbounded(false),
            questions: Cell::new(0),
        }
    }

    /// Those of the clauses that all calls of these actions keep, where all of them and the class's own hold before.
    ///
    /// # Errors
    /// Z3 cannot be run.
    pub(super) fn kept(
        &self,
        actions: &BTreeSet<RoutineRef>,
        own: &[Expr],
        clauses: Vec<Expr>,
    ) -> Result<OrUnknown<Vec<Expr>>, EngineError> {
        let mut clauses = clauses;
        if actions.is_empty() {
            return Ok(Ok(clauses));
        }
        let mut dropped: BTreeSet<OfRounds> = BTreeSet::new();
        while !clauses.is_empty() {
            let broken = match self.broken(actions, (own, &clauses), &dropped)? {
                Ok(broken) => broken,
                Err(unknown) => return Ok(Err(unknown)),
            };
            let lost = broken.by_calls;
            if lost.is_empty() && broken.in_rounds.is_empty() {
                return Ok(Ok(clauses));
            }
            dropped.extend(broken.in_rounds);
            if !lost.is_empty() {
                // What is kept in rounds is numbered by the clauses.
                let left: Vec<usize> = (0..clauses.len()).filter(|at| !lost.contains(at)).collect();
                let numbers = dropped.into_iter().filter_map(|(number, at)| {
                    Some((number, left.iter().position(|other| *other == at)?))
                });
                dropped = numbers.collect();
                clauses = left.into_iter().map(|at| clauses[at].clone()).collect();
            }
        }
        Ok(Ok(clauses))
    }

    /// What is not kept of the clauses, where they are believed before the rounds of loops that these do not say otherwise of.
    fn broken(
        &self,
        actions: &BTreeSet<RoutineRef>,
        (own, clauses): (&[Expr], &[Expr]),
        dropped: &BTreeSet<OfRounds>,
    ) -> Result<OrUnknown<Broken>, EngineError> {
        let Some(cut) = loops::cut((self.program, self.effects), self.class, clauses, dropped)
        else {
            return Ok(Err(actions.clone()));
        };
        let mut program = cut.program;
        let of_rounds: BTreeMap<ExceptionId, OfRounds> = cut.raised.iter().copied().collect();
        let first = program.exceptions.len();
        let names = (1..=clauses.len()).map(|n| format!("Broken.{n}"));
        program.exceptions.extend(names);
        let known = own.iter().chain(clauses).cloned();
        let declared = &mut program.classes[self.class.0];
        let facts = declared.invariants[..declared.facts].to_vec();
        declared.invariants = facts.into_iter().chain(known).collect();
        let mut wrapped = Vec::new();
        for action in actions {
            let caught = self.effects.routine(*action).throws.iter().copied();
            wrapped.push(wrap(&mut program, *action, caught.collect(), |program| {
                let clauses = clauses.iter().enumerate();
                let checks = clauses.map(|(at, clause)| {
                    let fails = formula::not(formula::clause(program, clause));
                    let span = program.routine(*action).span;
                    Stmt::maybe(Stmt::throw_where(fails, ExceptionId(first + at), span))
                });
                checks.collect()
            }));
        }
        let subject = Subject::new(Arc::new(program), self.class, &wrapped);
        let Ok(encoding) = Encoding::new(Arc::new(subject)) else {
            return Ok(Err(actions.clone()));
        };
        let desk = match Desk::open(&encoding, &self.engine) {
            Ok(desk) => desk.without_replay(),
            // That is a mistake of ours, and nothing is known then.
            Err(EngineError::Rejected { .. }) => return Ok(Err(actions.clone())),
            Err(error) => return Err(error),
        };
        let checks = Checks {
            desk: &desk,
            clauses,
            of_rounds,
            first,
        };
        let (mut broken, mut unknown) = (Broken::default(), BTreeSet::new());
        for (at, action) in actions.iter().enumerate() {
            if !self.look_at(&checks, Callee::Action(ActionId(at)), &mut broken) {
                unknown.insert(*action);
            }
            if unknown.len() > MOST_UNKNOWN {
                return Ok(Err(actions.clone()));
            }
        }
        match unknown.is_empty() {
            true => Ok(Ok(broken)),
            false => Ok(Err(unknown)),
        }
    }

    /// Looks for what a call breaks; whether that is known.
    fn look_at(&self, checks: &Checks<'_>, callee: Callee, broken: &mut Broken) -> bool {
        let exits = checks.desk.subject().thrown_by(callee);
        let exits: Vec<ExceptionId> = exits.into_iter().collect();
        exits.chunks(MOST_EXITS).all(|some| {
            // What is seen to be broken once need not be seen again.
            let left = |broken: &Broken| -> Vec<ExceptionId> {
                let some = some.iter().copied();
                some.filter(|e| checks.is_open(*e, broken)).collect()
            };
            let next = |broken: &Broken| {
                let left = left(broken);
                if left.is_empty() {
                    return None;
                }
                self.questions.set(self.questions.get() + 1);
                let is_asked = self.questions.get() <= MOST_QUESTIONS;
                is_asked.then(|| checks.question(callee, &left))
            };
            let take = |broken: &mut Broken, witness: &Witness, _: &Heard| {
                let Some((way, held)) = witness.place(true) else {
                    return false;
                };
                let Some(raised) = left(broken).get(way).copied() else {
                    return false;
                };
                checks.see(raised, &held, broken);
                !checks.is_open(raised, broken)
            };
            let untold = "the trace does not say which clause is broken";
            let all = checks.desk.until_none(broken, next, take, untold);
            all == Completeness::All && self.questions.get() <= MOST_QUESTIONS
        })
    }
}

/// A program that raises an exception where a clause does not hold.
struct Checks<'a> {
    desk: &'a Desk<'a>,
    clauses: &'a [Expr],
    /// Those that it raises before the rounds of loops.
    of_rounds: BTreeMap<ExceptionId, OfRounds>,
    /// The first of those that it raises behind calls, one for each clause.
    first: usize,
}

impl Checks<'_> {
    /// Whether it is such an exception, of a clause that is not known to be broken there.
    fn is_open(&self, exception: ExceptionId, broken: &Broken) -> bool {
        match self.of_rounds.get(&exception) {
            Some(of_rounds) => !broken.in_rounds.contains(of_rounds),
            None => match exception.0.checked_sub(self.first) {
                Some(clause) => !broken.by_calls.contains(&clause),
                None => false,
            },
        }
    }

    /// Can the call raise one of these, and which clauses hold then?
    fn question(&self, callee: Callee, exceptions: &[ExceptionId]) -> Query {
        let exits: Vec<Exit> = exceptions.iter().map(|e| Exit::Exception(*e)).collect();
        let subject = self.desk.subject();
        let mut query = kinds::any_other_exit(subject, callee, None, &exits, &BTreeSet::new());
        if let End::Place(places) = &mut query.end {
            let clauses = self.clauses.iter();
            let clauses = clauses.map(|clause| formula::clause(&subject.program, clause));
            places.predicates = clauses.collect();
        }
        query
    }

    /// An exception was raised where these clauses hold: the others are broken there, too.
    fn see(&self, raised: ExceptionId, held: &[bool], broken: &mut Broken) {
        let not_held = held.iter().enumerate().filter(|(_, held)| !**held);
        let not_held = not_held.map(|(clause, _)| clause);
        match self.of_rounds.get(&raised) {
            Some((number, clause)) => {
                let all = not_held.chain([*clause]);
                broken.in_rounds.extend(all.map(|clause| (*number, clause)));
            }
            None => {
                let clause = raised.0.checked_sub(self.first);
                broken.by_calls.extend(not_held.chain(clause));
            }
        }
    }
}

/// What is not kept.
#[derive(Default)]
struct Broken {
    /// Clauses that a round of a loop breaks.
    in_rounds: BTreeSet<OfRounds>,
    /// Clauses that a call breaks.
    by_calls: BTreeSet<usize>,
}

/// Adds an action that calls another one, catches these exceptions, and looks at what is left behind.
fn wrap(
    program: &mut Program,
    action: RoutineRef,
    caught: Vec<ExceptionId>,
    checks: impl FnOnce(&Program) -> Block,
) -> RoutineRef {
    let called = program.routine(action).clone();
    let params = called.params.iter().map(|param| {
        let declared = program.var(*param).clone();
        program.new_var(declared.name, declared.ty)
    });
    let params: Vec<_> = params.collect();
    let at = |kind: StmtKind| Stmt {
        kind,
        span: called.span,
    };
    let args = params.iter().map(|param| formula::var(program, *param));
    let call = at(StmtKind::Call {
        targets: Vec::new(),
        receiver: formula::this(action.class),
        routine: action,
        args: args.collect(),
    });
    let mut body = match caught.is_empty() {
        true => vec![call],
        false => vec![at(StmtKind::Try {
            body: vec![call],
            catches: vec![Catch {
                exceptions: caught,
                body: Vec::new(),
            }],
        })],
    };
    body.extend(checks(program));
    let name = format!("{}.wrapped", called.name);
    let wrapped = Routine {
        params,
        body: Some(body),
        ..Routine::new(RoutineKind::Action, name, called.span)
    };
    let routines = &mut program.classes[action.class.0].routines;
    routines.push(wrapped);
    RoutineRef {
        class: action.class,
        index: routines.len() - 1,
    }
}
