//! The stack while a block is run: its entries are expressions, and are put into variables before something happens that
//! could be told apart from what the machine does.

use super::Lifter;
use crate::front::java::classfile::{Pc, StackOp};
use crate::front::java::flow::error::Refused;
use crate::front::java::flow::frames::rearrange;
use crate::front::java::flow::graph::BlockExit;
use crate::front::java::flow::stack::temporary;
use crate::front::java::tree::{
    BodyVariable, JavaExpr, JavaStep, Role, StepKind, VariableId, of_kind,
};
use crate::front::java::types::{ComputationalType, JavaType};

/// What lies on the stack.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    /// A value and its kind.
    Value(JavaExpr, ComputationalType),
    /// An object whose constructor has yet to be called, by the instruction that made it.
    Fresh(Pc),
}

impl Operand {
    pub(super) fn width(&self) -> usize {
        match self {
            Operand::Value(_, kind) => usize::from(kind.width()),
            Operand::Fresh(_) => 1,
        }
    }

    pub(super) fn expression(&self) -> Option<&JavaExpr> {
        match self {
            Operand::Value(expression, _) => Some(expression),
            Operand::Fresh(_) => None,
        }
    }
}

/// Deeper expressions are taken apart, for everything that walks a tree does it by recursion.
const DEEPEST: usize = 24;

