//! Which clauses hold in which state: those that an edge does not establish where it ends are dropped, until all edges establish
//! what is left (Houdini, over the edges of the EPA).

use std::collections::{BTreeMap, BTreeSet};

use super::Known;
use crate::ask::houdini::{self, Kept};
use crate::ask::{Answer, Desk};
use crate::epa::Abstraction;
use crate::ir::Expr;
use crate::query::{Edge, EdgeId, StateId, Subject, kinds};

/// Finds what holds in the states of an EPA.
pub(super) struct StateSearch<'a> {
    pub desk: &'a Desk<'a>,
    pub epa: &'a Abstraction,
}

impl StateSearch<'_> {
    fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    /// What holds in each state, of these clauses.
    pub(super) fn known(&self, clauses: &[Expr]) -> Vec<Known> {
        let states = self.epa.states();
        let all = states.flat_map(|(state, _)| {
            let clauses = clauses.iter().cloned();
            clauses.map(move |clause| Known { state, clause })
        });
        let edges = self.epa.edges().map(|(id, edge, _)| (id, edge));
        let (made, called): (Vec<_>, Vec<_>) = edges
            .filter(|(_, edge)| edge.target.is_some())
            .partition(|(_, edge)| edge.source.is_none());
        // With how many clauses of its source an edge was proved to keep what it is asked about. Clauses are only dropped: where
        // there are still as many, nothing needs to be asked anew.
        let mut proved_with: BTreeMap<EdgeId, usize> = BTreeMap::new();
        houdini::kept(
            all.collect(),
            &made,
            &called,
            |(_, edge), known| self.may_break(edge, known),
            |(id, edge), known, goal| {
                let assumed = match edge.source {
                    Some(source) => of_state(known, source),
                    None => vec![],
                };
                if proved_with.get(id) == Some(&assumed.len()) {
                    return Kept::All;
                }
                let kept = self.ask(edge, &assumed, goal);
                if matches!(kept, Kept::All) {
                    proved_with.insert(*id, assumed.len());
                }
                kept
            },
        )
    }

    /// Whether the edge has to be asked about the clause: it ends in the clause's state, and does not just stay there without
    /// changing what the clause speaks of.
    fn may_break(&self, edge: &Edge, known: &Known) -> bool {
        let stays = edge.source == edge.target;
        let step = self.epa.automaton.step(edge);
        let may_change = || kinds::may_change(self.subject(), &step, &known.clause);
        edge.target == Some(known.state) && (!stays || may_change())
    }

    fn ask(&self, edge: &Edge, assumed: &[Expr], goal: &[Known]) -> Kept {
        let goal: Vec<Expr> = goal.iter().map(|known| known.clause.clone()).collect();
        let broken = self.broken(edge, assumed, &goal, 0);
        match broken.is_empty() {
            true => Kept::All,
            false => Kept::But(broken),
        }
    }

    /// Which clauses, by their positions behind the first, the edge is seen to break. Where that is not known of all together, it is
    /// asked about halves of them: a single one that is hard does not take the others along.
    fn broken(
        &self,
        edge: &Edge,
        assumed: &[Expr],
        goal: &[Expr],
        first: usize,
    ) -> BTreeSet<usize> {
        let automaton = &self.epa.automaton;
        let (step, Some(target)) = (automaton.step(edge), automaton.target(edge)) else {
            return BTreeSet::new();
        };
        let query = kinds::breaks_some_in(self.subject(), &step, assumed, target, goal);
        let all = || (first..first + goal.len()).collect();
        match self.desk.ask(&query) {
            Answer::No => BTreeSet::new(),
            Answer::Yes(witness) | Answer::Guess(witness) => {
                let broken = witness.broken_after();
                let broken: BTreeSet<usize> = broken.map(|index| first + index).collect();
                // A trace that breaks nothing is none.
                if broken.is_empty() { all() } else { broken }
            }
            Answer::Unknown(_) if goal.len() > 1 && !self.is_stopped() => {
                let (front, back) = goal.split_at(goal.len() / 2);
                let mut broken = self.broken(edge, assumed, front, first);
                broken.extend(self.broken(edge, assumed, back, first + front.len()));
                broken
            }
            Answer::Unknown(_) => all(),
        }
    }

    fn is_stopped(&self) -> bool {
        self.desk.is_over() || self.desk.is_interrupted() || self.desk.rejected().is_some()
    }
}

/// The clauses of a state.
fn of_state(known: &[Known], state: StateId) -> Vec<Expr> {
    let known = known.iter().filter(|known| known.state == state);
    known.map(|known| known.clause.clone()).collect()
}
