//! Objects to walk with: made by the constructors and led on by calls, all in the concrete interpreter.

use std::collections::HashMap;

use serde::Serialize;

use super::concrete::read;
use super::explore::small_values;
use crate::ask::{Answer, Named};
use crate::epa::Abstraction;
use crate::epa::walk::{Taken, Walker};
use crate::interp::{Configuration, Value};
use crate::ir::{FieldRef, VarId};
use crate::query::{Callee, EdgeId, Subject};

/// No more objects than these are kept; and of one state, only so many of which nothing new is known.
const MOST_OBJECTS: usize = 400;
const MOST_ALIKE: usize = 6;
/// No more calls than these are made.
const MOST_CALLS: usize = 6_000;
/// No more combinations of arguments of an action are tried than these.
const MOST_ARGUMENTS: usize = 24;

/// Objects that runs of the class lead to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Objects {
    /// The fields whose values are known, in the order declared.
    pub fields: Vec<String>,
    /// The objects: those that constructors make first.
    pub states: Vec<ObjectState>,
    /// The calls between them.
    pub calls: Vec<ObjectCall>,
}

/// An object at some time of its life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectState {
    /// The id of the state it is in.
    pub state: String,
    /// The values of its fields, in the order of [`Objects::fields`].
    pub values: Vec<String>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectCall {
    /// The position of the edge it takes: the constructors' edges are counted first, then the transitions.
    pub edge: usize,
    /// The position of the object it is made on; none for a constructor.
    pub from: Option<usize>,
    /// The position of the object it leads to.
    pub to: usize,
    /// The arguments.
    pub arguments: Vec<Named>,
    /// The results.
    pub results: Vec<Named>,
}

/// Runs the class from its constructors on, breadth first, with the arguments that are known of the EPA's runs and
/// answers, and with small ones. What the class leaves open, and what the interpreter cannot tell, is not followed.
pub fn objects(subject: &Subject, epa: &Abstraction) -> Objects {
    let walker = Walker::new(subject, epa);
    let mut explorer = ObjectExplorer {
        arguments: arguments(&walker),
        walker: &walker,
        index: HashMap::new(),
        configurations: Vec::new(),
        calls: 0,
        objects: Objects {
            fields: fields(subject).map(|(name, _)| name).collect(),
            ..Objects::default()
        },
    };
    explorer.explore();
    explorer.objects
}

/// The fields of the class, each with its place.
fn fields(subject: &Subject) -> impl Iterator<Item = (String, FieldRef)> + '_ {
    let class = subject.class;
    let fields = subject.program.class(class).fields.iter().enumerate();
    fields.map(move |(index, field)| (field.name.clone(), FieldRef { class, index }))
}

/// The arguments to try, for each constructor and action.
fn arguments(walker: &Walker<'_>) -> Vec<(Callee, Vec<Vec<Value>>)> {
    let constructors = walker.subject.constructor_ids().map(Callee::Constructor);
    let actions = walker.subject.action_ids().map(Callee::Action);
    let callees = constructors.chain(actions);
    callees
        .map(|callee| (callee, arguments_of(walker, callee)))
        .collect()
}

fn arguments_of(walker: &Walker<'_>, callee: Callee) -> Vec<Vec<Value>> {
    let types = walker.parameters(callee);
    let epa = walker.epa;
    // A run is told in the EPA that is left.
    let left: Vec<Callee> = epa.edges().map(|(_, edge, _)| edge.callee).collect();
    let run = epa.runs.iter().flat_map(|run| &run.calls);
    let run = run.map(|call| {
        (
            call.edge.and_then(|edge| left.get(edge)).copied(),
            call.arguments.clone(),
        )
    });
    // Where several actions do the same, one of them was asked about.
    let answered = epa.edges().filter_map(|(_, _, known)| {
        let heard = known.heard.as_ref()?;
        match &heard.answer {
            Answer::Yes(witness) => Some((heard.asked(), witness.arguments(walker.subject))),
            _ => None,
        }
    });
    let known = run
        .chain(answered)
        .filter(|(of, _)| *of == Some(callee))
        .filter_map(|(_, named)| {
            let values = types.iter().zip(&named);
            let values = values.map(|(ty, n)| read(walker.program(), ty, &n.value));
            values.collect::<Option<Vec<Value>>>()
        });
    let mut small: Vec<Vec<Value>> = vec![vec![]];
    for ty in &types {
        let values = small_values(walker.program(), ty);
        let longer = small.iter().flat_map(|front| {
            let longer = |v: &Value| front.iter().cloned().chain([v.clone()]).collect();
            values.iter().map(longer).collect::<Vec<Vec<Value>>>()
        });
        small = longer.take(MOST_ARGUMENTS).collect();
    }
    let mut all: Vec<Vec<Value>> = Vec::new();
    for arguments in known.chain(small) {
        if arguments.len() == types.len() && !all.contains(&arguments) {
            all.push(arguments);
        }
    }
    all.truncate(MOST_ARGUMENTS);
    all
}

