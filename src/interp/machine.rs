//! The machine that executes statements. Its stack is data, so that no program overflows ours.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::choices::{Choices, Decision, Purpose, Refusal, Request};
use super::eval::{Failure, Fuel, Locals, Scope};
use super::exec::{CALL_DEPTH_LIMIT, Outcome, may_call};
use super::log::{Entry, Event};
use super::places::{Target, dereference};
use super::state::Configuration;
use super::value::{ObjectId, Value};
use crate::lang::effects::walk;
use crate::lang::ir::{
    Block, BuiltinException, Condition, ExceptionId, Expr, ExprKind, Place, Program, RoutineRef,
    Stmt, StmtKind, Type, VarId,
};
use crate::lang::span::Span;

/// Why control does not just go on.
pub(super) enum Stop {
    /// An exception is on its way to its handler.
    Raise(ExceptionId),
    /// The execution is over.
    End(Outcome),
}

impl From<BuiltinException> for Stop {
    fn from(exception: BuiltinException) -> Stop {
        Stop::Raise(exception.id())
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        match failure {
            Failure::Undefined(exception) => exception.into(),
            other => Stop::End(other.into()),
        }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::End(match refusal {
            Refusal::NoValue => Outcome::Blocked,
            Refusal::Unknown(reason) => Outcome::Undetermined(reason),
        })
    }
}

/// Nothing to do but go on; or why not.
pub(super) type Progress = Result<(), Stop>;

/// What is still to be done in a routine, innermost last.
enum Task<'p> {
    /// These statements.
    Block(&'p [Stmt]),
    /// Look at the condition, and if it holds do the body and look again.
    Loop(&'p Condition, &'p Block, Span),
    /// Nothing, but exceptions on their way out are caught here.
    Try(&'p [(ExceptionId, Block)]),
}

/// What happens with a routine's results.
pub(super) enum Then {
    /// They are the outcome of the execution.
    Finish,
    /// They are assigned to these places of the caller.
    Assign(Vec<Target>),
    /// The object made goes to this place of the caller.
    Bind(Target, ObjectId),
}

/// A routine under way.
pub(super) struct Frame<'p> {
    routine: RoutineRef,
    this: ObjectId,
    pub(super) locals: Locals,
    /// Results without a value so far.
    pub(super) unassigned: BTreeSet<VarId>,
    tasks: Vec<Task<'p>>,
    then: Then,
}

/// An execution under way.
pub(super) struct Machine<'p, 'c> {
    pub(super) program: &'p Program,
    pub(super) now: Configuration,
    pub(super) fuel: Fuel,
    choices: &'c mut dyn Choices,
    frames: Vec<Frame<'p>>,
    pub(super) decisions: Vec<Decision>,
    pub(super) log: Option<Vec<Entry>>,
}

impl<'p, 'c> Machine<'p, 'c> {
    pub(super) fn new(
        program: &'p Program,
        now: Configuration,
        fuel: Fuel,
        choices: &'c mut dyn Choices,
        log: bool,
    ) -> Machine<'p, 'c> {
        Machine {
            program,
            now,
            fuel,
            choices,
            frames: Vec::new(),
            decisions: Vec::new(),
            log: log.then(Vec::new),
        }
    }

    /// Goes on until the execution is over.
    pub(super) fn run(&mut self, begun: Progress) -> Outcome {
        let mut progress = begun;
        loop {
            match progress {
                Ok(()) => {}
                Err(Stop::Raise(exception)) if self.caught(exception) => {}
                Err(Stop::Raise(exception)) => return Outcome::Exception(exception),
                Err(Stop::End(outcome)) => return outcome,
            }
            progress = self.step();
        }
    }

