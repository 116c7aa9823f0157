//! The order of blocks in a tree: which one is part of which loop, and which one follows which labelled block.
//!
//! The way of N. Ramsey, *Beyond Relooper: Recursive Translation of Unstructured Control Flow to Structured Control Flow*
//! (ICFP 2022), with two additions. Handlers are blocks like others, reached by a jump. And what follows a loop comes
//! behind it, not into it: a block that a loop leads to, but that is no part of it, is moved out of it.
//!
//! A block that is reached from one place is put there. One that is reached from several places follows a labelled block
//! that holds them all, and the jumps leave that one. The nearest dominator says which.

use crate::front::java::flow::Refused;
use crate::front::java::flow::dominance::{Dominance, Loops};
use crate::front::java::flow::graph::{BlockExit, BlockId, ControlFlowGraph};
use crate::front::java::tree::JumpLabel;

/// Blocks in a tree. Every list ends in a jump, a return or a throw.
#[derive(Clone, Debug)]
pub(super) enum StructuredBlock {
    /// The steps of a block.
    Steps(BlockId),
    /// The condition that a block ends in. What is not in it comes behind it.
    If(BlockId, Vec<StructuredBlock>, Vec<StructuredBlock>),
    /// The `switch` that a block ends in.
    Switch(
        BlockId,
        Vec<(Vec<i32>, Vec<StructuredBlock>)>,
        Vec<StructuredBlock>,
    ),
    /// The return or throw that a block ends in.
    End(BlockId),
    /// A loop.
    Loop(JumpLabel, Vec<StructuredBlock>),
    /// A block that can be left.
    Labelled(JumpLabel, Vec<StructuredBlock>),
    /// A jump.
    Jump(TreeJump),
}

/// A jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeJump {
    /// To behind the block or loop.
    Break(JumpLabel),
    /// To the beginning of the loop.
    Continue(JumpLabel),
}

/// Statements that lie deeper in each other nobody can read, and they would not fit on the stack of those who walk them.
const DEEPEST: usize = 150;
/// Blocks of an end that is left where it is reached from a loop.
const SMALL: usize = 6;

/// The label of a block that others follow, and that of a loop.
fn label_of(block: BlockId) -> JumpLabel {
    JumpLabel(block.0 * 2)
}

fn label_of_loop(header: BlockId) -> JumpLabel {
    JumpLabel(header.0 * 2 + 1)
}

/// Where blocks go.
pub(super) struct BlockLayout<'a> {
    flow: &'a ControlFlowGraph,
    dominance: Dominance,
    loops: Loops,
    /// The blocks of which each is the nearest dominator.
    children: Vec<Vec<BlockId>>,
    /// How many blocks each dominates.
    sizes: Vec<usize>,
    /// Blocks that come behind a label, by the block whose code the label is around; in the order in which they come.
    behind: Vec<Vec<BlockId>>,
    /// Blocks that come behind a loop, by its header; in the order in which they come.
    behind_loop: Vec<Vec<BlockId>>,
    /// Whether a block is reached by a jump, and not put where it is reached from.
    labelled: Vec<bool>,
}

