//! What lies on the stack and in the local variables, by data flow (JVMS 4.10.2).
//!
//! The machine's own verifier does the same. It knows the hierarchy of classes; here, two classes have only `Object` in
//! common. That is enough: what is lost is a name, never the kind of a value.
//!
//! | module | what it holds |
//! |---|---|
//! | `machine` | what each instruction makes of a frame |
//! | `moves` | what moves values on a stack: of this analysis, and of expressions |

mod machine;
mod moves;

pub(super) use moves::{rearrange, taken};

use crate::front::java::classfile::{Code, Instruction, Pc};
use crate::front::java::flow::blocks::{Blocks, RawBlock};
use crate::front::java::flow::error::Refused;
use crate::front::java::flow::graph::BlockId;
use crate::front::java::types::{ClassName, ComputationalType, JavaType, MethodSignature};

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VerificationType {
    /// Nothing; it cannot be used.
    Unusable,
    Int,
    Long,
    Float,
    Double,
    /// `null`
    Null,
    Reference(JavaType),
    /// An object made by the instruction there, whose constructor has yet to be called.
    Fresh(Pc, ClassName),
}

impl VerificationType {
    pub(super) fn of(ty: &JavaType) -> VerificationType {
        match ty.kind() {
            ComputationalType::Int => VerificationType::Int,
            ComputationalType::Long => VerificationType::Long,
            ComputationalType::Float => VerificationType::Float,
            ComputationalType::Double => VerificationType::Double,
            ComputationalType::Reference => VerificationType::Reference(ty.clone()),
        }
    }

    fn of_kind(kind: ComputationalType) -> VerificationType {
        match kind {
            ComputationalType::Int => VerificationType::Int,
            ComputationalType::Long => VerificationType::Long,
            ComputationalType::Float => VerificationType::Float,
            ComputationalType::Double => VerificationType::Double,
            ComputationalType::Reference => VerificationType::Reference(JavaType::object()),
        }
    }

    pub(super) fn kind(&self) -> Option<ComputationalType> {
        Some(match self {
            VerificationType::Unusable => return None,
            VerificationType::Int => ComputationalType::Int,
            VerificationType::Long => ComputationalType::Long,
            VerificationType::Float => ComputationalType::Float,
            VerificationType::Double => ComputationalType::Double,
            VerificationType::Null
            | VerificationType::Reference(_)
            | VerificationType::Fresh(..) => ComputationalType::Reference,
        })
    }

    /// How many entries it takes.
    pub(super) fn width(&self) -> usize {
        self.kind().map_or(1, |kind| usize::from(kind.width()))
    }

    /// What both have in common.
    fn join(&self, other: &VerificationType) -> VerificationType {
        match (self, other) {
            (a, b) if a == b => a.clone(),
            (VerificationType::Null, VerificationType::Reference(ty))
            | (VerificationType::Reference(ty), VerificationType::Null) => {
                VerificationType::Reference(ty.clone())
            }
            (VerificationType::Reference(_), VerificationType::Reference(_)) => {
                VerificationType::Reference(JavaType::object())
            }
            _ => VerificationType::Unusable,
        }
    }
}

/// What is known at a place. A `long` or `double` is one entry of the stack, and two local variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    pub locals: Vec<VerificationType>,
    pub stack: Vec<VerificationType>,
}

/// All steps of the data flow together, to come to an end with code that was made to take long.
const MOST_WORK: usize = 100_000_000;
/// All values of all frames together; the largest bodies of real programs need a few hundred thousand.
const MOST_VALUES: usize = 4_000_000;

impl Frame {
    /// The frame in which a method begins.
    pub(super) fn entry(
        receiver: Option<&ClassName>,
        signature: &MethodSignature,
        locals: u16,
    ) -> Frame {
        let receiver = receiver.map(|class| JavaType::Class(class.clone()));
        let mut found = Vec::new();
        for ty in receiver.iter().chain(&signature.parameters) {
            let value = VerificationType::of(ty);
            let width = value.width();
            found.push(value);
            found.resize(found.len() + width - 1, VerificationType::Unusable);
        }
        found.resize(found.len().max(locals.into()), VerificationType::Unusable);
        Frame {
            locals: found,
            stack: Vec::new(),
        }
    }