    /// Unwinds the stack to the handler of the exception, if there is one.
    fn caught(&mut self, exception: ExceptionId) -> bool {
        self.note(|| Event::Raise(exception));
        while let Some(frame) = self.frames.last_mut() {
            while let Some(task) = frame.tasks.pop() {
                if let Task::Try(catches) = task
                    && let Some((_, handler)) = catches.iter().find(|(e, _)| *e == exception)
                {
                    frame.tasks.push(Task::Block(handler));
                    self.note(|| Event::Catch(exception));
                    return true;
                }
            }
            self.frames.pop();
        }
        false
    }

    fn step(&mut self) -> Progress {
        self.fuel.spend()?;
        let tasks = &mut self.frame_mut()?.tasks;
        match tasks.last_mut() {
            None => return self.leave(),
            Some(Task::Block(rest)) => {
                if let Some((first, others)) = rest.split_first() {
                    *rest = others;
                    return self.statement(first);
                }
            }
            Some(Task::Loop(condition, body, span)) => {
                let (condition, body, span) = (*condition, *body, *span);
                if self.condition(condition, span)? {
                    self.push(Task::Block(body))?;
                    return Ok(());
                }
            }
            Some(Task::Try(_)) => {}
        }
        self.frame_mut()?.tasks.pop();
        Ok(())
    }

