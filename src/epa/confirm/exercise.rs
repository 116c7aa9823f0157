//! The class run once more, when all is judged, for what tests want and the second pass does not look for: other runs of an
//! edge than its shortest, and calls that a body refuses for one reason alone.
//!
//! A call is mostly refused for several reasons at once, so that nobody sees where one of them is forgotten. A call that
//! would be made if one condition was not asked for shows this condition; so do tests for MC/DC show each condition of a
//! decision.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::explore::{Aim, Explored, Runner, Within};
use super::report::Confirmed;
use super::runs::RunTeller;
use crate::ask::Run;
use crate::epa::trial::Trial;
use crate::interp::{ChoiceRequest, Choices, Configuration, NoDecision, Outcome, Purpose, Value};
use crate::ir::effects::walk;
use crate::ir::{ExceptionId, Expr, RoutineRef, Source, StmtKind, formula};
use crate::query::{Callee, EdgeId, Subject};

/// So many configurations are enough; where edges are not taken that are wanted, so many.
const ENOUGH_CONFIGURATIONS: usize = 3_000;
const MOST_CONFIGURATIONS: usize = 10_000;
/// Calls of no more than these are looked for a run of: as many as the second pass has where nothing else is said.
const MOST_CALLS: u32 = 64;
/// No more bodies are run than these in looking for what is refused, nor is it asked of more calls whether they can be tried.
const MOST_RUN: usize = 200_000;
const MOST_TRIED: usize = 1_000_000;
/// No more arguments of a call are tried in one configuration than these: others are tried in others.
const MOST_ARGUMENTS: usize = 40;

/// A class that is run, along an EPA of which all is judged.
pub(crate) struct Exercise<'a> {
    runner: Runner<'a>,
    teller: RunTeller<'a>,
    explored: Explored,
    /// How many bodies may still be run, and calls be tried.
    runs_left: Cell<usize>,
    tries_left: Cell<usize>,
}

/// What is asked about refusals of a call.
pub(crate) struct Asked<'a> {
    pub callee: Callee,
    /// So many of the `requires` clauses, the first ones, say that there is such a call.
    pub clauses: usize,
    /// The conditions of the body.
    pub conditions: Vec<&'a Expr>,
}

impl<'a> Exercise<'a> {
    /// Runs the class from its constructors on, with these arguments and others, until all these edges are taken, and some way
    /// on, but only through these configurations; none where a guard is a guess, so that which edges a run takes is not known.
    pub(crate) fn new(
        subject: &'a Subject,
        source: &'a Source,
        found: &'a Confirmed,
        given: BTreeMap<Callee, Vec<Vec<Value>>>,
        wanted: &BTreeSet<EdgeId>,
        within: Within<'a>,
    ) -> Option<Self> {
        let epa = &found.abstraction;
        if subject.is_guess() {
            return None;
        }
        let runner = Runner::new(subject, epa, given);
        let runner = runner.with_all_choices().through(within);
        let enough = |found: &Explored| {
            let reached = found.reached.len();
            reached >= MOST_CONFIGURATIONS
                || (reached >= ENOUGH_CONFIGURATIONS
                    && wanted.iter().all(|edge| found.takes(*edge)))
        };
        let explored = runner.explore(MOST_CALLS, &Aim::edges(&enough));
        Some(Exercise {
            runner,
            teller: RunTeller {
                subject,
                names: &epa.names,
                automaton: &epa.automaton,
                edges: epa.automaton.edges.len(),
                source,
            },
            explored,
            runs_left: Cell::new(MOST_RUN),
            tries_left: Cell::new(MOST_TRIED),
        })
    }

    /// A run that takes an edge, if one was found.
    pub(crate) fn run(&self, edge: EdgeId) -> Option<Run> {
        self.explored.run(&self.runner, &self.teller, edge)
    }

    /// A configuration that was reached.
    pub(crate) fn reached(&self, at: usize) -> Option<&Configuration> {
        self.explored.reached.get(at).map(|reached| &reached.now)
    }

    /// All of them, so that the first ones are as different as can be: by turns of the edges that they were reached by, and of
    /// each of these from all over.
    pub(crate) fn spread(&self) -> Vec<usize> {
        let mut by_edge: BTreeMap<EdgeId, Vec<usize>> = BTreeMap::new();
        for (at, reached) in self.explored.reached.iter().enumerate() {
            by_edge.entry(reached.edge()).or_default().push(at);
        }
        let mut turns = Vec::new();
        for of_edge in by_edge.values() {
            for (turn, at) in from_all_over(of_edge.len()).into_iter().enumerate() {
                turns.extend(of_edge.get(at).map(|reached| (turn, *reached)));
            }
        }
        // Which edge is first in a turn does not change.
        turns.sort_by_key(|(turn, _)| *turn);
        turns.into_iter().map(|(_, reached)| reached).collect()
    }

    /// The run that leads to one of them.
    pub(crate) fn run_to(&self, at: usize) -> Option<Run> {
        let reached = self.explored.reached.get(at)?;
        self.explored.run_to(&self.runner, &self.teller, reached)
    }

