//! A graph with cycles as pieces without: the points that every cycle goes through, and what lies between them.

use std::collections::{BTreeMap, BTreeSet};

use super::dag::{for_reads, for_writes};
use super::effects::Effects;
use super::encode::Callees;
use super::graph::{Cmd, Node, Proc, Simple};
use crate::boogie::typed::{Expr, ExprKind, Type, Var};

/// The local ones among variables.
pub(super) fn locals(vars: &[Var]) -> Vec<usize> {
    let local = |v: &Var| match v {
        Var::Local(i) => Some(*i),
        Var::Global(_) => None,
    };
    vars.iter().filter_map(local).collect()
}

/// Keeps what a procedure is given in variables of its own; returns those.
pub(super) fn remember_inputs(
    proc: &mut Proc,
    effects: &Effects,
    global_type: impl Fn(usize) -> Type,
) -> Vec<Var> {
    let given = proc
        .ins
        .iter()
        .map(|i| Var::Local(*i))
        .chain(effects.uses.iter().map(|g| Var::Global(*g)));
    let mut kept = Vec::new();
    let mut pairs = Vec::new();
    for var in given.collect::<Vec<_>>() {
        let ty = match var {
            Var::Local(i) => proc.vars.get(i).map_or(Type::Bool, |(_, ty)| ty.clone()),
            Var::Global(g) => global_type(g),
        };
        proc.vars.push(("given".into(), ty.clone()));
        let copy = Var::Local(proc.vars.len() - 1);
        kept.push(copy);
        pairs.push((
            copy,
            Expr {
                kind: ExprKind::Var(var),
                ty,
            },
        ));
    }
    if let Some(entry) = proc.nodes.first_mut() {
        let kind = Simple::Assign(pairs);
        entry.cmds.insert(0, Cmd { pos: None, kind });
    }
    kept
}

/// The variables whose values matter at the beginning of each node of a graph with cycles.
pub(super) fn liveness(
    proc: &Proc,
    at_exit: &[Var],
    callees: &dyn Callees,
) -> BTreeMap<usize, BTreeSet<Var>> {
    let mut live: BTreeMap<usize, BTreeSet<Var>> = BTreeMap::new();
    let mut preds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (n, node) in proc.nodes.iter().enumerate() {
        for s in &node.succs {
            preds.entry(*s).or_default().push(n);
        }
    }
    let mut work: Vec<usize> = (0..proc.nodes.len()).collect();
    while let Some(n) = work.pop() {
        let Some(node) = proc.nodes.get(n) else {
            continue;
        };
        let mut now: BTreeSet<Var> = BTreeSet::new();
        if n == proc.exit {
            now.extend(at_exit);
        }
        for s in &node.succs {
            now.extend(live.get(s).into_iter().flatten());
        }
        for cmd in node.cmds.iter().rev() {
            for_writes(&cmd.kind, callees, &mut |v| {
                now.remove(&v);
            });
            for_reads(&cmd.kind, callees, &mut |v| {
                now.insert(v);
            });
        }
        if live.get(&n) != Some(&now) {
            live.insert(n, now);
            work.extend(preds.get(&n).into_iter().flatten());
        }
    }
    live
}

/// Nodes that every cycle goes through, recursive calls and what is behind them, and the exit.
pub(super) fn cut_points(proc: &Proc) -> BTreeSet<usize> {
    let mut points = BTreeSet::from([proc.exit]);
    for (n, node) in proc.nodes.iter().enumerate() {
        if node.is_lone_call {
            points.insert(n);
            points.extend(&node.succs);
        }
    }
    // The targets of edges back to a node on the path of a depth-first walk.
    let mut state: Vec<u8> = vec![0; proc.nodes.len()];
    let mut work = vec![(0usize, 0usize)];
    while let Some((n, next)) = work.pop() {
        if let Some(s) = state.get_mut(n) {
            *s = 1;
        }
        match proc.nodes.get(n).and_then(|node| node.succs.get(next)) {
            Some(s) => {
                work.push((n, next + 1));
                match state.get(*s) {
                    Some(0) => work.push((*s, 0)),
                    Some(1) => {
                        points.insert(*s);
                    }
                    _ => {}
                }
            }
            None => {
                if let Some(s) = state.get_mut(n) {
                    *s = 2;
                }
            }
        }
    }
    points
}

/// The part of a graph from the beginning of `start` to the beginning of `target`, with no other point on the way; none
/// if there is no way.
pub(super) fn segment(
    proc: &Proc,
    start: usize,
    target: usize,
    points: &BTreeSet<usize>,
    ins: &[Var],
    outs: &[Var],
) -> Option<Proc> {
    let mut places: BTreeMap<usize, usize> = BTreeMap::from([(start, 0)]);
    let mut order = vec![start];
    let mut arrives = start == target && start == proc.exit;
    let mut at = 0;
    while let Some(n) = order.get(at).copied() {
        at += 1;
        for s in proc.nodes.get(n).map_or(&[][..], |n| &n.succs) {
            arrives |= *s == target;
            if !points.contains(s) && !places.contains_key(s) {
                places.insert(*s, order.len());
                order.push(*s);
            }
        }
    }
    if !arrives {
        return None;
    }
    let exit = order.len();
    let nodes = order.iter().filter_map(|n| proc.nodes.get(*n)).map(|node| {
        let succs = node.succs.iter().filter_map(|s| match *s == target {
            true => Some(exit),
            false => places.get(s).copied().filter(|p| *p != 0),
        });
        Node {
            succs: succs.collect(),
            failure: None,
            ..node.clone()
        }
    });
    let mut nodes: Vec<Node> = nodes.collect();
    // At the procedure's own exit there may be something left to do.
    nodes.push(match target == proc.exit {
        true => Node {
            cmds: proc
                .nodes
                .get(proc.exit)
                .map_or(Vec::new(), |n| n.cmds.clone()),
            ..Node::default()
        },
        false => Node::default(),
    });
    Some(Proc {
        name: proc.name.clone(),
        is_loop: false,
        extra_bound: 0,
        vars: proc.vars.clone(),
        ins: locals(ins),
        outs: locals(outs),
        error: None,
        nodes,
        exit,
    })
}
