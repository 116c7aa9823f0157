//! Which blocks are on every way to others: dominators, and what they say of loops.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use super::graph::{BlockId, ControlFlowGraph};

/// The dominators of a graph, and an order of its blocks.
#[derive(Clone, Debug)]
pub struct Dominance {
    /// The blocks that are reached, each before those it goes on to, but for the ways back of loops.
    pub order: Vec<BlockId>,
    /// The place of each block in the order; of those that are not reached, a place behind all others.
    position: Vec<usize>,
    /// The nearest block that is on every way to a block.
    nearest: Vec<Option<BlockId>>,
    /// When a walk through the tree of dominators comes to a block, and when it leaves it for good.
    times: Vec<(usize, usize)>,
}

impl Dominance {
    /// The dominators of the blocks that are reached.
    pub fn of(flow: &ControlFlowGraph) -> Dominance {
        let order = flow.order();
        let mut position = vec![usize::MAX; flow.blocks.len()];
        for (place, block) in order.iter().enumerate() {
            position[block.index()] = place;
        }
        // Nodes are numbered by their places in the order.
        let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(order.len(), order.len() * 2);
        for _ in &order {
            graph.add_node(());
        }
        for (place, block) in order.iter().enumerate() {
            for next in flow.block(*block).successors() {
                let next = NodeIndex::new(position[next.index()]);
                graph.add_edge(NodeIndex::new(place), next, ());
            }
        }
        let dominators = simple_fast(&graph, NodeIndex::new(0));
        let mut nearest = vec![None; flow.blocks.len()];
        for (place, block) in order.iter().enumerate() {
            let above = dominators.immediate_dominator(NodeIndex::new(place));
            nearest[block.index()] = above.and_then(|above| order.get(above.index()).copied());
        }
        let mut found = Dominance {
            order,
            position,
            nearest,
            times: Vec::new(),
        };
        found.times = found.walk(flow.blocks.len());
        found
    }

    /// The nearest block that is on every way to this one; nothing for the entry.
    pub fn nearest(&self, block: BlockId) -> Option<BlockId> {
        self.nearest[block.index()]
    }

    /// The place of a block in the order.
    pub fn position(&self, block: BlockId) -> usize {
        self.position[block.index()]
    }

    /// Whether every way to the second block leads through the first one, or they are the same.
    pub fn dominates(&self, above: BlockId, below: BlockId) -> bool {
        let (above, below) = (self.times[above.index()], self.times[below.index()]);
        above.0 <= below.0 && below.1 <= above.1
    }

    /// Whether a step from one block to another is a way back: to one that comes no later.
    pub fn is_retreating(&self, from: BlockId, to: BlockId) -> bool {
        self.position(to) <= self.position(from)
    }

    /// The blocks of which each is the nearest, in order.
    pub fn children(&self, count: usize) -> Vec<Vec<BlockId>> {
        let mut found = vec![Vec::new(); count];
        for block in &self.order {
            if let Some(above) = self.nearest(*block) {
                found[above.index()].push(*block);
            }
        }
        found
    }

    fn walk(&self, count: usize) -> Vec<(usize, usize)> {
        let children = self.children(count);
        let mut times = vec![(usize::MAX, 0); count];
        let mut clock = 0;
        let mut work = vec![(BlockId::ENTRY, 0)];
        while let Some((block, next)) = work.pop() {
            if next == 0 {
                times[block.index()].0 = clock;
                clock += 1;
            }
            if let Some(child) = children[block.index()].get(next) {
                work.push((block, next + 1));
                work.push((*child, 0));
            } else {
                times[block.index()].1 = clock;
                clock += 1;
            }
        }
        times
    }
}

/// The loops of a graph in which each has one entry.
#[derive(Clone, Debug)]
pub struct Loops {
    /// The entries, outer loops before inner ones.
    pub headers: Vec<BlockId>,
    /// Of each block, the entry of the innermost loop it is part of.
    innermost: Vec<Option<BlockId>>,
    /// Of each entry, the entry of the loop around its own.
    around: Vec<Option<BlockId>>,
}

impl Loops {
    /// The natural loops: a way back, and all from which it is reached without passing its target.
    pub fn of(flow: &ControlFlowGraph, dominance: &Dominance) -> Loops {
        let before = flow.predecessors();
        let count = flow.blocks.len();
        let mut loops = Loops {
            headers: Vec::new(),
            innermost: vec![None; count],
            around: vec![None; count],
        };
        // Inner headers come later in the order, so that they are found first.
        for header in dominance.order.iter().rev() {
            let back = before[header.index()].iter().copied();
            let back: Vec<BlockId> = back
                .filter(|from| dominance.dominates(*header, *from))
                .collect();
            if !back.is_empty() {
                loops.headers.push(*header);
                loops.collect(*header, back, &before);
            }
        }
        loops.headers.reverse();
        loops
    }

    /// Gives all blocks of a loop to its header, those of inner loops by way of their headers.
    fn collect(&mut self, header: BlockId, mut work: Vec<BlockId>, before: &[Vec<BlockId>]) {
        let mut seen = std::collections::HashSet::from([header]);
        while let Some(block) = work.pop() {
            let outermost = self.outermost(block);
            if !seen.insert(outermost) {
                continue;
            }
            if self.innermost[outermost.index()] == Some(outermost) {
                self.around[outermost.index()] = Some(header);
            } else {
                self.innermost[outermost.index()] = Some(header);
            }
            work.extend(before[outermost.index()].iter().copied());
        }
        self.innermost[header.index()] = Some(header);
    }

    /// The header of the outermost loop found so far that a block is part of, or the block itself.
    fn outermost(&self, block: BlockId) -> BlockId {
        let mut found = match self.innermost[block.index()] {
            Some(header) => header,
            None => return block,
        };
        while let Some(around) = self.around[found.index()] {
            found = around;
        }
        found
    }

    /// Whether a block is the entry of a loop.
    pub fn is_header(&self, block: BlockId) -> bool {
        self.innermost[block.index()] == Some(block)
    }

    /// The entries of the loops that a block is part of, the innermost first.
    pub fn containing(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        std::iter::successors(self.innermost[block.index()], |header| {
            self.around[header.index()]
        })
    }

    /// Whether a block is part of the loop with that entry.
    pub fn contains(&self, header: BlockId, block: BlockId) -> bool {
        self.containing(block).any(|found| found == header)
    }
}
