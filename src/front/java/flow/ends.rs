//! Short ends of a method are copied to where they are reached from.
//!
//! A compiler shares them; a tree without jumps cannot. With a copy for each, the jumps are gone.

use super::graph::{BlockExit, BlockId, ControlFlowGraph};

/// Steps of an end that is still short. An exception takes two: it is made and thrown.
const SHORT: usize = 4;
/// The parts of all expressions of an end that is still short.
const SMALL: usize = 24;

/// Copies short ends. How many instructions have more than one copy then.
pub(super) fn copy_ends(flow: &mut ControlFlowGraph) -> usize {
    let before = flow.predecessors();
    let mut room = 2 * flow.blocks.len() + 32;
    let mut copied = 0;
    for id in flow.order() {
        let from = &before[id.index()];
        if id == BlockId::ENTRY || from.len() < 2 || !is_short(flow, id) {
            continue;
        }
        let Some(left) = room.checked_sub(from.len()) else {
            break;
        };
        room = left;
        copied += flow.block(id).steps.len() + 1;
        // The first one keeps the original, and so do those that come by an exception.
        for from in from.iter().skip(1) {
            let copy = flow.block(id).clone();
            let copy = flow.add(copy);
            for target in flow.block_mut(*from).exit.targets_mut() {
                if *target == id {
                    *target = copy;
                }
            }
        }
    }
    flow.prune();
    copied
}

fn is_short(flow: &ControlFlowGraph, id: BlockId) -> bool {
    let block = flow.block(id);
    // What is guarded may go on in a handler, and from there to anywhere.
    let ends = block.handlers.is_empty()
        && matches!(block.exit, BlockExit::Return(..) | BlockExit::Throw(..));
    let size: usize = block
        .expressions()
        .map(|expression| expression.size())
        .sum();
    ends && block.steps.len() <= SHORT && size <= SMALL
}
