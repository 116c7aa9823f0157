//! What a question asks of its end, looked at where the replay ended.

use std::collections::BTreeSet;

use super::{Objection, Performed, PerformedCall, Replay, claim, is_exit};
use crate::ask::reading::truths;
use crate::interp::{Configuration, Locals, Moment, Outcome, Value};
use crate::ir::Expr;
use crate::query::{
    AbstractState, Callee, End, Escape, Exit, Places, Recorded, StateEnd, Subject, TargetClaim,
    Wrong,
};

/// Where a replay has ended.
struct Ended<'p> {
    /// The configuration before the last call.
    before: &'p Configuration,
    now: &'p Configuration,
    last: Option<&'p PerformedCall>,
    /// The arguments of the last call, and its results.
    locals: Locals,
}

impl Ended<'_> {
    fn now(&self) -> Moment<'_> {
        Moment {
            old: Some(self.before),
            ..Moment::of(self.now, &self.locals)
        }
    }

    fn before(&self) -> Moment<'_> {
        Moment::of(self.before, &self.locals)
    }
}

impl Replay<'_> {
    /// What the question asks of the end holds there, and what it looks at is as recorded.
    pub(super) fn check_end(&self, performed: &Performed) -> Result<(), Objection> {
        let ended = self.ended(performed);
        let flags = &self.reading.end;
        for (formula, recorded) in self.query.watched.iter().zip(flags) {
            self.check_truth(&ended.now(), formula, recorded)?;
        }
        match &self.query.end {
            End::Anywhere => Ok(()),
            End::State(clauses) => self.check_clauses(ended.now, clauses, || {
                "other actions are enabled at the end".into()
            }),
            End::Holds { formulas, .. } => self.check_holds(&ended, formulas),
            End::OtherState {
                exits,
                known,
                assumed,
            } => self.check_other_state(&ended, exits, known, assumed),
            End::Fails { state, clauses } => {
                self.check_clauses(ended.now, state, || {
                    "other actions are enabled at the end".into()
                })?;
                for (formula, recorded) in clauses.iter().zip(flags) {
                    self.check_counted(&ended, formula, recorded)?;
                }
                claim(truths(flags).contains(&false), || {
                    "all of these hold at the end".into()
                })
            }
            End::Place(places) => self.check_place(&ended, places),
            End::Forbidden(wrong) => claim(is_wrong(wrong, &ended), || {
                "the call does nothing that must not happen".into()
            }),
            End::Escapes(escape) => self.check_escape(&ended, escape),
            End::Uncovered(covers) => self.check_uncovered(&ended, covers),
        }
    }

    fn ended<'p>(&self, performed: &'p Performed) -> Ended<'p> {
        let calls = &performed.calls;
        let last = calls.last();
        let before = calls.len().checked_sub(2).and_then(|i| calls.get(i));
        let mut locals = Locals::new();
        if let Some(last) = last {
            locals = self.locals(last.callee, &last.arguments);
            let results = self
                .subject
                .routine(last.callee)
                .map(|r| &self.subject.program.routine(r).results);
            if let (Outcome::Normal(values), Some(results)) = (&last.outcome, results) {
                locals.extend(results.iter().copied().zip(values.iter().cloned()));
            }
        }
        Ended {
            before: before.map_or(&performed.start, |call| &call.end),
            now: last.map_or(&performed.start, |call| &call.end),
            last,
            locals,
        }
    }

    fn check_holds(&self, ended: &Ended<'_>, formulas: &[Expr]) -> Result<(), Objection> {
        if !self.query.ghosts.is_empty() {
            // The interpreter does not know what they stand for.
            return Err(Objection::CannotTell(
                "a clause speaks of the number of calls".into(),
            ));
        }
        for formula in formulas {
            let holds = self.interpreter.formula_holds(&ended.now(), formula)?;
            claim(holds, || {
                "what is asked for does not hold at the end".into()
            })?;
        }
        Ok(())
    }

    /// As [`Replay::check_truth`], for a formula that may speak of what the interpreter does not know.
    fn check_counted(
        &self,
        ended: &Ended<'_>,
        formula: &Expr,
        recorded: &Recorded,
    ) -> Result<(), Objection> {
        match self.query.ghosts.is_empty() {
            true => self.check_truth(&ended.now(), formula, recorded),
            false => self.believed(),
        }
    }

    fn check_other_state(
        &self,
        ended: &Ended<'_>,
        exits: &[Exit],
        known: &BTreeSet<StateEnd>,
        assumed: &[(AbstractState, Expr)],
    ) -> Result<(), Objection> {
        let (exit, flags) = match exits {
            [] => (0, self.reading.end.as_slice()),
            exits => self.check_seen(ended, exits)?,
        };
        let state = self.subject.state_where(truths(flags));
        claim(!known.contains(&(exit, state.clone())), || {
            "the state is one of those known already".into()
        })?;
        let clauses = crate::query::kinds::guards(self.subject, &state);
        self.check_clauses(ended.now, &clauses, || {
            "other actions are enabled at the end".into()
        })?;
        let is_it = |(assumed, _): &&(AbstractState, Expr)| assumed.enables_the_same(&state);
        for (_, formula) in assumed.iter().filter(is_it) {
            let holds = self.interpreter.formula_holds(&ended.now(), formula)?;
            claim(holds, || "what is known of the state does not hold".into())?;
        }
        Ok(())
    }

    fn check_place(&self, ended: &Ended<'_>, places: &Places) -> Result<(), Objection> {
        let (number, flags) = match &places.seen {
            None => (0, self.reading.end.as_slice()),
            Some(exits) => self.check_seen(ended, exits)?,
        };
        for (formula, recorded) in places.predicates.iter().zip(flags) {
            self.check_truth(&ended.now(), formula, recorded)?;
        }
        let place = (number, truths(flags));
        let is_wanted = places.wanted.as_ref().is_none_or(|wanted| *wanted == place);
        claim(is_wanted && !places.known.contains(&place), || {
            "the call ends where it was not asked for".into()
        })
    }

    /// What is seen of the call, which is as recorded, and what is recorded behind it.
    fn check_seen(
        &self,
        ended: &Ended<'_>,
        exits: &[Exit],
    ) -> Result<(usize, &[Recorded]), Objection> {
        let (first, flags) = self
            .reading
            .end
            .split_first()
            .ok_or_else(super::cut_short)?;
        let seen = self.seen(ended, exits);
        claim(first.value.parse() == Ok(seen), || {
            "something else is seen of the call".into()
        })?;
        Ok((seen, flags))
    }

    /// What is seen of the call: the first of these ways to end that it takes, or the last of all.
    fn seen(&self, ended: &Ended<'_>, exits: &[Exit]) -> usize {
        let Some(last) = ended.last else { return 0 };
        let is_it = |exit: &Exit| is_exit(self.subject, last.callee, exit, &last.outcome);
        let before_last = exits.iter().take(exits.len().saturating_sub(1));
        let mut found = before_last.enumerate().filter(|(_, exit)| is_it(exit));
        found
            .next()
            .map_or(exits.len().saturating_sub(1), |(index, _)| index)
    }

    fn check_escape(&self, ended: &Ended<'_>, escape: &Escape) -> Result<(), Objection> {
        if escape
            .wrong
            .as_ref()
            .is_some_and(|wrong| is_wrong(wrong, ended))
        {
            return Ok(());
        }
        let seen = escape.seen.as_ref().map(|exits| self.seen(ended, exits));
        let mut inside = escape.inside.iter();
        let allowed = inside.find(|(at, _)| seen.is_none_or(|seen| seen == *at));
        let is_inside = match allowed {
            Some((_, region)) => self.interpreter.formula_holds(&ended.now(), region)?,
            None => false,
        };
        let is_kept = self
            .interpreter
            .invariant_holds(ended.now, self.subject.class)?;
        claim(is_kept && !is_inside, || {
            "the call ends where the interface says".into()
        })
    }

    fn check_uncovered(&self, ended: &Ended<'_>, covers: &[TargetClaim]) -> Result<(), Objection> {
        let Some(last) = ended.last else {
            return Ok(());
        };
        for cover in covers {
            let reached = match (&cover.target, &last.outcome) {
                (None, Outcome::Exception(_)) => true,
                (Some(target), Outcome::Normal(_)) => {
                    self.interpreter.formula_holds(&ended.now(), target)?
                }
                _ => false,
            };
            if reached
                && !self
                    .interpreter
                    .formula_holds(&ended.before(), &cover.cases)?
            {
                return Ok(());
            }
        }
        Err(Objection::Wrong(
            "the call is in a case of each target that it ends in".into(),
        ))
    }
}

/// Whether the last call has done what must not happen.
fn is_wrong(wrong: &Wrong, ended: &Ended<'_>) -> bool {
    ended.last.is_some_and(|last| match &last.outcome {
        Outcome::Exception(raised) => wrong.raised.contains(raised),
        _ => last.refused,
    })
}

/// Whether an action's results have these values of the outcomes by which its edges are split.
pub(super) fn has_outcome(
    subject: &Subject,
    callee: Callee,
    results: &[Value],
    wanted: &[usize],
) -> bool {
    let Some(routine) = subject.routine(callee) else {
        return false;
    };
    let routine = subject.program.routine(routine);
    routine.outcomes.iter().zip(wanted).all(|(var, wanted)| {
        let position = routine.results.iter().position(|r| r == var);
        match position.and_then(|i| results.get(i)) {
            Some(Value::Bool(b)) => usize::from(*b) == *wanted,
            Some(Value::Member(_, index)) => index == wanted,
            _ => false,
        }
    })
}