struct ObjectExplorer<'a> {
    walker: &'a Walker<'a>,
    arguments: Vec<(Callee, Vec<Vec<Value>>)>,
    index: HashMap<Configuration, usize>,
    configurations: Vec<Configuration>,
    calls: usize,
    objects: Objects,
}

impl ObjectExplorer<'_> {
    fn explore(&mut self) {
        self.calls_from(None);
        let mut next = 0;
        while next < self.configurations.len() && self.calls < MOST_CALLS {
            self.calls_from(Some(next));
            next += 1;
        }
    }

    /// Makes all calls on one object, or all objects.
    fn calls_from(&mut self, from: Option<usize>) {
        for (callee, all) in self.arguments.clone() {
            if matches!(callee, Callee::Constructor(_)) != from.is_none() {
                continue;
            }
            for arguments in all {
                self.calls += 1;
                let taken = match from.and_then(|at| self.configurations.get(at)) {
                    None => (self.walker).construct(&Configuration::empty(), callee, &arguments),
                    Some(now) => self.walker.call(now, callee, &arguments),
                };
                if let Taken::Edge { edge, results, end } = taken {
                    self.keep(from, callee, edge, &arguments, &results, &end);
                }
            }
        }
    }

    fn keep(
        &mut self,
        from: Option<usize>,
        callee: Callee,
        edge: EdgeId,
        arguments: &[Value],
        results: &[Value],
        end: &Configuration,
    ) {
        if end.this.is_none() {
            return;
        }
        // Counted in the EPA that is left.
        let number = edge.0 - self.walker.epa.gone.edges.range(..edge).count();
        let first = !(self.objects.calls.iter()).any(|c| c.from == from && c.edge == number);
        let Some(to) = self.place(end, edge, first) else {
            return;
        };
        let edge = number;
        let same = |c: &ObjectCall| c.from == from && c.edge == edge && c.to == to;
        if self.objects.calls.iter().any(same) {
            return;
        }
        let routine = self.walker.routine(callee);
        let routine = routine.map(|r| self.walker.program().routine(r));
        let (params, declared) = routine.map_or((&[][..], &[][..]), |r| (&r.params, &r.results));
        self.objects.calls.push(ObjectCall {
            edge,
            from,
            to,
            arguments: self.named(params, arguments),
            results: self.named(declared, results),
        });
    }

    /// Where an object is kept; none where it is not. One that is the first to be led there this way matters more.
    fn place(&mut self, end: &Configuration, edge: EdgeId, first: bool) -> Option<usize> {
        let end = end.canonical();
        if let Some(to) = self.index.get(&end) {
            return Some(*to);
        }
        let target = self.walker.automaton()[edge].target?;
        let state = self.walker.epa.names.state(target).to_owned();
        let alike = self.objects.states.iter().filter(|o| o.state == state);
        let full = self.objects.states.len() >= MOST_OBJECTS;
        if full || (!first && alike.count() >= MOST_ALIKE) {
            return None;
        }
        let (program, to) = (self.walker.program(), self.configurations.len());
        let values = fields(self.walker.subject).map(|(_, field)| {
            let value = end.this.and_then(|this| end.field(this, field));
            value.map_or(String::new(), |v| v.display(program))
        });
        self.objects.states.push(ObjectState {
            state,
            values: values.collect(),
        });
        self.configurations.push(end.clone());
        self.index.insert(end, to);
        Some(to)
    }

    fn named(&self, vars: &[VarId], values: &[Value]) -> Vec<Named> {
        let program = self.walker.program();
        let pairs = vars.iter().zip(values);
        pairs
            .map(|(var, value)| Named {
                name: program.var(*var).name.clone(),
                value: value.display(program),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