    /// Joins what is known on another way to the same place. Whether something changed.
    fn join(&mut self, other: &Frame, pc: Pc) -> Result<bool, Refused> {
        if self.stack.len() != other.stack.len() {
            return Err(Refused::unverified(
                pc,
                "the stack is of another height on another way here",
            ));
        }
        let mut changed = join_all(&mut self.locals, &other.locals);
        for (own, other) in self.stack.iter_mut().zip(&other.stack) {
            let joined = own.join(other);
            if joined == VerificationType::Unusable {
                return Err(Refused::unverified(
                    pc,
                    "the stack holds another kind of value on another way here",
                ));
            }
            changed |= joined != *own;
            *own = joined;
        }
        Ok(changed)
    }
}

fn join_all(own: &mut [VerificationType], other: &[VerificationType]) -> bool {
    let mut changed = false;
    for (own, other) in own.iter_mut().zip(other) {
        let joined = own.join(other);
        if joined != *own {
            changed = true;
            *own = joined;
        }
    }
    changed
}

/// The frames in which the blocks begin.
pub(super) fn frames(code: &Code, blocks: &Blocks, entry: Frame) -> Result<Vec<Frame>, Refused> {
    let room = entry.locals.len() + usize::from(code.max_stack);
    if room.saturating_mul(blocks.blocks.len()) > MOST_VALUES {
        let message = format!("{room} values in each of {} blocks", blocks.blocks.len());
        return Err(Refused::TooLarge(message));
    }
    let mut analysis = FrameAnalysis {
        code,
        frames: vec![None; blocks.blocks.len()],
        waiting: vec![false; blocks.blocks.len()],
        queue: std::collections::VecDeque::new(),
        work: 0,
    };
    analysis.arrive(BlockId::ENTRY, &entry, Pc(0))?;
    while let Some(id) = analysis.queue.pop_front() {
        analysis.waiting[id.index()] = false;
        analysis.block(id, &blocks.blocks[id.index()])?;
    }
    // Every block is reached, so every one has a frame.
    let frames = analysis.frames.into_iter().collect::<Option<Vec<Frame>>>();
    frames.ok_or_else(|| Refused::unverified(Pc(0), "a block that is not reached"))
}

struct FrameAnalysis<'a> {
    code: &'a Code,
    frames: Vec<Option<Frame>>,
    waiting: Vec<bool>,
    queue: std::collections::VecDeque<BlockId>,
    work: usize,
}

impl FrameAnalysis<'_> {
    fn arrive(&mut self, id: BlockId, frame: &Frame, pc: Pc) -> Result<(), Refused> {
        self.work += frame.locals.len() + frame.stack.len() + 1;
        if self.work > MOST_WORK {
            return Err(Refused::TooLarge(
                "its types do not settle in time".to_owned(),
            ));
        }
        let changed = match &mut self.frames[id.index()] {
            Some(own) => own.join(frame, pc)?,
            unknown => {
                *unknown = Some(frame.clone());
                true
            }
        };
        if changed && !self.waiting[id.index()] {
            self.waiting[id.index()] = true;
            self.queue.push_back(id);
        }
        Ok(())
    }

    fn block(&mut self, id: BlockId, block: &RawBlock) -> Result<(), Refused> {
        let Some(mut frame) = self.frames[id.index()].clone() else {
            return Ok(());
        };
        // What handlers may find in the local variables: what is there before any of the instructions.
        let mut guarded = frame.locals.clone();
        let instructions = self
            .code
            .instructions
            .get(block.range.clone())
            .unwrap_or_default();
        let mut last = Pc(0);
        for (pc, instruction) in instructions {
            frame.step(*pc, instruction, usize::from(self.code.max_stack))?;
            if matches!(
                instruction,
                Instruction::Store(..) | Instruction::Invoke(..)
            ) {
                join_all(&mut guarded, &frame.locals);
                self.work += guarded.len();
            }
            last = *pc;
        }
        self.work += instructions.len();
        for next in &block.successors {
            self.arrive(*next, &frame, last)?;
        }
        for (class, target) in &block.handlers {
            let throwable = || ClassName::new("java/lang/Throwable");
            let caught = JavaType::Class(class.clone().unwrap_or_else(throwable));
            let handler = Frame {
                locals: guarded.clone(),
                stack: vec![VerificationType::Reference(caught)],
            };
            self.arrive(*target, &handler, last)?;
        }
        Ok(())
    }
}
