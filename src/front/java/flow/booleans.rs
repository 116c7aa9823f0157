//! Which numbers are truth values: the machine makes no difference.
//!
//! Of fields, parameters and results it is known from their descriptors, of variables of the source mostly from the class
//! file. The others are taken to be truth values as long as nothing is done with them that cannot be done with one. And a
//! variable that is said to be one is none where a number is put into it, which the machine does not mind.

use super::graph::{BlockExit, ControlFlowGraph};
use crate::front::java::classfile::{ArithmeticOp, PoolConstant, Relation};
use crate::front::java::tree::{BodyVariable, JavaExpr, Operands, Role, StepKind, VariableId};
use crate::front::java::types::{ComputationalType, JavaType};

/// Rounds after which the question is given up: then everything is a number.
const ROUNDS: usize = 50;

/// What an expression is wanted as where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BooleanContext {
    Boolean,
    /// A number, or a narrower one.
    Int,
    /// Whatever it is; no number that could be a truth value.
    Other,
}

impl BooleanContext {
    fn of(ty: &JavaType) -> BooleanContext {
        match ty {
            JavaType::Boolean => BooleanContext::Boolean,
            ty if ty.kind() == ComputationalType::Int => BooleanContext::Int,
            _ => BooleanContext::Other,
        }
    }
}

/// Finds the truth values and writes them as such.
pub(super) fn find_booleans(
    flow: &mut ControlFlowGraph,
    open: &[VariableId],
    result: Option<&JavaType>,
) {
    let mut booleans = Booleans {
        open: vec![false; flow.variables.len()],
        variables: std::mem::take(&mut flow.variables),
    };
    for (open, variable) in booleans.open.iter_mut().zip(&booleans.variables) {
        *open = variable.role == Role::Temporary && variable.ty == JavaType::Int;
    }
    for variable in open {
        booleans.open[variable.index()] = booleans.variables[variable.index()].ty == JavaType::Int;
    }
    booleans.settle(flow, result);
    for (open, variable) in booleans.open.iter().zip(&mut booleans.variables) {
        if *open {
            variable.ty = JavaType::Boolean;
        }
    }
    booleans.rewrite(flow, result);
    flow.variables = booleans.variables;
}

struct Booleans {
    variables: Vec<BodyVariable>,
    /// The variables that may still be truth values, and of which it was not said.
    open: Vec<bool>,
}

impl Booleans {
    /// Closes what is used as a number, until nothing changes.
    fn settle(&mut self, flow: &ControlFlowGraph, result: Option<&JavaType>) {
        for round in 0.. {
            let before = self.count();
            if before == 0 {
                return;
            }
            if round == ROUNDS {
                return self.give_up();
            }
            for id in flow.order() {
                let block = flow.block(id);
                for step in &block.steps {
                    self.settle_step(&step.kind);
                }
                let wanted = wanted_by(&block.exit, result);
                if let Some(expression) = block.exit.expression() {
                    self.demand(expression, wanted);
                }
            }
            if self.count() == before {
                return;
            }
        }
    }

    /// How many variables are truth values, as far as it is known now.
    fn count(&self) -> usize {
        let said = self
            .variables
            .iter()
            .filter(|variable| variable.ty == JavaType::Boolean)
            .count();
        said + self.open.iter().filter(|open| **open).count()
    }

    /// Everything is a number.
    fn give_up(&mut self) {
        self.open.fill(false);
        for variable in self
            .variables
            .iter_mut()
            .filter(|found| found.ty == JavaType::Boolean)
        {
            variable.ty = JavaType::Int;
        }
    }

    fn settle_step(&mut self, step: &StepKind) {
        if let Some(variable) = step.defines()
            && self.is_boolean(variable)
            && !self.defines_boolean(step)
        {
            self.open[variable.index()] = false;
            self.variables[variable.index()].ty = JavaType::Int;
        }
        let wanted = self.wanted_in(step);
        for (expression, wanted) in step.expressions().into_iter().zip(wanted) {
            self.demand(expression, wanted);
        }
    }

    /// Whether what a step assigns may be a truth value.
    fn defines_boolean(&self, step: &StepKind) -> bool {
        match step {
            StepKind::Assign(_, value) => self.may_be(value),
            StepKind::Call(_, call) => call.method.signature.result == Some(JavaType::Boolean),
            StepKind::Dynamic(_, call) => call.signature.result == Some(JavaType::Boolean),
            _ => false,
        }
    }

    fn is_boolean(&self, variable: VariableId) -> bool {
        self.open[variable.index()] || self.variables[variable.index()].ty == JavaType::Boolean
    }

