//! Random classes: a call that ends normally is one that the inferred clauses allow, and one that they surely allow is not
//! refused.

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::interp::{Configuration, EvalScope, Fuel, Interpreter, Locals, Outcome, Value};
use tranquera::ir::backwards::Which;
use tranquera::ir::effects::Effects;
use tranquera::ir::{ClassId, Program, RoutineKind, RoutineRef};
use tranquera::typestate::precondition::PreconditionOptions;
use tranquera::typestate::requires::{ClauseReading, given, requires};

use crate::random::Dice;
use crate::support::tape::Tape;
use crate::support::{class, generator, random};

/// Walks through a class, calls in a walk, and tries of each action on the way.
const WALKS: usize = 6;
const CALLS: usize = 6;
const TRIES: usize = 8;

struct Walker<'w> {
    before: &'w Program,
    after: &'w Program,
    effects: &'w Effects,
    dice: Dice<'w>,
    seen: &'w mut Seen,
}

#[derive(Default)]
struct Seen {
    normal: usize,
    refused: usize,
    certain: usize,
}

impl Walker<'_> {
    fn arguments(&mut self, routine: RoutineRef) -> (Vec<Value>, Locals) {
        let params = self.before.routine(routine).params.clone();
        let mut values = Vec::new();
        let mut locals = Locals::default();
        for param in params {
            let value = self
                .dice
                .roll(&self.before.var(param).ty)
                .expect("a number");
            locals.insert(param, value.clone());
            values.push(value);
        }
        (values, locals)
    }

    fn walk(&mut self) -> Result<(), String> {
        let class = ClassId(0);
        let interpreter = Interpreter::new(self.before);
        let constructors = self.before.constructors(class);
        let constructor = *self.dice.0.pick(&constructors);
        let empty = Configuration::empty();
        let args = constructor.map_or(Vec::new(), |c| self.arguments(c).0);
        if let Some(c) = constructor
            && interpreter.may_call(&empty, None, c, &args) != Ok(true)
        {
            return Ok(());
        }
        let made = interpreter.construct(&empty, class, constructor, args, &mut self.dice);
        let mut now = made.configuration;
        if !matches!(made.outcome, Outcome::Normal(_)) {
            return Ok(());
        }
        for _ in 0..CALLS {
            if interpreter.invariant_holds(&now, class) != Ok(true) {
                return Ok(());
            }
            let mut next = None;
            for index in self.before.class(class).routines_of(RoutineKind::Action) {
                for _ in 0..TRIES {
                    let after = self.tried(&interpreter, &now, RoutineRef { class, index })?;
                    if after.is_some() && (next.is_none() || self.dice.0.below(4) == 0) {
                        next = after;
                    }
                }
            }
            let Some(next) = next else { return Ok(()) };
            now = next;
        }
        Ok(())
    }

    /// Makes one call. Where it ended, if it ended normally.
    fn tried(
        &mut self,
        interpreter: &Interpreter<'_>,
        now: &Configuration,
        action: RoutineRef,
    ) -> Result<Option<Configuration>, String> {
        let (args, locals) = self.arguments(action);
        let this = now.this.expect("an object");
        if interpreter.may_call(now, Some(this), action, &args) != Ok(true) {
            return Ok(None);
        }
        let allowed = Interpreter::new(self.after).may_call(now, Some(this), action, &args);
        let run = interpreter.call(now, this, action, args, &mut self.dice);
        let name = &self.before.routine(action).name;
        let refused = match run.outcome {
            Outcome::Normal(_) => false,
            Outcome::Exception(_) => true,
            _ => return Ok(None),
        };
        if !refused && allowed == Ok(false) {
            return Err(format!(
                "`{name}` ends normally with {locals:?} in {now:?}, and is forbidden"
            ));
        }
        let deterministic = self.effects.routine(action).deterministic;
        let certain = allowed == Ok(true) && self.is_certain(now, action, &locals);
        if refused && deterministic && certain {
            return Err(format!(
                "`{name}` is refused with {locals:?} in {now:?}, and is allowed"
            ));
        }
        self.seen.normal += usize::from(!refused);
        self.seen.refused += usize::from(refused);
        self.seen.certain += usize::from(certain && deterministic);
        Ok((!refused).then_some(run.configuration))
    }

    fn is_certain(&self, now: &Configuration, action: RoutineRef, locals: &Locals) -> bool {
        let found = self.after.routine(action).from_body.as_ref();
        let Some(certain) = found.and_then(|found| found.certain.as_ref()) else {
            return true;
        };
        let fuel = Fuel::new(1_000_000);
        let scope = EvalScope {
            program: self.after,
            now,
            old: None,
            this: now.this,
            locals,
            fuel: &fuel,
        };
        scope.evaluate(certain) == Ok(Value::Bool(true))
    }
}

fn check(numbers: Vec<u16>, seen: &mut Seen) -> Result<(), TestCaseError> {
    let mut tape = Tape::new(numbers.clone());
    let text = generator::class(&mut tape);
    let loaded = class::parse(&text);
    let class = ClassId(0);
    let actions = loaded.program.class(class).routines_of(RoutineKind::Action);
    let actions: Vec<RoutineRef> = actions.map(|index| RoutineRef { class, index }).collect();
    let reading = ClauseReading::Possible(Which::All.into());
    let options = PreconditionOptions::default();
    let found = requires(&loaded.program, class, &actions, &reading, &options).expect("Z3");
    let after = given(&loaded.program, &found);
    let effects = Effects::of(&loaded.program);
    // Other numbers than those that made the class.
    let dice = (0..WALKS * CALLS * TRIES * 40).map(|i| {
        let number = numbers[i % numbers.len()].wrapping_mul(31);
        number.wrapping_add((i * i) as u16)
    });
    let mut dice = Tape::new(dice.collect());
    let mut walker = Walker {
        before: &loaded.program,
        after: &after,
        effects: &effects,
        dice: Dice(&mut dice),
        seen,
    };
    for _ in 0..WALKS {
        let walked = walker.walk();
        prop_assert!(walked.is_ok(), "{}\n{text}", walked.unwrap_err());
    }
    Ok(())
}

#[test]
fn what_ends_normally_is_allowed_and_what_is_surely_allowed_is_not_refused() {
    let config = Config {
        max_shrink_iters: 100,
        ..random::cases(60)
    };
    let seen = std::cell::RefCell::new(Seen::default());
    let numbers = prop::collection::vec(any::<u16>(), 60..300);
    random::check_cases(config, numbers, |numbers| {
        check(numbers, &mut seen.borrow_mut())
    });
    let seen = seen.into_inner();
    println!(
        "{} normal ends, {} refused, {} sure",
        seen.normal, seen.refused, seen.certain
    );
    assert!(
        seen.normal > 500 && seen.refused > 100 && seen.certain > 300,
        "too little was tried"
    );
}
