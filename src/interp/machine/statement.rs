//! What each statement does.

use super::{Interruption, Machine, Progress, Task, Then};
use crate::interp::choices::{Decision, Purpose};
use crate::interp::exec::Outcome;
use crate::interp::log::Event;
use crate::interp::value::Value;
use crate::ir::span::Span;
use crate::ir::{BuiltinException, Condition, LabelId, Place, Stmt, StmtKind, Type};

impl<'p, 'c> Machine<'p, 'c> {
    pub(super) fn statement(&mut self, stmt: &'p Stmt) -> Progress {
        self.note(|| Event::Statement(stmt.span));
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let target = self.target(place)?;
                let value = self.value(value)?;
                self.assign(target, value)
            }
            StmtKind::Havoc(place) => self.give_any(place, Purpose::Havoc),
            StmtKind::Guess(place) => self.give_any(place, Purpose::Guess),
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
                fill,
            } => {
                let target = self.target(target)?;
                let length = self.integer(length)?;
                let fill = fill.as_ref().map(|fill| self.value(fill)).transpose()?;
                let array = self.new_array(element, &length, fill)?;
                self.assign(target, Value::Ref(array))
            }
            StmtKind::Assume(e) => match self.is_so(e)? {
                true => Ok(()),
                false => Err(Interruption::End(Outcome::Blocked)),
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
                label,
                condition,
                body,
                ..
            } => self.push(Task::Loop(*label, condition, body, stmt.span)),
            StmtKind::Labelled(label, body) => {
                self.push(Task::Labelled(*label))?;
                self.push(Task::Block(body))
            }
            StmtKind::Break(label) => {
                let tasks = &mut self.frame_mut()?.tasks;
                while tasks.pop().is_some_and(|task| !task.is_called(*label)) {}
                Ok(())
            }
            StmtKind::Continue(label) => {
                let tasks = &mut self.frame_mut()?.tasks;
                while tasks.last().is_some_and(|task| !task.is_called(*label)) {
                    tasks.pop();
                }
                Ok(())
            }
            StmtKind::Return => {
                self.frame_mut()?.tasks.clear();
                Ok(())
            }
            StmtKind::Throw(exception) => Err(Interruption::Raise(*exception)),
            StmtKind::ThrowAgain => {
                let tasks = self.frame()?.tasks.iter().rev();
                let mut caught = tasks.filter_map(|task| match task {
                    Task::Handler(exception) => Some(*exception),
                    _ => None,
                });
                Err(caught.next().map_or_else(no_handler, Interruption::Raise))
            }
            StmtKind::Try { body, catches } => {
                self.push(Task::Try(catches))?;
                self.push(Task::Block(body))
            }
        }
    }

    pub(super) fn condition(
        &mut self,
        condition: &Condition,
        span: Span,
    ) -> Result<bool, Interruption> {
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

    fn give_any(&mut self, place: &Place, purpose: Purpose) -> Progress {
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
        let value = self.choose(ty, purpose)?;
        self.assign(target, value)
    }
}

impl Task<'_> {
    /// Whether `break` and `continue` mean this by the label.
    fn is_called(&self, label: LabelId) -> bool {
        matches!(self, Task::Loop(own, ..) | Task::Labelled(own) if *own == label)
    }
}

fn no_handler() -> Interruption {
    Interruption::End(Outcome::Undetermined("no exception was caught here".into()))
}