    /// Whether an expression may be a truth value.
    fn may_be(&self, expression: &JavaExpr) -> bool {
        match expression {
            JavaExpr::Constant(PoolConstant::Int(0 | 1)) => true,
            JavaExpr::Variable(variable) => self.is_boolean(*variable),
            JavaExpr::Conditional(_, a, b) => self.may_be(a) && self.may_be(b),
            JavaExpr::Binary(
                ArithmeticOp::And | ArithmeticOp::Or | ArithmeticOp::Xor,
                ComputationalType::Int,
                a,
                b,
            ) => self.may_be(a) && self.may_be(b),
            other => other.is_boolean(&self.variables),
        }
    }

    /// Whether two numbers that are compared are truth values: then one of them has to be more than a 0 or 1.
    fn compares(&self, relation: Relation, operands: Operands, a: &JavaExpr, b: &JavaExpr) -> bool {
        operands == Operands::Numbers(ComputationalType::Int)
            && matches!(relation, Relation::Equal | Relation::NotEqual)
            && self.may_be(a)
            && self.may_be(b)
    }

    /// What the operands of an expression are wanted as.
    fn wanted_of(&self, expression: &JavaExpr, wanted: BooleanContext) -> Vec<BooleanContext> {
        let number = |kind: ComputationalType| {
            if kind == ComputationalType::Int {
                BooleanContext::Int
            } else {
                BooleanContext::Other
            }
        };
        match expression {
            JavaExpr::Conditional(..) => vec![BooleanContext::Boolean, wanted, wanted],
            JavaExpr::And(..) | JavaExpr::Or(..) | JavaExpr::Logic(..) => {
                vec![BooleanContext::Boolean; 2]
            }
            JavaExpr::Not(_) | JavaExpr::FromBoolean(_) => vec![BooleanContext::Boolean],
            JavaExpr::Relation(relation, operands, a, b) => {
                let wanted = match operands {
                    _ if self.compares(*relation, *operands, a, b) => BooleanContext::Boolean,
                    Operands::Numbers(kind) => number(*kind),
                    Operands::Booleans => BooleanContext::Boolean,
                    Operands::References => BooleanContext::Other,
                };
                vec![wanted; 2]
            }
            JavaExpr::Binary(operator, kind, ..) => {
                if wanted == BooleanContext::Boolean && self.may_be(expression) {
                    return vec![BooleanContext::Boolean; 2];
                }
                let right = if operator.is_shift() {
                    BooleanContext::Int
                } else {
                    number(*kind)
                };
                vec![number(*kind), right]
            }
            JavaExpr::Element(..) => vec![BooleanContext::Other, BooleanContext::Int],
            JavaExpr::Negate(kind, _) | JavaExpr::Convert(kind, ..) => vec![number(*kind)],
            JavaExpr::ToBoolean(_) => vec![BooleanContext::Int],
            other => vec![BooleanContext::Other; other.operands().len()],
        }
    }

    /// Closes the variables in an expression that it uses as numbers.
    fn demand(&mut self, expression: &JavaExpr, wanted: BooleanContext) {
        if let JavaExpr::Variable(variable) = expression {
            if wanted != BooleanContext::Boolean {
                self.open[variable.index()] = false;
            }
            return;
        }
        let wanted = self.wanted_of(expression, wanted);
        for (operand, wanted) in expression.operands().into_iter().zip(wanted) {
            self.demand(operand, wanted);
        }
    }

    /// What the expressions of a step are wanted as, in order.
    fn wanted_in(&self, step: &StepKind) -> Vec<BooleanContext> {
        let all = |types: &[JavaType]| {
            types
                .iter()
                .map(BooleanContext::of)
                .collect::<Vec<BooleanContext>>()
        };
        match step {
            StepKind::Assign(variable, _) if self.is_boolean(*variable) => {
                vec![BooleanContext::Boolean]
            }
            StepKind::Assign(variable, _) => {
                vec![BooleanContext::of(&self.variables[variable.index()].ty)]
            }
            StepKind::SetField(_, field, _) => {
                vec![BooleanContext::Other, BooleanContext::of(&field.ty)]
            }
            StepKind::SetStatic(field, _) => vec![BooleanContext::of(&field.ty)],
            StepKind::SetElement(_, _, _, ty) => {
                vec![
                    BooleanContext::Other,
                    BooleanContext::Int,
                    BooleanContext::of(ty),
                ]
            }
            StepKind::Call(_, call) => {
                let receiver = call.receiver.iter().map(|_| BooleanContext::Other);
                receiver
                    .chain(all(&call.method.signature.parameters))
                    .collect()
            }
            StepKind::New(_, new) => all(&new.constructor.signature.parameters),
            StepKind::NewArray(_, _, lengths) => vec![BooleanContext::Int; lengths.len()],
            StepKind::Dynamic(_, call) => all(&call.signature.parameters),
            StepKind::Monitor(..) => vec![BooleanContext::Other],
            StepKind::Evaluate(value) => {
                let ty = value.ty(&self.variables);
                vec![ty.map_or(BooleanContext::Other, |ty| BooleanContext::of(&ty))]
            }
        }
    }