    fn frame(&self) -> Result<&Frame<'p>, Stop> {
        self.frames.last().ok_or_else(no_routine)
    }

    pub(super) fn frame_mut(&mut self) -> Result<&mut Frame<'p>, Stop> {
        self.frames.last_mut().ok_or_else(no_routine)
    }

    fn push(&mut self, task: Task<'p>) -> Progress {
        self.frame_mut()?.tasks.push(task);
        Ok(())
    }

    /// Adds to the log, if there is one.
    pub(super) fn note(&mut self, event: impl FnOnce() -> Event) {
        let depth = self.frames.len();
        if let Some(log) = &mut self.log {
            log.push(Entry {
                depth,
                event: event(),
            });
        }
    }

    fn statement(&mut self, stmt: &'p Stmt) -> Progress {
        self.note(|| Event::Statement(stmt.span));
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let target = self.target(place)?;
                let value = self.value(value)?;
                self.assign(target, value)
            }
            StmtKind::Havoc(place) => self.havoc(place),
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => self.call(targets, receiver, *routine, args),
            StmtKind::New {
                target,
                class,
                constructor,
                args,
            } => {
                let target = self.target(target)?;
                let args = self.values(args)?;
                if let Some(routine) = constructor {
                    self.check_requires(None, *routine, &args)?;
                }
                let object = self.allocate(*class);
                self.make(
                    object,
                    *class,
                    *constructor,
                    args,
                    Then::Bind(target, object),
                )
            }
            StmtKind::NewArray {
                target,
                element,
                length,
            } => {
                let target = self.target(target)?;
                let length = self.integer(length)?;
                let array = self.new_array(element, &length)?;
                self.assign(target, Value::Ref(array))
            }
            StmtKind::Assume(e) => match self.boolean(e)? {
                true => Ok(()),
                false => Err(Stop::End(Outcome::Blocked)),
            },
            StmtKind::Assert(e) => match self.boolean(e)? {
                true => Ok(()),
                false => Err(BuiltinException::AssertionFailure.into()),
            },
            StmtKind::If(condition, then, otherwise) => {
                let taken = self.condition(condition, stmt.span)?;
                self.push(Task::Block(if taken { then } else { otherwise }))
            }
            StmtKind::While {
                condition, body, ..
            } => self.push(Task::Loop(condition, body, stmt.span)),
            StmtKind::Break => {
                let tasks = &mut self.frame_mut()?.tasks;
                while !matches!(tasks.pop(), None | Some(Task::Loop(..))) {}
                Ok(())
            }
            StmtKind::Continue => {
                let tasks = &mut self.frame_mut()?.tasks;
                while !matches!(tasks.last(), None | Some(Task::Loop(..))) {
                    tasks.pop();
                }
                Ok(())
            }
            StmtKind::Return => {
                self.frame_mut()?.tasks.clear();
                Ok(())
            }
            StmtKind::Throw(exception) => Err(Stop::Raise(*exception)),
            StmtKind::Try { body, catches } => {
                self.push(Task::Try(catches))?;
                self.push(Task::Block(body))
            }
        }
    }

    fn condition(&mut self, condition: &Condition, span: Span) -> Result<bool, Stop> {
        let taken = match condition {
            Condition::Expr(e) => self.boolean(e)?,
            Condition::Any => {
                let taken = self.choices.branch()?;
                self.decisions.push(Decision::Branch(taken));
                taken
            }
        };
        self.note(|| Event::Branch(span, taken));
        Ok(taken)
    }

    fn havoc(&mut self, place: &Place) -> Progress {
        let target = self.target(place)?;
        self.check(&target)?;
        let program = self.program;
        let ty = match place {
            Place::Var(v) => &program.var(*v).ty,
            Place::Field(_, field) => &program.field(*field).ty,
            Place::Element(array, _) => match &array.ty {
                Type::Array { element, .. } => element.as_ref(),
                other => other,
            },
        };
        let value = self.choose(ty, Purpose::Havoc)?;
        self.assign(target, value)
    }

    fn call(
        &mut self,
        targets: &[Place],
        receiver: &Expr,
        routine: RoutineRef,
        args: &[Expr],
    ) -> Progress {
        let targets = targets.iter().map(|place| self.target(place));
        let targets = targets.collect::<Result<Vec<_>, _>>()?;
        let this = self.reference(receiver)?;
        let args = self.values(args)?;
        self.check_requires(Some(this), routine, &args)?;
        self.enter(routine, this, args, Then::Assign(targets))
    }

    fn check_requires(
        &mut self,
        this: Option<ObjectId>,
        routine: RoutineRef,
        args: &[Value],
    ) -> Progress {
        if may_call(self.program, &self.now, this, routine, args, &self.fuel)? {
            Ok(())
        } else {
            Err(BuiltinException::RequiresViolation.into())
        }
    }

    /// Starts a routine; without a body it is over at once.
    pub(super) fn enter(
        &mut self,
        routine: RoutineRef,
        this: ObjectId,
        args: Vec<Value>,
        then: Then,
    ) -> Progress {
        if self.frames.len() >= CALL_DEPTH_LIMIT {
            return Err(Stop::End(Outcome::OutOfFuel));
        }
        let declaration = self.program.routine(routine);
        self.note(|| Event::Call {
            routine,
            this,
            args: args.clone(),
        });
        let locals = declaration.params.iter().copied().zip(args).collect();
        let Some(body) = &declaration.body else {
            let results = self.contract(routine, this, locals)?;
            self.note(|| Event::Return { routine });
            return self.resume(results, then);
        };
        self.frames.push(Frame {
            routine,
            this,
            locals,
            unassigned: declaration.results.iter().copied().collect(),
            tasks: vec![Task::Block(body)],
            then,
        });
        Ok(())
    }

    /// The routine has ended normally.
    fn leave(&mut self) -> Progress {
        let frame = self.frame()?;
        let needed = match &frame.then {
            Then::Finish => true,
            Then::Assign(targets) => !targets.is_empty(),
            Then::Bind(..) => false,
        };
        let mut results = Vec::new();
        if needed {
            for result in &self.program.routine(frame.routine).results {
                results.push(self.variable(*result)?);
            }
        }
        let Some(frame) = self.frames.pop() else {
            return Err(no_routine());
        };
        self.note(|| Event::Return {
            routine: frame.routine,
        });
        self.resume(results, frame.then)
    }

    /// The caller goes on.
    pub(super) fn resume(&mut self, results: Vec<Value>, then: Then) -> Progress {
        match then {
            Then::Finish => Err(Stop::End(Outcome::Normal(results))),
            Then::Bind(target, object) => self.assign(target, Value::Ref(object)),
            Then::Assign(targets) => {
                targets.iter().try_for_each(|target| self.check(target))?;
                let mut pairs = targets.into_iter().zip(results);
                pairs.try_for_each(|(target, value)| self.assign(target, value))
            }
        }
    }

    /// Asks for an arbitrary value of a declared type.
    pub(super) fn choose(&mut self, ty: &Type, purpose: Purpose) -> Result<Value, Stop> {
        let value = self.choices.value(&Request {
            program: self.program,
            now: &self.now,
            ty,
            purpose,
        })?;
        if !self.now.conforms(self.program, ty, &value) {
            let reason = format!(
                "{} is no value of type {}",
                value.display(self.program),
                self.program.type_name(ty)
            );
            return Err(Stop::End(Outcome::Undetermined(reason)));
        }
        self.decisions.push(Decision::Value(value.clone()));
        Ok(value)
    }

    /// Asks how a routine without a body ends.
    pub(super) fn choose_exit(
        &mut self,
        routine: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, Stop> {
        let exit = self.choices.exit(routine, throws)?;
        if exit.is_some_and(|exception| !throws.contains(&exception)) {
            let reason = "an exception that is not in the `throws` clauses".to_owned();
            return Err(Stop::End(Outcome::Undetermined(reason)));
        }
        self.decisions.push(Decision::Exit(exit));
        Ok(exit)
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Result<Value, Stop> {
        self.settle(expr)?;
        let frame = self.frame()?;
        let scope = Scope {
            program: self.program,
            now: &self.now,
            old: None,
            this: Some(frame.this),
            locals: &frame.locals,
            fuel: &self.fuel,
        };
        Ok(scope.evaluate(expr)?)
    }

    fn values(&mut self, exprs: &[Expr]) -> Result<Vec<Value>, Stop> {
        exprs.iter().map(|e| self.value(e)).collect()
    }

    fn boolean(&mut self, expr: &Expr) -> Result<bool, Stop> {
        match self.value(expr)? {
            Value::Bool(b) => Ok(b),
            _ => Err(ill_typed()),
        }
    }

    pub(super) fn integer(&mut self, expr: &Expr) -> Result<BigInt, Stop> {
        match self.value(expr)? {
            Value::Int(n) => Ok(n),
            _ => Err(ill_typed()),
        }
    }

    fn reference(&mut self, expr: &Expr) -> Result<ObjectId, Stop> {
        let value = self.value(expr)?;
        dereference(&value)
    }

    /// Gives a value to the results that the expression looks at and that have none.
    fn settle(&mut self, expr: &Expr) -> Progress {
        let unassigned = &self.frame()?.unassigned;
        if unassigned.is_empty() {
            return Ok(());
        }
        let mut looked_at = BTreeSet::new();
        walk::visit(expr, |e| match e.kind.as_ref() {
            ExprKind::Var(v) if unassigned.contains(v) => {
                looked_at.insert(*v);
            }
            _ => {}
        });
        for v in looked_at {
            self.variable(v)?;
        }
        Ok(())
    }

    /// The value of a variable; an arbitrary one from now on, if it has none.
    fn variable(&mut self, v: VarId) -> Result<Value, Stop> {
        if let Some(value) = self.frame()?.locals.get(&v) {
            return Ok(value.clone());
        }
        let program = self.program;
        let value = self.choose(&program.var(v).ty, Purpose::Unassigned(v))?;
        self.assign(Target::Var(v), value.clone())?;
        Ok(value)
    }
}

/// The resolver lets no ill-typed program through; a configuration from outside could be ill-typed.
pub(super) fn ill_typed() -> Stop {
    Stop::End(Outcome::Undetermined(
        "a value or object of another type was expected".into(),
    ))
}

fn no_routine() -> Stop {
    Stop::End(Outcome::Undetermined("no routine is running".into()))
}
