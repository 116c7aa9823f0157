//! Basic blocks: runs of instructions that are entered at the beginning, left at the end, and guarded as one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::error::Refused;
use super::graph::BlockId;
use crate::front::java::classfile::{ArithmeticOp, Code, Instruction, Monitor, Pc};
use crate::front::java::types::{ClassName, ComputationalType};

/// A basic block.
#[derive(Clone, Debug)]
pub(super) struct RawBlock {
    /// Its instructions, by their numbers in the code.
    pub range: Range<usize>,
    /// Where it may go on, in the order of the last instruction's targets; what is reached by falling through comes last.
    pub successors: Vec<BlockId>,
    /// Its handlers, the first that fits is taken.
    pub handlers: Vec<(Option<ClassName>, BlockId)>,
}

/// The blocks of a body that are reached.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pub blocks: Vec<RawBlock>,
}

/// Cuts code into blocks. The entry is a block that nothing jumps to.
pub(super) fn blocks(code: &Code) -> Result<Blocks, Refused> {
    let starts = leaders(code);
    let reached = reached(code, &starts)?;
    let mut at = BTreeMap::new();
    for (number, pc) in reached.iter().enumerate() {
        at.insert(*pc, BlockId(u32::try_from(number).unwrap_or(u32::MAX)));
    }
    let mut blocks = Vec::new();
    for pc in &reached {
        let range = run(code, &starts, *pc);
        let cut = cut(code, &range)?;
        let id = |pc: &Pc| at.get(pc).copied();
        let handlers = cut.handlers.iter();
        blocks.push(RawBlock {
            successors: cut.successors.iter().filter_map(id).collect(),
            handlers: handlers
                .filter_map(|(class, pc)| Some((class.clone(), id(pc)?)))
                .collect(),
            range,
        });
    }
    Ok(Blocks { blocks })
}

/// Where blocks begin: at targets, behind jumps, and where a handler's range begins or ends.
fn leaders(code: &Code) -> BTreeSet<Pc> {
    let mut starts = BTreeSet::from([Pc(0)]);
    let mut behind_jump = false;
    for (pc, instruction) in &code.instructions {
        if behind_jump {
            starts.insert(*pc);
        }
        let targets = instruction.targets();
        behind_jump = !targets.is_empty() || !instruction.falls_through();
        starts.extend(targets);
    }
    for handler in &code.handlers {
        starts.extend([handler.start, handler.target]);
        let end = u16::try_from(handler.end).ok().map(Pc);
        starts.extend(end.filter(|end| code.position(*end).is_some()));
    }
    starts
}

/// The instructions of the block that begins there.
fn run(code: &Code, starts: &BTreeSet<Pc>, pc: Pc) -> Range<usize> {
    let first = code.position(pc).unwrap_or(code.instructions.len());
    let next = starts
        .range((std::ops::Bound::Excluded(pc), std::ops::Bound::Unbounded))
        .next();
    let end = next.and_then(|next| code.position(*next));
    first..end.unwrap_or(code.instructions.len())
}

/// The ways out of a block.
struct Cut {
    successors: Vec<Pc>,
    handlers: Vec<(Option<ClassName>, Pc)>,
}

fn cut(code: &Code, range: &Range<usize>) -> Result<Cut, Refused> {
    let instructions = code.instructions.get(range.clone()).unwrap_or_default();
    let Some((last, instruction)) = instructions.last() else {
        return Err(Refused::unverified(Pc(0), "the method is empty"));
    };
    let mut successors = instruction.targets();
    if instruction.falls_through() {
        match code.instructions.get(range.end) {
            Some((next, _)) => successors.push(*next),
            None => {
                return Err(Refused::unverified(
                    *last,
                    "the method ends without a return",
                ));
            }
        }
    }
    let raises = instructions
        .iter()
        .any(|(_, instruction)| may_raise(instruction));
    let handlers = match instructions.first() {
        Some((first, _)) if raises => handlers(code, *first)?,
        _ => Vec::new(),
    };
    Ok(Cut {
        successors,
        handlers,
    })
}

/// More handlers than that around one instruction no program has; each will be a statement around others.
const MOST_HANDLERS: usize = 64;

/// The handlers that stand guard there, without those that are never reached because another one comes first.
fn handlers(code: &Code, pc: Pc) -> Result<Vec<(Option<ClassName>, Pc)>, Refused> {
    let mut found: Vec<(Option<ClassName>, Pc)> = Vec::new();
    for handler in code.handlers.iter().filter(|handler| handler.covers(pc)) {
        let class = handler.class.clone();
        let class = class.filter(|class| !class.is("java/lang/Throwable"));
        if found.iter().any(|(earlier, _)| *earlier == class) {
            continue;
        }
        let catches_all = class.is_none();
        found.push((class, handler.target));
        if catches_all {
            break;
        }
        if found.len() > MOST_HANDLERS {
            let message = format!("more than {MOST_HANDLERS} handlers around instruction {pc}");
            return Err(Refused::TooLarge(message));
        }
    }
    Ok(found)
}

/// Whether an instruction may raise an exception. Leaving a monitor does not, in code that a compiler made.
fn may_raise(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Binary(ArithmeticOp::Divide | ArithmeticOp::Remainder, kind) => {
            matches!(kind, ComputationalType::Int | ComputationalType::Long)
        }
        Instruction::Push(constant) => constant.is_resolved(),
        Instruction::Monitor(monitor) => *monitor == Monitor::Enter,
        Instruction::Nop
        | Instruction::Load(..)
        | Instruction::Store(..)
        | Instruction::Stack(_)
        | Instruction::Binary(..)
        | Instruction::Negate(_)
        | Instruction::Increment(..)
        | Instruction::Convert(..)
        | Instruction::Compare(_)
        | Instruction::If(..)
        | Instruction::Goto(_)
        | Instruction::Switch(_)
        | Instruction::Return(_)
        | Instruction::InstanceOf(_) => false,
        _ => true,
    }
}

/// The blocks that are reached, in the order in which they stand in the code, but for the entry, which is the first.
fn reached(code: &Code, starts: &BTreeSet<Pc>) -> Result<Vec<Pc>, Refused> {
    let mut seen = BTreeSet::from([Pc(0)]);
    let mut work = vec![Pc(0)];
    while let Some(pc) = work.pop() {
        let cut = cut(code, &run(code, starts, pc))?;
        let handlers = cut.handlers.into_iter().map(|(_, target)| target);
        for next in cut.successors.into_iter().chain(handlers) {
            if seen.insert(next) {
                work.push(next);
            }
        }
    }
    Ok(seen.into_iter().collect())
}
