//! Conditions and values that a compiler took apart are put together again: blocks that follow each other, `&&` and `||`,
//! `? :`, and values that are used once.
//!
//! Each rule looks at a block and what comes next, keeps what the graph does, and makes it smaller. Blocks are visited
//! last ones first, so that what a block goes on to is as simple as it gets.

use std::collections::{HashMap, HashSet};

use super::graph::{BasicBlock, BlockExit, BlockHandler, BlockId, ControlFlowGraph};
use super::temporaries;
use crate::front::java::tree::{CodePlace, JavaExpr, JavaStep, Role, StepKind, VariableId};
use crate::front::java::types::ClassName;

/// Conditions are not put together any further than that.
const DEEPEST: usize = 24;

/// Makes a graph simpler.
pub(super) fn simplify(flow: &mut ControlFlowGraph) {
    flow.prune();
    thread(flow);
    flow.prune();
    name_caught(flow);
    caught_at_once(flow);
    let mut simplifier = Simplifier::of(flow);
    let order = simplifier.flow.order();
    for block in order.into_iter().rev() {
        simplifier.block(block);
    }
    flow.prune();
}

/// Jumps to blocks that only jump on lead to where those go.
fn thread(flow: &mut ControlFlowGraph) {
    let next: Vec<Option<BlockId>> = flow
        .blocks
        .iter()
        .map(|block| match block.exit {
            BlockExit::Goto(target) if block.steps.is_empty() => Some(target),
            _ => None,
        })
        .collect();
    let resolve = |start: BlockId| {
        let mut found = start;
        // A circle of such jumps is a loop that never ends.
        for _ in 0..next.len() {
            match next[found.index()] {
                Some(further) if further != found => found = further,
                _ => return found,
            }
        }
        start
    };
    let resolved: Vec<BlockId> = (0..next.len())
        .map(|number| resolve(BlockId(u32::try_from(number).unwrap_or(u32::MAX))))
        .collect();
    for block in &mut flow.blocks {
        let handlers = block.handlers.iter_mut().map(|handler| &mut handler.target);
        for target in block.exit.targets_mut().into_iter().chain(handlers) {
            *target = resolved[target.index()];
        }
    }
}

/// Handlers begin by putting the exception into a variable of the source: it may as well be caught there.
fn name_caught(flow: &mut ControlFlowGraph) {
    let uses = temporaries::Uses::of(flow);
    let mut names = HashMap::new();
    let mut direct: Vec<bool> = vec![true; flow.blocks.len()];
    for block in &flow.blocks {
        for target in block.exit.targets() {
            direct[target.index()] = false;
        }
    }
    for (block, _) in flow
        .blocks
        .iter_mut()
        .zip(direct)
        .filter(|(_, direct)| *direct)
    {
        let Some(JavaStep {
            kind: StepKind::Assign(variable, JavaExpr::Variable(caught)),
            ..
        }) = block.steps.first()
        else {
            continue;
        };
        if flow.variables[caught.index()].role == Role::Temporary && uses.is_read_once(*caught) {
            names.insert(*caught, *variable);
            block.steps.remove(0);
        }
    }
    for handler in flow.blocks.iter_mut().flat_map(|block| &mut block.handlers) {
        if let Some(variable) = names.get(&handler.variable) {
            handler.variable = *variable;
        }
    }
}

/// An exception that is thrown and caught in the same method is a jump, where it is known which handler it goes to: one
/// for all exceptions, or for the very class that was made just before.
fn caught_at_once(flow: &mut ControlFlowGraph) {
    let uses = temporaries::Uses::of(flow);
    let made: HashMap<VariableId, ClassName> = flow
        .blocks
        .iter()
        .flat_map(|block| &block.steps)
        .filter_map(|step| match &step.kind {
            StepKind::New(variable, new) => Some((*variable, new.class.clone())),
            _ => None,
        })
        .filter(|(variable, _)| uses.is_defined_once(*variable))
        .collect();
    let caught: HashSet<VariableId> = flow
        .blocks
        .iter()
        .flat_map(|block| &block.handlers)
        .map(|handler| handler.variable)
        .filter(|variable| uses.is_only_caught(*variable))
        .collect();
    for block in &mut flow.blocks {
        let (BlockExit::Throw(place, JavaExpr::Variable(thrown)), Some(handler)) =
            (&block.exit, block.handlers.first())
        else {
            continue;
        };
        // A variable that may be null raises another exception.
        let taken = match (&handler.class, made.get(thrown)) {
            (None, made) => made.is_some() || caught.contains(thrown),
            (Some(class), made) => made == Some(class),
        };
        if taken {
            let kind = StepKind::Assign(handler.variable, JavaExpr::Variable(*thrown));
            let (step, target) = (
                JavaStep {
                    place: *place,
                    kind,
                },
                handler.target,
            );
            block.steps.push(step);
            block.exit = BlockExit::Goto(target);
        }
    }
}

