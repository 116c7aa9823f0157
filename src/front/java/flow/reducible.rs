//! A single entry for every loop.
//!
//! A loop with several entries, which no compiler of Java makes, gets one: a variable says which of the old entries is
//! meant, and a block in front of them goes there. That changes nothing of what the body does.

use std::collections::HashSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::dominance::Dominance;
use super::graph::{BasicBlock, BlockExit, BlockId, ControlFlowGraph};
use super::stack::temporary;
use crate::front::java::classfile::Pc;
use crate::front::java::tree::{CodePlace, JavaExpr, JavaStep, StepKind};
use crate::front::java::types::JavaType;

/// Gives every loop a single entry. How many had none.
pub(super) fn make_reducible(flow: &mut ControlFlowGraph) -> usize {
    let mut count = 0;
    while !is_reducible(flow) {
        let Some((entries, inside)) = several_entries(flow) else {
            break;
        };
        single_entry(flow, &entries, &inside);
        count += 1;
    }
    count
}

fn is_reducible(flow: &ControlFlowGraph) -> bool {
    let dominance = Dominance::of(flow);
    dominance.order.iter().all(|from| {
        let next = flow.block(*from).successors().into_iter();
        let mut back = next.filter(|to| dominance.is_retreating(*from, *to));
        back.all(|to| dominance.dominates(to, *from))
    })
}

/// The entries of a loop that has several of them, and all its blocks: outer loops first, inner ones once their own
/// entry is taken away.
fn several_entries(flow: &ControlFlowGraph) -> Option<(Vec<BlockId>, HashSet<BlockId>)> {
    let before = flow.predecessors();
    let mut work = vec![flow.order()];
    while let Some(within) = work.pop() {
        for component in components(flow, &within) {
            let inside: HashSet<BlockId> = component.iter().copied().collect();
            let is_entry = |block: &BlockId| {
                let before = before[block.index()].iter();
                *block == BlockId::ENTRY || before.into_iter().any(|from| !inside.contains(from))
            };
            let entries: Vec<BlockId> = component.iter().copied().filter(is_entry).collect();
            if entries.len() > 1 {
                return Some((entries, inside));
            }
            let rest = component
                .into_iter()
                .filter(|block| !entries.contains(block));
            work.push(rest.collect());
        }
    }
    None
}

/// The parts of a graph in which each block is reached from each, and that have a cycle.
fn components(flow: &ControlFlowGraph, within: &[BlockId]) -> Vec<Vec<BlockId>> {
    let mut graph: DiGraph<BlockId, ()> = DiGraph::new();
    let mut nodes = vec![None; flow.blocks.len()];
    for block in within {
        nodes[block.index()] = Some(graph.add_node(*block));
    }
    for block in within {
        let Some(from) = nodes[block.index()] else {
            continue;
        };
        for next in flow.block(*block).successors() {
            if let Some(to) = nodes[next.index()] {
                graph.add_edge(from, to, ());
            }
        }
    }
    let has_cycle = |nodes: &Vec<NodeIndex>| {
        nodes.len() > 1 || nodes.iter().any(|node| graph.contains_edge(*node, *node))
    };
    let found = kosaraju_scc(&graph).into_iter().filter(has_cycle);
    let named = found.map(|nodes| {
        let mut blocks: Vec<BlockId> = nodes.into_iter().map(|node| graph[node]).collect();
        blocks.sort_unstable();
        blocks
    });
    named.collect()
}

/// Puts a block in front of the entries. Who comes from inside and who from outside choose for themselves: a block that
/// both came through would be another entry.
fn single_entry(flow: &mut ControlFlowGraph, entries: &[BlockId], inside: &HashSet<BlockId>) {
    let chosen = temporary(flow, JavaType::Int);
    let place = CodePlace {
        pc: Pc(0),
        line: None,
    };
    let number = |position: usize| i32::try_from(position).unwrap_or(i32::MAX);
    let cases = entries
        .iter()
        .enumerate()
        .skip(1)
        .map(|(position, entry)| (number(position), *entry));
    let dispatch = BlockExit::Switch {
        place,
        value: JavaExpr::Variable(chosen),
        cases: cases.collect(),
        default: entries.first().copied().unwrap_or(BlockId::ENTRY),
    };
    let old = flow.blocks.len();
    let (steps, handlers) = (Vec::new(), Vec::new());
    let dispatch = flow.add(BasicBlock {
        steps,
        exit: dispatch,
        handlers,
    });
    let choices = |flow: &mut ControlFlowGraph| {
        let choose = |(position, _)| {
            let kind = StepKind::Assign(chosen, JavaExpr::int(number(position)));
            let (steps, handlers) = (vec![JavaStep { place, kind }], Vec::new());
            flow.add(BasicBlock {
                steps,
                exit: BlockExit::Goto(dispatch),
                handlers,
            })
        };
        entries
            .iter()
            .enumerate()
            .map(choose)
            .collect::<Vec<BlockId>>()
    };
    let (from_inside, from_outside) = (choices(flow), choices(flow));
    for (position, block) in flow.blocks.iter_mut().take(old).enumerate() {
        let id = BlockId(u32::try_from(position).unwrap_or(u32::MAX));
        let ways = if inside.contains(&id) {
            &from_inside
        } else {
            &from_outside
        };
        let handlers = block.handlers.iter_mut().map(|handler| &mut handler.target);
        for target in block.exit.targets_mut().into_iter().chain(handlers) {
            if let Some(position) = entries.iter().position(|entry| entry == target) {
                *target = ways[position];
            }
        }
    }
}