impl Lifter<'_> {
    pub(super) fn push(&mut self, expression: JavaExpr, kind: ComputationalType) {
        self.stack.push(Operand::Value(expression, kind));
        if self
            .stack
            .last()
            .and_then(Operand::expression)
            .is_some_and(|e| e.depth() > DEEPEST)
        {
            self.spill_at(self.stack.len() - 1);
        }
    }

    pub(super) fn pop(&mut self) -> Result<JavaExpr, Refused> {
        match self.stack.pop() {
            Some(Operand::Value(expression, _)) => Ok(expression),
            _ => Err(self.unverified("the stack holds no value")),
        }
    }

    pub(super) fn pop_boxed(&mut self) -> Result<Box<JavaExpr>, Refused> {
        self.pop().map(Box::new)
    }

    pub(super) fn pop_many(&mut self, count: usize) -> Result<Vec<JavaExpr>, Refused> {
        let mut found = Vec::with_capacity(count);
        for _ in 0..count {
            found.push(self.pop()?);
        }
        found.reverse();
        Ok(found)
    }

    pub(super) fn temporary(&mut self, ty: JavaType) -> VariableId {
        temporary(&mut self.flow, ty)
    }

    /// Puts an entry of the stack into a variable of its own, with all below it that may raise an exception before.
    pub(super) fn spill_at(&mut self, position: usize) {
        for at in 0..=position {
            let Some(Operand::Value(expression, kind)) = self.stack.get(at).cloned() else {
                continue;
            };
            let raises = expression.may_raise(&self.flow.variables);
            if at < position && !raises {
                continue;
            }
            let ty = expression
                .ty(&self.flow.variables)
                .unwrap_or_else(|| of_kind(kind));
            let variable = self.temporary(ty);
            let kind_of_step = StepKind::Assign(variable, expression);
            self.steps.push(JavaStep {
                place: self.place,
                kind: kind_of_step,
            });
            self.stack[at] = Operand::Value(JavaExpr::Variable(variable), kind);
        }
    }

    /// Spills whatever entry is such.
    pub(super) fn spill(&mut self, is: impl Fn(&JavaExpr, &[BodyVariable]) -> bool) {
        let found = self.stack.iter().rposition(|entry| {
            entry
                .expression()
                .is_some_and(|expression| is(expression, &self.flow.variables))
        });
        let Some(last) = found else { return };
        for at in 0..=last {
            let spilled = self.stack.get(at).and_then(Operand::expression);
            if spilled.is_some_and(|expression| is(expression, &self.flow.variables)) {
                self.spill_at(at);
            }
        }
    }

    /// Adds a step. What is on the stack and could tell whether the step came first is put into variables before.
    pub(super) fn emit(&mut self, kind: StepKind) {
        let raises = kind.may_raise(&self.flow.variables);
        let writes = kind.writes_memory();
        let defines = kind.defines();
        let shows = raises || writes || (self.guarded && defines.is_some());
        self.spill(|expression, variables| {
            (writes && expression.reads_memory())
                || (shows && expression.may_raise(variables))
                || defines.is_some_and(|variable| expression.mentions(variable))
        });
        self.steps.push(JavaStep {
            place: self.place,
            kind,
        });
    }

    /// Pops a value into a variable.
    pub(super) fn store(&mut self, variable: VariableId) -> Result<(), Refused> {
        let value = self.pop()?;
        let ty = value.ty(&self.flow.variables);
        self.typed.push((variable, ty));
        if !self.redirect(variable, &value) {
            self.emit(StepKind::Assign(variable, value));
        }
        Ok(())
    }

    /// Where the value is what the last step put into a temporary variable, the step puts it into this one instead.
    pub(super) fn redirect(&mut self, variable: VariableId, value: &JavaExpr) -> bool {
        let JavaExpr::Variable(temporary) = value else {
            return false;
        };
        let is_temporary = |found: &BodyVariable| found.role == Role::Temporary;
        let is_last = self
            .steps
            .last()
            .is_some_and(|step| step.kind.defines() == Some(*temporary));
        let mentioned = self
            .stack
            .iter()
            .filter_map(Operand::expression)
            .any(|e| e.mentions(variable));
        if !is_last
            || mentioned
            || !self
                .flow
                .variables
                .get(temporary.index())
                .is_some_and(is_temporary)
        {
            return false;
        }
        if let Some(step) = self.steps.last_mut() {
            step.kind.redefine(Some(variable));
        }
        for entry in &mut self.stack {
            if let Operand::Value(expression, _) = entry {
                expression.change(&mut |part| {
                    if *part == JavaExpr::Variable(*temporary) {
                        *part = JavaExpr::Variable(variable);
                    }
                });
            }
        }
        true
    }

    /// Puts what is on the stack where a block ends into the variables that the next blocks begin with.
    pub(super) fn flush(&mut self, number: usize) -> Result<(), Refused> {
        let targets = self.places.exit(number).to_vec();
        if targets.len() != self.stack.len() {
            return Err(self.unverified("the stack has another height than before"));
        }
        // A value that speaks of one of these variables would be changed by those that are assigned before it.
        let assigned: Vec<VariableId> = targets.iter().flatten().copied().collect();
        for at in 0..self.stack.len() {
            let own = targets.get(at).copied().flatten();
            let hazard = self
                .stack
                .get(at)
                .and_then(Operand::expression)
                .is_some_and(|expression| {
                    own.is_none_or(|own| *expression != JavaExpr::Variable(own))
                        && assigned
                            .iter()
                            .any(|variable| expression.mentions(*variable))
                });
            if hazard {
                self.spill_at(at);
            }
        }
        for (at, target) in targets.iter().enumerate() {
            let Some(Operand::Value(expression, kind)) = self.stack.get(at).cloned() else {
                continue;
            };
            let Some(target) = *target else { continue };
            if expression != JavaExpr::Variable(target) {
                self.typed
                    .push((target, expression.ty(&self.flow.variables)));
                self.steps.push(JavaStep {
                    place: self.place,
                    kind: StepKind::Assign(target, expression),
                });
                self.stack[at] = Operand::Value(JavaExpr::Variable(target), kind);
            }
        }
        Ok(())
    }

    /// Before the method ends: what is still on the stack was evaluated, and may have raised an exception.
    pub(super) fn evaluate_rest(&mut self) {
        let rest: Vec<JavaExpr> = self
            .stack
            .drain(..)
            .filter_map(|entry| entry.expression().cloned())
            .collect();
        for expression in rest {
            if expression.may_raise(&self.flow.variables) {
                self.steps.push(JavaStep {
                    place: self.place,
                    kind: StepKind::Evaluate(expression),
                });
            }
        }
    }

    /// Copies and moves of the stack. What is not as good as a variable is made one, so that it is evaluated once, and
    /// where it was.
    pub(super) fn stack_op(&mut self, op: StackOp) -> Result<(), Refused> {
        if matches!(op, StackOp::Pop | StackOp::Pop2) {
            return self.drop(if op == StackOp::Pop { 1 } else { 2 });
        }
        let mut touched = match op {
            StackOp::Dup => 1,
            StackOp::DupX1 | StackOp::Dup2 | StackOp::Swap => 2,
            StackOp::DupX2 | StackOp::Dup2X1 => 3,
            _ => 4,
        };
        for at in (0..self.stack.len()).rev() {
            if touched == 0 {
                break;
            }
            let Some(entry) = self.stack.get(at) else {
                break;
            };
            touched = usize::saturating_sub(touched, entry.width());
            let simple = match entry.expression() {
                Some(JavaExpr::Variable(_)) | None => true,
                Some(JavaExpr::Constant(constant)) => {
                    !JavaExpr::Constant(constant.clone()).may_raise(&self.flow.variables)
                }
                Some(_) => false,
            };
            if !simple {
                self.spill_at(at);
            }
        }
        rearrange(&mut self.stack, op, Operand::width)
            .ok_or_else(|| self.unverified("the stack does not hold what is to be moved"))
    }

    /// Takes values away that nobody needs; they were evaluated all the same.
    pub(super) fn drop(&mut self, mut entries: usize) -> Result<(), Refused> {
        while entries > 0 {
            let Some(entry) = self.stack.pop() else {
                return Err(self.unverified("the stack is empty"));
            };
            entries = entries.saturating_sub(entry.width());
            if let Operand::Value(expression, _) = entry
                && expression.may_raise(&self.flow.variables)
            {
                self.emit(StepKind::Evaluate(expression));
            }
        }
        Ok(())
    }

    /// Puts what is left on the stack into variables; what decides was evaluated after it, but must not see them changed.
    pub(super) fn flush_before(&mut self, mut exit: BlockExit) -> Result<BlockExit, Refused> {
        let number = self.flow.blocks.len();
        if let Some(value) = exit.expression_mut() {
            let assigned = self.places.exit(number).iter().flatten();
            if assigned
                .into_iter()
                .any(|variable| value.mentions(*variable))
            {
                let ty = value.ty(&self.flow.variables).unwrap_or(JavaType::Int);
                let expression = value.clone();
                self.spill(|expression, variables| expression.may_raise(variables));
                let variable = self.temporary(ty);
                self.steps.push(JavaStep {
                    place: self.place,
                    kind: StepKind::Assign(variable, expression),
                });
                *value = JavaExpr::Variable(variable);
            }
        }
        self.flush(number)?;
        Ok(exit)
    }
}
