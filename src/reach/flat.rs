//! A procedure with the procedures it calls copied into it, all but the recursive ones, its loops left as they are: what
//! the unbounded search works on.

use std::convert::Infallible;

use super::encode::Callees;
use super::graph::{Cmd, Node, Proc, Simple, Unsupported};
use super::program::Entry;
use crate::boogie::typed::{Expr, ExprKind, Type, Var};

/// How many nodes the copy may have.
const MAX_NODES: usize = 4_000;

/// Copies what a procedure calls into it. Afterwards a call is alone in its node, its arguments are variables, and its
/// callee is recursive.
///
/// # Errors
///
/// A construct that the engine cannot do, or a copy that is too large.
pub(super) fn flatten(entry: &Entry<'_>, mut proc: Proc) -> Result<Proc, Unsupported> {
    let mut at = 0;
    while at < proc.nodes.len() {
        if proc.nodes.len() > MAX_NODES {
            return Err(Unsupported::new(
                Default::default(),
                "the program is too large for the unbounded search",
            ));
        }
        let call = proc
            .nodes
            .get(at)
            .filter(|n| !n.is_lone_call)
            .and_then(first_call);
        if let Some(cmd) = call {
            split(entry, &mut proc, at, cmd)?;
        }
        at += 1;
    }
    Ok(proc)
}

fn local(proc: &Proc, i: usize) -> Expr {
    let ty = proc.vars.get(i).map_or(Type::Bool, |(_, ty)| ty.clone());
    Expr {
        kind: ExprKind::Var(Var::Local(i)),
        ty,
    }
}

fn unsaid(kind: Simple) -> Cmd {
    Cmd { pos: None, kind }
}

/// Splits a node at a call: what comes before, the call or the callee's nodes, what comes behind.
fn split(entry: &Entry<'_>, proc: &mut Proc, at: usize, cmd: usize) -> Result<(), Unsupported> {
    let Some(node) = proc.nodes.get_mut(at) else {
        return Ok(());
    };
    let behind = node.cmds.split_off(cmd + 1);
    let Some(Cmd {
        kind: Simple::Call { callee, args, outs },
        ..
    }) = node.cmds.pop()
    else {
        return Ok(());
    };
    let succs = std::mem::take(&mut node.succs);
    proc.nodes.push(Node {
        cmds: behind,
        succs,
        ..Node::default()
    });
    let rest = proc.nodes.len() - 1;
    if at == proc.exit {
        proc.exit = rest;
    }
    let recursive = entry.is_recursive(callee);
    let mut copy = match recursive {
        true => None,
        false => Some(entry.whole_proc(callee)?),
    };
    let offset = proc.vars.len();
    let params: Vec<usize> = match &copy {
        Some(copy) => {
            proc.vars.extend(copy.vars.iter().cloned());
            copy.ins.iter().map(|i| i + offset).collect()
        }
        None => {
            let types = entry.param_types(callee);
            proc.vars
                .extend(types.into_iter().map(|ty| ("argument".to_string(), ty)));
            (offset..proc.vars.len()).collect()
        }
    };
    // Parameters get the arguments; everything else of the callee's begins anew.
    let assigned = params
        .iter()
        .zip(&args)
        .filter_map(|(p, a)| Some((Var::Local(*p), a.clone()?)));
    let assigned: Vec<(Var, Expr)> = assigned.collect();
    let fresh = (offset..proc.vars.len()).map(Var::Local);
    let fresh: Vec<Var> = fresh
        .filter(|v| !assigned.iter().any(|(a, _)| a == v))
        .collect();
    let first = proc.nodes.len();
    if let Some(copy) = &mut copy {
        let results = outs
            .iter()
            .zip(&copy.outs)
            .filter_map(|(out, result)| Some(((*out)?, result + offset)));
        let results: Vec<(Var, Expr)> = results.map(|(out, r)| (out, local(proc, r))).collect();
        for node in &mut copy.nodes {
            node.succs.iter_mut().for_each(|s| *s += first);
            node.cmds
                .iter_mut()
                .for_each(|c| rename(&mut c.kind, offset));
            // Where an execution fails is for the bounded search to say.
            node.failure = None;
        }
        if let Some(exit) = copy.nodes.get_mut(copy.exit) {
            exit.cmds.push(unsaid(Simple::Assign(results)));
            exit.succs.push(rest);
        }
        proc.nodes.append(&mut copy.nodes);
    } else {
        let args = params.iter().map(|p| Some(local(proc, *p))).collect();
        proc.nodes.push(Node {
            cmds: vec![unsaid(Simple::Call { callee, args, outs })],
            succs: vec![rest],
            is_lone_call: true,
            ..Node::default()
        });
    }
    if let Some(node) = proc.nodes.get_mut(at) {
        node.cmds.push(unsaid(Simple::Assign(assigned)));
        node.cmds.push(unsaid(Simple::Havoc(fresh)));
        node.succs.push(first);
    }
    Ok(())
}

fn first_call(node: &Node) -> Option<usize> {
    node.cmds
        .iter()
        .position(|c| matches!(c.kind, Simple::Call { .. }))
}

fn rename(cmd: &mut Simple, offset: usize) {
    let var = |v: &mut Var| {
        if let Var::Local(i) = v {
            *i += offset;
        }
    };
    let expr = |e: &mut Expr| {
        let renamed: Result<(), Infallible> = e.change(&mut |e| {
            if let ExprKind::Var(Var::Local(i)) = &mut e.kind {
                *i += offset;
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
