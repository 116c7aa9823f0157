//! Loops become tail-recursive procedures.
//!
//! The procedure of a loop makes any number of whole iterations, from the head of the loop back to it: it returns at
//! once, or goes round once and calls itself. Where the loop was, that procedure is called, and then the loop's
//! blocks are gone through one last time, without the way back; that is where the loop is left, and where an assertion
//! in it fails. Inner loops go first.
//!
//! ```text
//!        ┌────────┐                                      L:  ──► return
//!        ▼        │                                      │
//! ──► header ─► body        ──► call L ─► header ─► body └──► header ─► body ─► call L ─► return
//!        │                                  │
//!        ▼                                  ▼
//! ```
//!
//! A loop with more than one entry gets a single one: a number says which of its old entries is meant.

use std::collections::{BTreeMap, BTreeSet};

use super::dag::{cyclic_components, edges_within};
use super::faults::{self, Fault};
use super::graph::{Cmd, GraphNode, NodeId, Proc, ProcId, Simple};
use super::lower::equal;
use crate::boogie::typed::{BoogieType, LocalId, TypedExpr, TypedExprKind, VariableRef};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure, internal};

/// Extracts the loops of a procedure.
///
/// `next` is the number that the first loop's procedure will have. Afterwards the procedure is acyclic; the loops'
/// procedures are returned, acyclic too.
///
/// # Errors
///
/// An edge that leads nowhere, which cannot be.
pub fn extract(proc: &mut Proc, next: ProcId) -> Result<Vec<Proc>, Internal> {
    let mut extracted = Vec::new();
    // Inner loops come behind outer ones.
    let mut loops = reducible_loops(proc)?;
    while let Some(NaturalLoop { header, body }) = loops.pop() {
        let number = ProcId::new(next.index() + extracted.len());
        let (loop_proc, call) = extract_one(proc, header, &body, number)?;
        extracted.push(loop_proc);
        for outer in loops.iter_mut().filter(|l| l.body.contains(&header)) {
            outer.body.insert(call);
        }
    }
    Ok(extracted)
}

/// A loop with one entry.
pub(super) struct NaturalLoop {
    /// Where it is entered.
    pub header: NodeId,
    /// Its nodes, the header among them.
    pub body: BTreeSet<NodeId>,
}

/// The loops, outer ones before inner ones; afterwards every loop has one entry.
pub(super) fn reducible_loops(proc: &mut Proc) -> Result<Vec<NaturalLoop>, Internal> {
    loop {
        match find_loops(proc)? {
            LoopSearch::Loops(loops) => return Ok(loops),
            LoopSearch::Irreducible { entries, body } => single_entry(proc, &entries, &body)?,
        }
    }
}

enum LoopSearch {
    Loops(Vec<NaturalLoop>),
    /// A loop with several entries.
    Irreducible {
        entries: Vec<NodeId>,
        body: BTreeSet<NodeId>,
    },
}

/// The loops, or one with several entries. A loop is a component of nodes that lead to each other; without its header, the
/// loops in it are what is left of such components.
fn find_loops(proc: &Proc) -> Result<LoopSearch, Internal> {
    let reachable = reachable(proc)?;
    let preds = predecessors(proc, &reachable)?;
    let mut loops = Vec::new();
    // Most procedures have none, and every question adds one.
    let mut work = match is_acyclic(proc, &preds)? {
        true => Vec::new(),
        false => vec![reachable],
    };
    while let Some(within) = work.pop() {
        for component in cyclic_components(&edges_within(proc, &within)?) {
            let body: BTreeSet<NodeId> = component.into_iter().collect();
            let outside = |n: &NodeId| {
                let preds = preds.get(n).into_iter().flatten();
                *n == proc.entry() || preds.into_iter().any(|p| !body.contains(p))
            };
            let entries: Vec<NodeId> = body.iter().copied().filter(outside).collect();
            let [header] = *entries.as_slice() else {
                return Ok(LoopSearch::Irreducible { entries, body });
            };
            let mut inner = body.clone();
            inner.remove(&header);
            loops.push(NaturalLoop { header, body });
            work.push(inner);
        }
    }
    // An inner loop is smaller than the one around it.
    loops.sort_by_key(|l| (std::cmp::Reverse(l.body.len()), l.header));
    Ok(LoopSearch::Loops(loops))
}

