//! The stack away: each block is run with expressions in the place of values.
//!
//! An expression stays on the stack until it is used, so that `a + b * c` comes out whole. It is put into a variable of
//! its own before something happens that could change its value or be told apart by the exception it may raise; then the
//! order in which things happen stays that of the machine. What is on the stack where a block ends is put into variables
//! that the next blocks begin with.
//!
//! | module | what it holds |
//! |---|---|
//! | `operands` | the stack, whose entries are expressions, and when they are put into variables |
//! | `instructions` | what each instruction makes of it |

mod instructions;
mod operands;

use std::collections::BTreeMap;

use crate::front::java::classfile::{Bootstrap, Code, Pc};
use crate::front::java::flow::blocks::{Blocks, RawBlock};
use crate::front::java::flow::error::Refused;
use crate::front::java::flow::frames::{Frame, VerificationType};
use crate::front::java::flow::graph::{
    BasicBlock, BlockExit, BlockHandler, BlockId, ControlFlowGraph,
};
use crate::front::java::flow::stack::Places;
use crate::front::java::flow::variables::Variables;
use crate::front::java::tree::{CodePlace, JavaExpr, JavaStep, Role, VariableId, joined};
use crate::front::java::types::{ComputationalType, JavaType};
use operands::Operand;

/// Makes the graph of a body.
pub(super) fn lift(
    code: &Code,
    blocks: &Blocks,
    frames: &[Frame],
    variables: Variables,
    bootstraps: &[Bootstrap],
) -> Result<ControlFlowGraph, Refused> {
    let mut flow = ControlFlowGraph {
        blocks: Vec::new(),
        variables: variables.variables.clone(),
        parameters: variables.parameters.clone(),
    };
    let places = Places::of(code, blocks, frames, &mut flow)?;
    let mut lifter = Lifter {
        code,
        bootstraps,
        flow,
        variables,
        places,
        typed: Vec::new(),
        stack: Vec::new(),
        steps: Vec::new(),
        frame: Frame {
            locals: Vec::new(),
            stack: Vec::new(),
        },
        guarded: false,
        place: CodePlace {
            pc: Pc(0),
            line: None,
        },
    };
    for (number, block) in blocks.blocks.iter().enumerate() {
        lifter.block(number, block, &frames[number])?;
    }
    lifter.finish_types();
    free_entry(&mut lifter.flow);
    Ok(lifter.flow)
}

/// Nothing leads to the entry but the call itself: a loop that begins with the method gets a block of its own.
fn free_entry(flow: &mut ControlFlowGraph) {
    if flow.predecessors().first().is_none_or(Vec::is_empty) {
        return;
    }
    let first = flow.block(BlockId::ENTRY).clone();
    let copy = flow.add(first);
    for block in &mut flow.blocks {
        let handlers = block.handlers.iter_mut().map(|handler| &mut handler.target);
        for target in block.exit.targets_mut().into_iter().chain(handlers) {
            if *target == BlockId::ENTRY {
                *target = copy;
            }
        }
    }
    let (steps, handlers) = (Vec::new(), Vec::new());
    *flow.block_mut(BlockId::ENTRY) = BasicBlock {
        steps,
        exit: BlockExit::Goto(copy),
        handlers,
    };
}

struct Lifter<'a> {
    code: &'a Code,
    bootstraps: &'a [Bootstrap],
    variables: Variables,
    flow: ControlFlowGraph,
    places: Places,
    /// What is assigned to variables of references of which the class file says nothing.
    typed: Vec<(VariableId, Option<JavaType>)>,
    stack: Vec<Operand>,
    steps: Vec<JavaStep>,
    frame: Frame,
    /// Whether a handler stands guard over the block.
    guarded: bool,
    place: CodePlace,
}

impl Lifter<'_> {
    fn block(&mut self, number: usize, block: &RawBlock, frame: &Frame) -> Result<(), Refused> {
        self.frame = frame.clone();
        self.guarded = !block.handlers.is_empty();
        self.stack = self.entries(number, frame);
        self.steps = Vec::new();
        let mut exit = None;
        for index in block.range.clone() {
            let Some((pc, instruction)) = self.code.instructions.get(index) else {
                continue;
            };
            self.place = CodePlace {
                pc: *pc,
                line: self.code.line(*pc),
            };
            exit = self.instruction(index, instruction, block)?;
            self.frame
                .step(*pc, instruction, usize::from(self.code.max_stack))?;
        }
        let exit = match exit {
            Some(exit) => exit,
            None => {
                self.flush(number)?;
                self.next(block)?
            }
        };
        let handlers = block.handlers.iter().map(|(class, target)| {
            let variable = self.places.caught(*target);
            let variable = variable.ok_or_else(|| self.unverified("a handler takes nothing"))?;
            Ok(BlockHandler {
                class: class.clone(),
                variable,
                target: *target,
            })
        });
        let handlers = handlers.collect::<Result<Vec<BlockHandler>, Refused>>()?;
        let steps = std::mem::take(&mut self.steps);
        self.flow.add(BasicBlock {
            steps,
            exit,
            handlers,
        });
        Ok(())
    }

    /// What lies on the stack where a block begins.
    fn entries(&self, number: usize, frame: &Frame) -> Vec<Operand> {
        let places = self.places.entry(number).iter().zip(&frame.stack);
        let entries = places.map(|(variable, value)| match (variable, value) {
            (_, VerificationType::Fresh(made, _)) => Operand::Fresh(*made),
            (Some(variable), value) => Operand::Value(
                JavaExpr::Variable(*variable),
                value.kind().unwrap_or(ComputationalType::Int),
            ),
            (None, _) => Operand::Value(JavaExpr::int(0), ComputationalType::Int),
        });
        entries.collect()
    }

    fn unverified(&self, what: &str) -> Refused {
        Refused::unverified(self.place.pc, what)
    }

    /// The only block that may come next.
    fn next(&self, block: &RawBlock) -> Result<BlockExit, Refused> {
        match block.successors.as_slice() {
            [next] => Ok(BlockExit::Goto(*next)),
            _ => Err(self.unverified("it goes on nowhere")),
        }
    }

    fn target(&self, block: &RawBlock, number: usize) -> Result<BlockId, Refused> {
        let target = block.successors.get(number).copied();
        target.ok_or_else(|| self.unverified("a jump to nowhere"))
    }

    /// Gives variables of references, of which the class file says nothing, what their values have in common.
    fn finish_types(&mut self) {
        let mut common: BTreeMap<VariableId, Option<JavaType>> = BTreeMap::new();
        for (variable, ty) in std::mem::take(&mut self.typed) {
            let found = common.entry(variable).or_default();
            *found = joined(found.take(), ty);
        }
        for (variable, ty) in common {
            let Some(variable) = self.flow.variables.get_mut(variable.index()) else {
                continue;
            };
            let unknown = variable.ty == JavaType::object()
                && matches!(variable.role, Role::Local | Role::Temporary);
            if let Some(ty) = ty.filter(|ty| unknown && ty.kind() == ComputationalType::Reference) {
                variable.ty = ty;
            }
        }
    }
}
