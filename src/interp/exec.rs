//! Running routines: the door of the interpreter.

use super::choices::{Choices, Decision};
use super::eval::{EvalError, EvalScope, Fuel, Locals};
use super::log::LogEntry;
use super::machine::{Machine, Then};
use super::state::{Configuration, HeapObject, satisfies};
use super::value::{ObjectId, Value};
use crate::ir::facts;
use crate::ir::{ClassId, ExceptionId, Expr, FieldRef, Program, RoutineRef};

/// No more calls than this are on the stack of the interpreted program; with another one it is out of fuel.
pub const CALL_DEPTH_LIMIT: usize = 10_000;

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Normally, with these results.
    Normal(Vec<Value>),
    /// In an exception.
    Exception(ExceptionId),
    /// Not at all: an `assume` does not hold, or the `ensures` clauses of a routine without a body have no
    /// model with the values chosen. There is no such execution.
    Blocked,
    /// It was cut off: too many steps, or too many calls on the stack.
    OutOfFuel,
    /// The interpreter cannot tell, and why.
    Undetermined(String),
}

impl From<EvalError> for Outcome {
    fn from(failure: EvalError) -> Outcome {
        match failure {
            EvalError::Undefined(exception) => Outcome::Exception(exception.id()),
            EvalError::OutOfFuel => Outcome::OutOfFuel,
            EvalError::Undetermined(reason) => Outcome::Undetermined(reason),
        }
    }
}

/// What an execution did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// How it ended.
    pub outcome: Outcome,
    /// The configuration where it ended.
    pub configuration: Configuration,
    /// The decisions taken, in order: [`super::Replay`] of them gives the same execution.
    pub decisions: Vec<Decision>,
    /// What happened, if it was asked for.
    pub log: Option<Vec<LogEntry>>,
}

/// Where a clause is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'m> {
    /// The configuration.
    pub now: &'m Configuration,
    /// The configuration that `old` speaks of.
    pub old: Option<&'m Configuration>,
    /// The object itself.
    pub this: Option<ObjectId>,
    /// The values of variables.
    pub locals: &'m Locals,
}

impl<'m> Moment<'m> {
    /// Of the object of a configuration, where nothing was before.
    pub fn of(now: &'m Configuration, locals: &'m Locals) -> Self {
        Moment {
            now,
            old: None,
            this: now.this,
            locals,
        }
    }
}

/// Runs routines of a program and evaluates its clauses.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter<'a> {
    program: &'a Program,
    fuel: u64,
    log: bool,
    granted: Option<&'a Expr>,
}

impl<'a> Interpreter<'a> {
    /// An interpreter with fuel for a million steps an execution, and no log.
    pub fn new(program: &'a Program) -> Interpreter<'a> {
        Interpreter {
            program,
            fuel: 1_000_000,
            log: false,
            granted: None,
        }
    }

    /// With fuel for so many steps an execution, or a clause.
    #[must_use]
    pub fn with_fuel(self, fuel: u64) -> Interpreter<'a> {
        Interpreter { fuel, ..self }
    }