impl<'a> BlockLayout<'a> {
    pub(super) fn of(flow: &'a ControlFlowGraph) -> BlockLayout<'a> {
        let dominance = Dominance::of(flow);
        let loops = Loops::of(flow, &dominance);
        let count = flow.blocks.len();
        let children = dominance.children(count);
        let mut sizes = vec![1; count];
        for block in dominance.order.iter().rev() {
            if let Some(above) = dominance.nearest(*block) {
                sizes[above.index()] += sizes[block.index()];
            }
        }
        let mut layout = BlockLayout {
            flow,
            dominance,
            loops,
            children,
            sizes,
            behind: vec![Vec::new(); count],
            behind_loop: vec![Vec::new(); count],
            labelled: vec![false; count],
        };
        layout.place_all();
        layout
    }

    fn place_all(&mut self) {
        let before = self.flow.predecessors();
        let caught = self.handlers();
        for block in self.dominance.order.clone() {
            let Some(above) = self.dominance.nearest(block) else {
                continue;
            };
            let forward = before[block.index()].iter();
            let forward = forward
                .filter(|from| !self.dominance.is_retreating(**from, block))
                .count();
            let single = forward < 2 && !caught[block.index()];
            let left = self
                .loops
                .containing(above)
                .filter(|header| !self.loops.contains(*header, block));
            let outermost = left.last();
            let stays = single && (outermost.is_none() || self.is_small_end(block));
            self.labelled[block.index()] = !stays;
            match outermost {
                _ if stays => {}
                Some(header) => self.behind_loop[header.index()].push(block),
                None => self.behind[above.index()].push(block),
            }
        }
    }

    /// The blocks that handlers begin with.
    fn handlers(&self) -> Vec<bool> {
        let mut found = vec![false; self.flow.blocks.len()];
        for block in &self.dominance.order {
            for handler in &self.flow.block(*block).handlers {
                found[handler.target.index()] = true;
            }
        }
        found
    }

    /// Whether only few others are reached from a block, all of them dominated by it, no loop among them, and nothing that
    /// is guarded: an end of the method that is easier to read where it is reached from.
    fn is_small_end(&self, block: BlockId) -> bool {
        if self.sizes[block.index()] > SMALL {
            return false;
        }
        let mut work = vec![block];
        while let Some(part) = work.pop() {
            let own = self.flow.block(part);
            let inside = |next: &BlockId| *next != block && self.dominance.dominates(block, *next);
            let stays = own.successors().iter().all(inside);
            if !stays || !own.handlers.is_empty() || self.loops.is_header(part) {
                return false;
            }
            work.extend(&self.children[part.index()]);
        }
        true
    }

    /// The tree.
    pub(super) fn shapes(&self) -> Result<Vec<StructuredBlock>, Refused> {
        let mut shapes = Vec::new();
        self.tree(BlockId::ENTRY, &mut shapes, DEEPEST)?;
        Ok(shapes)
    }

    /// What a block dominates, put behind what is there. `room` is how much deeper the tree may get.
    fn tree(
        &self,
        mut block: BlockId,
        shapes: &mut Vec<StructuredBlock>,
        room: usize,
    ) -> Result<(), Refused> {
        loop {
            let next = if self.loops.is_header(block) {
                let behind = &self.behind_loop[block.index()];
                self.followed(behind, shapes, room, |inner, room| {
                    let mut body = Vec::new();
                    self.tree_in_loop(block, &mut body, deeper(room, 1)?)?;
                    inner.push(StructuredBlock::Loop(label_of_loop(block), body));
                    Ok(())
                })?
            } else {
                self.tree_step(block, shapes, room)?
            };
            match next {
                Some(next) => block = next,
                None => return Ok(()),
            }
        }
    }

    /// What the header of a loop dominates, as far as it is part of the loop.
    fn tree_in_loop(
        &self,
        header: BlockId,
        shapes: &mut Vec<StructuredBlock>,
        room: usize,
    ) -> Result<(), Refused> {
        match self.tree_step(header, shapes, room)? {
            Some(next) => self.tree(next, shapes, room),
            None => Ok(()),
        }
    }

    /// A block with what it dominates, but for a last part that comes behind all that.
    fn tree_step(
        &self,
        block: BlockId,
        shapes: &mut Vec<StructuredBlock>,
        room: usize,
    ) -> Result<Option<BlockId>, Refused> {
        let behind = &self.behind[block.index()];
        if behind.is_empty() {
            return self.code(block, shapes, room);
        }
        self.followed(behind, shapes, room, |inner, room| {
            match self.code(block, inner, room)? {
                Some(next) => self.tree(next, inner, room),
                None => Ok(()),
            }
        })
    }

    /// Blocks behind labels that are around each other and around what `inner` makes; the last one is left to the caller.
    fn followed(
        &self,
        behind: &[BlockId],
        shapes: &mut Vec<StructuredBlock>,
        room: usize,
        inner: impl FnOnce(&mut Vec<StructuredBlock>, usize) -> Result<(), Refused>,
    ) -> Result<Option<BlockId>, Refused> {
        let mut nested = Vec::new();
        inner(&mut nested, deeper(room, behind.len())?)?;
        for (position, block) in behind.iter().enumerate() {
            nested = vec![StructuredBlock::Labelled(label_of(*block), nested)];
            let around = behind.len() - position - 1;
            if around > 0 {
                self.tree(*block, &mut nested, deeper(room, around)?)?;
            }
        }
        shapes.extend(nested);
        Ok(behind.last().copied())
    }

    /// A block by itself, with the ways out of it; the one that goes on in line, if there is one, is left to the caller.
    fn code(
        &self,
        block: BlockId,
        shapes: &mut Vec<StructuredBlock>,
        room: usize,
    ) -> Result<Option<BlockId>, Refused> {
        shapes.push(StructuredBlock::Steps(block));
        match &self.flow.block(block).exit {
            BlockExit::Goto(next) => Ok(self.go(block, *next, shapes)),
            BlockExit::If {
                then, otherwise, ..
            } => self.branch(block, [*then, *otherwise], shapes, room),
            BlockExit::Switch { cases, default, .. } => {
                let room = deeper(room, 1)?;
                let mut arms: Vec<(BlockId, Vec<i32>)> = Vec::new();
                let mut positions = std::collections::HashMap::new();
                for (value, target) in cases.iter().filter(|(_, target)| target != default) {
                    let position = *positions.entry(*target).or_insert(arms.len());
                    if position == arms.len() {
                        arms.push((*target, Vec::new()));
                    }
                    if let Some((_, values)) = arms.get_mut(position) {
                        values.push(*value);
                    }
                }
                let mut cases = Vec::with_capacity(arms.len());
                for (target, values) in arms {
                    cases.push((values, self.arm(block, target, room)?));
                }
                shapes.push(StructuredBlock::Switch(
                    block,
                    cases,
                    self.arm(block, *default, room)?,
                ));
                Ok(None)
            }
            BlockExit::Return(..) | BlockExit::Throw(..) => {
                shapes.push(StructuredBlock::End(block));
                Ok(None)
            }
        }
    }

    /// A condition: one way is put into it, the other one goes on behind it, for no way comes to an end by itself.
    fn branch(
        &self,
        block: BlockId,
        [then, otherwise]: [BlockId; 2],
        shapes: &mut Vec<StructuredBlock>,
        room: usize,
    ) -> Result<Option<BlockId>, Refused> {
        let size = |to: BlockId| {
            if self.is_jump(block, to) {
                0
            } else {
                self.sizes[to.index()]
            }
        };
        let room = deeper(room, 1)?;
        if size(then) <= size(otherwise) {
            shapes.push(StructuredBlock::If(
                block,
                self.arm(block, then, room)?,
                Vec::new(),
            ));
            Ok(self.go(block, otherwise, shapes))
        } else {
            shapes.push(StructuredBlock::If(
                block,
                Vec::new(),
                self.arm(block, otherwise, room)?,
            ));
            Ok(self.go(block, then, shapes))
        }
    }

    fn arm(
        &self,
        block: BlockId,
        to: BlockId,
        room: usize,
    ) -> Result<Vec<StructuredBlock>, Refused> {
        let mut arm = Vec::new();
        if let Some(next) = self.go(block, to, &mut arm) {
            self.tree(next, &mut arm, room)?;
        }
        Ok(arm)
    }

    fn is_jump(&self, from: BlockId, to: BlockId) -> bool {
        self.labelled[to.index()] || self.dominance.is_retreating(from, to)
    }

    /// On to another block: it comes in line and is returned, or there is a jump to it.
    fn go(&self, from: BlockId, to: BlockId, shapes: &mut Vec<StructuredBlock>) -> Option<BlockId> {
        if self.is_jump(from, to) {
            shapes.push(StructuredBlock::Jump(self.jump(from, to)));
            return None;
        }
        Some(to)
    }

    /// The jump from one block to another.
    pub(super) fn jump(&self, from: BlockId, to: BlockId) -> TreeJump {
        if self.dominance.is_retreating(from, to) {
            TreeJump::Continue(label_of_loop(to))
        } else {
            TreeJump::Break(label_of(to))
        }
    }
}

/// The room that is left so much deeper.
fn deeper(room: usize, by: usize) -> Result<usize, Refused> {
    let too_deep = || {
        let message = format!("its statements lie more than {DEEPEST} deep in each other");
        Refused::TooLarge(message)
    };
    room.checked_sub(by).ok_or_else(too_deep)
}
