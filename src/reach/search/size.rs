//! How large the tree becomes where everything is inlined.

use std::collections::BTreeMap;

use petgraph::graphmap::DiGraphMap;
use petgraph::visit::DfsPostOrder;

use super::tree::EAGER_INSTANCES;
use crate::internal::{Internal, Sure};
use crate::reach::encode::Vc;
use crate::reach::error::{ReachError, Result};
use crate::reach::graph::ProcId;
use crate::reach::program::PreparedEntry;

/// Of each procedure that the entry calls, how many copies the tree below a call of it has, calls of what can recur not
/// counted.
#[derive(Clone)]
pub struct Sizes {
    below: BTreeMap<ProcId, u64>,
    all: u64,
}

impl Sizes {
    /// The sizes where the tree would be too large to inline everything; none where it would not.
    ///
    /// # Errors
    ///
    /// There is no such procedure, which cannot be.
    pub fn too_large(entry: &PreparedEntry<'_>) -> Result<Option<Self>> {
        let sizes = Sizes::of(entry)?;
        Ok((sizes.all > EAGER_INSTANCES as u64).then_some(sizes))
    }

    /// The sizes, however large the tree would be.
    ///
    /// # Errors
    ///
    /// There is no such procedure, which cannot be.
    pub fn of(entry: &PreparedEntry<'_>) -> Result<Self> {
        let mut below = BTreeMap::new();
        for number in callees_first(entry)? {
            let size = match entry.vc(number) {
                Ok(vc) => tree(entry, &vc, &below)?,
                // It is told where it is inlined.
                Err(ReachError::Unsupported(_)) => 1,
                Err(error) => return Err(error),
            };
            below.insert(number, size);
        }
        let all = tree(entry, &*entry.root()?, &below)?;
        Ok(Sizes { below, all })
    }

    /// How many copies the tree below a call of the procedure has.
    pub(super) fn below(&self, number: ProcId) -> Result<u64, Internal> {
        self.below.get(&number).copied().sure()
    }
}

/// A copy of the procedure and of all below it.
fn tree(
    entry: &PreparedEntry<'_>,
    vc: &Vc,
    below: &BTreeMap<ProcId, u64>,
) -> Result<u64, Internal> {
    let mut size = 1u64;
    for site in &vc.sites {
        if !entry.is_recursive(site.callee)? {
            size = size.saturating_add(*below.get(&site.callee).sure()?);
        }
    }
    Ok(size)
}

/// The procedures and loops that the entry calls, each behind those that it calls itself, as far as that is possible: but for those
/// through which it comes to itself.
pub(super) fn callees_first(entry: &PreparedEntry<'_>) -> Result<Vec<ProcId>> {
    let reached = entry.reached()?;
    let mut graph: DiGraphMap<ProcId, ()> = DiGraphMap::new();
    for number in &reached {
        graph.add_node(*number);
        for callee in entry.proc(*number)?.calls() {
            graph.add_edge(*number, callee, ());
        }
    }
    let mut walk = DfsPostOrder::empty(&graph);
    let mut order = Vec::new();
    for number in reached {
        walk.move_to(number);
        while let Some(next) = walk.next(&graph) {
            order.push(next);
        }
    }
    Ok(order)
}
