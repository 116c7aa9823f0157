//! `state { … } assumes e`: whether there is such a state, and whether every call that ends in it establishes `e`.
//!
//! The proof is by induction on the calls made so far: `e` is assumed of the state a call begins in (there it may
//! be used), and asked for where it ends.

use super::{PremiseChecker, Premises};
use crate::ask::Answer;
use crate::epa::findings::{Assumed, Finding};
use crate::ir::{Expr, formula};
use crate::query::{AbstractState, Callee, Exit, Holds, Query, Step, kinds};

impl PremiseChecker<'_> {
    pub(super) fn assumptions(&self, found: &mut Premises) {
        let assumed = self.subject().assumptions();
        for (index, (state, e)) in assumed.iter().enumerate() {
            let words = Assumed {
                clause: self.text(e),
                state: (state.clone(), self.id(state)),
            };
            let impossible = self.impossible(index, state, e);
            let unproved = match impossible {
                Some(true) => vec![],
                _ => self.unproved(index, &assumed, &words),
            };
            if let Some(no_such_state) = impossible
                && (no_such_state || !unproved.is_empty())
            {
                found.findings.push(Finding::ContradictoryAssumption {
                    assumed: words,
                    no_such_state,
                });
                continue;
            }
            if unproved.is_empty() {
                let place = match words.state.1 {
                    Some(id) => id.to_string(),
                    None => self.subject().state_words(state),
                };
                let why = match impossible {
                    // What it says is that no object is there.
                    Some(_) => "no call ends there",
                    None => "every call that ends there establishes it",
                };
                found.notes.push(format!(
                    "`{}`, assumed of {place}, is proved: {why}",
                    words.clause
                ));
            }
            found.findings.extend(unproved);
        }
    }

    /// An assumption about a state that is none (then this is true), or that takes all its configurations away (false).
    fn impossible(&self, index: usize, state: &AbstractState, e: &Expr) -> Option<bool> {
        let mut query = kinds::such_configuration("assumed-state", &format!("{}", index + 1));
        query.start.given = vec![self.subject().enabling_as_in(state)];
        if self.desk.ask(&query).is_no() {
            return Some(true);
        }
        let label = format!("{}.assumed", index + 1);
        let given = std::mem::take(&mut query.start.given);
        query = kinds::such_configuration("assumed-state", &label);
        query.start.given = given.into_iter().chain([e.clone()]).collect();
        self.desk.ask(&query).is_no().then_some(false)
    }

    /// The calls that may end in the state without what is assumed of it.
    fn unproved(
        &self,
        index: usize,
        assumed: &[(AbstractState, Expr)],
        words: &Assumed,
    ) -> Vec<Finding> {
        let constructed = self.subject().constructor_ids();
        let constructed = constructed.map(|id| Step::construct(id, Exit::Normal));
        let called = self
            .subject()
            .action_ids()
            .map(|id| Step::anywhere(id, Exit::Any));
        let steps: Vec<Step> = constructed.chain(called).collect();
        let unproved = steps.iter();
        unproved
            .filter_map(|step| self.without_assumption(index, assumed, words, step))
            .collect()
    }

    fn without_assumption(
        &self,
        index: usize,
        assumed: &[(AbstractState, Expr)],
        words: &Assumed,
        step: &Step,
    ) -> Option<Finding> {
        let (state, e) = assumed.get(index)?;
        let subject = self.subject();
        let label = format!("{}", index + 1);
        let mut query = kinds::such_call(subject, "assumption", &label, step);
        query.end = kinds::asked_for(vec![subject.enabling_as_in(state), formula::not(e.clone())]);
        if !step.callee.is_constructor() {
            let others = assumed.iter();
            query.start.given = others
                .map(|(a, e)| formula::implies(subject.certainly_enabling_as_in(a), e.clone()))
                .collect();
            query.start.watched = self.guards();
        }
        let query = query.ending_where(Holds::Yes);
        let mut answer = self.desk.ask(&query);
        if let (Answer::Yes(witness), Callee::Action(_)) = (&answer, step.callee)
            && self
                .id(&subject.state_where(witness.held_before()))
                .is_none()
        {
            // No object is in a state that the EPA does not have: whether it is so from those that it has.
            answer = self.desk.ask(&self.in_known(query));
        }
        let from = match (answer.settled(), step.callee) {
            (Ok(None), _) => return None,
            (Ok(Some(witness)), Callee::Constructor(constructor)) => {
                return Some(Finding::FalseAssumption {
                    assumed: words.clone(),
                    constructor,
                    end: witness.after(&subject.program),
                });
            }
            (Ok(Some(witness)), Callee::Action(_)) => {
                let from = subject.state_where(witness.held_before());
                let id = self.id(&from);
                Ok((from, id, self.start_words(step.callee, &witness)))
            }
            (Err(doubt), _) => Err(doubt),
        };
        Some(Finding::UnprovedAssumption {
            assumed: words.clone(),
            callee: step.callee,
            from,
        })
    }

    /// The same question of calls in the states that were reached.
    fn in_known(&self, query: Query) -> Query {
        let mut query = query;
        query.name = format!("{}.from_known", query.name);
        let known = self.ids.keys().map(|state| self.subject().in_state(state));
        query.start.given.push(formula::any(known));
        query
    }

    /// Whether states have each mark, to be watched.
    pub(super) fn guards(&self) -> Vec<Expr> {
        let subject = self.subject();
        let guards = subject.marks().map(|mark| subject.guard(mark));
        guards.map(|guard| guard.enabled.clone()).collect()
    }
}