struct Simplifier<'a> {
    flow: &'a mut ControlFlowGraph,
    /// How many steps from other blocks lead to a block, those of handlers included.
    incoming: Vec<usize>,
    uses: temporaries::Uses,
}

impl Simplifier<'_> {
    fn of(flow: &mut ControlFlowGraph) -> Simplifier<'_> {
        let mut incoming = vec![0; flow.blocks.len()];
        for block in flow.order() {
            for next in flow.block(block).successors() {
                incoming[next.index()] += 1;
            }
        }
        // The entry is come to from outside as well.
        incoming[0] += 1;
        let uses = temporaries::Uses::of(flow);
        Simplifier {
            flow,
            incoming,
            uses,
        }
    }

    /// Applies the rules to a block until none fits.
    fn block(&mut self, block: BlockId) {
        loop {
            temporaries::inline(self.flow, block, &mut self.uses);
            let changed = self.same_targets(block)
                || self.merge(block)
                || self.short_circuit(block)
                || self.conditional(block);
            if !changed {
                return;
            }
        }
    }

    /// Whether a block is reached from another one only, and not as its handler.
    fn is_private(&self, block: BlockId, from: BlockId) -> bool {
        let mut handlers = self.flow.block(from).handlers.iter();
        self.incoming[block.index()] == 1 && handlers.all(|handler| handler.target != block)
    }

    /// The handlers that a block may have that does what all of these do; nothing where there are none such.
    fn common_handlers(&self, blocks: &[BlockId]) -> Option<Vec<BlockHandler>> {
        let blocks = blocks.iter().map(|id| self.flow.block(*id));
        let mut raising = blocks.filter(|block| block.may_raise(&self.flow.variables));
        let Some(first) = raising.next() else {
            return Some(Vec::new());
        };
        raising
            .all(|other| other.handlers == first.handlers)
            .then(|| first.handlers.clone())
    }

    /// Replaces a block, and counts anew who leads where.
    fn replace(&mut self, id: BlockId, block: BasicBlock) {
        for next in self.flow.block(id).successors() {
            self.incoming[next.index()] = self.incoming[next.index()].saturating_sub(1);
        }
        for next in block.successors() {
            self.incoming[next.index()] += 1;
        }
        *self.flow.block_mut(id) = block;
    }

    fn take(&mut self, id: BlockId) -> BasicBlock {
        let block = self.flow.block(id).clone();
        self.replace(id, BasicBlock::unreached());
        block
    }

    /// `if (c) l else l` is `l`, and so is a `switch` of one way.
    fn same_targets(&mut self, id: BlockId) -> bool {
        let mut block = self.flow.block(id).clone();
        let targets = block.exit.targets();
        let (Some(first), Some(value)) = (targets.first(), block.exit.expression()) else {
            return false;
        };
        let Some(place) = block
            .exit
            .place()
            .filter(|_| targets.iter().all(|to| to == first))
        else {
            return false;
        };
        if value.may_raise(&self.flow.variables) {
            let kind = StepKind::Evaluate(value.clone());
            block.steps.push(JavaStep { place, kind });
        } else {
            self.uses.forget(value);
        }
        block.exit = BlockExit::Goto(*first);
        self.replace(id, block);
        true
    }

    /// A block and the only one that follows it, if it follows no other, are one.
    fn merge(&mut self, id: BlockId) -> bool {
        let BlockExit::Goto(next) = self.flow.block(id).exit else {
            return false;
        };
        if next == id || next == BlockId::ENTRY || !self.is_private(next, id) {
            return false;
        }
        let Some(handlers) = self.common_handlers(&[id, next]) else {
            return false;
        };
        let (first, second) = (self.flow.block(id).clone(), self.take(next));
        let mut steps = first.steps;
        steps.extend(second.steps);
        self.replace(
            id,
            BasicBlock {
                steps,
                exit: second.exit,
                handlers,
            },
        );
        true
    }

    /// Two conditions of which the second is looked at only after the first, and that lead to the same block, are one.
    fn short_circuit(&mut self, id: BlockId) -> bool {
        let BlockExit::If {
            place,
            condition,
            then,
            otherwise,
        } = self.flow.block(id).exit.clone()
        else {
            return false;
        };
        for (second, other, second_if_true) in [(otherwise, then, false), (then, otherwise, true)] {
            let Some((inner, inner_then, inner_otherwise)) = self.condition_only(second, id) else {
                continue;
            };
            if condition.depth() + inner.depth() > DEEPEST {
                continue;
            }
            // The ways from the second condition: one of them goes where the first one goes without it.
            let (inner, rest) = if inner_then == other {
                (inner, inner_otherwise)
            } else if inner_otherwise == other {
                (inner.negated(), inner_then)
            } else {
                continue;
            };
            let Some(handlers) = self.common_handlers(&[id, second]) else {
                continue;
            };
            // `inner` leads to `other` now.
            let (first, inner) = (Box::new(condition), Box::new(inner));
            let (condition, then, otherwise) = if second_if_true {
                // Where the first fails, or else where the inner one holds.
                (JavaExpr::And(first, Box::new(inner.negated())), rest, other)
            } else {
                (JavaExpr::Or(first, inner), other, rest)
            };
            self.take(second);
            let steps = std::mem::take(&mut self.flow.block_mut(id).steps);
            let exit = BlockExit::If {
                place,
                condition,
                then,
                otherwise,
            };
            self.replace(
                id,
                BasicBlock {
                    steps,
                    exit,
                    handlers,
                },
            );
            return true;
        }
        false
    }

    /// A block that is reached from one place and only decides.
    fn condition_only(&self, id: BlockId, from: BlockId) -> Option<(JavaExpr, BlockId, BlockId)> {
        if id == from || !self.is_private(id, from) {
            return None;
        }
        let block = self.flow.block(id);
        match &block.exit {
            BlockExit::If {
                condition,
                then,
                otherwise,
                ..
            } if block.steps.is_empty() => Some((condition.clone(), *then, *otherwise)),
            _ => None,
        }
    }

    /// A condition both ways from which only put a value into the same temporary variable is a conditional expression.
    fn conditional(&mut self, id: BlockId) -> bool {
        let BlockExit::If {
            condition,
            then,
            otherwise,
            ..
        } = self.flow.block(id).exit.clone()
        else {
            return false;
        };
        let (Some(a), Some(b)) = (self.value_only(then, id), self.value_only(otherwise, id)) else {
            return false;
        };
        let deep = [&condition, &a.value, &b.value]
            .iter()
            .any(|part| part.depth() >= DEEPEST);
        if deep || a.variable != b.variable || a.next != b.next {
            return false;
        }
        let Some(handlers) = self.common_handlers(&[id, then, otherwise]) else {
            return false;
        };
        let value =
            JavaExpr::Conditional(Box::new(condition), Box::new(a.value), Box::new(b.value));
        self.take(then);
        self.take(otherwise);
        let mut steps = std::mem::take(&mut self.flow.block_mut(id).steps);
        let kind = StepKind::Assign(a.variable, value);
        steps.push(JavaStep {
            place: a.place,
            kind,
        });
        self.uses.one_definition_less(a.variable);
        self.replace(
            id,
            BasicBlock {
                steps,
                exit: BlockExit::Goto(a.next),
                handlers,
            },
        );
        true
    }

    /// A block that is reached from one place and only gives a temporary variable a value.
    fn value_only(&self, id: BlockId, from: BlockId) -> Option<GivenValue> {
        if id == from || !self.is_private(id, from) {
            return None;
        }
        let block = self.flow.block(id);
        let ([step], BlockExit::Goto(next)) = (block.steps.as_slice(), &block.exit) else {
            return None;
        };
        let StepKind::Assign(variable, value) = &step.kind else {
            return None;
        };
        let temporary = self.flow.variables.get(variable.index())?.role == Role::Temporary;
        let itself = value.mentions(*variable) || *next == id;
        (temporary && !itself).then(|| GivenValue {
            variable: *variable,
            value: value.clone(),
            next: *next,
            place: step.place,
        })
    }
}

/// A value for a variable, and where it goes on then.
struct GivenValue {
    variable: VariableId,
    value: JavaExpr,
    next: BlockId,
    place: CodePlace,
}
