//! What a class leaves open, chosen among the values to try: every way, one after the other, or any.

use std::collections::VecDeque;

use fastrand::Rng;

use super::values::{Trial, is_finite};
use crate::interp::{
    ChoiceRequest, Choices, Decision, NoDecision, ObjectId, Odometer, Purpose, Value,
};
use crate::ir::{ExceptionId, RoutineRef};

/// Takes one after the other all choices of a call, as far as they are among the values to try.
pub(in crate::epa) struct EveryChoice<'t, 'a> {
    trial: &'t Trial<'a>,
    odometer: Odometer,
    /// Whether there were no other choices than those that are tried.
    pub are_all: bool,
    /// What fields hold before they are assigned: which of the values to try all of them have, where that mostly does not
    /// matter; none where each has any of them.
    initial: Option<Option<usize>>,
}

impl<'t, 'a> EveryChoice<'t, 'a> {
    /// All choices, but for what fields hold before they are assigned: of that only two cases.
    pub(in crate::epa) fn but_initial(trial: &'t Trial<'a>) -> Self {
        EveryChoice {
            initial: Some(None),
            ..EveryChoice::new(trial)
        }
    }

    /// All choices.
    pub(in crate::epa) fn new(trial: &'t Trial<'a>) -> Self {
        EveryChoice {
            trial,
            odometer: Odometer::default(),
            are_all: true,
            initial: None,
        }
    }

    /// Whether some field was not assigned, and only two cases of what it holds are tried.
    pub(in crate::epa) fn is_initial_left_out(&self) -> bool {
        matches!(self.initial, Some(Some(_)))
    }

    /// Goes to the next choices, if there are any.
    pub(in crate::epa) fn advance(&mut self) -> bool {
        let has_next = self.odometer.advance();
        if let (Some(chosen), true) = (&mut self.initial, has_next) {
            *chosen = None;
        }
        has_next
    }
}

impl Choices for EveryChoice<'_, '_> {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        // What a run does behind it, it may not do.
        if request.purpose == Purpose::Guess {
            return Err(is_guess());
        }
        let around: Vec<ObjectId> = match request.purpose {
            Purpose::InitialField(_) => request.now.objects().map(|(id, _)| id).collect(),
            _ => Vec::new(),
        };
        let mut values = self.trial.values(request.now, &around, request.ty);
        if let (Some(chosen), Purpose::InitialField(_), false) =
            (&mut self.initial, request.purpose, values.is_empty())
        {
            let case = match chosen {
                Some(case) => *case,
                None => self.odometer.pick(2),
            };
            *chosen = Some(case);
            return Ok(values.swap_remove(case.min(values.len() - 1)));
        }
        if !is_finite(request.ty) {
            self.are_all = false;
            values.truncate(self.trial.most_chosen);
        }
        if values.is_empty() {
            return Err(NoDecision::Unknown("no value is known to try".into()));
        }
        Ok(values.swap_remove(self.odometer.pick(values.len())))
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        Ok(self.odometer.pick(2) == 1)
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        let exit = self.odometer.pick(throws.len() + 1);
        Ok(exit.checked_sub(1).and_then(|i| throws.get(i).copied()))
    }
}

/// Any choices among the values to try, behind some that are known.
pub(in crate::epa) struct AnyChoice<'t, 'a> {
    trial: &'t Trial<'a>,
    dice: &'t mut Rng,
    first: VecDeque<Decision>,
}

impl<'t, 'a> AnyChoice<'t, 'a> {
    /// Behind these.
    pub(in crate::epa) fn behind(
        first: &[Decision],
        trial: &'t Trial<'a>,
        dice: &'t mut Rng,
    ) -> Self {
        AnyChoice {
            trial,
            dice,
            first: first.iter().cloned().collect(),
        }
    }
}

impl Choices for AnyChoice<'_, '_> {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        if request.purpose == Purpose::Guess {
            return Err(is_guess());
        }
        // On another object some of these are none of its values.
        if let Some(Decision::Value(value)) = self.first.pop_front()
            && request.now.conforms(request.program, request.ty, &value)
        {
            return Ok(value);
        }
        let any = self.trial.any(request.now, request.ty, self.dice);
        any.ok_or(NoDecision::NoValue)
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        match self.first.pop_front() {
            Some(Decision::Branch(taken)) => Ok(taken),
            _ => Ok(self.dice.bool()),
        }
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        match self.first.pop_front() {
            Some(Decision::Exit(exit)) if exit.is_none_or(|exit| throws.contains(&exit)) => {
                Ok(exit)
            }
            _ => {
                let exit = self.dice.usize(..=throws.len());
                Ok(exit.checked_sub(1).and_then(|i| throws.get(i).copied()))
            }
        }
    }
}

fn is_guess() -> NoDecision {
    NoDecision::Unknown("it takes a value that is not known".into())
}