    /// The conditions for which the body of a call may refuse it.
    pub(crate) fn conditions(&self, callee: Callee) -> Vec<&'a Expr> {
        let walker = &self.runner.walker;
        let routine = walker.routine(callee).map(|r| walker.program().routine(r));
        let body = routine.and_then(|routine| routine.body.as_deref());
        let statements = walk::statements(body);
        let assumed = statements.into_iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Assume(condition) => Some(condition),
            _ => None,
        });
        assumed.flat_map(formula::conjuncts).collect()
    }

    /// Whether it was looked long enough for what is refused.
    pub(crate) fn is_spent(&self) -> bool {
        self.runs_left.get() == 0 || self.tries_left.get() == 0
    }

    /// The arguments with which a call is refused here (a constructor where there is no object) for one of the conditions alone,
    /// each with that condition.
    pub(crate) fn refused_for(
        &self,
        now: &Configuration,
        asked: &Asked<'a>,
    ) -> Vec<(Vec<Value>, &'a Expr)> {
        let callee = asked.callee;
        if asked.conditions.is_empty() || self.is_spent() {
            return Vec::new();
        }
        let types = self.runner.walker.parameters(callee);
        let given = self.runner.given(now.this.map(|_| now), &types);
        let (candidates, _) = self.runner.trial.candidates(&given, callee, &types);
        let tried = candidates.filter(|arguments| self.may_try(&given.now, arguments, asked));
        let alone = tried.take(MOST_ARGUMENTS).filter_map(|arguments| {
            let condition = self.alone(&given.now, &arguments, asked)?;
            Some((arguments, condition))
        });
        alone.collect()
    }

    /// Whether there is such a call, whatever its body does.
    fn may_try(&self, now: &Configuration, arguments: &[Value], asked: &Asked<'a>) -> bool {
        let Some(left) = self.tries_left.get().checked_sub(1) else {
            return false;
        };
        self.tries_left.set(left);
        let walker = &self.runner.walker;
        let interpreter = walker.interpreter();
        let routine = walker.routine(asked.callee);
        let meets = routine.map(|routine| {
            interpreter.meets_first(asked.clauses, now, now.this, routine, arguments)
        });
        meets == Some(Ok(true))
    }

    /// The condition for which alone the body refuses a call.
    fn alone(
        &self,
        now: &Configuration,
        arguments: &[Value],
        asked: &Asked<'a>,
    ) -> Option<&'a Expr> {
        let routine = self.runner.walker.routine(asked.callee)?;
        let interpreter = self.runner.walker.interpreter();
        let ends = |without: Option<&'a Expr>| {
            self.runs_left.set(self.runs_left.get().checked_sub(1)?);
            let interpreter = without.map_or(interpreter, |it| interpreter.without(it));
            let (class, arguments) = (routine.class, arguments.to_vec());
            let mut choices = OnlyInitial(&self.runner.trial);
            Some(match now.this {
                Some(this) => interpreter.call(now, this, routine, arguments, &mut choices),
                None => interpreter.construct(now, class, Some(routine), arguments, &mut choices),
            })
        };
        if ends(None)?.outcome != Outcome::Blocked {
            return None;
        }
        let is_made = |condition: &&'a Expr| {
            ends(Some(condition)).is_some_and(|execution| {
                let end = &execution.configuration;
                // Where no run ends, nothing shows: nobody has so much ether.
                matches!(execution.outcome, Outcome::Normal(_))
                    && interpreter.facts_hold(end, routine.class) == Ok(true)
            })
        };
        asked.conditions.iter().copied().find(is_made)
    }
}

/// Knows nothing but some value for a field that is not assigned yet: what else the class leaves open, arguments do not decide.
struct OnlyInitial<'t, 'a>(&'t Trial<'a>);

impl Choices for OnlyInitial<'_, '_> {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        let values = match request.purpose {
            Purpose::InitialField(_) => self.0.values(request.now, &[], request.ty),
            _ => Vec::new(),
        };
        values.into_iter().next().ok_or_else(open)
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        Err(open())
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        _: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        Err(open())
    }
}

fn open() -> NoDecision {
    NoDecision::Unknown("the class leaves it open".into())
}

/// The numbers below this one, each once: every beginning of them is from all over.
fn from_all_over(below: usize) -> Vec<usize> {
    let width = usize::BITS - below.saturating_sub(1).leading_zeros();
    // Counted with the bits from behind, the first half is even numbers, the first quarter is those that can be divided by four.
    let backwards = |n: usize| match width {
        0 => n,
        _ => n.reverse_bits() >> (usize::BITS - width),
    };
    let all = 0..1_usize << width;
    all.map(backwards).filter(|n| *n < below).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_is_from_all_over() {
        assert_eq!(from_all_over(6), [0, 4, 2, 1, 5, 3]);
        assert_eq!(from_all_over(1), [0]);
        assert_eq!(from_all_over(0), [] as [usize; 0]);
    }
}
