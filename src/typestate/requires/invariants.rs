//! Invariants: clauses are proposed ([`super::candidates`]), and those stay that every constructor establishes and every call
//! keeps.

use std::collections::BTreeSet;

use crate::ask::houdini::{self, Kept};
use crate::engine::{EngineError, Interrupt};
use crate::ir::backwards::{WantedEnd, Which};
use crate::ir::effects::Effects;
use crate::ir::formula;
use crate::ir::{BinaryOp, ClassId, Expr, ExprKind, FieldRef, Program, RoutineRef};

use super::candidates::{Proposed, candidates};
use super::hard::{HardCalls, looped};
use crate::typestate::conditions::Conditions;
use crate::typestate::precondition::PreconditionOptions;

/// No more clauses than these are tried.
const MOST: usize = 160;

/// Nor is more done for them: some seconds' work. What is not tried by then is not kept.
const MOST_WORK: u64 = 8_000_000;

/// Clauses over the object's own fields that every constructor establishes and every allowed call of the actions
/// keeps, however it ends; none that follows from the class's own invariant and the others.
///
/// # Errors
/// Z3 cannot be run.
pub fn invariants(
    program: &Program,
    class: ClassId,
    actions: &[RoutineRef],
    proposed: &Proposed,
    options: &PreconditionOptions,
) -> Result<Vec<Expr>, EngineError> {
    let conditions = Conditions::new(program, class, options)?;
    let mut search = InvariantSearch {
        own: conditions.invariant().to_vec(),
        conditions,
        constructors: program.constructors(class),
        interrupt: options.interrupt.clone(),
    };
    let mut clauses = candidates(program, class, proposed);
    clauses.truncate(MOST);
    let effects = Effects::of(program);
    clauses = search.kept(clauses, actions, (program, class, &effects), options)?;
    search.only_needed(&mut clauses);
    let known = clauses.clone();
    Ok(clauses.into_iter().map(|e| shortened(e, &known)).collect())
}

/// A search for what every call keeps.
struct InvariantSearch {
    conditions: Conditions,
    /// What the class says of itself.
    own: Vec<Expr>,
    constructors: Vec<Option<RoutineRef>>,
    interrupt: Interrupt,
}

/// What going backwards says of the clauses that a call may break.
enum Said {
    /// These, by their positions.
    Broken(BTreeSet<usize>),
    /// Too little: not all of the call could be followed.
    TooLittle,
}

impl InvariantSearch {
    /// The clauses that every call keeps.
    fn kept(
        &mut self,
        clauses: Vec<Expr>,
        actions: &[RoutineRef],
        (program, class, effects): (&Program, ClassId, &Effects),
        options: &PreconditionOptions,
    ) -> Result<Vec<Expr>, EngineError> {
        let spoken_of: BTreeSet<FieldRef> = clauses.iter().flat_map(formula::fields_of).collect();
        let constructors = self.constructors.clone();
        let may_break = |routine: &Option<RoutineRef>, clause: &Expr| {
            constructors.contains(routine)
                || routine.is_none_or(|routine| {
                    let writes = &effects.routine(routine).writes;
                    !writes.is_disjoint(&formula::fields_of(clause))
                })
        };
        let mut clauses = clauses;
        let mut made = constructors.as_slice();
        let called: Vec<_> = actions.iter().copied().map(Some).collect();
        // Of these, going backwards says too little: the engine is asked.
        let mut hard = looped(program, effects, actions, &spoken_of);
        // Where that says too little as well, it is what going backwards says.
        let mut hardest = BTreeSet::new();
        let engine = HardCalls::new(program, class, effects, options);
        loop {
            clauses = houdini::kept(
                clauses,
                made,
                &called,
                may_break,
                |routine, assumed, goal| {
                    if routine.is_some_and(|routine| hard.contains(&routine)) {
                        return Kept::All;
                    }
                    match (self.said(*routine, assumed, goal), routine) {
                        (Said::Broken(broken), _) if broken.is_empty() => Kept::All,
                        (Said::Broken(broken), _) => Kept::But(broken),
                        (Said::TooLittle, Some(routine))
                            if !constructors.contains(&Some(*routine))
                                && !hardest.contains(routine) =>
                        {
                            hard.insert(*routine);
                            Kept::All
                        }
                        (Said::TooLittle, _) => Kept::But(self.broken_in(*routine, goal, 0)),
                    }
                },
            );
            match engine.kept(&hard, &self.own, clauses.clone())? {
                Ok(kept) if kept.len() == clauses.len() => return Ok(clauses),
                Ok(kept) => clauses = kept,
                Err(unknown) => {
                    hard.retain(|action| !unknown.contains(action));
                    hardest.extend(unknown);
                }
            }
            made = &[];
        }
    }

