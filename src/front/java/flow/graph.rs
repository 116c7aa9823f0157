//! The control-flow graph of a body: blocks of steps.

use std::collections::HashSet;

use crate::front::java::classfile::Pc;
use crate::front::java::tree::{BodyVariable, CodePlace, JavaExpr, JavaStep, VariableId};
use crate::front::java::types::ClassName;

/// A block of a graph, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

impl BlockId {
    /// The entry of every graph.
    pub const ENTRY: BlockId = BlockId(0);

    /// The number.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A block: steps that are run one after the other, and where it goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct BasicBlock {
    /// What is done, in order.
    pub steps: Vec<JavaStep>,
    /// What comes then.
    pub exit: BlockExit,
    /// Where exceptions go that a step or the exit raises. The first handler that fits is taken.
    pub handlers: Vec<BlockHandler>,
}

/// A handler that stands guard over a block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockHandler {
    /// What it handles; nothing for everything.
    pub class: Option<ClassName>,
    /// What the exception is assigned to.
    pub variable: VariableId,
    /// Where it goes on.
    pub target: BlockId,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum BlockExit {
    /// In another block.
    Goto(BlockId),
    /// In one of two.
    If {
        /// Where that is decided.
        place: CodePlace,
        /// What decides.
        condition: JavaExpr,
        /// If it holds.
        then: BlockId,
        /// If it does not.
        otherwise: BlockId,
    },
    /// In one of several.
    Switch {
        /// Where that is decided.
        place: CodePlace,
        /// What decides, an `int`.
        value: JavaExpr,
        /// For these values, in rising order.
        cases: Vec<(i32, BlockId)>,
        /// For all others.
        default: BlockId,
    },
    /// With the method.
    Return(CodePlace, Option<JavaExpr>),
    /// With an exception.
    Throw(CodePlace, JavaExpr),
}

