//! Loops become tail-recursive procedures.
//!
//! The procedure of a loop makes any number of whole iterations, from the head of the loop back to it: it returns at
//! once, or goes round once and calls itself. Where the loop was, that procedure is called, and then the loop's
//! blocks are gone through one last time, without the way back; that is where the loop is left, and where an assertion
//! in it fails. Inner loops go first.
//!
//! A loop with more than one entry gets a single one: a number says which of its old entries is meant.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Cmd, Node, Proc, Simple};
use super::lower::equal;
use crate::boogie::typed::{Expr, ExprKind, Type, Var};

/// Extracts the loops of a procedure.
///
/// `next` is the number that the first loop's procedure will have. Afterwards the procedure is acyclic; the loops'
/// procedures are returned, acyclic too.
pub fn extract(proc: &mut Proc, next: usize) -> Vec<Proc> {
    let loops = reducible_loops(proc);
    let mut extracted = Vec::new();
    // Inner loops come behind outer ones.
    let mut bodies: Vec<(usize, BTreeSet<usize>)> = loops;
    while let Some((header, body)) = bodies.pop() {
        let number = next + extracted.len();
        let (loop_proc, call) = extract_one(proc, header, &body, number);
        extracted.push(loop_proc);
        for (_, outer) in bodies.iter_mut().filter(|(_, b)| b.contains(&header)) {
            outer.insert(call);
        }
    }
    extracted
}

/// The loops as head and body, outer ones before inner ones; afterwards every loop has one entry.
pub(super) fn reducible_loops(proc: &mut Proc) -> Vec<(usize, BTreeSet<usize>)> {
    loop {
        match find_loops(proc) {
            Ok(loops) => return loops,
            Err((entries, within)) => single_entry(proc, &entries, &within),
        }
    }
}

/// The head and the nodes of every loop; or the entries and nodes of one that has several entries.
type Found = Result<Vec<(usize, BTreeSet<usize>)>, (Vec<usize>, BTreeSet<usize>)>;

/// The loops, or one with several entries.
fn find_loops(proc: &Proc) -> Found {
    let reachable = reachable(proc);
    let preds = predecessors(proc, &reachable);
    let mut loops = Vec::new();
    let mut work = vec![reachable];
    while let Some(within) = work.pop() {
        for component in components(proc, &within) {
            let outside = |n: &usize| {
                let preds = preds.get(n).map_or(&[][..], Vec::as_slice);
                *n == 0 || preds.iter().any(|p| !component.contains(p))
            };
            let entries: Vec<usize> = component.iter().copied().filter(outside).collect();
            match entries.as_slice() {
                [header] => {
                    let mut inner = component.clone();
                    inner.remove(header);
                    loops.push((*header, component));
                    work.push(inner);
                }
                _ => return Err((entries, component)),
            }
        }
    }
    // An inner loop is smaller than the one around it.
    loops.sort_by_key(|(header, body)| (std::cmp::Reverse(body.len()), *header));
    Ok(loops)
}

fn reachable(proc: &Proc) -> BTreeSet<usize> {
    let mut seen = BTreeSet::from([0]);
    let mut work = vec![0];
    while let Some(n) = work.pop() {
        for s in proc.nodes.get(n).map_or(&[][..], |n| &n.succs) {
            if seen.insert(*s) {
                work.push(*s);
            }
        }
    }
    seen
}

fn predecessors(proc: &Proc, within: &BTreeSet<usize>) -> BTreeMap<usize, Vec<usize>> {
    let mut preds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for n in within {
        for s in proc.nodes.get(*n).map_or(&[][..], |n| &n.succs) {
            preds.entry(*s).or_default().push(*n);
        }
    }
    preds
}

