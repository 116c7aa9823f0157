//! Two rounds, where there is a time for all questions: in the first each call is asked about for a short time, and in the second those
//! of which that was not enough.
//!
//! What is found in either of them is whole: a call leads to no other states than these. So of each call the better one can be taken.

use std::collections::{BTreeMap, BTreeSet};

use super::explore::{EdgesOfCall, EpaExplorer, ExploredEdges, new_states};
use super::targets::Stopped;
use crate::query::{AbstractState, Step};

impl EpaExplorer<'_> {
    /// The edges that lead to states, and whether some of them might not be there, or be certain, if there were more time.
    ///
    /// # Errors
    /// See [`EpaExplorer::explore`].
    pub(super) fn explore_in_rounds(&self) -> Result<(ExploredEdges, bool), Stopped> {
        let first = self.explore();
        let is_open = self.finder.left_unasked();
        let has_time = !self.desk.ran_late() && !self.desk.is_interrupted();
        let found = match first {
            Ok(first) if is_open && has_time => {
                self.finder.begin_again(first.unasked());
                match self.explore() {
                    Ok(again) => (first.improved_by(again), self.is_open()),
                    // What was known before is known still.
                    Err(Stopped::TimeOver | Stopped::TooManyCandidates { .. }) => (first, true),
                    Err(rejected) => return Err(rejected),
                }
            }
            // Which states there are takes more than a part of the time.
            Err(Stopped::TimeOver) if has_time => {
                self.finder.begin_again(1);
                (self.explore()?, self.is_open())
            }
            first => (first?, is_open),
        };
        if has_time {
            self.desk.end_rounds();
        }
        Ok(found)
    }

    fn is_open(&self) -> bool {
        self.finder.left_unasked() || self.desk.is_interrupted()
    }
}

impl ExploredEdges {
    /// How many calls lead to states of which nobody was asked, for want of an answer.
    fn unasked(&self) -> usize {
        let edges = self.constructors.iter().chain(&self.calls);
        edges.filter(|edges| edges.is_unasked()).count()
    }

    /// Of each call the better knowledge of two rounds, of which this is the first one.
    fn improved_by(self, again: ExploredEdges) -> ExploredEdges {
        let first = self.constructors.into_iter().chain(self.calls);
        let mut first: BTreeMap<Step, EdgesOfCall> =
            first.map(|edges| (edges.step.clone(), edges)).collect();
        let mut better = |edges: EdgesOfCall| {
            let known = first.remove(&edges.step);
            edges.or_known(known)
        };
        let constructors: Vec<EdgesOfCall> =
            again.constructors.into_iter().map(&mut better).collect();
        let mut of_state = by_state(again.calls.into_iter().map(better));
        // A state that the second round did not come to has the calls of the first one. Of one that it came to, all are there: which is
        // not cannot end so.
        for (state, calls) in by_state(first.into_values()) {
            of_state.entry(state).or_insert(calls);
        }
        // What no edge leads to any more is no state of it.
        let mut seen = BTreeSet::new();
        let mut frontier = new_states(&constructors, &mut seen);
        let mut calls = Vec::new();
        while !frontier.is_empty() {
            let of_frontier = frontier.iter().filter_map(|state| of_state.remove(state));
            let edges: Vec<EdgesOfCall> = of_frontier.flatten().collect();
            frontier = new_states(&edges, &mut seen);
            calls.extend(edges);
        }
        ExploredEdges {
            constructors,
            calls,
            ..again
        }
    }
}

/// The edges of actions, by the states that they are called in.
fn by_state(edges: impl Iterator<Item = EdgesOfCall>) -> BTreeMap<AbstractState, Vec<EdgesOfCall>> {
    let mut of_state: BTreeMap<AbstractState, Vec<EdgesOfCall>> = BTreeMap::new();
    for edges in edges {
        if let Some(source) = &edges.step.source {
            of_state.entry(source.clone()).or_default().push(edges);
        }
    }
    of_state
}

impl EdgesOfCall {
    /// Whether it leads to states of which nobody was asked, for want of an answer.
    fn is_unasked(&self) -> bool {
        self.targets.values().any(|target| target.is_unasked())
    }

