//! The machine that executes statements. Its stack is data, so that no program overflows ours.
//!
//! Here are the stack and the loop that goes on until it is empty. What a statement does is in `statement`, how
//! routines begin and end in `routine`, and where values come from, expressions and choices, in `value`. Machines make
//! objects and assign places too: `objects` and `places`, beside this folder.

mod routine;
mod statement;
mod value;

use std::collections::BTreeSet;

use super::choices::{Choices, Decision, NoDecision};
use super::eval::{EvalError, Fuel, Locals};
use super::exec::Outcome;
use super::log::{Event, LogEntry};
use super::places::EvaluatedPlace;
use super::state::Configuration;
use super::value::ObjectId;
use crate::ir::span::Span;
use crate::ir::{
    Block, BuiltinException, Catch, Condition, ExceptionId, Expr, LabelId, Program, RoutineRef,
    Stmt, VarId, handler_of,
};

/// Why control does not just go on.
pub(super) enum Interruption {
    /// An exception is on its way to its handler.
    Raise(ExceptionId),
    /// The execution is over.
    End(Outcome),
}

impl From<BuiltinException> for Interruption {
    fn from(exception: BuiltinException) -> Interruption {
        Interruption::Raise(exception.id())
    }
}

impl From<EvalError> for Interruption {
    fn from(failure: EvalError) -> Interruption {
        match failure {
            EvalError::Undefined(exception) => exception.into(),
            other => Interruption::End(other.into()),
        }
    }
}

impl From<NoDecision> for Interruption {
    fn from(refusal: NoDecision) -> Interruption {
        Interruption::End(match refusal {
            NoDecision::NoValue => Outcome::Blocked,
            NoDecision::Unknown(reason) => Outcome::Undetermined(reason),
        })
    }
}

/// Nothing to do but go on; or why not.
pub(super) type Progress = Result<(), Interruption>;

/// What is still to be done in a routine, innermost last.
enum Task<'p> {
    /// These statements.
    Block(&'p [Stmt]),
    /// Look at the condition, and if it holds do the body and look again.
    Loop(LabelId, &'p Condition, &'p Block, Span),
    /// Nothing, but what is above is left by this label.
    Labelled(LabelId),
    /// Nothing, but exceptions on their way out are caught here.
    Try(&'p [Catch]),
    /// Nothing, but what is above is the handler of this exception.
    Handler(ExceptionId),
}

/// What happens with a routine's results.
pub(super) enum Then {
    /// They are the outcome of the execution.
    Finish,
    /// They are assigned to these places of the caller.
    Assign(Vec<EvaluatedPlace>),
    /// The object made goes to this place of the caller.
    Bind(EvaluatedPlace, ObjectId),
}

/// A routine under way.
pub(super) struct CallFrame<'p> {
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
    frames: Vec<CallFrame<'p>>,
    pub(super) decisions: Vec<Decision>,
    pub(super) log: Option<Vec<LogEntry>>,
    /// What is taken to hold wherever it is assumed.
    pub(super) granted: Option<&'p Expr>,
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
            granted: None,
        }
    }

    /// Goes on until the execution is over.
    pub(super) fn run(&mut self, begun: Progress) -> Outcome {
        let mut progress = begun;
        loop {
            match progress {
                Ok(()) => {}
                Err(Interruption::Raise(exception)) if self.caught(exception) => {}
                Err(Interruption::Raise(exception)) => return Outcome::Exception(exception),
                Err(Interruption::End(outcome)) => return outcome,
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
                    && let Some(catch) = handler_of(catches, exception)
                {
                    frame.tasks.push(Task::Handler(exception));
                    frame.tasks.push(Task::Block(&catch.body));
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
            Some(Task::Loop(_, condition, body, span)) => {
                let (condition, body, span) = (*condition, *body, *span);
                if self.condition(condition, span)? {
                    self.push(Task::Block(body))?;
                    return Ok(());
                }
            }
            Some(Task::Try(_) | Task::Labelled(_) | Task::Handler(_)) => {}
        }
        self.frame_mut()?.tasks.pop();
        Ok(())
    }

    fn frame(&self) -> Result<&CallFrame<'p>, Interruption> {
        self.frames.last().ok_or_else(no_routine)
    }

    pub(super) fn frame_mut(&mut self) -> Result<&mut CallFrame<'p>, Interruption> {
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
            log.push(LogEntry {
                depth,
                event: event(),
            });
        }
    }
}

/// The resolver lets no ill-typed program through; a configuration from outside could be ill-typed.
pub(super) fn ill_typed() -> Interruption {
    Interruption::End(Outcome::Undetermined(
        "a value or object of another type was expected".into(),
    ))
}

fn no_routine() -> Interruption {
    Interruption::End(Outcome::Undetermined("no routine is running".into()))
}
