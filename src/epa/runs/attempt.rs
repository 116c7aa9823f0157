//! One call at random.

use fastrand::Rng;

use super::{Runs, Series};
use crate::ask::PerformedCall;
use crate::epa::trial::{AnyChoice, index_in};
use crate::interp::{Configuration, Decision, HeapObject, ObjectId, Outcome, Value};
use crate::ir::FieldRef;
use crate::query::{AbstractState, Callee};

/// Of a call that cannot go on, so many of the last choices are made anew, one after the other.
const BACK: [usize; 4] = [1, 2, 4, 8];
/// So many values of an object and of others beside it are changed at most, before it is called.
const MOST_VARIED: usize = 3;

/// What a call begins with.
struct Beginning<'s> {
    before: Configuration,
    arguments: Vec<Value>,
    /// What is decided in it first.
    first: &'s [Decision],
}

impl Runs<'_> {
    /// One call; none where it may not be made, or does not come to an end. Adds how much is done in it.
    pub(super) fn attempt(
        &self,
        series: &Series<'_>,
        dice: &mut Rng,
        work: &mut usize,
    ) -> Option<PerformedCall> {
        let (subject, interpreter) = (self.subject(), self.interpreter().with_log());
        let callee = Callee::Action(series.action);
        let routine = subject.routine(callee)?;
        let Beginning {
            before,
            arguments,
            first,
        } = self.beginning(series, dice)?;
        let this = before.this?;
        if interpreter.may_call(&before, Some(this), routine, &arguments) != Ok(true) {
            return None;
        }
        let mut run = |first: &[Decision]| {
            let mut choices = AnyChoice::behind(first, &self.trial, dice);
            let made = interpreter.call(&before, this, routine, arguments.clone(), &mut choices);
            *work += made.decisions.len() + made.log.as_ref().map_or(0, Vec::len);
            made
        };
        let mut execution = run(first);
        for back in BACK {
            if execution.outcome != Outcome::Blocked {
                break;
            }
            let kept = execution.decisions.len().saturating_sub(back);
            execution = run(&execution.decisions[..kept]);
        }
        let is_ended = matches!(
            execution.outcome,
            Outcome::Normal(_) | Outcome::Exception(_)
        );
        is_ended.then(|| PerformedCall::of(callee, before, arguments, execution))
    }

    /// As in a call that is known, up to some choice, or anything.
    fn beginning<'s>(&self, series: &'s Series<'_>, dice: &mut Rng) -> Option<Beginning<'s>> {
        let is_like_another = series.objects.is_empty() || dice.bool();
        if let (Some(known), true) = (one_of(&series.calls, dice), is_like_another) {
            let before = self.varied(&known.before, series.source, dice);
            let mut arguments = known.arguments.clone();
            if let (Some(at), true) = (index_in(arguments.len(), dice), dice.bool()) {
                arguments[at] = self.argument(series, &before, at, dice)?;
            }
            return Some(Beginning {
                before,
                arguments,
                first: some_first(&known.decisions, dice),
            });
        }
        let start = one_of(&series.objects, dice)?;
        let before = self.varied(start, series.source, dice);
        let params = self.subject().params(Callee::Action(series.action)).len();
        let arguments = (0..params).map(|at| self.argument(series, &before, at, dice));
        let arguments = arguments.collect::<Option<_>>()?;
        let like = match dice.bool() {
            true => one_of(&series.elsewhere, dice),
            false => None,
        };
        Some(Beginning {
            before,
            arguments,
            first: like.map_or(&[][..], |call| some_first(&call.decisions, dice)),
        })
    }

    fn argument(
        &self,
        series: &Series<'_>,
        now: &Configuration,
        at: usize,
        dice: &mut Rng,
    ) -> Option<Value> {
        let subject = self.subject();
        let param = subject.params(Callee::Action(series.action)).get(at)?;
        let ty = &subject.program.var(*param).ty;
        let callee = Callee::Action(series.action);
        self.trial.any_argument(now, (callee, at, ty), dice)
    }

    /// The object as it is, or with other values in some fields of it and of others, where it is still in its state.
    fn varied(
        &self,
        start: &Configuration,
        source: Option<&AbstractState>,
        dice: &mut Rng,
    ) -> Configuration {
        if dice.bool() {
            return start.clone();
        }
        let mut now = start.clone();
        for _ in 0..dice.usize(1..=MOST_VARIED) {
            self.vary(&mut now, dice);
        }
        let keeps = self
            .interpreter()
            .invariant_holds(&now, self.subject().class);
        let is_kept = keeps == Ok(true)
            && source.is_none_or(|source| self.state_of(&now).as_ref() == Some(source));
        match is_kept {
            true => now,
            false => start.clone(),
        }
    }

    /// Gives one field another value.
    fn vary(&self, now: &mut Configuration, dice: &mut Rng) {
        // Of the object itself every other time.
        let id = match (now.this, dice.bool()) {
            (Some(this), true) => Some(this),
            _ => index_in(now.objects().count(), dice).map(ObjectId),
        };
        let object = id.and_then(|id| Some((id, now.object(id)?)));
        let Some((id, HeapObject::Instance { class, fields })) = object else {
            return;
        };
        let Some(index) = index_in(fields.len(), dice) else {
            return;
        };
        let class = *class;
        let field = FieldRef { class, index };
        let ty = &self.subject().program.field(field).ty;
        if let Some(value) = self.trial.any(now, ty, dice) {
            now.set_field(id, field, value);
        }
    }
}

fn one_of<'t, T>(all: &'t [T], dice: &mut Rng) -> Option<&'t T> {
    all.get(index_in(all.len(), dice)?)
}

/// So many of the first decisions, up to any of them; every other time up to one on which way to go. These are few where the
/// elements of arrays are decided.
fn some_first<'d>(decisions: &'d [Decision], dice: &mut Rng) -> &'d [Decision] {
    let is_way = |decision: &Decision| !matches!(decision, Decision::Value(_));
    let places = decisions.iter().enumerate();
    let ways = places.filter(|(_, decision)| is_way(decision));
    let ways: Vec<usize> = ways.map(|(at, _)| at).collect();
    let kept = match (dice.bool(), one_of(&ways, dice)) {
        (true, Some(at)) => *at,
        _ => dice.usize(..=decisions.len()),
    };
    &decisions[..kept]
}