    fn rewrite(&self, flow: &mut ControlFlowGraph, result: Option<&JavaType>) {
        for block in &mut flow.blocks {
            for step in &mut block.steps {
                let wanted = self.wanted_in(&step.kind);
                for (expression, wanted) in step.kind.expressions_mut().into_iter().zip(wanted) {
                    self.fix(expression, wanted);
                }
            }
            let wanted = wanted_by(&block.exit, result);
            if let Some(expression) = block.exit.expression_mut() {
                self.fix(expression, wanted);
            }
        }
    }

    /// Writes an expression as what it is wanted as.
    fn fix(&self, expression: &mut JavaExpr, wanted: BooleanContext) {
        let inner = self.wanted_of(expression, wanted);
        for (operand, wanted) in expression.operands_mut().into_iter().zip(inner) {
            self.fix(operand, wanted);
        }
        let old = std::mem::replace(expression, JavaExpr::Boolean(false));
        let new = self.simpler(old);
        *expression = match (wanted, new.is_boolean(&self.variables)) {
            (BooleanContext::Boolean, false) => as_boolean(new),
            (BooleanContext::Int, true) => JavaExpr::FromBoolean(Box::new(new)),
            _ => new,
        };
    }

    /// Writes an expression over truth values as Java does, once its operands are written so.
    fn simpler(&self, expression: JavaExpr) -> JavaExpr {
        let boolean = |part: &JavaExpr| part.is_boolean(&self.variables);
        match expression {
            JavaExpr::Relation(relation, Operands::Numbers(ComputationalType::Int), a, b)
                if boolean(&a) && boolean(&b) =>
            {
                compared(relation, *a, *b)
            }
            JavaExpr::Binary(operator, ComputationalType::Int, a, b)
                if boolean(&a) && boolean(&b) =>
            {
                match (operator, *b) {
                    (ArithmeticOp::Xor, JavaExpr::Boolean(true)) => a.negated(),
                    (operator, b) => JavaExpr::Logic(operator, a, Box::new(b)),
                }
            }
            JavaExpr::Conditional(c, a, b) if boolean(&a) && boolean(&b) => chosen(*c, *a, *b),
            other => other,
        }
    }
}

/// What the exit of a block wants.
fn wanted_by(exit: &BlockExit, result: Option<&JavaType>) -> BooleanContext {
    match exit {
        BlockExit::If { .. } => BooleanContext::Boolean,
        BlockExit::Switch { .. } => BooleanContext::Int,
        BlockExit::Return(..) => result.map_or(BooleanContext::Other, BooleanContext::of),
        BlockExit::Throw(..) | BlockExit::Goto(_) => BooleanContext::Other,
    }
}

fn as_boolean(number: JavaExpr) -> JavaExpr {
    match number {
        JavaExpr::Constant(PoolConstant::Int(value)) => JavaExpr::Boolean(value & 1 == 1),
        other => JavaExpr::ToBoolean(Box::new(other)),
    }
}

/// `a == true` is `a`.
fn compared(relation: Relation, a: JavaExpr, b: JavaExpr) -> JavaExpr {
    let equal = relation == Relation::Equal;
    match (a, b) {
        (a, JavaExpr::Boolean(value)) | (JavaExpr::Boolean(value), a) => {
            if value == equal {
                a
            } else {
                a.negated()
            }
        }
        (a, b) => JavaExpr::Relation(relation, Operands::Booleans, Box::new(a), Box::new(b)),
    }
}

/// `c ? true : false` is `c`, and so on.
fn chosen(c: JavaExpr, a: JavaExpr, b: JavaExpr) -> JavaExpr {
    let (c, a, b) = (Box::new(c), Box::new(a), Box::new(b));
    match (*a, *b) {
        (JavaExpr::Boolean(true), JavaExpr::Boolean(false)) => *c,
        (JavaExpr::Boolean(false), JavaExpr::Boolean(true)) => c.negated(),
        (JavaExpr::Boolean(true), b) => JavaExpr::Or(c, Box::new(b)),
        (JavaExpr::Boolean(false), b) => JavaExpr::And(Box::new(c.negated()), Box::new(b)),
        (a, JavaExpr::Boolean(false)) => JavaExpr::And(c, Box::new(a)),
        (a, JavaExpr::Boolean(true)) => JavaExpr::Or(Box::new(c.negated()), Box::new(a)),
        (a, b) => JavaExpr::Conditional(c, Box::new(a), Box::new(b)),
    }
}