/// The strongly connected components with a cycle in them (Tarjan's algorithm, without recursion).
fn components(proc: &Proc, within: &BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
    let succs = |n: usize| proc.nodes.get(n).map_or(&[][..], |n| n.succs.as_slice());
    let mut index: BTreeMap<usize, usize> = BTreeMap::new();
    let mut low: BTreeMap<usize, usize> = BTreeMap::new();
    let mut on_stack: BTreeSet<usize> = BTreeSet::new();
    let mut stack = Vec::new();
    let mut found = Vec::new();
    for root in within {
        if index.contains_key(root) {
            continue;
        }
        let mut calls: Vec<(usize, usize)> = vec![(*root, 0)];
        while let Some((n, next)) = calls.pop() {
            if next == 0 {
                let number = index.len();
                index.insert(n, number);
                low.insert(n, number);
                stack.push(n);
                on_stack.insert(n);
            }
            let child = succs(n)
                .iter()
                .enumerate()
                .skip(next)
                .find(|(_, s)| within.contains(s));
            if let Some((at, s)) = child {
                calls.push((n, at + 1));
                match index.get(s) {
                    None => calls.push((*s, 0)),
                    Some(i) if on_stack.contains(s) => {
                        let i = *i;
                        low.entry(n).and_modify(|l| *l = (*l).min(i));
                    }
                    Some(_) => {}
                }
                continue;
            }
            let n_low = low.get(&n).copied().unwrap_or(0);
            if let Some((parent, _)) = calls.last() {
                low.entry(*parent).and_modify(|l| *l = (*l).min(n_low));
            }
            if index.get(&n) == Some(&n_low) {
                let mut component = BTreeSet::new();
                while let Some(m) = stack.pop() {
                    on_stack.remove(&m);
                    component.insert(m);
                    if m == n {
                        break;
                    }
                }
                if component.len() > 1 || succs(n).contains(&n) {
                    found.push(component);
                }
            }
        }
    }
    found
}

/// Gives a loop a single entry: who goes to an old entry sets a number and goes to the new one, which branches by it.
fn single_entry(proc: &mut Proc, entries: &[usize], within: &BTreeSet<usize>) {
    proc.vars.push(("entry".into(), Type::Int));
    let which = Var::Local(proc.vars.len() - 1);
    let var = Expr {
        kind: ExprKind::Var(which),
        ty: Type::Int,
    };
    let number = |k: usize| Expr {
        kind: ExprKind::Int(k.into()),
        ty: Type::Int,
    };
    let old = proc.nodes.len();
    let mut add = |kind: Option<Simple>, succs: Vec<usize>| {
        let cmds = kind
            .map(|kind| Cmd { pos: None, kind })
            .into_iter()
            .collect();
        proc.nodes.push(Node {
            cmds,
            succs,
            ..Node::default()
        });
        proc.nodes.len() - 1
    };
    let choices: Vec<usize> = entries
        .iter()
        .enumerate()
        .map(|(k, entry)| {
            add(
                Some(Simple::Assume(equal(var.clone(), number(k)))),
                vec![*entry],
            )
        })
        .collect();
    let dispatch = add(None, choices);
    // Those who come from outside must not share a node with those inside: it would be another entry.
    let mut setters = || -> Vec<usize> {
        let set = |k: usize| Some(Simple::Assign(vec![(which, number(k))]));
        (0..entries.len())
            .map(|k| add(set(k), vec![dispatch]))
            .collect()
    };
    let (inside, outside) = (setters(), setters());
    for (n, node) in proc.nodes.iter_mut().enumerate().take(old) {
        let setters = if within.contains(&n) {
            &inside
        } else {
            &outside
        };
        for succ in &mut node.succs {
            let entry = entries.iter().position(|e| e == succ);
            if let Some(setter) = entry.and_then(|k| setters.get(k)) {
                *succ = *setter;
            }
        }
    }
}

/// The local variables that nodes read or write, and those they write.
fn variables(proc: &Proc, body: &BTreeSet<usize>) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut used = BTreeSet::new();
    let mut written = BTreeSet::new();
    let mut write = |var: &Var| {
        if let Var::Local(i) = var {
            written.insert(*i);
        }
    };
    for node in body.iter().filter_map(|n| proc.nodes.get(*n)) {
        for cmd in &node.cmds {
            cmd.kind.exprs(&mut |e| {
                e.visit(&mut |e| {
                    if let ExprKind::Var(Var::Local(i)) = e.kind {
                        used.insert(i);
                    }
                });
            });
            cmd.kind.writes(&mut write);
        }
    }
    used.extend(&written);
    (used, written)
}

