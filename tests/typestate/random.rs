//! Random classes: whoever follows an object along the automaton, as a client's verifier does, is never surprised
//! by an error.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::interp::{
    ChoiceRequest, Choices, Configuration, EvalError, EvalScope, Execution, Fuel, Interpreter,
    Locals, NoDecision, Outcome, Value,
};
use tranquera::ir::RoutineKind;
use tranquera::ir::{ClassId, ExceptionId, Expr, Program, RoutineRef, Type};
use tranquera::typestate::automaton::model::ERROR;
use tranquera::typestate::automaton::{Inference, TypestateAutomaton, infer};
use tranquera::typestate::precondition::{NormalForm, PathAnalysis, PreconditionOptions};

use crate::support::tape::Tape;
use crate::support::{class, generator, random};

/// Calls in a walk, and walks through a class.
const CALLS: usize = 25;
const WALKS: usize = 12;

/// No class may take longer, in either mode: a tenth of a second is usual, and what explodes takes minutes.
const LONGEST: Duration = Duration::from_secs(30);

/// Decides everything at random.
pub struct Dice<'t>(pub &'t mut Tape);

impl Dice<'_> {
    pub fn roll(&mut self, ty: &Type) -> Result<Value, NoDecision> {
        Ok(match ty {
            Type::Int => Value::int(self.0.number(-3, 6)),
            Type::Nat => Value::int(self.0.number(0, 6)),
            Type::Machine(m) => {
                let low = if m.signed { -3 } else { 0 };
                match self.0.below(6) {
                    0 => Value::int((*m).max()),
                    1 => Value::int((*m).min()),
                    _ => Value::int(self.0.number(low, 6)),
                }
            }
            Type::Bool => Value::Bool(self.0.below(2) == 1),
            Type::Enum(id) => Value::Member(*id, self.0.below(3)),
            Type::Opaque(id) => Value::Opaque(*id, self.0.below(4) as u64),
            _ => return Err(NoDecision::NoValue),
        })
    }
}

impl Choices for Dice<'_> {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        self.roll(request.ty)
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        Ok(self.0.below(2) == 1)
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        let which = self.0.below(throws.len() + 1);
        Ok(throws.get(which).copied())
    }
}

fn automaton(program: &Program, mode: NormalForm) -> TypestateAutomaton {
    let class = ClassId(0);
    let options = PreconditionOptions {
        mode,
        ..PreconditionOptions::default()
    };
    let mut analysis = PathAnalysis::new(program, class, options).expect("Z3");
    let actions = program.class(class).routines_of(RoutineKind::Action);
    let wanted = Inference {
        actions: actions.map(|index| RoutineRef { class, index }).collect(),
        mode,
        max_states: 40,
    };
    infer(&mut analysis, &wanted)
}

/// Whether all the formulas may hold. What is not defined may.
fn may_hold(
    automaton: &TypestateAutomaton,
    now: &Configuration,
    params: &Locals,
    formulas: &[Expr],
) -> bool {
    let fuel = Fuel::new(1_000_000);
    let scope = EvalScope {
        program: &automaton.program,
        now,
        old: None,
        this: now.this,
        locals: params,
        fuel: &fuel,
    };
    formulas
        .iter()
        .all(|formula| match scope.evaluate(formula) {
            Ok(value) => value == Value::Bool(true),
            Err(EvalError::Undefined(_)) => true,
            Err(failure) => panic!("{failure:?}"),
        })
}

struct Walker<'w> {
    program: &'w Program,
    automaton: &'w TypestateAutomaton,
    interpreter: Interpreter<'w>,
    dice: Dice<'w>,
    /// How many errors were met.
    errors: usize,
}

