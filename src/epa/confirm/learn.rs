//! What a search learns from running the class: edges that are taken, and what proofs are made of.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::candidates::{Observed, numbers_of_class};
use super::closure::PART_OF_THE_TIME;
use super::cover::cover;
use super::explore::{Aim, Explored, Runner};
use super::observables::{self, Observable, value};
use super::refute::Depth;
use super::search::{ConfirmSearch, Desks, EdgeRun, LENGTHS_BEFORE_CLOSURE, MOST_SEEN};
use crate::interp::{Configuration, HeapObject, Value};
use crate::ir::{Expr, ExprKind, Type, formula};
use crate::query::{Exit, StateId};

/// So often the class is run again with other numbers.
const MOST_ROUNDS: usize = 4;
/// For shorter runs alone no more configurations than these are reached one by one.
const MOST_FOR_SHORTEST: usize = 100;
/// Of those in one state, runs go on from no more than these.
const MOST_IN_A_STATE: usize = 16;
/// Of more configurations than these it is not said that there are no others.
const MOST_COVERED: usize = 1_000;

/// Where the class is run briefly, no more configurations are reached than this, and no call takes more steps.
const MOST_BRIEFLY: usize = 2_000;
const FUEL_BRIEFLY: u64 = 1_000;

impl<'a> ConfirmSearch<'a> {
    /// Runs the class for a few calls: what that shows, no engine need look for.
    pub(super) fn run_briefly(&mut self, desks: &Desks<'_>) {
        let Some(runner) = self.runner() else {
            return;
        };
        let runner = runner.with_fuel(FUEL_BRIEFLY);
        let far = runner.trial.far_numbers(&self.encoding.subject);
        self.run_so_far(&runner, desks);
        if !far.is_empty() && !self.wanted().is_empty() {
            self.run_so_far(&runner.with_hints(far), desks);
        }
    }

    fn run_so_far(&mut self, runner: &Runner<'_>, desks: &Desks<'_>) {
        let enough =
            |found: &Explored| found.reached.len() > MOST_BRIEFLY || desks.is_out_of_time();
        let explored = runner.explore(LENGTHS_BEFORE_CLOSURE, &Aim::edges(&enough));
        self.learn_from(runner, &explored);
    }

    /// Runs the class, with values that it suggests: what edges that takes, and which configurations there are.
    pub(super) fn explore(&mut self, desks: &Desks<'_>) {
        let Some(runner) = self.runner() else {
            return;
        };
        let explored = self.run_from(&runner, desks);
        if explored.is_whole {
            self.closure = self.covered(&explored).unwrap_or_default();
        }
    }

