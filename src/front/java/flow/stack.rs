//! What lies on the stack between blocks: a variable for each place that the machine would find it in.

use super::blocks::{Blocks, RawBlock};
use super::error::Refused;
use super::frames::{Frame, VerificationType, taken};
use super::graph::{BlockId, ControlFlowGraph};
use crate::front::java::classfile::{Code, Element};
use crate::front::java::tree::{BodyVariable, Role, VariableId, of_kind};
use crate::front::java::types::JavaType;

/// The variables in which blocks hand over what is on the stack. An object without a constructor's call has none: which
/// one it is, is known at every place.
pub(super) struct Places {
    /// What each block begins with, from the bottom.
    entries: Vec<Vec<Option<VariableId>>>,
    /// What each block ends with, from the bottom.
    exits: Vec<Vec<Option<VariableId>>>,
}

/// Two ways that lead to one block share their variables, and so do two blocks that one leads to.
struct Union {
    parents: Vec<usize>,
}

impl Union {
    fn find(&mut self, mut place: usize) -> usize {
        while self.parents[place] != place {
            self.parents[place] = self.parents[self.parents[place]];
            place = self.parents[place];
        }
        place
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

impl Places {
    pub(super) fn of(
        code: &Code,
        blocks: &Blocks,
        frames: &[Frame],
        flow: &mut ControlFlowGraph,
    ) -> Result<Places, Refused> {
        // The places of all blocks' beginnings, one after the other.
        let mut starts = Vec::with_capacity(frames.len());
        let mut count = 0;
        for frame in frames {
            starts.push(count);
            count += frame.stack.len();
        }
        let mut union = Union {
            parents: (0..count).collect(),
        };
        for (number, block) in blocks.blocks.iter().enumerate() {
            let Some((first, others)) = block.successors.split_first() else {
                continue;
            };
            let height = frames[first.index()].stack.len();
            for other in others {
                for at in 0..height.min(frames[other.index()].stack.len()) {
                    union.join(starts[first.index()] + at, starts[other.index()] + at);
                }
            }
            // What lies so deep that the block does not touch it stays where it is.
            for at in 0..untouched(code, block, &frames[number])?.min(height) {
                union.join(starts[number] + at, starts[first.index()] + at);
            }
        }
        let mut made: Vec<Option<VariableId>> = vec![None; count];
        let mut entries = Vec::with_capacity(frames.len());
        for (frame, start) in frames.iter().zip(&starts) {
            let mut entry = Vec::with_capacity(frame.stack.len());
            for (at, value) in frame.stack.iter().enumerate() {
                let root = union.find(start + at);
                entry.push(variable(value, &mut made[root], flow));
            }
            entries.push(entry);
        }
        let exits = blocks.blocks.iter().map(|block| {
            let next = block.successors.first();
            next.map_or_else(Vec::new, |next| entries[next.index()].clone())
        });
        let exits = exits.collect();
        Ok(Places { entries, exits })
    }

    /// What a block begins with, from the bottom.
    pub(super) fn entry(&self, block: usize) -> &[Option<VariableId>] {
        self.entries.get(block).map_or(&[], Vec::as_slice)
    }

    /// What a block ends with, from the bottom.
    pub(super) fn exit(&self, block: usize) -> &[Option<VariableId>] {
        self.exits.get(block).map_or(&[], Vec::as_slice)
    }

    /// The variable that a handler finds its exception in.
    pub(super) fn caught(&self, handler: BlockId) -> Option<VariableId> {
        self.entry(handler.index()).first().copied().flatten()
    }
}

/// The variable of a place, made where there is none yet.
fn variable(
    value: &VerificationType,
    made: &mut Option<VariableId>,
    flow: &mut ControlFlowGraph,
) -> Option<VariableId> {
    let ty = match value {
        VerificationType::Fresh(..) | VerificationType::Unusable => return None,
        VerificationType::Reference(ty) => ty.clone(),
        other => of_kind(other.kind()?),
    };
    Some(*made.get_or_insert_with(|| temporary(flow, ty)))
}

/// A new variable for a value on the stack. It gets its name when it is clear which of them are left.
pub(super) fn temporary(flow: &mut ControlFlowGraph, ty: JavaType) -> VariableId {
    let (name, role) = (String::new(), Role::Temporary);
    flow.add_variable(BodyVariable { name, ty, role })
}

/// How many values at the bottom of the stack a block never touches.
fn untouched(code: &Code, block: &RawBlock, frame: &Frame) -> Result<usize, Refused> {
    let mut frame = frame.clone();
    let mut lowest = frame.stack.len();
    let instructions = code
        .instructions
        .get(block.range.clone())
        .unwrap_or_default();
    for (pc, instruction) in instructions {
        let before = frame.stack.len();
        frame.step(*pc, instruction, usize::from(code.max_stack))?;
        lowest = lowest.min(before.saturating_sub(taken(instruction)));
    }
    Ok(lowest)
}

/// What the elements of an array are. Without knowing the array, `byte` and `boolean` look the same.
pub(super) fn element_type(element: Element, array: Option<&VerificationType>) -> JavaType {
    let known = match array {
        Some(VerificationType::Reference(ty)) => ty.element(),
        _ => None,
    };
    if let Some(known) = known.filter(|known| known.kind() == element.kind()) {
        return known.clone();
    }
    match element {
        Element::ByteOrBoolean => JavaType::Byte,
        Element::Char => JavaType::Char,
        Element::Short => JavaType::Short,
        other => of_kind(other.kind()),
    }
}
