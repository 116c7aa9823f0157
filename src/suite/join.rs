//! Joining tests: what only one test covers may as well be done on the way of another, without a new object.

use std::collections::BTreeSet;

use crate::interp::Configuration;

use super::choose::Candidate;
use super::concrete::ConcreteCall;
use super::items::{CoverItem, Goal};
use crate::epa::walk::{Taken, Walker};

/// No more calls are made than this.
const MOST_CALLS: usize = 20_000;

/// Joins tests where that leaves fewer calls in all, and covers as much.
pub(super) fn join(walker: &Walker<'_>, goal: &Goal<'_>, tests: Vec<Candidate>) -> Vec<Candidate> {
    let mut joiner = Joiner {
        walker,
        goal,
        left: MOST_CALLS,
    };
    let mut tests = tests;
    let mut index = tests.len();
    // From the last on: the first ones cover most.
    while index > 0 {
        index -= 1;
        let test = tests.remove(index);
        let others: BTreeSet<CoverItem> =
            tests.iter().flat_map(|t| t.items.iter().copied()).collect();
        let only: BTreeSet<CoverItem> = test.items.difference(&others).copied().collect();
        let joined = (tests.iter().enumerate())
            .find_map(|(host, other)| Some((host, joiner.insert(other, &test, &only)?)));
        match joined {
            Some((host, joined)) => {
                if let Some(place) = tests.get_mut(host) {
                    *place = joined;
                }
            }
            None => tests.insert(index, test),
        }
    }
    tests
}

struct Joiner<'a> {
    walker: &'a Walker<'a>,
    goal: &'a Goal<'a>,
    left: usize,
}

impl Joiner<'_> {
    /// The host with the last calls of a guest on its way, as few and as late as will do to cover all that the host
    /// covers and what only the guest does.
    fn insert(
        &mut self,
        host: &Candidate,
        guest: &Candidate,
        only: &BTreeSet<CoverItem>,
    ) -> Option<Candidate> {
        let is_apart = |step: &ConcreteCall| step.open || !step.is_plain();
        if host.steps.iter().chain(&guest.steps).any(is_apart) {
            return None;
        }
        let ends = self.ends(&host.steps)?;
        // Without the guest's constructor: the host has its object.
        for first in (1..guest.steps.len()).rev() {
            let inserted = guest.steps.get(first..)?;
            for place in (1..=host.steps.len()).rev() {
                let (before, after) = host.steps.split_at_checked(place)?;
                let calls = inserted.iter().chain(after);
                let Some(steps) = self.run(ends.get(place - 1)?, calls) else {
                    continue;
                };
                let joined = Candidate::new(self.goal, &[before, &steps].concat());
                if host
                    .items
                    .union(only)
                    .all(|item| joined.items.contains(item))
                {
                    return Some(joined);
                }
            }
        }
        None
    }

    /// The configuration after each call of a test.
    fn ends(&mut self, steps: &[ConcreteCall]) -> Option<Vec<Configuration>> {
        let (first, others) = steps.split_first()?;
        let callee = self.walker.callee(first.edge)?;
        let Taken::Edge { end, .. } =
            self.walker
                .construct(&Configuration::empty(), callee, &first.arguments)
        else {
            return None;
        };
        let mut ends = vec![end];
        for step in others {
            let (_, end) = self.call(ends.last()?, step)?;
            ends.push(end);
        }
        Some(ends)
    }

    /// The same calls from another configuration on, each on whatever edge it takes then.
    fn run<'s>(
        &mut self,
        from: &Configuration,
        calls: impl Iterator<Item = &'s ConcreteCall>,
    ) -> Option<Vec<ConcreteCall>> {
        let (mut now, mut steps) = (from.clone(), Vec::new());
        for call in calls {
            let (step, end) = self.call(&now, call)?;
            now = end;
            steps.push(step);
        }
        Some(steps)
    }

    fn call(
        &mut self,
        now: &Configuration,
        like: &ConcreteCall,
    ) -> Option<(ConcreteCall, Configuration)> {
        self.left = self.left.checked_sub(1)?;
        let callee = self.walker.callee(like.edge)?;
        match self.walker.call(now, callee, &like.arguments) {
            Taken::Edge { edge, results, end } => {
                let step = ConcreteCall {
                    edge,
                    results,
                    end: Some(end.clone()),
                    ..like.clone()
                };
                Some((step, end))
            }
            Taken::Open | Taken::Refused | Taken::Astray { .. } => None,
        }
    }
}
