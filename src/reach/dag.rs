//! Acyclic graphs: the order of their nodes, the edges between them, what commands read and write.

use std::collections::{BTreeMap, BTreeSet};

use super::encode::Callees;
use super::graph::{Proc, Simple};
use crate::boogie::typed::{ExprKind, Var};

/// A set of slots.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn new(len: usize) -> Self {
        Bits(vec![0; len.div_ceil(64)])
    }

    pub(super) fn set(&mut self, i: usize, on: bool) {
        if let Some(word) = self.0.get_mut(i / 64) {
            match on {
                true => *word |= 1 << (i % 64),
                false => *word &= !(1 << (i % 64)),
            }
        }
    }

    pub(super) fn union(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// What is in any of these sets.
    pub(super) fn joined(sets: &[Bits]) -> Bits {
        let mut all = sets.first().cloned().unwrap_or_default();
        sets.iter().for_each(|s| all.union(s));
        all
    }

    pub(super) fn has(&self, i: usize) -> bool {
        self.0
            .get(i / 64)
            .is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(w, word)| {
            let word = *word;
            (0..64)
                .filter(move |b| word >> b & 1 == 1)
                .map(move |b| w * 64 + b)
        })
    }
}

/// The nodes on a way from the entry to the exit, each before its successors.
pub(super) fn useful(proc: &Proc) -> Vec<usize> {
    let succs = |n: usize| proc.nodes.get(n).map_or(&[][..], |n| n.succs.as_slice());
    let mut order = Vec::new();
    let mut seen = vec![false; proc.nodes.len()];
    let mut work = vec![(0usize, 0usize)];
    if let Some(first) = seen.first_mut() {
        *first = true;
    }
    while let Some((n, next)) = work.pop() {
        match succs(n).get(next) {
            None => order.push(n),
            Some(s) => {
                work.push((n, next + 1));
                if let Some(seen) = seen.get_mut(*s).filter(|seen| !**seen) {
                    *seen = true;
                    work.push((*s, 0));
                }
            }
        }
    }
    // In `order` successors come first.
    let mut reaches = vec![false; proc.nodes.len()];
    for n in &order {
        let leads = *n == proc.exit || succs(*n).iter().any(|s| reaches.get(*s) == Some(&true));
        if let Some(r) = reaches.get_mut(*n) {
            *r = leads;
        }
    }
    order.retain(|n| reaches.get(*n) == Some(&true) || *n == 0);
    order.reverse();
    order
}

/// For each node with several successors the nearest node that every way from it goes through. `order` has each node before
/// its successors; `succs` are those that lead to the end.
pub(super) fn meeting_points(
    order: &[usize],
    succs: impl Fn(usize) -> Vec<usize>,
) -> BTreeMap<usize, usize> {
    let places: BTreeMap<usize, usize> = order.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    // The next node that every way goes through.
    let mut next: BTreeMap<usize, usize> = BTreeMap::new();
    let mut meet = BTreeMap::new();
    for n in order.iter().rev() {
        let succs = succs(*n);
        let mut common = succs.first().copied();
        for s in &succs {
            let mut other = Some(*s);
            while let (Some(a), Some(b)) = (common, other)
                && a != b
            {
                match places.get(&a) < places.get(&b) {
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
    meet
}

/// The edges between the nodes of a selection.
pub(super) struct Graph {
    succs: BTreeMap<usize, BTreeSet<usize>>,
    preds: BTreeMap<usize, Vec<usize>>,
}

impl Graph {
    pub(super) fn new(proc: &Proc, order: &[usize]) -> Self {
        let selected: BTreeSet<usize> = order.iter().copied().collect();
        let mut graph = Graph {
            succs: BTreeMap::new(),
            preds: BTreeMap::new(),
        };
        for n in order {
            let succs = proc.nodes.get(*n).map_or(&[][..], |n| n.succs.as_slice());
            let succs: BTreeSet<usize> = succs
                .iter()
                .copied()
                .filter(|s| selected.contains(s))
                .collect();
            for s in &succs {
                graph.preds.entry(*s).or_default().push(*n);
            }
            graph.succs.insert(*n, succs);
        }
        graph
    }

    pub(super) fn preds(&self, n: usize) -> &[usize] {
        self.preds.get(&n).map_or(&[], Vec::as_slice)
    }

    pub(super) fn succs(&self, n: usize) -> Vec<usize> {
        self.succs.get(&n).into_iter().flatten().copied().collect()
    }
}

/// Calls `each` on the variables a command reads, globals of callees included.
pub(super) fn for_reads(cmd: &Simple, callees: &dyn Callees, each: &mut dyn FnMut(Var)) {
    cmd.exprs(&mut |e| {
        e.visit(&mut |e| {
            if let ExprKind::Var(v) = e.kind {
                each(v);
            }
        });
    });
    if let Simple::Call { callee, .. } = cmd {
        callees
            .effects(*callee)
            .uses
            .iter()
            .for_each(|g| each(Var::Global(*g)));
    }
}

/// Calls `each` on the variables a command gives a value, globals of callees included.
pub(super) fn for_writes(cmd: &Simple, callees: &dyn Callees, each: &mut dyn FnMut(Var)) {
    cmd.writes(&mut |v| each(*v));
    if let Simple::Call { callee, .. } = cmd {
        callees
            .effects(*callee)
            .writes
            .iter()
            .for_each(|g| each(Var::Global(*g)));
    }
}