impl Walker<'_> {
    fn arguments(&mut self, routine: Option<RoutineRef>) -> (Vec<Value>, Locals) {
        let params = routine.map_or(&[][..], |r| &self.program.routine(r).params);
        let mut values = Vec::new();
        let mut locals = BTreeMap::new();
        for param in params {
            let value = self
                .dice
                .roll(&self.program.var(*param).ty)
                .expect("a number");
            locals.insert(*param, value.clone());
            values.push(value);
        }
        (values, locals)
    }

    /// Whether the outside may answer a call so: what is known of that holds.
    fn may_be_answered(
        &self,
        now: &Configuration,
        routine: Option<RoutineRef>,
        params: &Locals,
    ) -> bool {
        let Some(routine) = routine.map(|r| self.program.routine(r)) else {
            return true;
        };
        let fuel = Fuel::new(1_000_000);
        let scope = EvalScope {
            program: self.program,
            now,
            old: None,
            this: now.this,
            locals: params,
            fuel: &fuel,
        };
        let mut known = (routine.requires.iter()).filter(|e| routine.is_about_outside(e));
        known.all(|e| scope.evaluate(e) == Ok(Value::Bool(true)))
    }

    /// Whether the call is the error; none where it does not end, or nothing is known of it.
    fn is_error(&self, allowed: bool, execution: &Execution) -> Option<bool> {
        match execution.outcome {
            _ if !allowed => Some(true),
            Outcome::Normal(_) => Some(false),
            Outcome::Exception(_) => Some(true),
            _ => None,
        }
    }

    fn walk(&mut self) -> Result<(), String> {
        let class = ClassId(0);
        let mut constructors: Vec<Option<RoutineRef>> = (self.program.class(class))
            .routines_of(RoutineKind::Constructor)
            .map(|index| Some(RoutineRef { class, index }))
            .collect();
        if constructors.is_empty() {
            constructors.push(None);
        }
        let constructor = *self.dice.0.pick(&constructors);
        let (args, locals) = self.arguments(constructor);
        let empty = Configuration::empty();
        let may_call = |r| {
            self.interpreter
                .may_call(&empty, None, r, &args)
                .unwrap_or(false)
        };
        let allowed = constructor.is_none_or(may_call);
        if !self.may_be_answered(&empty, constructor, &locals) {
            return Ok(());
        }
        let made = self
            .interpreter
            .construct(&empty, class, constructor, args, &mut self.dice);
        let Some(error) = self.is_error(allowed, &made) else {
            return Ok(());
        };
        let edges = self.automaton.initial.iter();
        let taken = edges.filter(|e| e.constructor == constructor).filter(|e| {
            let nowhere = Configuration::empty();
            may_hold(self.automaton, &nowhere, &locals, &e.guard)
        });
        let mut tracked: BTreeSet<usize> = taken.map(|e| e.target).collect();
        if error {
            self.errors += 1;
            return self.expect_error(&tracked, "a constructor");
        }
        let mut now = made.configuration;
        for _ in 0..CALLS {
            if !self
                .interpreter
                .invariant_holds(&now, class)
                .unwrap_or(false)
            {
                return Ok(());
            }
            let action = *self.dice.0.pick(&self.automaton.actions);
            let (args, locals) = self.arguments(Some(action));
            if !self.may_be_answered(&now, Some(action), &locals) {
                continue;
            }
            let this = now.this.expect("an object");
            let allowed = self.interpreter.may_call(&now, Some(this), action, &args);
            let run = self
                .interpreter
                .call(&now, this, action, args, &mut self.dice);
            let Some(error) = self.is_error(allowed.unwrap_or(false), &run) else {
                continue;
            };
            let within = self.automaton.epsilon.iter();
            let within: Vec<usize> = within
                .filter(|(from, _)| tracked.contains(from))
                .map(|(_, to)| *to)
                .collect();
            tracked.extend(within);
            let edges = self.automaton.edges.iter().filter(|e| {
                e.action == action
                    && tracked.contains(&e.source)
                    && may_hold(self.automaton, &now, &locals, &e.guard)
            });
            let next: BTreeSet<usize> = edges.map(|e| e.target).collect();
            if error {
                self.errors += 1;
                let name = &self.program.routine(action).name;
                return self.expect_error(&next, &format!("`{name}` with {locals:?} in {now:?}"));
            }
            tracked = next;
            now = run.configuration;
        }
        Ok(())
    }

    fn expect_error(&self, tracked: &BTreeSet<usize>, what: &str) -> Result<(), String> {
        if tracked.contains(&ERROR) {
            return Ok(());
        }
        Err(format!(
            "missed: {what} is an error, but only {tracked:?} are expected"
        ))
    }
}

#[derive(Default)]
struct Seen {
    errors: usize,
    finite: usize,
    slowest: Duration,
}

fn check(numbers: Vec<u16>, seen: &mut Seen) -> Result<(), TestCaseError> {
    let mut tape = Tape::new(numbers.clone());
    let text = generator::class(&mut tape);
    let loaded = class::parse(&text);
    for mode in [NormalForm::Path, NormalForm::Prime] {
        let start = Instant::now();
        let automaton = automaton(&loaded.program, mode);
        seen.slowest = seen.slowest.max(start.elapsed());
        if !automaton.finite {
            continue;
        }
        seen.finite += 1;
        // Other numbers than those that made the class.
        let dice: Vec<u16> = (0..WALKS * CALLS * 8)
            .map(|i| {
                numbers[i % numbers.len()]
                    .wrapping_mul(31)
                    .wrapping_add((i * i) as u16)
            })
            .collect();
        let mut dice = Tape::new(dice);
        let mut walker = Walker {
            program: &loaded.program,
            automaton: &automaton,
            interpreter: Interpreter::new(&loaded.program),
            dice: Dice(&mut dice),
            errors: 0,
        };
        for _ in 0..WALKS {
            let walked = walker.walk();
            prop_assert!(walked.is_ok(), "{mode:?}: {}\n{text}", walked.unwrap_err());
        }
        seen.errors += walker.errors;
    }
    Ok(())
}

#[test]
fn no_error_is_missed() {
    let config = Config {
        max_shrink_iters: 100,
        ..random::cases(30)
    };
    let seen = std::cell::RefCell::new(Seen::default());
    let numbers = prop::collection::vec(any::<u16>(), 60..300);
    random::check_cases(config, numbers, |numbers| {
        check(numbers, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    println!(
        "{} automata, {} errors met, slowest {:?}",
        seen.finite, seen.errors, seen.slowest
    );
    assert!(
        seen.finite > 20 && seen.errors > 100,
        "too little was tried"
    );
    assert!(seen.slowest < LONGEST, "{:?}", seen.slowest);
}
