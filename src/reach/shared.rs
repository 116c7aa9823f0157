//! Which calls of a procedure can share a copy of the callee: those of which no execution makes more than one.
//!
//! `if (c) { call p(1); } else { call p(2); }` needs one copy of `p`, given 1 or 2. Without this, procedures that each
//! call the next one in several branches cost as many copies as there are ways through all of them. A callee that calls
//! nothing itself is copied for each call: that is never many, and what it is given stays plain.

use std::collections::BTreeMap;

use super::dag::{Bits, Graph};
use super::encode::Callees;
use super::graph::{Proc, Simple};

/// The calls that share a site, each with the site's number. A call is said by its node and its place there.
#[derive(Default)]
pub(super) struct Shared(BTreeMap<(usize, usize), usize>);

impl Shared {
    /// Finds them. `order` has each node before its successors.
    pub(super) fn find(proc: &Proc, order: &[usize], graph: &Graph, callees: &dyn Callees) -> Self {
        let mut calls: Vec<((usize, usize), usize)> = Vec::new();
        for n in order {
            for (i, cmd) in proc
                .nodes
                .get(*n)
                .iter()
                .flat_map(|n| n.cmds.iter().enumerate())
            {
                match cmd.kind {
                    Simple::Call { callee, .. } if !callees.is_leaf(callee) => {
                        calls.push(((*n, i), callee));
                    }
                    _ => {}
                }
            }
        }
        let count = calls.len();
        if count < 2 {
            return Shared::default();
        }
        // Callee and calls of each site, and the sites that each node's executions may have come through.
        let mut sites: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
        let mut passed: BTreeMap<usize, Bits> = BTreeMap::new();
        let mut calls = calls.into_iter().peekable();
        for n in order {
            let before: Vec<Bits> = graph
                .preds(*n)
                .iter()
                .filter_map(|p| passed.get(p).cloned())
                .collect();
            let mut here = match before.is_empty() {
                true => Bits::new(count),
                false => Bits::joined(&before),
            };
            while let Some((place, callee)) = calls.next_if(|((node, _), _)| node == n) {
                let mut known = sites.iter_mut().enumerate();
                let free = known.find(|(i, (c, _))| *c == callee && !here.has(*i));
                let site = match free {
                    Some((i, (_, calls))) => {
                        calls.push(place);
                        i
                    }
                    None => {
                        sites.push((callee, vec![place]));
                        sites.len() - 1
                    }
                };
                here.set(site, true);
            }
            passed.insert(*n, here);
        }
        let several = sites
            .into_iter()
            .enumerate()
            .filter(|(_, (_, calls))| calls.len() > 1);
        let numbered = several.flat_map(|(i, (_, calls))| calls.into_iter().map(move |c| (c, i)));
        Shared(numbered.collect())
    }

    /// The number of the site that a call shares.
    pub(super) fn place(&self, call: (usize, usize)) -> Option<usize> {
        self.0.get(&call).copied()
    }
}
