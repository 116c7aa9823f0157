//! Acyclic graphs: the order of their nodes, the edges between them, where ways meet; and which of a graph's nodes are on
//! a cycle together.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::{DiGraphMap, NodeTrait};
use petgraph::visit::{DfsPostOrder, Walker};

use super::error::Result;
use super::graph::{NodeId, Proc};
use crate::ids::Table;
use crate::internal::{Internal, Sure};

/// What is in any of these sets.
pub(super) fn union(sets: &[FixedBitSet]) -> FixedBitSet {
    let mut all = sets.first().cloned().unwrap_or_default();
    sets.iter().for_each(|s| all.union_with(s));
    all
}

/// The groups of nodes of which each leads to all others: those with a cycle in them.
pub(super) fn cyclic_components<N: NodeTrait>(graph: &DiGraphMap<N, ()>) -> Vec<Vec<N>> {
    let mut all = kosaraju_scc(graph);
    all.retain(|component| match component.as_slice() {
        [only] => graph.contains_edge(*only, *only),
        _ => true,
    });
    all
}

/// The edges between the nodes of a procedure that `selected` has.
pub(super) fn edges_within(
    proc: &Proc,
    selected: &BTreeSet<NodeId>,
) -> Result<DiGraphMap<NodeId, ()>, Internal> {
    let mut graph = DiGraphMap::new();
    for n in selected {
        graph.add_node(*n);
        for s in proc.succs(*n)?.iter().filter(|s| selected.contains(s)) {
            graph.add_edge(*n, *s, ());
        }
    }
    Ok(graph)
}

/// The nodes on a way from the entry to the exit, each before its successors, and the entry in any case.
pub(super) fn useful(proc: &Proc) -> Result<Vec<NodeId>, Internal> {
    // The walk takes the last of several edges first.
    let mut graph: DiGraphMap<NodeId, ()> = DiGraphMap::new();
    for (n, node) in proc.nodes.pairs() {
        graph.add_node(n);
        node.succs.iter().rev().for_each(|s| {
            graph.add_edge(n, *s, ());
        });
    }
    let mut order: Vec<NodeId> = DfsPostOrder::new(&graph, proc.entry())
        .iter(&graph)
        .collect();
    // Successors come first as yet.
    let mut leads = Table::like(&proc.nodes, false);
    for n in &order {
        let mut on = *n == proc.exit;
        for s in proc.succs(*n)? {
            on |= leads.at(*s)?;
        }
        *leads.at_mut(*n)? = on;
    }
    let mut kept = Vec::new();
    while let Some(n) = order.pop() {
        if *leads.at(n)? || n == proc.entry() {
            kept.push(n);
        }
    }
    Ok(kept)
}

/// For each node with several successors the nearest node that every way from it goes through (its immediate
/// post-dominator). `order` has each node before its successors; `succs` are those that lead to the end.
pub(super) fn meeting_points(
    order: &[NodeId],
    succs: impl Fn(NodeId) -> Result<Vec<NodeId>, Internal>,
) -> Result<BTreeMap<NodeId, NodeId>, Internal> {
    let places: BTreeMap<NodeId, usize> = order.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    // The next node that every way goes through. From there on it leads like a chain, so where the chains of all successors
    // come together is found by going ahead with whichever is behind:
    //
    //     n ─► a ───► c ─► d      next[a] = c, next[b] = d
    //     └──► b ─────────┘       so next[n] = d
    let mut next: BTreeMap<NodeId, NodeId> = BTreeMap::new();
    let mut meet = BTreeMap::new();
    for n in order.iter().rev() {
        let succs = succs(*n)?;
        let mut common = succs.first().copied();
        for s in &succs {
            let mut other = Some(*s);
            while let (Some(a), Some(b)) = (common, other)
                && a != b
            {
                match places.get(&a).sure()? < places.get(&b).sure()? {
                    true => common = next.get(&a).copied(),
                    false => other = next.get(&b).copied(),
                }
            }
            common = common.and(other);
        }
        if let Some(common) = common {
            next.insert(*n, common);
            if succs.len() > 1 {
                meet.insert(*n, common);
            }
        }
    }
    Ok(meet)
}

/// The edges between the nodes of a selection, each once.
pub(super) struct DagEdges {
    succs: BTreeMap<NodeId, BTreeSet<NodeId>>,
    preds: BTreeMap<NodeId, Vec<NodeId>>,
}

impl DagEdges {
    pub(super) fn new(proc: &Proc, order: &[NodeId]) -> Result<Self, Internal> {
        let selected: BTreeSet<NodeId> = order.iter().copied().collect();
        let mut edges = DagEdges {
            succs: BTreeMap::new(),
            preds: selected.iter().map(|n| (*n, Vec::new())).collect(),
        };
        for n in order {
            let succs = proc.succs(*n)?.iter().copied();
            let succs: BTreeSet<NodeId> = succs.filter(|s| selected.contains(s)).collect();
            for s in &succs {
                edges.preds.get_mut(s).sure()?.push(*n);
            }
            edges.succs.insert(*n, succs);
        }
        Ok(edges)
    }

    pub(super) fn preds(&self, n: NodeId) -> Result<&[NodeId], Internal> {
        Ok(self.preds.get(&n).sure()?)
    }

    pub(super) fn succs(&self, n: NodeId) -> Result<&BTreeSet<NodeId>, Internal> {
        self.succs.get(&n).sure()
    }
}
