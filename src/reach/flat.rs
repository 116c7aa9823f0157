//! A procedure with the procedures it calls copied into it, all but the recursive ones, its loops left as they are: what
//! the unbounded search works on.

use std::convert::Infallible;

use super::encode::Callees;
use super::error::{Result, Unsupported};
use super::graph::{Cmd, GraphNode, NodeId, Proc, ProcId, Simple};
use super::program::PreparedEntry;
use crate::boogie::typed::{LocalId, TypedExpr, TypedExprKind, VariableRef};
use crate::ids::{Id, Table};
use crate::internal::internal;

/// How many nodes the copy may have.
const MAX_NODES: usize = 4_000;

/// Copies what a procedure calls into it. Afterwards a call is alone in its node, its arguments are variables, and its
/// callee is recursive.
///
/// # Errors
///
/// A construct that the engine cannot do, or a copy that is too large.
pub(super) fn flatten(entry: &PreparedEntry<'_>, mut proc: Proc) -> Result<Proc> {
    let mut at = proc.entry();
    while at < proc.nodes.next_id() {
        if proc.nodes.len() > MAX_NODES {
            let what = "the program is too large for the unbounded search";
            return Err(Unsupported::new(Default::default(), what).into());
        }
        let node = proc.nodes.at(at)?;
        if let (false, Some(cmd)) = (node.is_lone_call, first_call(node)) {
            split(entry, &mut proc, at, cmd)?;
        }
        at = NodeId::new(at.index() + 1);
    }
    Ok(proc)
}

fn first_call(node: &GraphNode) -> Option<usize> {
    node.cmds
        .iter()
        .position(|c| matches!(c.kind, Simple::Call { .. }))
}

/// Splits a node at a call: what comes before, the call or the callee's nodes, what comes behind.
fn split(entry: &PreparedEntry<'_>, proc: &mut Proc, at: NodeId, cmd: usize) -> Result<()> {
    let node = proc.nodes.at_mut(at)?;
    let behind = node.cmds.split_off(cmd + 1);
    let Some(Cmd {
        kind: Simple::Call { callee, args, outs },
        ..
    }) = node.cmds.pop()
    else {
        return Err(internal("there is no call to split at").into());
    };
    let succs = std::mem::take(&mut node.succs);
    let rest = proc.nodes.push(GraphNode {
        cmds: behind,
        succs,
        ..GraphNode::default()
    });
    if at == proc.exit {
        proc.exit = rest;
    }
    // The callee's variables come behind those of the procedure.
    let offset = proc.vars.len();
    let (first, params) = match entry.is_recursive(callee)? {
        true => lone_call(entry, proc, callee, outs, rest)?,
        false => copy_of(entry.whole_proc(callee)?, proc, &outs, rest)?,
    };
    // Parameters get the arguments; everything else of the callee's begins anew.
    let given = params.iter().zip(args);
    let assigned: Vec<(VariableRef, TypedExpr)> = given
        .filter_map(|(p, a)| Some((VariableRef::Local(*p), a?)))
        .collect();
    let fresh = (offset..proc.vars.len()).map(|i| VariableRef::Local(LocalId::new(i)));
    let fresh: Vec<VariableRef> = fresh
        .filter(|v| !assigned.iter().any(|(a, _)| a == v))
        .collect();
    let node = proc.nodes.at_mut(at)?;
    node.cmds.push(Cmd::unsaid(Simple::Assign(assigned)));
    node.cmds.push(Cmd::unsaid(Simple::Havoc(fresh)));
    node.succs.push(first);
    Ok(())
}

/// A node with nothing but a call, and the variables for what it is given.
fn lone_call(
    entry: &PreparedEntry<'_>,
    proc: &mut Proc,
    callee: ProcId,
    outs: Vec<Option<VariableRef>>,
    rest: NodeId,
) -> Result<(NodeId, Vec<LocalId>)> {
    let types = entry.param_types(callee)?.into_iter();
    let params: Vec<LocalId> = types.map(|ty| proc.fresh("argument", ty)).collect();
    let args = params.iter().map(|p| Ok(Some(proc.local(*p)?)));
    let args = args.collect::<Result<_>>()?;
    let node = proc.nodes.push(GraphNode {
        cmds: vec![Cmd::unsaid(Simple::Call { callee, args, outs })],
        succs: vec![rest],
        is_lone_call: true,
        ..GraphNode::default()
    });
    Ok((node, params))
}

/// The first of the nodes that a callee becomes, and its parameters there.
fn copy_of(
    copy: Proc,
    proc: &mut Proc,
    outs: &[Option<VariableRef>],
    rest: NodeId,
) -> Result<(NodeId, Vec<LocalId>)> {
    let (offset, first) = (proc.vars.len(), proc.nodes.len());
    let moved = |i: &LocalId| LocalId::new(i.index() + offset);
    proc.vars.extend(copy.vars);
    let mut results = Vec::new();
    for (out, result) in outs.iter().zip(&copy.outs) {
        if let Some(out) = out {
            results.push((*out, proc.local(moved(result))?));
        }
    }
    let mut nodes: Table<NodeId, GraphNode> = copy.nodes;
    for node in &mut nodes {
        for succ in &mut node.succs {
            *succ = NodeId::new(succ.index() + first);
        }
        node.cmds
            .iter_mut()
            .for_each(|c| rename(&mut c.kind, &moved));
        // Where an execution fails is for the bounded search to say.
        node.failure = None;
    }
    let exit = nodes.at_mut(copy.exit)?;
    exit.cmds.push(Cmd::unsaid(Simple::Assign(results)));
    exit.succs.push(rest);
    let params = copy.ins.iter().map(moved).collect();
    proc.nodes.extend(nodes);
    Ok((NodeId::new(first), params))
}

/// Gives the local variables of a command other numbers.
fn rename(cmd: &mut Simple, moved: &dyn Fn(&LocalId) -> LocalId) {
    let var = |v: &mut VariableRef| {
        if let VariableRef::Local(i) = v {
            *i = moved(i);
        }
    };
    let expr = |e: &mut TypedExpr| {
        let renamed: Result<(), Infallible> = e.change(&mut |e| {
            if let TypedExprKind::Var(v) = &mut e.kind {
                var(v);
            }
            Ok(())
        });
        match renamed {
            Ok(()) => {}
        }
    };
    match cmd {
        Simple::Assume(e) | Simple::Record(_, e) => expr(e),
        Simple::Assign(pairs) => pairs.iter_mut().for_each(|(v, e)| {
            var(v);
            expr(e);
        }),
        Simple::Havoc(vars) => vars.iter_mut().for_each(var),
        Simple::Call { args, outs, .. } => {
            args.iter_mut().flatten().for_each(expr);
            outs.iter_mut().flatten().for_each(var);
        }
    }
}