    /// With a log of each execution.
    #[must_use]
    pub fn with_log(self) -> Interpreter<'a> {
        Interpreter { log: true, ..self }
    }

    /// Without this condition of an `assume` of the program, the whole of it or one of those it is a conjunction of: it is
    /// taken to hold wherever it is assumed.
    #[must_use]
    pub fn without(self, condition: &'a Expr) -> Interpreter<'a> {
        Interpreter {
            granted: Some(condition),
            ..self
        }
    }

    /// Runs an action or procedure. That it may be called is for the caller to check ([`Interpreter::may_call`]).
    pub fn call(
        &self,
        start: &Configuration,
        this: ObjectId,
        routine: RoutineRef,
        args: Vec<Value>,
        choices: &mut dyn Choices,
    ) -> Execution {
        self.run(start.clone(), choices, |machine| {
            machine.enter(routine, this, args, Then::Finish)
        })
    }

    /// Makes an object, by a constructor or where the class has none, by its `initially` clauses. The new
    /// object becomes [`Configuration::this`]. That the constructor may be called is for the caller to check.
    pub fn construct(
        &self,
        start: &Configuration,
        class: ClassId,
        constructor: Option<RoutineRef>,
        args: Vec<Value>,
        choices: &mut dyn Choices,
    ) -> Execution {
        self.run(start.clone(), choices, |machine| {
            let object = machine.allocate(class);
            machine.now.this = Some(object);
            machine.make(object, class, constructor, args, Then::Finish)
        })
    }

    /// Whether a routine may be called with these arguments: its `requires` clauses and the facts of its
    /// parameters' types hold. `this` is none for a constructor.
    ///
    /// # Errors
    /// A clause could not be decided.
    pub fn may_call(
        &self,
        now: &Configuration,
        this: Option<ObjectId>,
        routine: RoutineRef,
        args: &[Value],
    ) -> Result<bool, EvalError> {
        let all = self.program.routine(routine).requires.len();
        self.meets_first(all, now, this, routine, args)
    }

    /// The same of only the first of its `requires` clauses, so many of them.
    ///
    /// # Errors
    /// A clause could not be decided.
    pub fn meets_first(
        &self,
        clauses: usize,
        now: &Configuration,
        this: Option<ObjectId>,
        routine: RoutineRef,
        args: &[Value],
    ) -> Result<bool, EvalError> {
        let fuel = Fuel::new(self.fuel);
        let all = self.program.routine(routine).requires.as_slice();
        let clauses = all.get(..clauses).unwrap_or(all);
        may_call(self.program, now, this, (routine, clauses), args, &fuel)
    }

    /// Whether a configuration satisfies the invariant: that of [`Configuration::this`], and that of every
    /// object of another class. To an object's invariant belong its class's clauses, and the facts of its
    /// fields' types; the elements of arrays keep what their types promise too. Of the other objects of its own class, only the latter are asked. Without an object under
    /// analysis, `class` is the one that it will be of.
    ///
    /// # Errors
    /// A clause could not be decided.
    pub fn invariant_holds(&self, now: &Configuration, class: ClassId) -> Result<bool, EvalError> {
        self.kept(now, |id, of| of != Some(class) || now.this == Some(id))
    }

    /// Whether all else keeps what is promised of it: all values are of their types, and objects of other classes keep their
    /// invariants. That is so wherever a call begins, also one that makes the object.
    ///
    /// # Errors
    /// A clause could not be decided.
    pub fn surroundings_hold(
        &self,
        now: &Configuration,
        class: ClassId,
    ) -> Result<bool, EvalError> {
        self.kept(now, |_, of| of != Some(class))
    }

    /// Whether all values are of their types, and those objects keep the invariants of their classes that `whole` says; it is
    /// told the class where it is no array.
    fn kept(
        &self,
        now: &Configuration,
        whole: impl Fn(ObjectId, Option<ClassId>) -> bool,
    ) -> Result<bool, EvalError> {
        let mut doubt = None;
        for (id, object) in now.objects() {
            let (locals, fuel) = (Locals::new(), Fuel::new(self.fuel));
            let scope = self.scope(now, &locals, &fuel);
            let of = match object {
                HeapObject::Instance { class, .. } => Some(*class),
                HeapObject::Array { .. } => None,
            };
            let held = match whole(id, of) {
                true => invariant_holds(&scope, id),
                false => Ok(types_hold(self.program, object)),
            };
            match held {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(failure) => doubt = doubt.or(Some(failure)),
            }
        }
        doubt.map_or(Ok(true), Err)
    }

    /// Whether what holds by construction holds: the `fact` clauses of [`Configuration::this`], and of every object of
    /// another class. Where they do not, no run ends.
    ///
    /// # Errors
    /// A clause could not be decided.
    pub fn facts_hold(&self, now: &Configuration, class: ClassId) -> Result<bool, EvalError> {
        let mut doubt = None;
        for (id, object) in now.objects() {
            let HeapObject::Instance { class: of, .. } = object else {
                continue;
            };
            if *of == class && now.this != Some(id) {
                continue;
            }
            match self.all_hold(now, id, self.program.class(*of).facts()) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(failure) => doubt = doubt.or(Some(failure)),
            }
        }
        doubt.map_or(Ok(true), Err)
    }

    /// Whether all these clauses hold of an object: `initially` clauses, the assumption of a state.
    ///
    /// # Errors
    /// A clause could not be decided.
    pub fn all_hold<'e>(
        &self,
        now: &Configuration,
        this: ObjectId,
        clauses: impl IntoIterator<Item = &'e Expr>,
    ) -> Result<bool, EvalError> {
        let (locals, fuel) = (Locals::new(), Fuel::new(self.fuel));
        let scope = EvalScope {
            this: Some(this),
            ..self.scope(now, &locals, &fuel)
        };
        scope.all_hold(clauses)
    }

    /// Whether a clause holds at a moment. One that is not defined there does not.
    ///
    /// # Errors
    /// It could not be decided.
    pub fn holds(&self, moment: &Moment<'_>, clause: &Expr) -> Result<bool, EvalError> {
        let fuel = Fuel::new(self.fuel);
        self.at(moment, &fuel).holds(clause)
    }

    /// Whether a derived formula holds at a moment: a guard, for example. It says itself where it is defined, so that the
    /// order of its operands means nothing.
    ///
    /// # Errors
    /// It could not be decided.
    pub fn formula_holds(&self, moment: &Moment<'_>, formula: &Expr) -> Result<bool, EvalError> {
        let fuel = Fuel::new(self.fuel);
        self.at(moment, &fuel).formula_holds(formula)
    }

    /// The value of an expression at a moment.
    ///
    /// # Errors
    /// It has none there, or it is not known.
    pub fn value(&self, moment: &Moment<'_>, e: &Expr) -> Result<Value, EvalError> {
        let fuel = Fuel::new(self.fuel);
        self.at(moment, &fuel).evaluate(e)
    }

    fn at<'s>(&'s self, moment: &'s Moment<'s>, fuel: &'s Fuel) -> EvalScope<'s> {
        EvalScope {
            old: moment.old,
            this: moment.this,
            ..self.scope(moment.now, moment.locals, fuel)
        }
    }

    fn scope<'s>(
        &'s self,
        now: &'s Configuration,
        locals: &'s Locals,
        fuel: &'s Fuel,
    ) -> EvalScope<'s> {
        EvalScope {
            program: self.program,
            now,
            old: None,
            this: None,
            locals,
            fuel,
        }
    }

    fn run(
        &self,
        start: Configuration,
        choices: &mut dyn Choices,
        begin: impl FnOnce(&mut Machine<'a, '_>) -> super::machine::Progress,
    ) -> Execution {
        let mut machine =
            Machine::new(self.program, start, Fuel::new(self.fuel), choices, self.log);
        machine.granted = self.granted;
        let begun = begin(&mut machine);
        let outcome = machine.run(begun);
        Execution {
            outcome,
            configuration: machine.now,
            decisions: machine.decisions,
            log: machine.log,
        }
    }
}