    /// What runs the class with the values of known runs; none where a configuration may be in two states, as a guard is a
    /// guess: which edges a run takes is not known then.
    pub(super) fn runner(&self) -> Option<Runner<'a>> {
        let subject = &self.encoding.subject;
        (!subject.is_guess()).then(|| Runner::new(subject, self.before, self.given.clone()))
    }

    /// Runs the class with the numbers that objects hold which would take edges, for all that is known: as long as that finds
    /// edges, which leads to other such objects.
    pub(super) fn explore_odd(&mut self, desks: &Desks<'_>) {
        for _ in 0..MOST_ROUNDS {
            let objects = self.odd.iter().filter_map(|odd| odd.object(odd.this?));
            let hints: BTreeSet<BigInt> = objects.flat_map(HeapObject::integers).cloned().collect();
            let wanted = self.wanted();
            if wanted.is_empty() || hints.is_empty() || desks.is_past(PART_OF_THE_TIME) {
                return;
            }
            let Some(runner) = self.runner() else {
                return;
            };
            self.run_from(&runner.with_hints(hints), desks);
            if self.wanted() == wanted {
                return;
            }
            self.prove_anew(desks, Depth::Far);
        }
    }

    /// Runs the class, and learns from it.
    fn run_from(&mut self, runner: &Runner<'_>, desks: &Desks<'_>) -> Explored {
        let wanted = self.wanted();
        let enough = |found: &Explored| {
            let are_all = wanted.iter().all(|edge| found.takes(*edge));
            are_all || desks.is_past(PART_OF_THE_TIME)
        };
        let explored = runner.explore(self.options.extent.max_calls, &Aim::edges(&enough));
        self.learn_from(runner, &explored);
        self.go_on_behind(runner, &explored);
        self.note_size(explored.reached.len());
        if self.wanted().is_empty() {
            self.most_reached = MOST_FOR_SHORTEST;
        }
        if explored.reached.len() > self.most_reached {
            self.most_reached = 0;
        }
        explored
    }

    /// Keeps what was seen: runs, what is wrong, and objects.
    fn learn_from(&mut self, runner: &Runner<'_>, explored: &Explored) {
        self.take_what_it_takes(runner, explored);
        self.unmask(explored);
        self.observe(explored);
    }

    /// Keeps the runs of edges that were not found so far.
    fn take_what_it_takes(&mut self, runner: &Runner<'_>, explored: &Explored) {
        let wanted = self.wanted();
        for edge in explored.edges().filter(|edge| wanted.contains(edge)) {
            if let Some(run) = explored.run(runner, &self.teller(), edge) {
                // All lengths up to this one were asked about.
                let asked = run.calls.len() <= self.done as usize + 1;
                let shortest =
                    (asked && !self.unsure.contains_key(&edge)) || explored.is_nearest(edge);
                self.found.insert(edge, EdgeRun::by(run, shortest));
            }
        }
    }

    /// What the class does and no edge says would be a lost edge: an error of ours. (Not every exception is asked for, and
    /// where some answer is not known, states may be missing.)
    fn unmask(&mut self, explored: &Explored) {
        let is_doubtful = self.before.known.iter().any(|known| known.doubt.is_some());
        for astray in explored.astray() {
            if is_doubtful || astray.breaks || matches!(astray.exit, Exit::Exception(_)) {
                continue;
            }
            let names = &self.before.names;
            let at = |state| format!(" in {}", names.state(state));
            let at = astray.source.map_or(String::new(), at);
            self.errors.push(format!(
                "`{}`{at} was run, and ends where no edge of the EPA leads",
                names.callee(astray.callee)
            ));
        }
    }

    /// Keeps some of the configurations that were reached, from all over.
    pub(super) fn observe(&mut self, explored: &Explored) {
        let room = MOST_SEEN.saturating_sub(self.seen.len());
        let every = explored.reached.len().div_ceil(room.max(1)).max(1);
        let some = explored.reached.iter().step_by(every).take(room);
        let some = some.map(|reached| (reached.calls, reached.now.clone()));
        self.sample = some.collect();
    }

    /// Lets runs go on from what was reached, where edges are left that begin there: from a few configurations in each state.
    pub(super) fn go_on_behind(&mut self, runner: &Runner<'_>, explored: &Explored) {
        let wanted = self.wanted();
        let mut sources: BTreeMap<StateId, usize> = BTreeMap::new();
        let from = wanted
            .iter()
            .filter_map(|edge| self.automaton[*edge].source);
        let from = from.chain(self.open_mishap_states());
        sources.extend(from.map(|state| (state, MOST_IN_A_STATE)));
        for reached in &explored.reached {
            let Some(room) = sources.get_mut(&reached.state).filter(|room| **room > 0) else {
                continue;
            };
            *room -= 1;
            if let Some(run) = explored.run_to(runner, &self.teller(), reached) {
                self.reach(&reached.now, reached.state, run);
            }
        }
    }

    /// Clauses that hold of what was reached and of nothing else, where they can be written.
    fn covered(&self, explored: &Explored) -> Option<Vec<Expr>> {
        if explored.reached.len() > MOST_COVERED {
            return None;
        }
        let program = &self.encoding.subject.program;
        let columns = self.columns(explored);
        let rows = explored.reached.iter().map(|reached| {
            let values = columns.iter().map(|e| value(program, &reached.now, e));
            values.collect()
        });
        let rows: BTreeSet<Vec<Value>> = rows.collect::<Option<_>>()?;
        cover(program, &columns, &rows.into_iter().collect::<Vec<_>>())
    }

    /// What tells the configurations that were reached from each other: expressions that have a value in each.
    fn columns(&self, explored: &Explored) -> Vec<Expr> {
        let subject = &self.encoding.subject;
        let reached = explored.reached.iter();
        let seen: Vec<Observed> = reached.map(|r| (r.calls, r.now.clone())).collect();
        let mut all = observables::fields(subject);
        all.extend(observables::inside(
            subject,
            &seen,
            &numbers_of_class(subject),
        ));
        let mut columns = observables::comparisons(&subject.program, &all);
        for Observable { e, there } in all {
            let Some(nothing) = any_value(&e.ty) else {
                continue;
            };
            // An element that is always there is shorter without a word about that.
            let is_not = |now: &Configuration, there: &Expr| {
                value(&subject.program, now, there) != Some(Value::Bool(true))
            };
            let there = there.filter(|there| seen.iter().any(|(_, now)| is_not(now, there)));
            columns.push(match there {
                Some(there) => formula::choice(there, e, nothing),
                None => e,
            });
        }
        columns
    }
}

/// Some value of a type whose values can be written; none of others.
fn any_value(ty: &Type) -> Option<Expr> {
    match ty {
        Type::Bool => Some(formula::bool(false)),
        Type::Int => Some(formula::int(0)),
        Type::Enum(id) => Some(formula::expr(ExprKind::Member(*id, 0), ty.clone())),
        Type::Machine(_) => Some(formula::expr(ExprKind::Int(0.into()), ty.clone())),
        _ => None,
    }
}