    /// What a call may break where these clauses hold before it.
    fn said(&mut self, routine: Option<RoutineRef>, assumed: &[Expr], goal: &[Expr]) -> Said {
        let all = || Said::Broken((0..goal.len()).collect());
        if self.is_over() {
            return all();
        }
        let known = self.own.iter().chain(assumed).cloned();
        self.conditions.assume(known.collect());
        if !self.breaks(routine, goal) {
            return Said::Broken(BTreeSet::new());
        }
        match self.conditions.reasons().is_empty() {
            true => Said::Broken(self.broken_in(routine, goal, 0)),
            false => Said::TooLittle,
        }
    }

    /// Which of the clauses are broken, by their positions behind the first, where not all of them are kept. Mostly these are few:
    /// it is asked about halves of them.
    fn broken_in(
        &mut self,
        routine: Option<RoutineRef>,
        clauses: &[Expr],
        first: usize,
    ) -> BTreeSet<usize> {
        if clauses.len() <= 1 {
            return (first..first + clauses.len()).collect();
        }
        let (front, back) = clauses.split_at(clauses.len() / 2);
        let mut broken = BTreeSet::new();
        for (half, first) in [(front, first), (back, first + front.len())] {
            if self.breaks(routine, half) {
                broken.extend(self.broken_in(routine, half, first));
            }
        }
        broken
    }

    /// Whether a call may break some of the clauses. Of an object that is only being made, no clause holds before, and there is
    /// none where that ends in an exception.
    fn breaks(&mut self, routine: Option<RoutineRef>, clauses: &[Expr]) -> bool {
        let broken = formula::not(formula::all(clauses.iter().cloned()));
        let ends = match self.constructors.contains(&routine) {
            true => normally(broken),
            false => anyhow(broken),
        };
        self.is_over() || self.conditions.may_end(routine, &ends)
    }

    fn is_over(&self) -> bool {
        self.conditions.work() > MOST_WORK || self.interrupt.is_set()
    }

    /// Leaves the clauses out that follow from others.
    fn only_needed(&mut self, clauses: &mut Vec<Expr>) {
        self.conditions.assume(self.own.clone());
        let mut index = clauses.len();
        while index > 0 {
            index -= 1;
            let others = clauses.iter().enumerate().filter(|(i, _)| *i != index);
            let others: Vec<&Expr> = others.map(|(_, c)| c).collect();
            if self.conditions.implied(&others, &clauses[index]) {
                clauses.remove(index);
            }
        }
    }
}

/// The clause without what it leaves open and another one excludes: `a == null || a.length == 1` where `a != null`.
fn shortened(clause: Expr, known: &[Expr]) -> Expr {
    let ExprKind::Binary(BinaryOp::Or, a, b) = &*clause.kind else {
        return clause;
    };
    let excluded = formula::not(a.clone());
    match known.iter().any(|other| formula::same(other, &excluded)) {
        true => b.clone(),
        false => clause,
    }
}

/// That a call ends normally where this holds.
fn normally(state: Expr) -> WantedEnd {
    WantedEnd {
        normal: Some(state),
        ..WantedEnd::default()
    }
}

/// That a call ends where this holds, in whatever way.
fn anyhow(state: Expr) -> WantedEnd {
    WantedEnd {
        normal: Some(state.clone()),
        raised: Some((Which::All, state.clone())),
        outside: Some(state),
        refused: false,
    }
}
