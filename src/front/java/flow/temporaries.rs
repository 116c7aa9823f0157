//! Values that are put into a temporary variable and used once go to where they are used.

use super::graph::{BasicBlock, BlockExit, BlockId, ControlFlowGraph};
use crate::front::java::tree::{BodyVariable, JavaExpr, JavaStep, Role, StepKind, VariableId};

/// Deeper expressions are not made.
const DEEPEST: usize = 24;
/// A value is not carried further than over so many steps.
const FARTHEST: usize = 64;

/// How often variables are assigned and read, in the blocks that are reached.
pub(super) struct Uses {
    definitions: Vec<usize>,
    reads: Vec<usize>,
    /// Whether it is assigned by anything but handlers.
    assigned: Vec<bool>,
}

impl Uses {
    pub(super) fn of(flow: &ControlFlowGraph) -> Uses {
        let count = flow.variables.len();
        let mut uses = Uses {
            definitions: vec![0; count],
            reads: vec![0; count],
            assigned: vec![false; count],
        };
        for variable in &flow.parameters {
            uses.definitions[variable.index()] += 1;
            uses.assigned[variable.index()] = true;
        }
        for id in flow.order() {
            let block = flow.block(id);
            for variable in block.handlers.iter().map(|handler| handler.variable) {
                uses.definitions[variable.index()] += 1;
            }
            for variable in block.steps.iter().filter_map(|step| step.kind.defines()) {
                uses.definitions[variable.index()] += 1;
                uses.assigned[variable.index()] = true;
            }
            for expression in block.expressions() {
                uses.count(expression, 1);
            }
        }
        uses
    }

    fn count(&mut self, expression: &JavaExpr, by: isize) {
        expression.visit(&mut |part| {
            if let JavaExpr::Variable(variable) = part {
                let reads = &mut self.reads[variable.index()];
                *reads = reads.saturating_add_signed(by);
            }
        });
    }

    /// An expression is gone.
    pub(super) fn forget(&mut self, expression: &JavaExpr) {
        self.count(expression, -1);
    }

    /// Of two assignments one was made.
    pub(super) fn one_definition_less(&mut self, variable: VariableId) {
        let definitions = &mut self.definitions[variable.index()];
        *definitions = definitions.saturating_sub(1);
    }

    /// Whether a variable is assigned once and read once.
    pub(super) fn is_single(&self, variable: VariableId) -> bool {
        self.definitions[variable.index()] == 1 && self.reads[variable.index()] == 1
    }

    /// Whether a variable is assigned in one place.
    pub(super) fn is_defined_once(&self, variable: VariableId) -> bool {
        self.definitions[variable.index()] == 1
    }

    /// Whether a variable gets its values from handlers only: then it is never null.
    pub(super) fn is_only_caught(&self, variable: VariableId) -> bool {
        !self.assigned[variable.index()]
    }

    /// Whether a variable is read in one place.
    pub(super) fn is_read_once(&self, variable: VariableId) -> bool {
        self.reads[variable.index()] == 1
    }

    fn is_unread(&self, variable: VariableId) -> bool {
        self.reads[variable.index()] == 0
    }

    /// An assignment and the only place that reads what it assigns are gone.
    fn gone_once(&mut self, variable: VariableId) {
        self.one_definition_less(variable);
        let reads = &mut self.reads[variable.index()];
        *reads = reads.saturating_sub(1);
    }
}

/// Puts values to where they are used, in one block.
pub(super) fn inline(flow: &mut ControlFlowGraph, id: BlockId, uses: &mut Uses) {
    let variables = std::mem::take(&mut flow.variables);
    let guarded = !flow.block(id).handlers.is_empty();
    let is_end = flow.block(id).successors().is_empty();
    let block = flow.block_mut(id);
    // Values are carried forward, so the last ones go first: what they are used in may be carried on itself.
    let mut at = block.steps.len();
    while at > 0 {
        at -= 1;
        let Some(step) = block.steps.get(at) else {
            continue;
        };
        let StepKind::Assign(variable, value) = &step.kind else {
            continue;
        };
        let (variable, value) = (*variable, value.clone());
        let temporary = variables[variable.index()].role == Role::Temporary;
        // Behind an end nobody reads it.
        let single = uses.is_single(variable) || (is_end && reads_behind(block, at, variable) == 1);
        if !temporary || !single {
            continue;
        }
        let carried = CarriedValue {
            variable,
            value: &value,
            variables: &variables,
            guarded,
        };
        if carried.put_into_the_rest(&mut block.steps, at, &mut block.exit) {
            block.steps.remove(at);
            uses.gone_once(variable);
        }
    }
    flow.variables = variables;
}

/// How often a variable is read behind a step of a block.
fn reads_behind(block: &BasicBlock, at: usize, variable: VariableId) -> usize {
    let steps = block.steps.iter().skip(at + 1);
    let expressions = steps.flat_map(|step| step.kind.expressions());
    let mut count = 0;
    for expression in expressions.chain(block.exit.expression()) {
        expression.visit(&mut |part| count += usize::from(*part == JavaExpr::Variable(variable)));
    }
    count
}

