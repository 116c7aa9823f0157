//! Runs that go on from where other runs have been.
//!
//! To look for a run of nine calls among all runs of nine calls is a long question, and there are hundreds of edges. Where
//! a run of eight is known that ends in the edge's source, the ninth call alone is to be asked about.

use std::collections::BTreeSet;

use super::frontier::may_go_on;
use super::search::{ConfirmSearch, Desks, EdgeRun};
use crate::query::{EdgeId, StateId, Walk};

/// From no more configurations than these a question goes on.
const MOST_STARTS: usize = 32;
/// So much of the time may be over: what is left is for longer runs and proofs.
const PART_OF_THE_TIME: f64 = 0.5;

impl ConfirmSearch<'_> {
    /// Takes edges that were not taken so far: one call after runs that are known; and where that leads to nothing new, a few,
    /// up to so many.
    pub(super) fn extend(&mut self, desks: &Desks<'_>, most_calls: usize) {
        if !may_go_on(&self.encoding.subject) {
            return;
        }
        let mut calls = 1;
        while calls <= most_calls {
            let goes_on = self.extend_by(desks, calls);
            calls = if goes_on { 1 } else { calls + 1 };
        }
    }

    /// Takes edges by so many calls from configurations that this was not tried with. Whether there were any.
    fn extend_by(&mut self, desks: &Desks<'_>, calls: usize) -> bool {
        let mut any = false;
        while let Some((state, from)) = self.not_gone_on_from(calls) {
            while let Some(walk) = self.walk_from(&from, calls, state) {
                if desks.is_past(PART_OF_THE_TIME) || !self.take(desks, &from, walk) {
                    break;
                }
                any = true;
            }
            let tried = self.gone_on_from.entry((state, calls)).or_default();
            tried.extend(from);
            // From what was found, fewer calls may do.
            if any && calls > 1 {
                break;
            }
        }
        any
    }

    /// A state with edges that were not taken, and configurations from which so many calls may take them and were not tried:
    /// those of the shortest runs first.
    fn not_gone_on_from(&self, calls: usize) -> Option<(StateId, Vec<usize>)> {
        let most_calls = self.options.extent.max_calls as usize;
        let reached = self.frontier.reached();
        let all: BTreeSet<StateId> = reached.iter().map(|reached| reached.state).collect();
        let from = self.automaton.state_ids().filter_map(|state| {
            let wanted = self.wanted_from(state);
            let walk = (self.automaton).walks(Some(&all), calls, &wanted, &self.live)?;
            let first = walk.layers.first()?;
            let tried = self.gone_on_from.get(&(state, calls));
            let is_new = |at: usize| tried.is_none_or(|tried| !tried.contains(&at));
            let may_go_on = |at: usize| {
                let length = reached[at].run.calls.len() + calls;
                first.contains(&reached[at].state) && length <= most_calls
            };
            let here = (0..reached.len()).filter(|at| is_new(*at) && may_go_on(*at));
            let mut here: Vec<usize> = here.collect();
            here.sort_by_key(|at| reached[*at].run.calls.len());
            here.truncate(MOST_STARTS);
            let nearest = reached[*here.first()?].run.calls.len();
            Some((nearest, state, here))
        });
        let (_, state, from) = from.min()?;
        Some((state, from))
    }

    /// The walks of so many calls from these configurations that take an edge from this state that was not taken.
    fn walk_from(&self, from: &[usize], calls: usize, state: StateId) -> Option<Walk> {
        let states = from.iter().map(|at| self.frontier.reached()[*at].state);
        let wanted = self.wanted_from(state);
        (self.automaton).walks(Some(&states.collect()), calls, &wanted, &self.live)
    }

    /// The edges from a state that were not taken so far.
    fn wanted_from(&self, state: StateId) -> BTreeSet<EdgeId> {
        let mut wanted = self.wanted();
        wanted.retain(|edge| self.automaton[*edge].source == Some(state));
        wanted
    }

    /// Asks for a walk from these configurations, and keeps what it shows. Whether an edge was taken that is wanted.
    fn take(&mut self, desks: &Desks<'_>, from: &[usize], walk: Walk) -> bool {
        let wanted = walk.wanted.clone();
        let shown = self.frontier.go_on(self, desks, from, walk);
        let shown = shown.unwrap_or_default();
        let is_any = shown.iter().any(|shown| wanted.contains(&shown.edge));
        for shown in shown {
            if let Some(values) = shown.values {
                let end = self.frontier.configuration(&values);
                self.arrive(end, self.automaton[shown.edge].target, &shown.run);
            }
            let is_better = |known: &EdgeRun| known.run.calls.len() > shown.run.calls.len();
            if self.found.get(&shown.edge).is_none_or(is_better) {
                let is_shortest = self.is_shortest(shown.edge, shown.run.calls.len());
                let found = EdgeRun::by(shown.run, is_shortest);
                self.found.insert(shown.edge, found);
            }
        }
        is_any
    }

    /// Whether no walk of the automaton of fewer calls ends with the edge.
    fn is_shortest(&self, edge: EdgeId, calls: usize) -> bool {
        let edge = BTreeSet::from([edge]);
        let walks = |calls| self.automaton.walks(None, calls, &edge, &self.live);
        (1..calls).all(|fewer| walks(fewer).is_none())
    }
}
