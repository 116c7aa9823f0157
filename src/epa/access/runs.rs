//! Where an EPA leads, and runs that get there.

use std::collections::BTreeSet;

use super::{AccessAsker, EXTENT, ToldCall};
use crate::ask::{Answer, Named, Performed, PerformedCall, fields};
use crate::ir::Expr;
use crate::query::{EdgeId, Query, StateId, kinds};

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
        let routine = subject.routine(call.callee);
        let params = routine.map_or(&[][..], |routine| &program.routine(routine).params);
        let arguments = params.iter().zip(&call.arguments);
        let arguments = arguments.map(|(var, value)| Named {
            name: program.var(*var).name.clone(),
            value: value.display(program),
        });
        ToldCall {
            name: called(self.epa.names.callee(call.callee)),
            arguments: arguments.collect(),
        }
    }

    /// The states that these edges lead to from some, and these.
    pub(super) fn reachable(
        &self,
        mut states: BTreeSet<StateId>,
        edges: &BTreeSet<EdgeId>,
    ) -> BTreeSet<StateId> {
        let automaton = &self.epa.automaton;
        let mut open: Vec<StateId> = states.iter().copied().collect();
        while let Some(state) = open.pop() {
            let leaving = edges.iter().map(|id| &automaton[*id]);
            let leaving = leaving.filter(|edge| edge.source == Some(state));
            for target in leaving.filter_map(|edge| edge.target) {
                if states.insert(target) {
                    open.push(target);
                }
            }
        }
        states
    }
}

/// The name of what is called, without the types of its parameters.
pub(super) fn called(name: &str) -> String {
    name.split('(').next().unwrap_or_default().to_owned()
}
