//! Objects that constructors make at random.

use fastrand::Rng;

use super::Runs;
use crate::epa::trial::AnyChoice;
use crate::interp::{Configuration, Outcome, Value};
use crate::query::{Callee, ConstructorId};

impl Runs<'_> {
    /// An object that this constructor makes; none where it may not be called, or does not come to an end.
    pub(super) fn made(&self, constructor: ConstructorId, dice: &mut Rng) -> Option<Configuration> {
        let (subject, interpreter) = (self.subject(), self.interpreter());
        let callee = Callee::Constructor(constructor);
        let before = self.with_others(Configuration::empty(), dice);
        let params = subject.params(callee).iter();
        let arguments = params.map(|param| {
            let ty = &subject.program.var(*param).ty;
            self.trial.any(&before, ty, dice)
        });
        let arguments: Vec<Value> = arguments.collect::<Option<_>>()?;
        let routine = subject.routine(callee);
        let may = |routine| interpreter.may_call(&before, None, routine, &arguments);
        if routine.map(may).unwrap_or(Ok(true)) != Ok(true) {
            return None;
        }
        let mut choices = AnyChoice::behind(&[], &self.trial, dice);
        let class = subject.class;
        let execution = interpreter.construct(&before, class, routine, arguments, &mut choices);
        let is_made = matches!(execution.outcome, Outcome::Normal(_))
            && interpreter.invariant_holds(&execution.configuration, class) == Ok(true);
        is_made.then_some(execution.configuration)
    }
}