fn reachable(proc: &Proc) -> Result<BTreeSet<NodeId>, Internal> {
    let mut seen = BTreeSet::from([proc.entry()]);
    let mut work = vec![proc.entry()];
    while let Some(n) = work.pop() {
        let new = proc.succs(n)?.iter().filter(|s| seen.insert(**s));
        work.extend(new);
    }
    Ok(seen)
}

/// Whether every node can be taken away once all that lead to it are gone.
fn is_acyclic(proc: &Proc, preds: &BTreeMap<NodeId, Vec<NodeId>>) -> Result<bool, Internal> {
    if preds.contains_key(&proc.entry()) {
        return Ok(false);
    }
    let mut waiting: BTreeMap<NodeId, usize> = preds.iter().map(|(n, p)| (*n, p.len())).collect();
    let mut work = vec![proc.entry()];
    while let Some(n) = work.pop() {
        for s in proc.succs(n)? {
            let left = waiting.get_mut(s).sure()?;
            *left = left.saturating_sub(1);
            if *left == 0 {
                waiting.remove(s);
                work.push(*s);
            }
        }
    }
    Ok(waiting.is_empty())
}

fn predecessors(
    proc: &Proc,
    within: &BTreeSet<NodeId>,
) -> Result<BTreeMap<NodeId, Vec<NodeId>>, Internal> {
    let mut preds: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for n in within {
        for s in proc.succs(*n)? {
            preds.entry(*s).or_default().push(*n);
        }
    }
    Ok(preds)
}

/// Gives a loop a single entry: who goes to an old entry sets a number and goes to the new one, which branches by it.
fn single_entry(
    proc: &mut Proc,
    entries: &[NodeId],
    body: &BTreeSet<NodeId>,
) -> Result<(), Internal> {
    let which = proc.fresh("entry", BoogieType::Int);
    let number = |k: usize| TypedExpr {
        kind: TypedExprKind::Int(k.into()),
        ty: BoogieType::Int,
    };
    let var = proc.local(which)?;
    let old: Vec<NodeId> = proc.nodes.ids().collect();
    let mut add = |kind: Option<Simple>, succs: Vec<NodeId>| {
        proc.nodes.push(GraphNode {
            cmds: kind.map(Cmd::unsaid).into_iter().collect(),
            succs,
            ..GraphNode::default()
        })
    };
    let mut choices = Vec::new();
    for (k, entry) in entries.iter().enumerate() {
        let chosen = Simple::Assume(equal(var.clone(), number(k)));
        choices.push(add(Some(chosen), vec![*entry]));
    }
    let dispatch = add(None, choices);
    // Those who come from outside must not share a node with those inside: it would be another entry.
    let mut setters = || -> Vec<NodeId> {
        let set = |k: usize| Some(Simple::Assign(vec![(VariableRef::Local(which), number(k))]));
        (0..entries.len())
            .map(|k| add(set(k), vec![dispatch]))
            .collect()
    };
    let (inside, outside) = (setters(), setters());
    for n in old {
        let setters = if body.contains(&n) { &inside } else { &outside };
        for succ in &mut proc.nodes.at_mut(n)?.succs {
            if let Some(k) = entries.iter().position(|e| e == succ) {
                *succ = *setters.get(k).sure()?;
            }
        }
    }
    Ok(())
}

