//! Where an EPA leads, and runs that get there.

use std::collections::BTreeSet;

use super::{AccessAsker, EXTENT, ToldCall};
use crate::ask::{Answer, Named, Performed, PerformedCall, fields, variables};
use crate::ir::Expr;
use crate::query::{EdgeId, Query, StateId, kinds, without_types};

/// A run that is looked for.
pub(super) struct WantedRun<'a> {
    /// What tells it from others.
    pub label: String,
    /// One of these its last call takes.
    pub edges: &'a BTreeSet<EdgeId>,
    /// This holds before the last call, if that is not the first.
    pub before: Expr,
    /// This holds where it ends.
    pub end: Expr,
}

impl AccessAsker<'_> {
    /// A run that was run, of which what is to hold of the fields in the end is seen.
    pub(super) fn run(
        &self,
        wanted: &WantedRun<'_>,
        is_seen: impl Fn(&[Named]) -> bool,
    ) -> Option<Vec<ToldCall>> {
        let live: BTreeSet<EdgeId> = self.epa.edges().map(|(id, ..)| id).collect();
        let subject = self.desk.subject();
        let mut lengths = 1..=EXTENT.max_calls;
        lengths.find_map(|calls| {
            let calls = usize::try_from(calls).ok()?;
            let automaton = &self.epa.automaton;
            let mut walk = automaton.walks(None, calls, wanted.edges, &live)?;
            // It is asked for a walk of which this holds: what is assumed of it is what is wanted.
            walk.known = vec![vec![]; calls];
            if let [.., before, end] = walk.known.as_mut_slice() {
                before.push(wanted.before.clone());
                end.push(wanted.end.clone());
            } else if let [end] = walk.known.as_mut_slice() {
                end.push(wanted.end.clone());
            }
            let query = kinds::run(subject, walk);
            let query = Query {
                name: format!("{}.{}", query.name, wanted.label),
                ..query
            };
            let Answer::Yes(witness) = self.searcher.ask(&query) else {
                return None;
            };
            let made = witness.performed()?;
            let end = fields(&subject.program, &made.calls.last()?.end);
            is_seen(&end).then(|| self.told(made))
        })
    }

    fn told(&self, made: &Performed) -> Vec<ToldCall> {
        made.calls.iter().map(|call| self.told_call(call)).collect()
    }

    fn told_call(&self, call: &PerformedCall) -> ToldCall {
        let subject = self.desk.subject();
        let program = &subject.program;
        let name = self.epa.names.callee(call.callee);
        ToldCall {
            name: without_types(name).to_owned(),
            arguments: variables(program, subject.params(call.callee), &call.arguments),
        }
    }

    /// The states that these edges lead to from some, and these.
    pub(super) fn reachable(
        &self,
        from: impl IntoIterator<Item = StateId>,
        edges: &BTreeSet<EdgeId>,
    ) -> BTreeSet<StateId> {
        let from = from.into_iter().map(Some);
        let (states, _) = self.epa.automaton.reachable_from(from, edges);
        states
    }
}
