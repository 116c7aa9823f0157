//! Which conditions decide whether a block is run (J. Ferrante, K. Ottenstein, J. Warren, *The program dependence graph
//! and its use in optimization*, TOPLAS 1987): the block is on every way from one branch to the end, and not on every way
//! from the other.
//!
//! A block that is guarded decides, too, by raising an exception or not. What is outside of handlers ends the method where
//! it raises one; that decides nothing here.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use super::graph::{BlockExit, BlockId, ControlFlowGraph};

/// Which blocks decide about which others.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    deciding: Vec<Vec<BlockId>>,
}

impl ControlDependence {
    /// The control dependence of the blocks that are reached.
    pub fn of(flow: &ControlFlowGraph) -> ControlDependence {
        let nearest = postdominators(flow);
        let mut deciding = vec![Vec::new(); flow.blocks.len()];
        for block in flow.order() {
            let next = flow.block(block).successors();
            if next.len() < 2 {
                continue;
            }
            let end = nearest[block.index()];
            for branch in next {
                // Up the tree, from the branch to what comes after the decision in any case.
                let mut at = Some(branch);
                while let Some(decided) = at
                    && at != end
                {
                    let found: &mut Vec<BlockId> = &mut deciding[decided.index()];
                    if found.contains(&block) {
                        break;
                    }
                    found.push(block);
                    at = nearest[decided.index()];
                }
            }
        }
        ControlDependence { deciding }
    }

    /// The blocks whose exits decide, by themselves, whether this one is run.
    pub fn deciding(&self, block: BlockId) -> &[BlockId] {
        self.deciding.get(block.index()).map_or(&[], Vec::as_slice)
    }
}

/// The nearest block that is on every way from each to the end; nothing where that is the end itself.
fn postdominators(flow: &ControlFlowGraph) -> Vec<Option<BlockId>> {
    let order = flow.order();
    let mut node = vec![None; flow.blocks.len()];
    let mut graph: DiGraph<Option<BlockId>, ()> = DiGraph::new();
    let end = graph.add_node(None);
    for block in &order {
        node[block.index()] = Some(graph.add_node(Some(*block)));
    }
    let endless = endless(flow, &order);
    for block in &order {
        let Some(from) = node[block.index()] else {
            continue;
        };
        let ends = matches!(
            flow.block(*block).exit,
            BlockExit::Return(..) | BlockExit::Throw(..)
        );
        // The edges lead backwards. A loop that is never left might be left anywhere.
        if ends || endless[block.index()] {
            graph.add_edge(end, from, ());
        }
        for next in flow.block(*block).successors() {
            if let Some(to) = node[next.index()] {
                graph.add_edge(to, from, ());
            }
        }
    }
    let dominators = simple_fast(&graph, end);
    let block_of = |node: NodeIndex| graph.node_weight(node).copied().flatten();
    let nearest = node
        .iter()
        .map(|node| node.and_then(|node| dominators.immediate_dominator(node)));
    nearest.map(|above| above.and_then(block_of)).collect()
}

/// The blocks from which no end is reached.
fn endless(flow: &ControlFlowGraph, order: &[BlockId]) -> Vec<bool> {
    let before = flow.predecessors();
    let mut endless = vec![true; flow.blocks.len()];
    let is_end = |block: &&BlockId| {
        matches!(
            flow.block(**block).exit,
            BlockExit::Return(..) | BlockExit::Throw(..)
        )
    };
    let mut work: Vec<BlockId> = order.iter().filter(is_end).copied().collect();
    while let Some(block) = work.pop() {
        if std::mem::replace(&mut endless[block.index()], false) {
            work.extend(before[block.index()].iter().copied());
        }
    }
    endless
}