/// Whether the facts of their types hold of an object's fields, or an array's elements.
fn types_hold(program: &Program, object: &HeapObject) -> bool {
    match object {
        HeapObject::Instance { class, fields } => fields_of(program, *class)
            .zip(fields)
            .all(|((_, field), value)| satisfies(value, facts::invariant(&field.ty).as_ref())),
        HeapObject::Array { element, elements } => {
            let fact = facts::invariant(element);
            elements.iter().all(|value| satisfies(value, fact.as_ref()))
        }
    }
}

/// Whether an object satisfies the invariant of its class, and what the types of its fields promise; of an array,
/// whether its elements keep what their type promises.
pub(super) fn invariant_holds(scope: &EvalScope<'_>, object: ObjectId) -> Result<bool, EvalError> {
    let Some(content) = scope.now.object(object) else {
        return Ok(true);
    };
    if !types_hold(scope.program, content) {
        return Ok(false);
    }
    let HeapObject::Instance { class, .. } = content else {
        return Ok(true);
    };
    let scope = EvalScope {
        this: Some(object),
        ..*scope
    };
    scope.all_hold(&scope.program.class(*class).invariants)
}

/// Whether a routine may be called that requires these clauses: see [`Interpreter::may_call`].
pub(super) fn may_call<'e>(
    program: &Program,
    now: &Configuration,
    this: Option<ObjectId>,
    (routine, clauses): (RoutineRef, impl IntoIterator<Item = &'e Expr>),
    args: &[Value],
    fuel: &Fuel,
) -> Result<bool, EvalError> {
    let routine = program.routine(routine);
    let types_hold = routine
        .params
        .iter()
        .zip(args)
        .all(|(param, value)| now.conforms(program, &program.var(*param).ty, value));
    if !types_hold || routine.params.len() != args.len() {
        return Ok(false);
    }
    let locals = routine.params.iter().copied().zip(args.iter().cloned());
    let scope = EvalScope {
        program,
        now,
        old: None,
        this,
        locals: &locals.collect(),
        fuel,
    };
    scope.all_hold(clauses)
}

/// The fields of a class, with their references.
pub(super) fn fields_of(
    program: &Program,
    class: ClassId,
) -> impl Iterator<Item = (FieldRef, &crate::ir::Field)> {
    let fields = program.class(class).fields.iter().enumerate();
    fields.map(move |(index, field)| (FieldRef { class, index }, field))
}
