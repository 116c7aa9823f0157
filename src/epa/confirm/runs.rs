//! What a walk along the automaton is told as: a run of the class, with the values that are known.

use crate::ask::{
    PerformedCall, Run, RunCall, Witness, fields, lines, objects, user_lines, variables,
};
use crate::encode::Encoding;
use crate::interp::{Configuration, Outcome, Value};
use crate::ir::{Program, Source, VarId};
use crate::query::{Automaton, Callee, EdgeId, Exit, Names, Subject};

/// A walk that an engine found.
pub(super) struct Walked {
    /// The edges taken, in order.
    pub edges: Vec<EdgeId>,
    /// The calls as they are shown; one an edge.
    pub run: Run,
    /// The configuration that it begins with, where it was run from one that is known.
    pub start: Option<Configuration>,
    /// The configuration after each call, where it was run.
    pub configurations: Vec<Configuration>,
    /// What each call was given, where it was run.
    pub given: Vec<(Callee, Vec<Value>)>,
}

/// Tells walks.
pub(super) struct RunTeller<'a> {
    pub subject: &'a Subject,
    pub names: &'a Names,
    pub automaton: &'a Automaton,
    /// How many of its edges are the EPA's.
    pub edges: usize,
    /// The text of the class, for the lines of its statements.
    pub source: &'a Source,
}

impl RunTeller<'_> {
    /// The walk that a witness is; of one that was not run, as it was encoded.
    pub(super) fn tell(&self, encoding: &Encoding, witness: &Witness) -> Walked {
        let edges = witness.edges();
        let Some(performed) = witness.performed() else {
            return Walked {
                run: Run {
                    calls: self.by_labels(encoding, witness, &edges),
                    replayed: false,
                    not_replayed: witness.not_replayed().map(str::to_owned),
                },
                edges,
                start: None,
                configurations: vec![],
                given: vec![],
            };
        };
        let calls = edges.iter().zip(&performed.calls);
        let calls = calls.map(|(id, call)| self.done(*id, call));
        let first = edges.first().map(|id| self.automaton[*id].callee);
        let is_known = matches!(first, Some(Callee::Action(_)));
        Walked {
            run: Run {
                calls: calls.collect(),
                replayed: true,
                not_replayed: None,
            },
            start: is_known.then(|| performed.start.clone()),
            configurations: performed
                .calls
                .iter()
                .map(|call| call.end.clone())
                .collect(),
            given: performed
                .calls
                .iter()
                .map(|call| (call.callee, call.arguments.clone()))
                .collect(),
            edges,
        }
    }

    /// A call that takes this edge, with all that is known of it.
    pub(super) fn done(&self, id: EdgeId, call: &PerformedCall) -> RunCall {
        let told = self.performed(self.call(id), call);
        match self.automaton[id].target {
            // A constructor that fails leaves no object.
            None if call.callee.is_constructor() => RunCall {
                fields: vec![],
                ..told
            },
            _ => told,
        }
    }

    /// A call that ends this way as no edge says, with all that is known of it.
    pub(super) fn done_astray(&self, exit: &Exit, call: &PerformedCall) -> RunCall {
        let told = RunCall {
            edge: None,
            name: self.names.callee(call.callee).to_owned(),
            exception: self.names.exception(exit).map(str::to_owned),
            ..RunCall::default()
        };
        self.performed(told, call)
    }

    fn performed(&self, told: RunCall, call: &PerformedCall) -> RunCall {
        let results = match &call.outcome {
            Outcome::Normal(results) => results.as_slice(),
            _ => &[],
        };
        let program = self.program();
        RunCall {
            arguments: variables(program, self.subject.params(call.callee), &call.arguments),
            objects: objects(program, &call.before, &call.arguments),
            results: variables(program, self.results(call.callee), results),
            fields: fields(program, &call.end),
            path: lines(self.source, &call.log),
            user_path: user_lines(self.source, &call.log),
            ..told
        }
    }

    fn program(&self) -> &Program {
        &self.subject.program
    }

    fn results(&self, callee: Callee) -> &[VarId] {
        let routine = self.subject.routine(callee);
        routine.map_or(&[], |r| &self.program().routine(r).results)
    }

    /// A call of which only the edge is known.
    fn call(&self, id: EdgeId) -> RunCall {
        let edge = &self.automaton[id];
        RunCall {
            edge: self.is_of_epa(id).then_some(id.0),
            name: self.names.callee(edge.callee).to_owned(),
            exception: self.names.exception(&edge.exit).map(str::to_owned),
            target: edge.target.map(|t| self.names.state(t).to_owned()),
            ..RunCall::default()
        }
    }

    /// Whether it is an edge of the EPA: what else is looked for comes behind these.
    fn is_of_epa(&self, id: EdgeId) -> bool {
        id.0 < self.edges
    }

    /// The calls with the values that the trace names: for what cannot be run.
    fn by_labels(&self, encoding: &Encoding, witness: &Witness, edges: &[EdgeId]) -> Vec<RunCall> {
        let layouts = edges.iter().map(|id| {
            let edge = &self.automaton[*id];
            encoding.call_layout(edge.callee, edge.target.is_some())
        });
        let layouts: Vec<_> = layouts.collect();
        let values = witness.calls_by_labels(self.program(), &layouts);
        let calls = edges
            .iter()
            .zip(values)
            .map(|(id, (arguments, fields))| RunCall {
                arguments,
                fields,
                ..self.call(*id)
            });
        calls.collect()
    }
}