impl Simple {
    /// Calls `each` on the command's expressions.
    pub fn exprs(&self, each: &mut dyn FnMut(&Expr)) {
        match self {
            Simple::Assume(e) | Simple::Record(_, e) => each(e),
            Simple::Assign(pairs) => pairs.iter().for_each(|(_, e)| each(e)),
            Simple::Havoc(_) => {}
            Simple::Call { args, .. } => args.iter().flatten().for_each(each),
        }
    }

    /// Calls `each` on the variables that the command gives a value by name.
    pub fn writes(&self, each: &mut dyn FnMut(&Var)) {
        match self {
            Simple::Assume(_) | Simple::Record(..) => {}
            Simple::Assign(pairs) => pairs.iter().for_each(|(v, _)| each(v)),
            Simple::Havoc(vars) => vars.iter().for_each(each),
            Simple::Call { outs, .. } => outs.iter().flatten().for_each(each),
        }
    }
}

/// Extracts one loop, inside which there is none left. Returns its procedure, and the node that calls it.
fn extract_one(
    proc: &mut Proc,
    header: usize,
    body: &BTreeSet<usize>,
    number: usize,
) -> (Proc, usize) {
    let (used, written) = variables(proc, body);
    let ins: Vec<usize> = used.into_iter().collect();
    let outs: Vec<usize> = written.into_iter().collect();
    let var = |i: &usize| {
        let ty = proc.vars.get(*i).map_or(Type::Bool, |(_, ty)| ty.clone());
        Some(Expr {
            kind: ExprKind::Var(Var::Local(*i)),
            ty,
        })
    };
    let call = Cmd {
        pos: None,
        kind: Simple::Call {
            callee: number,
            args: ins.iter().map(var).collect(),
            outs: outs.iter().map(|i| Some(Var::Local(*i))).collect(),
        },
    };
    let pos = proc
        .nodes
        .get(header)
        .map_or_else(Default::default, |n| n.pos);
    let label = proc
        .nodes
        .get(header)
        .and_then(|n| n.label.clone())
        .unwrap_or_default();
    let loop_proc = loop_procedure(
        proc,
        header,
        body,
        &call,
        (ins, outs),
        format!("{}_loop_{label}", proc.name),
    );
    for n in body {
        if let Some(node) = proc.nodes.get_mut(*n) {
            node.succs.retain(|s| *s != header);
        }
    }
    let calling = proc.nodes.len();
    for node in &mut proc.nodes {
        node.succs
            .iter_mut()
            .filter(|s| **s == header)
            .for_each(|s| *s = calling);
    }
    proc.nodes.push(Node {
        pos,
        cmds: vec![call],
        succs: vec![header],
        ..Node::default()
    });
    (loop_proc, calling)
}

fn loop_procedure(
    proc: &Proc,
    header: usize,
    body: &BTreeSet<usize>,
    call: &Cmd,
    (ins, outs): (Vec<usize>, Vec<usize>),
    name: String,
) -> Proc {
    const ENTRY: usize = 0;
    const EXIT: usize = 1;
    const AGAIN: usize = 2;
    let places: BTreeMap<usize, usize> =
        body.iter().enumerate().map(|(i, n)| (*n, i + 3)).collect();
    let head = places.get(&header).copied().unwrap_or(EXIT);
    let mut nodes = vec![Node::default(); 3];
    for (place, succs) in [(ENTRY, vec![EXIT, head]), (AGAIN, vec![EXIT])] {
        if let Some(node) = nodes.get_mut(place) {
            node.succs = succs;
        }
    }
    if let Some(node) = nodes.get_mut(AGAIN) {
        node.cmds.push(call.clone());
    }
    for node in body.iter().filter_map(|n| proc.nodes.get(*n)) {
        let mut node = node.clone();
        let succs = node.succs.iter().filter_map(|s| match *s == header {
            true => Some(AGAIN),
            false => places.get(s).copied(),
        });
        node.succs = succs.collect();
        nodes.push(node);
    }
    Proc {
        name,
        is_loop: true,
        extra_bound: 0,
        vars: proc.vars.clone(),
        ins,
        outs,
        error: None,
        nodes,
        exit: EXIT,
    }
}
