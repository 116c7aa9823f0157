//! Which exceptions calls may end in, asked from any configuration, before it is asked state by state.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::construct::Exceptions;
use super::explore::EpaExplorer;
use super::targets::{self, TargetState, Ways};
use crate::ask::{Completeness, Doubt, Witness};
use crate::ir::backwards::{BackwardLimits, Backwards};
use crate::ir::{BuiltinException, ExceptionId};
use crate::process::Interrupt;
use crate::query::{ActionId, Callee, Exit, Step, kinds};

/// How far bodies are followed to see which exceptions a call may end in.
const BACKWARDS: BackwardLimits = BackwardLimits { bound: 1, cases: 0 };

/// Something may be raised.
#[derive(Clone, Debug)]
pub(super) struct Raised {
    /// The constructor or action.
    pub by: Callee,
    /// What.
    pub exception: ExceptionId,
    /// What is known of it.
    pub target: TargetState,
}

/// What a call could raise by its text, and what running the class shows of that.
struct Raisable {
    by: Callee,
    exceptions: Vec<ExceptionId>,
    seen: BTreeMap<ExceptionId, TargetState>,
}

impl EpaExplorer<'_> {
    /// The exceptions that each action may raise from some state, and are to have edges. Which exceptions a body could
    /// raise at all is known from its text; whether one ever does is asked once, before it is asked state by state.
    pub(super) fn raised_by_actions(&self) -> Vec<Vec<Raised>> {
        let firsts = self.alike.firsts().map(Callee::Action);
        let raised = self.raised_by(firsts, |e| self.has_edges(e));
        let actions = self.subject().action_ids();
        actions
            .map(|action| self.raised_also(action, &raised).collect())
            .collect()
    }

    /// What an action may raise, by what is known of the first that does the same.
    fn raised_also<'r>(
        &self,
        action: ActionId,
        raised: &'r [Raised],
    ) -> impl Iterator<Item = Raised> + use<'r> {
        let first = Callee::Action(self.alike.first(action));
        let of_first = raised.iter().filter(move |raised| raised.by == first);
        of_first.map(move |raised| raised.also_by(action))
    }

    /// The failures of the operations themselves that are only reported. They decide nothing else, and may take long:
    /// they are asked about last.
    pub(super) fn runtime_errors(&self) -> Vec<Raised> {
        if self.options.exceptions == Exceptions::Ignored || self.desk.leaves_out() {
            return vec![];
        }
        let firsts = self.alike.firsts().map(Callee::Action);
        let raised = self.raised_by(firsts, |e| !self.has_edges(e));
        let actions = self.subject().action_ids();
        actions
            .flat_map(|action| self.raised_also(action, &raised))
            .collect()
    }

    /// What constructors may raise.
    pub(super) fn failing_constructors(&self) -> Vec<Raised> {
        match self.options.exceptions {
            Exceptions::Ignored => vec![],
            _ => {
                let constructors = self.subject().constructor_ids();
                self.raised_by(constructors.map(Callee::Constructor), |_| true)
            }
        }
    }

    /// Whether an exception is to have edges.
    fn has_edges(&self, exception: ExceptionId) -> bool {
        match self.options.exceptions {
            Exceptions::Ignored => false,
            Exceptions::All => true,
            _ => exception.0 >= BuiltinException::ALL.len(),
        }
    }

    /// What these calls, from some configuration, do or may raise of such exceptions.
    fn raised_by(
        &self,
        callees: impl Iterator<Item = Callee>,
        such: impl Fn(ExceptionId) -> bool + Sync,
    ) -> Vec<Raised> {
        let callees: Vec<Callee> = callees.collect();
        let could = callees.into_par_iter().map(|by| {
            let exceptions = self.subject().thrown_by(by).into_iter();
            let exceptions: Vec<ExceptionId> = exceptions.filter(|e| such(*e)).collect();
            Raisable {
                by,
                seen: self.seen_raised(by, &exceptions),
                exceptions,
            }
        });
        let mut could: Vec<Raisable> = could.collect();
        self.leave_out_refused(&mut could);
        let raised = could
            .into_par_iter()
            .flat_map(|could| self.raised_of(could));
        raised.collect()
    }

    /// What running the class shows of what a call raises.
    fn seen_raised(
        &self,
        by: Callee,
        exceptions: &[ExceptionId],
    ) -> BTreeMap<ExceptionId, TargetState> {
        let seen = self.seen_ways(by, &exits(exceptions), None).into_iter();
        let seen = seen.filter_map(|(at, target)| Some((*exceptions.get(at)?, target)));
        seen.collect()
    }

    /// The ways in which running the class shows that a call ends, or calls like the one that a witness shows.
    fn seen_ways(&self, by: Callee, exits: &[Exit], like: Option<&Witness>) -> Ways {
        match (self.finder.runs(), by) {
            (Some(runs), Callee::Action(action)) if !exits.is_empty() => {
                runs.ways(action, exits, like)
            }
            _ => Ways::new(),
        }
    }

    /// Which of these exceptions a call, from some configuration, does or may raise. That it raises no other one is asked once for all
    /// of them, and of each by itself only where that is not known; of those without edges not where it took all the time there was.
    fn raised_of(&self, could: Raisable) -> Vec<Raised> {
        let Raisable {
            by,
            exceptions,
            mut seen,
        } = could;
        if let ([exception], true) = (exceptions.as_slice(), seen.is_empty()) {
            return self.raised_alone(by, *exception).into_iter().collect();
        }
        let exits = exits(&exceptions);
        let known = exceptions.iter().enumerate();
        let known = known.filter_map(|(at, exception)| Some((at, seen.remove(exception)?)));
        let like = |witness: &Witness| self.seen_ways(by, &exits, Some(witness));
        let (mut found, all) = targets::ways(self.desk, (by, None), &exits, known.collect(), like);
        let left = exits.len() - found.len();
        // What gets no edges is not worth as much time again for each.
        let decides = exceptions.iter().any(|e| self.has_edges(*e));
        let is_enough = |doubt: &Doubt| left == 1 || (!decides && doubt.is_of_time());
        let raised = exceptions
            .into_iter()
            .enumerate()
            .filter_map(|(at, exception)| {
                let target = match (found.remove(&at), &all) {
                    (Some(target), _) => target,
                    (None, Completeness::All) => return None,
                    // That was the question of which nothing is known.
                    (None, Completeness::Some(doubt)) if is_enough(doubt) => TargetState {
                        doubt: Some(doubt.clone()),
                        ..TargetState::default()
                    },
                    (None, Completeness::Some(_)) => return self.raised_alone(by, exception),
                };
                Some(Raised {
                    by,
                    exception,
                    target,
                })
            });
        raised.collect()
    }

    fn raised_alone(&self, by: Callee, exception: ExceptionId) -> Option<Raised> {
        let step = Step {
            callee: by,
            source: None,
            exit: Exit::Exception(exception),
        };
        let heard = self.desk.hear(kinds::exit(self.subject(), &step));
        Some(Raised {
            by,
            exception,
            target: TargetState::of(heard)?,
        })
    }

    /// Leaves out those exceptions that no legal call may end in, as far as going backwards through bodies says. What was found
    /// in a body to be required keeps calls from most of the exceptions in it, and to prove that of each is far dearer where
    /// there are loops: none of these is asked.
    fn leave_out_refused(&self, could: &mut [Raisable]) {
        let subject = self.subject();
        let from_body = |callee: &Callee| {
            let routine = subject.routine(*callee)?;
            let declared = subject.program.routine(routine);
            declared.from_body.is_some().then_some(routine)
        };
        let time = Interrupt::default().until(self.desk.deadline());
        let analysis = || {
            let time = time.clone();
            let is_over = move || time.is_set();
            Backwards::new(&subject.program, subject.class, BACKWARDS, is_over)
        };
        let mut backwards = None;
        let mut may = |by: &Callee, exception: &ExceptionId| {
            let asked = from_body(by).filter(|_| !self.desk.leaves_out());
            asked.is_none_or(|routine| {
                let backwards = backwards.get_or_insert_with(analysis);
                backwards.may_raise(routine, *exception)
            })
        };
        for Raisable {
            by,
            exceptions,
            seen,
        } in could
        {
            exceptions.retain(|exception| seen.contains_key(exception) || may(by, exception));
        }
    }
}

/// Calls that end in these exceptions.
fn exits(exceptions: &[ExceptionId]) -> Vec<Exit> {
    exceptions.iter().map(|e| Exit::Exception(*e)).collect()
}
