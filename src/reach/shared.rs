//! Which calls of a procedure can share a copy of the callee: those of which no execution makes more than one.
//!
//! `if (c) { call p(1); } else { call p(2); }` needs one copy of `p`, given 1 or 2. Without this, procedures that each
//! call the next one in several branches cost as many copies as there are ways through all of them. A callee that calls
//! nothing itself is copied for each call: that is never many, and what it is given stays plain.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::dag::{DagEdges, union};
use super::encode::Callees;
use super::graph::{NodeId, Proc, ProcId, Simple};
use crate::ids::id;
use crate::internal::{Internal, Sure};

id! {
    /// What calls share.
    pub(super) SharedId;
}

/// A call, by its node and its place there.
pub(super) type CallPlace = (NodeId, usize);

/// The calls that share a site.
#[derive(Default)]
pub(super) struct Shared(BTreeMap<CallPlace, SharedId>);

impl Shared {
    /// Finds them. `order` has each node before its successors.
    pub(super) fn find(
        proc: &Proc,
        order: &[NodeId],
        edges: &DagEdges,
        callees: &dyn Callees,
    ) -> Result<Self, Internal> {
        let calls = calls(proc, order, callees)?;
        let count = calls.len();
        if count < 2 {
            return Ok(Shared::default());
        }
        // Callee and calls of each site, and the sites that each node's executions may have come through. A call takes the
        // first site of its callee that no execution has come through yet.
        let mut sites: Vec<(ProcId, Vec<CallPlace>)> = Vec::new();
        let mut passed: BTreeMap<NodeId, FixedBitSet> = BTreeMap::new();
        let mut calls = calls.into_iter().peekable();
        for n in order {
            let before = edges.preds(*n)?.iter();
            let before: Vec<FixedBitSet> = before
                .map(|p| passed.get(p).cloned().sure())
                .collect::<Result<_, _>>()?;
            let mut here = match before.is_empty() {
                true => FixedBitSet::with_capacity(count),
                false => union(&before),
            };
            while let Some((place, callee)) = calls.next_if(|((node, _), _)| node == n) {
                let mut known = sites.iter_mut().enumerate();
                let free = known.find(|(i, (c, _))| *c == callee && !here.contains(*i));
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
                here.insert(site);
            }
            passed.insert(*n, here);
        }
        let several = sites.into_iter().enumerate();
        let several = several.filter(|(_, (_, calls))| calls.len() > 1);
        let numbered = several.flat_map(|(i, (_, calls))| {
            calls.into_iter().map(move |c| (c, crate::ids::Id::new(i)))
        });
        Ok(Shared(numbered.collect()))
    }

    /// What a call shares with others.
    pub(super) fn place(&self, call: CallPlace) -> Option<SharedId> {
        self.0.get(&call).copied()
    }

    /// The calls that share the same with this one, itself among them.
    pub(super) fn sharers(&self, call: CallPlace) -> Vec<CallPlace> {
        match self.place(call) {
            None => vec![call],
            same => {
                let all = self.0.iter().filter(|(_, s)| Some(**s) == same);
                all.map(|(call, _)| *call).collect()
            }
        }
    }
}

/// The calls of procedures that call others, in order.
fn calls(
    proc: &Proc,
    order: &[NodeId],
    callees: &dyn Callees,
) -> Result<Vec<(CallPlace, ProcId)>, Internal> {
    let mut calls = Vec::new();
    for n in order {
        for (i, cmd) in proc.nodes.at(*n)?.cmds.iter().enumerate() {
            if let Simple::Call { callee, .. } = cmd.kind
                && !callees.is_leaf(callee)?
            {
                calls.push(((*n, i), callee));
            }
        }
    }
    Ok(calls)
}