impl BlockExit {
    /// Where it may go on, in order; a block that is reached in several ways is there several times.
    pub fn targets(&self) -> Vec<BlockId> {
        match self {
            BlockExit::Goto(target) => vec![*target],
            BlockExit::If {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            BlockExit::Switch { cases, default, .. } => cases
                .iter()
                .map(|(_, target)| *target)
                .chain([*default])
                .collect(),
            BlockExit::Return(..) | BlockExit::Throw(..) => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub fn targets_mut(&mut self) -> Vec<&mut BlockId> {
        match self {
            BlockExit::Goto(target) => vec![target],
            BlockExit::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            BlockExit::Switch { cases, default, .. } => cases
                .iter_mut()
                .map(|(_, target)| target)
                .chain([default])
                .collect(),
            BlockExit::Return(..) | BlockExit::Throw(..) => Vec::new(),
        }
    }

    /// What it evaluates.
    pub fn expression(&self) -> Option<&JavaExpr> {
        match self {
            BlockExit::Goto(_) => None,
            BlockExit::If {
                condition: value, ..
            }
            | BlockExit::Switch { value, .. }
            | BlockExit::Throw(_, value) => Some(value),
            BlockExit::Return(_, value) => value.as_ref(),
        }
    }

    /// The same, to be changed.
    pub fn expression_mut(&mut self) -> Option<&mut JavaExpr> {
        match self {
            BlockExit::Goto(_) => None,
            BlockExit::If {
                condition: value, ..
            }
            | BlockExit::Switch { value, .. }
            | BlockExit::Throw(_, value) => Some(value),
            BlockExit::Return(_, value) => value.as_mut(),
        }
    }

    /// Where it stands; a plain jump stands nowhere.
    pub fn place(&self) -> Option<CodePlace> {
        match self {
            BlockExit::Goto(_) => None,
            BlockExit::If { place, .. }
            | BlockExit::Switch { place, .. }
            | BlockExit::Return(place, _)
            | BlockExit::Throw(place, _) => Some(*place),
        }
    }

    /// Whether it may raise an exception.
    pub fn may_raise(&self, variables: &[BodyVariable]) -> bool {
        let raises = self
            .expression()
            .is_some_and(|value| value.may_raise(variables));
        raises || matches!(self, BlockExit::Throw(..))
    }
}

impl BasicBlock {
    /// Whether something in it may raise an exception.
    pub fn may_raise(&self, variables: &[BodyVariable]) -> bool {
        let in_steps = self.steps.iter().any(|step| step.kind.may_raise(variables));
        in_steps || self.exit.may_raise(variables)
    }

    /// All blocks that may come next, handlers last; each once.
    pub fn successors(&self) -> Vec<BlockId> {
        let handlers = self.handlers.iter().map(|handler| handler.target);
        let mut found = self.exit.targets();
        found.extend(handlers);
        if found.len() > 1 {
            let mut seen = HashSet::new();
            found.retain(|target| seen.insert(*target));
        }
        found
    }

    /// The expressions in it, in the order in which they are evaluated.
    pub fn expressions(&self) -> impl Iterator<Item = &JavaExpr> {
        let steps = self.steps.iter().flat_map(|step| step.kind.expressions());
        steps.chain(self.exit.expression())
    }
}

/// A control-flow graph.
#[derive(Clone, Debug, PartialEq)]
pub struct ControlFlowGraph {
    /// The blocks. The first one is the entry; blocks that are not reached are empty.
    pub blocks: Vec<BasicBlock>,
    /// The variables.
    pub variables: Vec<BodyVariable>,
    /// `this`, if there is one, and the parameters.
    pub parameters: Vec<VariableId>,
}

impl ControlFlowGraph {
    /// A block.
    pub fn block(&self, id: BlockId) -> &BasicBlock {
        &self.blocks[id.index()]
    }

    /// A block, to be changed.
    pub fn block_mut(&mut self, id: BlockId) -> &mut BasicBlock {
        &mut self.blocks[id.index()]
    }

    /// Adds a block.
    pub fn add(&mut self, block: BasicBlock) -> BlockId {
        let id = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        self.blocks.push(block);
        id
    }

    /// Adds a variable.
    pub fn add_variable(&mut self, variable: BodyVariable) -> VariableId {
        let id = VariableId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(variable);
        id
    }

    /// The blocks that are reached, each before those it goes on to, but for the ways back of loops.
    ///
    /// Of two ways on, the first one is laid out first.
    pub fn order(&self) -> Vec<BlockId> {
        let mut seen = vec![false; self.blocks.len()];
        let mut finished = Vec::new();
        let mut work = vec![(BlockId::ENTRY, self.block(BlockId::ENTRY).successors())];
        seen[0] = true;
        // Successors are taken from the end: what is finished last comes first.
        while let Some((block, successors)) = work.last_mut() {
            match successors.pop() {
                Some(next) if !seen[next.index()] => {
                    seen[next.index()] = true;
                    work.push((next, self.block(next).successors()));
                }
                Some(_) => {}
                None => {
                    finished.push(*block);
                    work.pop();
                }
            }
        }
        finished.reverse();
        finished
    }

    /// Of each block, the blocks that may come before it; blocks that are not reached are none's.
    pub fn predecessors(&self) -> Vec<Vec<BlockId>> {
        let mut found = vec![Vec::new(); self.blocks.len()];
        for block in self.order() {
            for next in self.block(block).successors() {
                found[next.index()].push(block);
            }
        }
        found
    }

    /// Takes away handlers of what raises nothing, and the insides of blocks that are not reached.
    pub fn prune(&mut self) {
        let variables = std::mem::take(&mut self.variables);
        for block in &mut self.blocks {
            if !block.may_raise(&variables) {
                block.handlers.clear();
            }
        }
        self.variables = variables;
        let mut reached = vec![false; self.blocks.len()];
        for block in self.order() {
            reached[block.index()] = true;
        }
        for (block, reached) in self.blocks.iter_mut().zip(reached) {
            if !reached {
                *block = BasicBlock::unreached();
            }
        }
    }
}

impl BasicBlock {
    /// What stands in the place of a block that is not reached.
    pub fn unreached() -> BasicBlock {
        let place = CodePlace {
            pc: Pc(0),
            line: None,
        };
        BasicBlock {
            steps: Vec::new(),
            exit: BlockExit::Return(place, None),
            handlers: Vec::new(),
        }
    }
}