/// The local variables that nodes read or write, and those they write.
fn variables(
    proc: &Proc,
    body: &BTreeSet<NodeId>,
) -> Result<(BTreeSet<LocalId>, BTreeSet<LocalId>), Internal> {
    let (mut used, mut written) = (BTreeSet::new(), BTreeSet::new());
    let add = |to: &mut BTreeSet<LocalId>, var: VariableRef| {
        if let VariableRef::Local(i) = var {
            to.insert(i);
        }
    };
    for n in body {
        for cmd in &proc.nodes.at(*n)?.cmds {
            cmd.kind.reads(&mut |v| add(&mut used, v));
            cmd.kind.writes(&mut |v| add(&mut written, v));
        }
    }
    used.extend(&written);
    Ok((used, written))
}

/// Extracts one loop, inside which there is none left. Returns its procedure, and the node that calls it.
fn extract_one(
    proc: &mut Proc,
    header: NodeId,
    body: &BTreeSet<NodeId>,
    number: ProcId,
) -> Result<(Proc, NodeId), Internal> {
    let (used, written) = variables(proc, body)?;
    let args = used.iter().map(|i| proc.local(*i).map(Some));
    let call = Cmd::unsaid(Simple::Call {
        callee: number,
        args: args.collect::<Result<_, _>>()?,
        outs: written
            .iter()
            .map(|i| Some(VariableRef::Local(*i)))
            .collect(),
    });
    let first = proc.nodes.at(header)?;
    let (pos, label) = (first.pos, first.label.clone().unwrap_or_default());
    let loop_proc = Proc {
        name: format!("{}_loop_{label}", proc.name),
        is_loop: true,
        extra_bound: 0,
        vars: proc.vars.clone(),
        ins: used.into_iter().collect(),
        outs: written.into_iter().collect(),
        error: None,
        nodes: iterations(proc, header, body, &call)?,
        exit: NodeId::new(EXIT),
    };
    for n in body {
        proc.nodes.at_mut(*n)?.succs.retain(|s| *s != header);
    }
    let calling = proc.nodes.next_id();
    for node in &mut proc.nodes {
        let to_header = node.succs.iter_mut().filter(|s| **s == header);
        to_header.for_each(|s| *s = calling);
    }
    proc.nodes.push(GraphNode {
        pos,
        cmds: vec![call],
        succs: vec![header],
        ..GraphNode::default()
    });
    Ok((loop_proc, calling))
}

/// The places of nodes that every loop's procedure has: its end, and the call of itself.
const EXIT: usize = 1;
const AGAIN: usize = 2;

/// The nodes of a loop's procedure: straight to the exit, or through the body, and from where that leads back to the header
/// into another call.
fn iterations(
    proc: &Proc,
    header: NodeId,
    body: &BTreeSet<NodeId>,
    call: &Cmd,
) -> Result<Table<NodeId, GraphNode>, Internal> {
    let first = AGAIN + 1;
    let places = body.iter().enumerate();
    let places: BTreeMap<NodeId, NodeId> =
        places.map(|(i, n)| (*n, NodeId::new(first + i))).collect();
    let head = *places.get(&header).sure()?;
    let with_succs = |succs: Vec<NodeId>| GraphNode {
        succs,
        ..GraphNode::default()
    };
    let again = GraphNode {
        cmds: vec![call.clone()],
        ..with_succs(vec![NodeId::new(EXIT)])
    };
    let fixed = [
        with_succs(vec![NodeId::new(EXIT), head]),
        with_succs(vec![]),
        again,
    ];
    let mut nodes: Table<NodeId, GraphNode> = fixed.into_iter().collect();
    for n in faults::at(Fault::LostLoopNode, body.clone(), |mut body| {
        body.pop_last();
        body
    }) {
        let mut node = proc.nodes.at(n)?.clone();
        // A way out of the loop is no whole iteration.
        node.succs.retain(|s| body.contains(s));
        for succ in &mut node.succs {
            *succ = match *succ == header {
                true => NodeId::new(AGAIN),
                false => *places.get(succ).sure()?,
            };
        }
        nodes.push(node);
    }
    match nodes.len() == first + body.len() {
        true => Ok(nodes),
        false => Err(internal("a loop lost a node")),
    }
}