    /// What is better known of the same call: this, of the second round, or what the first one found. That is whole, and this is not
    /// where somebody interrupted it.
    fn or_known(self, first: Option<EdgesOfCall>) -> EdgesOfCall {
        let is_less = self.late || self.is_unasked();
        let is_better = |first: &EdgesOfCall| self.open || (is_less && !first.is_unasked());
        first.filter(is_better).unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::explore::Violation;
    use super::super::targets::TargetState;
    use super::*;
    use crate::ask::Doubt;
    use crate::ir::ExceptionId;
    use crate::query::{ActionId, ConstructorId, Exit, Mark};

    /// The state in which these actions can be called.
    fn state(actions: &[usize]) -> AbstractState {
        let marks = actions.iter().map(|at| Mark::Enabled(ActionId(*at)));
        marks.collect()
    }

    fn call(from: &AbstractState) -> Step {
        Step::call(from.clone(), ActionId(0), Exit::Normal)
    }

    fn raise(from: &AbstractState) -> Step {
        Step::call(from.clone(), ActionId(0), Exit::Exception(ExceptionId(0)))
    }

    fn edges(step: Step, targets: &[&AbstractState], doubt: Option<Doubt>) -> EdgesOfCall {
        let target = || TargetState {
            doubt: doubt.clone(),
            ..TargetState::default()
        };
        let targets = targets.iter().map(|state| ((*state).clone(), target()));
        EdgesOfCall {
            step,
            targets: targets.collect(),
            violation: Violation::Never,
            open: false,
            late: false,
        }
    }

    fn explored(made: &AbstractState, calls: Vec<EdgesOfCall>) -> ExploredEdges {
        let step = Step::construct(ConstructorId(0), Exit::Normal);
        ExploredEdges {
            constructors: vec![edges(step, &[made], None)],
            calls,
            failing_constructors: vec![],
            runtime_errors: vec![],
            violating: BTreeSet::new(),
        }
    }

    /// A call of which the second round tells more has its edges, and one that was not asked about in time those of the first; where
    /// nothing leads any more, there is no state.
    #[test]
    fn of_each_call_the_better_round_counts() {
        let [one, two, three] = [state(&[0]), state(&[0, 1]), state(&[0, 2])];
        let raise = raise(&one);
        let unknown = Some(Doubt::Bound(3));
        let all = [&one, &two, &three];
        let first = explored(
            &one,
            vec![
                edges(call(&one), &all, unknown.clone()),
                edges(raise, &all, unknown.clone()),
                edges(call(&two), &[&two], None),
                edges(call(&three), &[&three], None),
            ],
        );
        let late = EdgesOfCall {
            late: true,
            ..edges(call(&two), &all, unknown)
        };
        let again = explored(&one, vec![edges(call(&one), &[&two], None), late]);
        let found = first.improved_by(again);
        let expected = [
            (call(&one), vec![two.clone()]),
            (call(&two), vec![two.clone()]),
        ];
        assert_eq!(lines(&found), expected);
        assert_eq!(found.states(), (vec![one, two], 1));
    }

    /// Where somebody interrupts the second round, it may have found nothing, and what was not asked in the first one is open.
    #[test]
    fn what_is_interrupted_takes_nothing_away() {
        let [one, two] = [state(&[0]), state(&[0, 1])];
        let unknown = Some(Doubt::Bound(3));
        let first = explored(
            &one,
            vec![
                edges(call(&one), &[&one, &two], unknown),
                edges(call(&two), &[&two], None),
            ],
        );
        let expected = lines(&first);
        let mut again = explored(&one, vec![]);
        for edges in &mut again.constructors {
            edges.open = true;
            edges.targets.clear();
        }
        assert_eq!(lines(&first.improved_by(again)), expected);
    }

    /// A state to which only the first round has an edge has the calls of that, and one to which only the second has, of this.
    #[test]
    fn every_state_has_its_calls() {
        let [one, two, three] = [state(&[0]), state(&[0, 1]), state(&[0, 2])];
        let raise = raise(&one);
        let unknown = Some(Doubt::Bound(3));
        let first = explored(
            &one,
            vec![
                edges(call(&one), &[&two], None),
                edges(raise.clone(), &[&one], unknown.clone()),
                edges(call(&two), &[&two], None),
            ],
        );
        let late = EdgesOfCall {
            late: true,
            ..edges(call(&one), &[&one], unknown)
        };
        let again = explored(
            &one,
            vec![
                late,
                edges(raise.clone(), &[&three], None),
                edges(call(&three), &[&three], None),
            ],
        );
        let found = first.improved_by(again);
        let expected = [
            (call(&one), vec![two.clone()]),
            (raise, vec![three.clone()]),
            (call(&two), vec![two.clone()]),
            (call(&three), vec![three.clone()]),
        ];
        assert_eq!(lines(&found), expected);
    }

    fn lines(found: &ExploredEdges) -> Vec<(Step, Vec<AbstractState>)> {
        let calls = found.calls.iter();
        let lines =
            calls.map(|edges| (edges.step.clone(), edges.targets.keys().cloned().collect()));
        lines.collect()
    }
}