/// A value on its way to where it is used.
struct CarriedValue<'a> {
    variable: VariableId,
    value: &'a JavaExpr,
    variables: &'a [BodyVariable],
    guarded: bool,
}

impl CarriedValue<'_> {
    /// Looks for the use behind a step, and puts the value there, if that changes nothing. Whether it did.
    fn put_into_the_rest(&self, steps: &mut [JavaStep], at: usize, exit: &mut BlockExit) -> bool {
        for step in steps.iter_mut().skip(at + 1).take(FARTHEST) {
            let parts = step.kind.expressions_mut();
            if parts.iter().any(|part| part.mentions(self.variable)) {
                return self.put_into_parts(parts);
            }
            if self.disturbed_by(step) {
                return false;
            }
        }
        let last = steps.len() <= at + 1 + FARTHEST;
        match exit.expression_mut() {
            Some(part) if last && part.mentions(self.variable) => self.put_into_parts(vec![part]),
            _ => false,
        }
    }

    /// Whether the value would be another one behind a step, or the step would tell that it was not evaluated before.
    fn disturbed_by(&self, step: &JavaStep) -> bool {
        let writes = step.kind.writes_memory();
        let defines = step.kind.defines();
        let shows =
            writes || step.kind.may_raise(self.variables) || (self.guarded && defines.is_some());
        (writes && self.value.reads_memory())
            || (shows && self.value.may_raise(self.variables))
            || defines.is_some_and(|variable| self.value.mentions(variable))
    }

    fn put_into_parts(&self, parts: Vec<&mut JavaExpr>) -> bool {
        let raises = self.value.may_raise(self.variables);
        let order = if raises {
            self.order(&parts)
        } else {
            EvaluationProgress::Passed
        };
        let deep = parts
            .iter()
            .any(|part| part.depth() + self.value.depth() > DEEPEST);
        if deep || order == EvaluationProgress::Disturbed {
            return false;
        }
        for part in parts {
            part.change(&mut |inner| {
                if *inner == JavaExpr::Variable(self.variable) {
                    *inner = self.value.clone();
                }
            });
        }
        true
    }

    fn order(&self, parts: &[&mut JavaExpr]) -> EvaluationProgress {
        let mut order = EvaluationProgress::Before;
        for part in parts {
            self.follow(part, true, &mut order);
        }
        order
    }

    /// Goes through an expression as it is evaluated, up to the variable. Nothing before may raise an exception, and the
    /// variable has to be looked at in any case.
    fn follow(&self, part: &JavaExpr, always: bool, order: &mut EvaluationProgress) {
        if *order != EvaluationProgress::Before {
            return;
        }
        match part {
            JavaExpr::Variable(variable) if *variable == self.variable => {
                *order = if always {
                    EvaluationProgress::Passed
                } else {
                    EvaluationProgress::Disturbed
                };
            }
            JavaExpr::And(a, b) | JavaExpr::Or(a, b) => {
                self.follow(a, always, order);
                self.follow(b, false, order);
            }
            JavaExpr::Conditional(a, b, c) => {
                self.follow(a, always, order);
                self.follow(b, false, order);
                self.follow(c, false, order);
            }
            other => {
                for operand in other.operands() {
                    self.follow(operand, always, order);
                }
                if *order == EvaluationProgress::Before && raises_itself(other, self.variables) {
                    *order = EvaluationProgress::Disturbed;
                }
            }
        }
    }
}

/// How far the evaluation of an expression has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EvaluationProgress {
    /// Nothing was evaluated that could raise an exception.
    Before,
    /// The variable was read first.
    Passed,
    /// Something else may have raised an exception first.
    Disturbed,
}

/// Whether an expression may raise an exception by itself, its operands apart.
fn raises_itself(expression: &JavaExpr, variables: &[BodyVariable]) -> bool {
    let operands = expression.operands();
    expression.may_raise(variables) && !operands.iter().any(|part| part.may_raise(variables))
}

/// Takes away what is assigned to temporary variables that nobody reads.
pub(super) fn sweep(flow: &mut ControlFlowGraph) {
    let mut uses = Uses::of(flow);
    let variables = std::mem::take(&mut flow.variables);
    for block in flow.blocks.iter_mut().rev() {
        let mut at = block.steps.len();
        while at > 0 {
            at -= 1;
            let Some(step) = block.steps.get_mut(at) else {
                continue;
            };
            let unread = step.kind.defines().filter(|variable| {
                variables[variable.index()].role == Role::Temporary && uses.is_unread(*variable)
            });
            if unread.is_none() {
                continue;
            }
            match &mut step.kind {
                StepKind::Assign(_, value) if value.may_raise(&variables) => {
                    let value = std::mem::replace(value, JavaExpr::Boolean(false));
                    step.kind = StepKind::Evaluate(value);
                }
                StepKind::Assign(_, value) => {
                    uses.forget(value);
                    block.steps.remove(at);
                }
                other => other.redefine(None),
            }
        }
    }
    flow.variables = variables;
}
