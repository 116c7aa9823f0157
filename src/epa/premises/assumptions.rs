//! `state { … } assumes e`: whether there is such a state, and whether every call that ends in it establishes `e`.
//!
//! The proof is by induction on the calls made so far: `e` is assumed of the state a call begins in (there it may
//! be used), and asked for where it ends.

use crate::encode::{Exit, Holds, Probe, Step};
use crate::epa::ask::Probed;
use crate::epa::findings;
use crate::epa::model::Finding;
use crate::epa::witness::words;
use crate::ir::Expr;
use crate::ir::formula;
use crate::query::ActionSet;

use super::{Checker, Premises};

impl Checker<'_> {
    pub(super) fn assumptions(&self, found: &mut Premises) {
        let assumed = self.encoding.assumptions();
        for (index, (state, e)) in assumed.iter().enumerate() {
            let words = format!("`{}`", self.text(e));
            if let Some(finding) = self.impossible(index, state, e, &words) {
                found.findings.push(finding);
                continue;
            }
            let unproved = self.unproved(index, &assumed);
            if unproved.is_empty() {
                found.notes.push(format!(
                    "{words}, assumed of {}, is proved: every call that ends there establishes it",
                    self.state_words(state)
                ));
            }
            found.findings.extend(unproved);
        }
    }

    /// An assumption about a state that is none, or that takes all its configurations away.
    fn impossible(
        &self,
        index: usize,
        state: &ActionSet,
        e: &Expr,
        words: &str,
    ) -> Option<Finding> {
        let id = self.ids.get(state).map(String::as_str);
        let mut probe = Probe::of_configurations("assumed-state", format!("{}", index + 1));
        probe.before = vec![self.encoding.in_state(state)];
        let place = self.state_words(state);
        let kind = findings::CONTRADICTORY_ASSUMPTION;
        if self.asker.probe(&probe) == Probed::No {
            let message = format!(
                "{words} is assumed of {place}, but no configuration enables exactly these actions"
            );
            return Some(findings::finding(kind, id, None, message));
        }
        probe.label = format!("{}.assumed", index + 1);
        probe.before.push(e.clone());
        if self.asker.probe(&probe) == Probed::No {
            let message = format!(
                "{words} is assumed of {place}, but contradicts what holds there: the state is lost, with all that \
                 leads to it"
            );
            return Some(findings::finding(kind, id, None, message));
        }
        None
    }

    /// The calls that may end in the state without what is assumed of it.
    fn unproved(&self, index: usize, assumed: &[(ActionSet, Expr)]) -> Vec<Finding> {
        let constructors = 0..self.encoding.constructors.len();
        let constructed = constructors.map(|constructor| Step::Construct {
            constructor,
            exit: Exit::Normal,
        });
        let actions = 0..self.encoding.actions.len();
        let called = actions.map(|action| Step::Call {
            source: None,
            action,
            exit: Exit::Any,
        });
        let steps: Vec<Step> = constructed.chain(called).collect();
        steps
            .iter()
            .filter_map(|step| self.without_assumption(index, assumed, step))
            .collect()
    }

    fn without_assumption(
        &self,
        index: usize,
        assumed: &[(ActionSet, Expr)],
        step: &Step,
    ) -> Option<Finding> {
        let (state, e) = assumed.get(index)?;
        let mut probe = Probe::of_call("assumption", format!("{}", index + 1), step.clone());
        probe.invariant_after = Holds::Yes;
        probe.after = vec![self.encoding.in_state(state), formula::not(e.clone())];
        let call = match step {
            Step::Construct { constructor, .. } => {
                &self.encoding.constructors[*constructor].display
            }
            Step::Call { action, .. } => {
                let others = assumed.iter();
                probe.before = others
                    .map(|(a, e)| formula::implies(self.encoding.only_in_state(a), e.clone()))
                    .collect();
                let guards = self.encoding.actions.iter();
                probe.watched_before = guards.map(|a| a.guard.enabled.clone()).collect();
                &self.encoding.actions[*action].name
            }
        };
        let place = self.state_words(state);
        let text = self.text(e);
        let id = self.ids.get(state).map(String::as_str);
        let (kind, message) = match (self.asker.probe(&probe), step) {
            (Probed::No, _) => return None,
            (Probed::Yes(witness), Step::Construct { .. }) => (
                findings::FALSE_ASSUMPTION,
                format!(
                    "`{text}` is assumed of {place}, but `{call}` ends there without it ({}): the EPA lacks what such \
                     objects can do",
                    words(&witness.after)
                ),
            ),
            (Probed::Yes(witness), Step::Call { .. }) => {
                let enabled = witness.held_before.iter().enumerate();
                let from: ActionSet = enabled.filter(|(_, held)| **held).map(|(a, _)| a).collect();
                (
                    findings::UNPROVED_ASSUMPTION,
                    format!(
                        "`{text}` is assumed of {place}, but not proved: `{call}`, called in {} with {}, ends there \
                         without it; if an object can come so far, the EPA lacks what it can do",
                        self.state_words(&from),
                        witness.start_words()
                    ),
                )
            }
            (Probed::Unknown(doubt), _) => (
                findings::UNPROVED_ASSUMPTION,
                format!(
                    "`{text}` is assumed of {place}, but not proved: whether `{call}` establishes it is not known \
                     ({doubt})"
                ),
            ),
        };
        Some(findings::finding(kind, id, Some(call), message))
    }
}
