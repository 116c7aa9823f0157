//! How routines begin and end.

use super::{CallFrame, Interruption, Machine, Progress, Task, Then, no_routine};
use crate::interp::exec::{CALL_DEPTH_LIMIT, Outcome, may_call};
use crate::interp::log::Event;
use crate::interp::value::{ObjectId, Value};
use crate::ir::{BuiltinException, Expr, Place, RoutineRef};

impl<'p, 'c> Machine<'p, 'c> {
    pub(super) fn call(
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

    pub(super) fn check_requires(
        &mut self,
        this: Option<ObjectId>,
        routine: RoutineRef,
        args: &[Value],
    ) -> Progress {
        let declared = self.program.routine(routine);
        let call = |about_outside: bool| {
            let clauses = declared.written_requires().iter();
            let clauses = clauses.filter(|e| declared.is_about_outside(e) == about_outside);
            let (program, now) = (self.program, &self.now);
            may_call(program, now, this, (routine, clauses), args, &self.fuel)
        };
        if !call(false)? {
            Err(BuiltinException::RequiresViolation.into())
        } else if !call(true)? {
            // The outside never answers so.
            Err(Interruption::End(Outcome::Blocked))
        } else {
            Ok(())
        }
    }

    /// Starts a routine; without a body it is over at once.
    pub(in crate::interp) fn enter(
        &mut self,
        routine: RoutineRef,
        this: ObjectId,
        args: Vec<Value>,
        then: Then,
    ) -> Progress {
        if self.frames.len() >= CALL_DEPTH_LIMIT {
            return Err(Interruption::End(Outcome::OutOfFuel));
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
        self.frames.push(CallFrame {
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
    pub(super) fn leave(&mut self) -> Progress {
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
    pub(in crate::interp) fn resume(&mut self, results: Vec<Value>, then: Then) -> Progress {
        match then {
            Then::Finish => Err(Interruption::End(Outcome::Normal(results))),
            Then::Bind(target, object) => self.assign(target, Value::Ref(object)),
            Then::Assign(targets) => {
                targets.iter().try_for_each(|target| self.check(target))?;
                let mut pairs = targets.into_iter().zip(results);
                pairs.try_for_each(|(target, value)| self.assign(target, value))
            }
        }
    }
}
