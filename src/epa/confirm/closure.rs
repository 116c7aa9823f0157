//! Reaching every configuration of a class that has but a few, one after the other.
//!
//! A run of many calls is a long question. But what an object does next depends on the values of its fields alone, so
//! where these are known, one call is enough to ask about: from the configurations that take so many calls to reach,
//! which edges are taken, and which configurations are new? The class is run with the values that it suggests
//! (`trial`); the engine finds others (of parameters, of what a body chooses), or that there are none. When nothing new
//! is found, all that any object does has been seen: this is the breadth-first exploration of explicit-state model
//! checking.

use std::collections::BTreeSet;
use std::ops::Range;

use super::candidates::Observed;
use super::cover::cover;
use super::explore::Runner;
use super::frontier::{Frontier, GivenUp, Shown};
use super::search::{ConfirmSearch, Desks, EdgeRun};
use crate::ask::{Run, RunCall};
use crate::interp::Value;
use crate::ir::Expr;
use crate::query::{EdgeId, StateId, Walk};

/// No more configurations are reached than this.
pub(super) const MOST_CONFIGURATIONS: usize = 400;
/// Nor more than this that take the same number of calls and that the engine has to find: where there are many, there are mostly no end of them.
const MOST_AT_ONCE: usize = 24;
/// It is given up when this part of the time for the second pass is over: an engine that is slow to start may need the
/// rest for runs and proofs.
pub(super) const PART_OF_THE_TIME: f64 = 0.25;

/// All configurations that objects of the class can be in.
pub(super) struct Closure {
    /// Each, with the calls that it takes to reach it.
    pub configurations: Vec<Observed>,
    /// Clauses that hold of these and no others.
    pub clauses: Vec<Expr>,
}

/// The exploration.
struct ClosureExplorer<'s, 'a, 'e> {
    search: &'s mut ConfirmSearch<'a>,
    desks: &'s Desks<'e>,
    frontier: Frontier<'a>,
    runner: Runner<'a>,
}

/// Finds all configurations of the class, and of the edges that are not found so far those that are taken; nothing if
/// there are too many configurations, or ones that cannot be written down or run.
pub(super) fn close(search: &mut ConfirmSearch<'_>, desks: &Desks<'_>) -> Option<Closure> {
    let subject = &search.encoding.subject;
    let mut explorer = ClosureExplorer {
        frontier: Frontier::new(subject),
        runner: search.runner()?,
        search,
        desks,
    };
    explorer.explore().ok()?;
    let frontier = &explorer.frontier;
    let rows = frontier.reached().iter().map(|r| r.values.clone());
    let rows: Vec<Vec<Value>> = rows.collect();
    let clauses = cover(&subject.program, frontier.fields(), &rows)?;
    let configurations = frontier.reached().iter().map(|reached| {
        let calls = u32::try_from(reached.run.calls.len()).unwrap_or(u32::MAX);
        (calls, frontier.configuration(&reached.values))
    });
    Some(Closure {
        configurations: configurations.collect(),
        clauses,
    })
}

