//! More runs, for pairs of edges: the class is run from every configuration of the known runs on, with the arguments
//! that are known and with small ones.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::interp::{Configuration, Value};
use crate::ir::{Program, Type};

use super::concrete::ConcreteCall;
use crate::epa::walk::{Taken, Walker};
use crate::query::{Callee, EdgeId};

/// No more configurations are looked at than this.
const MOST_CONFIGURATIONS: usize = 1_000;
/// No more calls are made than this.
const MOST_CALLS: usize = 20_000;
/// No more combinations of arguments of an action are tried than this.
const MOST_ARGUMENTS: usize = 48;

/// What was found.
pub(super) struct ExploredRuns {
    /// By pair of edges, a run that ends with both.
    pub runs: BTreeMap<(EdgeId, EdgeId), Vec<ConcreteCall>>,
    /// How many configurations were looked at.
    pub configurations: usize,
}

/// Looks for runs that take these pairs of edges. Only steps that are accepted are taken.
pub(super) fn explore(
    walker: &Walker<'_>,
    walks: &[Vec<ConcreteCall>],
    wanted: &BTreeSet<(EdgeId, EdgeId)>,
    accepts: &dyn Fn(&ConcreteCall) -> bool,
) -> ExploredRuns {
    let mut graph = RunGraph {
        nodes: Vec::new(),
        index: HashMap::new(),
        missing: wanted.clone(),
        runs: BTreeMap::new(),
    };
    // Elsewhere, a reference would be to another object.
    let plain = walks
        .iter()
        .filter(|walk| walk.iter().all(ConcreteCall::is_plain));
    for walk in plain {
        let mut at = None;
        for step in walk {
            match &step.end {
                Some(end) => at = graph.link(at, step.clone(), end),
                None => break,
            }
            if at.is_none() {
                break;
            }
        }
    }
    let pool = pool(walker, walks);
    let (mut next, mut calls) = (0, 0);
    while let Some(now) = graph.nodes.get(next).map(|node| node.now.clone()) {
        for (callee, arguments) in &pool {
            if graph.missing.is_empty() || calls >= MOST_CALLS {
                break;
            }
            calls += 1;
            let taken = walker.call(&now, *callee, arguments);
            let Taken::Edge { edge, results, end } = taken else {
                continue;
            };
            let step = ConcreteCall {
                edge,
                arguments: arguments.clone(),
                objects: vec![],
                results,
                open: false,
                end: Some(end.clone()),
            };
            if accepts(&step) {
                graph.link(Some(next), step, &end);
            }
        }
        next += 1;
        if graph.missing.is_empty() || calls >= MOST_CALLS {
            break;
        }
    }
    ExploredRuns {
        runs: graph.runs,
        configurations: next,
    }
}

/// A configuration that some run leads to.
struct RunNode {
    now: Configuration,
    /// The calls that lead here, each from another edge: from where, and the call. The first is on a shortest known
    /// run.
    ins: Vec<(Option<usize>, ConcreteCall)>,
    /// The calls made here, each with another edge.
    outs: Vec<ConcreteCall>,
}

struct RunGraph {
    nodes: Vec<RunNode>,
    index: HashMap<Configuration, usize>,
    missing: BTreeSet<(EdgeId, EdgeId)>,
    runs: BTreeMap<(EdgeId, EdgeId), Vec<ConcreteCall>>,
}

impl RunGraph {
    /// Adds a call; gives the place of the configuration it leads to, where that is kept.
    fn link(
        &mut self,
        from: Option<usize>,
        step: ConcreteCall,
        end: &Configuration,
    ) -> Option<usize> {
        end.this?;
        if let Some(from) = from {
            let ins = self.nodes.get(from)?.ins.clone();
            for before in &ins {
                self.pair(before, &step);
            }
            let outs = &mut self.nodes.get_mut(from)?.outs;
            if outs.iter().all(|out| out.edge != step.edge) {
                outs.push(step.clone());
            }
        }
        let end = end.canonical();
        let to = match self.index.get(&end) {
            Some(to) => *to,
            None if self.nodes.len() < MOST_CONFIGURATIONS => {
                let to = self.nodes.len();
                self.index.insert(end.clone(), to);
                self.nodes.push(RunNode {
                    now: end,
                    ins: Vec::new(),
                    outs: Vec::new(),
                });
                to
            }
            None => return None,
        };
        let node = self.nodes.get_mut(to)?;
        if node.ins.iter().all(|(_, known)| known.edge != step.edge) {
            let before = (from, step);
            node.ins.push(before.clone());
            for out in node.outs.clone() {
                self.pair(&before, &out);
            }
        }
        Some(to)
    }

    /// Keeps the run that ends with these calls, if it is the first for its pair of edges.
    fn pair(&mut self, before: &(Option<usize>, ConcreteCall), step: &ConcreteCall) {
        let pair = (before.1.edge, step.edge);
        if !self.missing.remove(&pair) {
            return;
        }
        let mut steps = vec![step.clone(), before.1.clone()];
        let mut at = before.0;
        // The first way into a configuration comes from one that was there before: there is no circle.
        while let Some((from, step)) = at.and_then(|at| self.nodes.get(at)?.ins.first()) {
            steps.push(step.clone());
            at = *from;
        }
        steps.reverse();
        self.runs.insert(pair, steps);
    }
}

/// The arguments to try, by action: those of the known runs first.
fn pool(walker: &Walker<'_>, walks: &[Vec<ConcreteCall>]) -> Vec<(Callee, Vec<Value>)> {
    let mut pool = Vec::new();
    let callees = walker.subject.action_ids().map(Callee::Action);
    for callee in callees.filter(|callee| !walker.is_answered(*callee)) {
        let mut known: Vec<Vec<Value>> = Vec::new();
        for step in walks.iter().flatten() {
            let is_new = step.is_plain() && !known.contains(&step.arguments);
            if walker.callee(step.edge) == Some(callee) && is_new {
                known.push(step.arguments.clone());
            }
        }
        let mut small: Vec<Vec<Value>> = vec![vec![]];
        for ty in walker.parameters(callee) {
            let values = small_values(walker.program(), ty);
            small = small
                .iter()
                .flat_map(|front| {
                    values
                        .iter()
                        .map(move |v| front.iter().cloned().chain([v.clone()]).collect())
                })
                .take(MOST_ARGUMENTS)
                .collect();
        }
        for arguments in small {
            if !known.contains(&arguments) {
                known.push(arguments);
            }
        }
        known.truncate(MOST_ARGUMENTS);
        pool.extend(known.into_iter().map(|arguments| (callee, arguments)));
    }
    pool
}

/// Some values of a type that a test can write down.
pub(super) fn small_values(program: &Program, ty: &Type) -> Vec<Value> {
    match ty {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
            [0, 1, 2, -1].map(Value::int).to_vec()
        }
        Type::Enum(id) => {
            let members = program.enums.get(id.0).map_or(0, |e| e.members.len());
            (0..members)
                .map(|index| Value::Member(*id, index))
                .collect()
        }
        Type::Class { nullable: true, .. } | Type::Array { nullable: true, .. } | Type::Null => {
            vec![Value::Null]
        }
        Type::Class { .. } | Type::Array { .. } | Type::Opaque(_) | Type::Map(..) => vec![],
    }
}
