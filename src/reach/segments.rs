//! A graph with cycles as pieces without: the points that every cycle goes through, and what lies between them.
//!
//! ```text
//!         ┌──────────┐
//!         ▼          │           entry ─► [H]     a piece
//! entry ─►H ─► body ─┘            [H] ─► body ─► [H]   another
//!         │                       [H] ─► exit     a third
//!         ▼
//!        exit
//! ```
//!
//! Each piece is a graph of its own, which is said by its verification condition as any procedure's is; a predicate at each
//! point says with which values executions come there (Horn clauses, as in Bjørner, Gurfinkel, McMillan, Rybalchenko, *Horn
//! Clause Solvers for Program Verification*, 2015).

use std::collections::{BTreeMap, BTreeSet};

use super::effects::GlobalEffects;
use super::encode::{Callees, for_reads, for_writes};
use super::error::Result;
use super::graph::{Cmd, GraphNode, NodeId, Proc, Simple};
use crate::boogie::typed::{BoogieType, GlobalId, LocalId, TypedExpr, TypedExprKind, VariableRef};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};

/// The local ones among variables.
pub(super) fn locals(vars: &[VariableRef]) -> Vec<LocalId> {
    let local = |v: &VariableRef| match v {
        VariableRef::Local(i) => Some(*i),
        VariableRef::Global(_) => None,
    };
    vars.iter().filter_map(local).collect()
}

/// Keeps what a procedure is given in variables of its own; returns those.
pub(super) fn remember_inputs(
    proc: &mut Proc,
    effects: &GlobalEffects,
    global_type: impl Fn(GlobalId) -> Result<BoogieType, Internal>,
) -> Result<Vec<VariableRef>, Internal> {
    let locals = proc.ins.iter().copied().map(VariableRef::Local);
    let given: Vec<VariableRef> = locals
        .chain(effects.uses.iter().copied().map(VariableRef::Global))
        .collect();
    let mut kept = Vec::new();
    let mut pairs = Vec::new();
    for var in given {
        let ty = match var {
            VariableRef::Local(i) => proc.vars.at(i)?.ty.clone(),
            VariableRef::Global(g) => global_type(g)?,
        };
        let copy = VariableRef::Local(proc.fresh("given", ty.clone()));
        kept.push(copy);
        let kind = TypedExprKind::Var(var);
        pairs.push((copy, TypedExpr { kind, ty }));
    }
    let entry = proc.entry();
    let cmds = &mut proc.nodes.at_mut(entry)?.cmds;
    cmds.insert(0, Cmd::unsaid(Simple::Assign(pairs)));
    Ok(kept)
}

/// The variables whose values matter at the beginning of each node of a graph with cycles.
pub(super) fn liveness(
    proc: &Proc,
    at_exit: &[VariableRef],
    callees: &dyn Callees,
) -> Result<Table<NodeId, BTreeSet<VariableRef>>, Internal> {
    let mut live: Table<NodeId, BTreeSet<VariableRef>> = Table::like(&proc.nodes, BTreeSet::new());
    let mut preds: Table<NodeId, Vec<NodeId>> = Table::like(&proc.nodes, Vec::new());
    for (n, node) in proc.nodes.pairs() {
        for s in &node.succs {
            preds.at_mut(*s)?.push(n);
        }
    }
    let mut work: Vec<NodeId> = proc.nodes.ids().collect();
    while let Some(n) = work.pop() {
        let node = proc.nodes.at(n)?;
        let mut now: BTreeSet<VariableRef> = BTreeSet::new();
        if n == proc.exit {
            now.extend(at_exit);
        }
        for s in &node.succs {
            now.extend(live.at(*s)?);
        }
        for cmd in node.cmds.iter().rev() {
            for_writes(&cmd.kind, callees, &mut |v| {
                now.remove(&v);
            })?;
            for_reads(&cmd.kind, callees, &mut |v| {
                now.insert(v);
            })?;
        }
        let known = live.at_mut(n)?;
        if *known != now {
            *known = now;
            work.extend(preds.at(n)?);
        }
    }
    Ok(live)
}

/// Nodes that every cycle goes through, recursive calls and what is behind them, and the exit.
pub(super) fn cut_points(proc: &Proc) -> Result<BTreeSet<NodeId>, Internal> {
    let mut points = BTreeSet::from([proc.exit]);
    for (n, node) in proc.nodes.pairs() {
        if node.is_lone_call {
            points.insert(n);
            points.extend(&node.succs);
        }
    }
    points.extend(back_targets(proc)?);
    Ok(points)
}

/// The targets of edges back to a node on the path of a depth-first walk: every cycle has one.
fn back_targets(proc: &Proc) -> Result<BTreeSet<NodeId>, Internal> {
    #[derive(Clone, PartialEq)]
    enum VisitState {
        New,
        OnPath,
        Done,
    }
    let mut targets = BTreeSet::new();
    let mut state = Table::like(&proc.nodes, VisitState::New);
    let mut path = vec![(proc.entry(), 0usize)];
    while let Some((n, next)) = path.pop() {
        *state.at_mut(n)? = VisitState::OnPath;
        match proc.succs(n)?.get(next) {
            Some(s) => {
                path.push((n, next + 1));
                match state.at(*s)? {
                    VisitState::New => path.push((*s, 0)),
                    VisitState::OnPath => {
                        targets.insert(*s);
                    }
                    VisitState::Done => {}
                }
            }
            None => *state.at_mut(n)? = VisitState::Done,
        }
    }
    Ok(targets)
}

/// The part of a graph from the beginning of `start` to the beginning of `target`, with no other point on the way; none
/// if there is no way.
pub(super) fn segment(
    proc: &Proc,
    start: NodeId,
    target: NodeId,
    points: &BTreeSet<NodeId>,
    ins: &[VariableRef],
    outs: &[VariableRef],
) -> Result<Option<Proc>, Internal> {
    let mut places: BTreeMap<NodeId, NodeId> = BTreeMap::from([(start, NodeId::new(0))]);
    let mut order = vec![start];
    let mut arrives = start == target && start == proc.exit;
    let mut at = 0;
    while let Some(n) = order.get(at).copied() {
        at += 1;
        for s in proc.succs(n)? {
            arrives |= *s == target;
            if !points.contains(s) && !places.contains_key(s) {
                places.insert(*s, NodeId::new(order.len()));
                order.push(*s);
            }
        }
    }
    if !arrives {
        return Ok(None);
    }
    let exit = NodeId::new(order.len());
    let mut nodes: Table<NodeId, GraphNode> = Table::new();
    for n in &order {
        let node = proc.nodes.at(*n)?;
        let mut succs = Vec::new();
        for s in &node.succs {
            // A way to another point, the start among them, is of another piece.
            if *s == target {
                succs.push(exit);
            } else if !points.contains(s) && *s != start {
                succs.push(*places.get(s).sure()?);
            }
        }
        nodes.push(GraphNode {
            succs,
            failure: None,
            ..node.clone()
        });
    }
    // At the procedure's own exit there may be something left to do.
    nodes.push(match target == proc.exit {
        true => GraphNode {
            cmds: proc.nodes.at(proc.exit)?.cmds.clone(),
            ..GraphNode::default()
        },
        false => GraphNode::default(),
    });
    Ok(Some(Proc {
        name: proc.name.clone(),
        is_loop: false,
        extra_bound: 0,
        vars: proc.vars.clone(),
        ins: locals(ins),
        outs: locals(outs),
        error: None,
        nodes,
        exit,
    }))
}