impl ClosureExplorer<'_, '_, '_> {
    /// A layer after the other: first what the making of an object leads to, then what takes one call more.
    fn explore(&mut self) -> Result<(), GivenUp> {
        let mut layer = 0..0;
        for _ in 0..self.search.options.extent.max_calls {
            let first = self.frontier.reached().len();
            self.run_on(&layer)?;
            let by_running = self.frontier.reached().len();
            while self.reach_another(&layer)? {
                let all = self.frontier.reached().len();
                if all > self.search.most_reached || all - by_running > MOST_AT_ONCE {
                    return Err(GivenUp);
                }
            }
            while self.take_another(&layer)? {}
            layer = first..self.frontier.reached().len();
            if layer.is_empty() {
                return Ok(());
            }
        }
        Err(GivenUp)
    }

    /// Reaches what running the class from the layer shows: what the engine need not find.
    fn run_on(&mut self, layer: &Range<usize>) -> Result<(), GivenUp> {
        let from: Vec<Option<usize>> = match layer.is_empty() {
            true => vec![None],
            false => layer.clone().map(Some).collect(),
        };
        for at in from {
            let before = at.and_then(|at| self.frontier.reached().get(at));
            let now =
                before.map(|reached| (self.frontier.configuration(&reached.values), reached.state));
            let calls: Vec<RunCall> = before.map_or(vec![], |b| b.run.calls.clone());
            let mut steps = Vec::new();
            let from = now.as_ref().map(|(now, state)| (now, *state));
            let visit = &mut |step: Result<_, _>| steps.extend(step.ok());
            self.runner.steps(from, &|_| true, visit);
            for (step, end) in steps {
                let is_left = self.search.automaton[step.edge].target.is_some();
                let values = match is_left {
                    true => Some(self.frontier.values(&end).ok_or(GivenUp)?),
                    false => None,
                };
                if !self.is_new(step.edge, values.as_deref()) {
                    continue;
                }
                let now = now.as_ref().map(|(now, _)| now);
                let call = self.runner.perform(now, &step).ok_or(GivenUp)?;
                let told = self.search.teller().done(step.edge, &call);
                let run = Run {
                    calls: calls.iter().cloned().chain([told]).collect(),
                    replayed: true,
                    not_replayed: None,
                };
                self.note(Shown {
                    edge: step.edge,
                    run,
                    values,
                })?;
            }
            if self.frontier.reached().len() > self.search.most_reached {
                return Err(GivenUp);
            }
        }
        Ok(())
    }

    /// Looks for a call from the layer to a configuration that was not reached before. Whether there was one.
    fn reach_another(&mut self, layer: &Range<usize>) -> Result<bool, GivenUp> {
        let goes_on = |id: &EdgeId| self.search.automaton[*id].target.is_some();
        let edges = self.search.live.iter().copied().filter(goes_on).collect();
        let another = self.frontier.another();
        self.step(layer, edges, vec![another])
    }

    /// Looks for a call from the layer that takes an edge that was not taken before. Whether there was one.
    fn take_another(&mut self, layer: &Range<usize>) -> Result<bool, GivenUp> {
        self.step(layer, self.search.unsettled(), vec![])
    }

    /// Looks for a call from one of these configurations (the making of an object, where there are none) that takes one
    /// of these edges, and behind which this is so; notes what it shows. Whether there was one.
    fn step(
        &mut self,
        layer: &Range<usize>,
        edges: BTreeSet<EdgeId>,
        known: Vec<Expr>,
    ) -> Result<bool, GivenUp> {
        let from: Vec<usize> = layer.clone().collect();
        let states = from.iter().map(|at| self.frontier.reached()[*at].state);
        let states: BTreeSet<StateId> = states.collect();
        let states = (!from.is_empty()).then_some(&states);
        let search = &self.search;
        let Some(walk) = search.automaton.walks(states, 1, &edges, &search.live) else {
            return Ok(false);
        };
        if self.desks.is_past(PART_OF_THE_TIME) {
            return Err(GivenUp);
        }
        let walk = Walk {
            known: vec![known],
            ..walk
        };
        let shown = self.frontier.go_on(self.search, self.desks, &from, walk)?;
        let is_any = !shown.is_empty();
        for shown in shown {
            if !self.is_new(shown.edge, shown.values.as_deref()) {
                return Err(GivenUp);
            }
            self.note(shown)?;
        }
        Ok(is_any)
    }

    /// Whether a call shows something that was not known: that its edge is taken, and that no run that takes it is
    /// shorter; or an object with these values.
    fn is_new(&self, edge: EdgeId, values: Option<&[Value]>) -> bool {
        let found = self.search.found.get(&edge);
        let is_known = |values| self.frontier.knows(values);
        found.is_none_or(|found| !found.shortest) || values.is_some_and(|values| !is_known(values))
    }

    /// Notes what a run shows.
    fn note(&mut self, shown: Shown) -> Result<(), GivenUp> {
        let found = self.search.found.get(&shown.edge);
        if found.is_none_or(|found| !found.shortest) {
            let found = EdgeRun::by(shown.run.clone(), true);
            self.search.found.insert(shown.edge, found);
        }
        match (shown.values, self.search.automaton[shown.edge].target) {
            (Some(values), Some(state)) => self.frontier.add(values, state, shown.run),
            _ => Ok(()),
        }
    }
}
