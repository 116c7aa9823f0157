//! Which numbers are truth values: the machine makes no difference.
//!
//! Of fields, parameters and results it is known from their descriptors, of variables of the source mostly from the class
//! file. The others are taken to be truth values as long as nothing is done with them that cannot be done with one. And a
//! variable that is said to be one is none where a number is put into it, which the machine does not mind.

use super::graph::{Exit, Flow};
use crate::front::java::classfile::{Constant, Operator, Relation};
use crate::front::java::tree::{Expr, Operands, Role, StepKind, Variable, VariableId};
use crate::front::java::types::{Kind, Type};

/// Rounds after which the question is given up: then everything is a number.
const ROUNDS: usize = 50;

/// What an expression is wanted as where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Boolean,
    /// A number, or a narrower one.
    Int,
    /// Whatever it is; no number that could be a truth value.
    Other,
}

impl Wanted {
    fn of(ty: &Type) -> Wanted {
        match ty {
            Type::Boolean => Wanted::Boolean,
            ty if ty.kind() == Kind::Int => Wanted::Int,
            _ => Wanted::Other,
        }
    }
}

/// Finds the truth values and writes them as such.
pub(super) fn find_booleans(flow: &mut Flow, open: &[VariableId], result: Option<&Type>) {
    let mut booleans = Booleans {
        open: vec![false; flow.variables.len()],
        variables: std::mem::take(&mut flow.variables),
    };
    for (open, variable) in booleans.open.iter_mut().zip(&booleans.variables) {
        *open = variable.role == Role::Temporary && variable.ty == Type::Int;
    }
    for variable in open {
        booleans.open[variable.index()] = booleans.variables[variable.index()].ty == Type::Int;
    }
    booleans.settle(flow, result);
    for (open, variable) in booleans.open.iter().zip(&mut booleans.variables) {
        if *open {
            variable.ty = Type::Boolean;
        }
    }
    booleans.rewrite(flow, result);
    flow.variables = booleans.variables;
}

struct Booleans {
    variables: Vec<Variable>,
    /// The variables that may still be truth values, and of which it was not said.
    open: Vec<bool>,
}

impl Booleans {
    /// Closes what is used as a number, until nothing changes.
    fn settle(&mut self, flow: &Flow, result: Option<&Type>) {
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
            .filter(|variable| variable.ty == Type::Boolean)
            .count();
        said + self.open.iter().filter(|open| **open).count()
    }

    /// Everything is a number.
    fn give_up(&mut self) {
        self.open.fill(false);
        for variable in self
            .variables
            .iter_mut()
            .filter(|found| found.ty == Type::Boolean)
        {
            variable.ty = Type::Int;
        }
    }

    fn settle_step(&mut self, step: &StepKind) {
        if let Some(variable) = step.defines()
            && self.is_boolean(variable)
            && !self.defines_boolean(step)
        {
            self.open[variable.index()] = false;
            self.variables[variable.index()].ty = Type::Int;
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
            StepKind::Call(_, call) => call.method.signature.result == Some(Type::Boolean),
            StepKind::Dynamic(_, call) => call.signature.result == Some(Type::Boolean),
            _ => false,
        }
    }

    fn is_boolean(&self, variable: VariableId) -> bool {
        self.open[variable.index()] || self.variables[variable.index()].ty == Type::Boolean
    }

    /// Whether an expression may be a truth value.
    fn may_be(&self, expression: &Expr) -> bool {
        match expression {
            Expr::Constant(Constant::Int(0 | 1)) => true,
            Expr::Variable(variable) => self.is_boolean(*variable),
            Expr::Conditional(_, a, b) => self.may_be(a) && self.may_be(b),
            Expr::Binary(Operator::And | Operator::Or | Operator::Xor, Kind::Int, a, b) => {
                self.may_be(a) && self.may_be(b)
            }
            other => other.is_boolean(&self.variables),
        }
    }

    /// Whether two numbers that are compared are truth values: then one of them has to be more than a 0 or 1.
    fn compares(&self, relation: Relation, operands: Operands, a: &Expr, b: &Expr) -> bool {
        operands == Operands::Numbers(Kind::Int)
            && matches!(relation, Relation::Equal | Relation::NotEqual)
            && self.may_be(a)
            && self.may_be(b)
    }

    /// What the operands of an expression are wanted as.
    fn wanted_of(&self, expression: &Expr, wanted: Wanted) -> Vec<Wanted> {
        let number = |kind: Kind| {
            if kind == Kind::Int {
                Wanted::Int
            } else {
                Wanted::Other
            }
        };
        match expression {
            Expr::Conditional(..) => vec![Wanted::Boolean, wanted, wanted],
            Expr::And(..) | Expr::Or(..) | Expr::Logic(..) => vec![Wanted::Boolean; 2],
            Expr::Not(_) | Expr::FromBoolean(_) => vec![Wanted::Boolean],
            Expr::Relation(relation, operands, a, b) => {
                let wanted = match operands {
                    _ if self.compares(*relation, *operands, a, b) => Wanted::Boolean,
                    Operands::Numbers(kind) => number(*kind),
                    Operands::Booleans => Wanted::Boolean,
                    Operands::References => Wanted::Other,
                };
                vec![wanted; 2]
            }
            Expr::Binary(operator, kind, ..) => {
                if wanted == Wanted::Boolean && self.may_be(expression) {
                    return vec![Wanted::Boolean; 2];
                }
                let right = if operator.is_shift() {
                    Wanted::Int
                } else {
                    number(*kind)
                };
                vec![number(*kind), right]
            }
            Expr::Element(..) => vec![Wanted::Other, Wanted::Int],
            Expr::Negate(kind, _) | Expr::Convert(kind, ..) => vec![number(*kind)],
            Expr::ToBoolean(_) => vec![Wanted::Int],
            other => vec![Wanted::Other; other.operands().len()],
        }
    }

    /// Closes the variables in an expression that it uses as numbers.
    fn demand(&mut self, expression: &Expr, wanted: Wanted) {
        if let Expr::Variable(variable) = expression {
            if wanted != Wanted::Boolean {
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
    fn wanted_in(&self, step: &StepKind) -> Vec<Wanted> {
        let all = |types: &[Type]| types.iter().map(Wanted::of).collect::<Vec<Wanted>>();
        match step {
            StepKind::Assign(variable, _) if self.is_boolean(*variable) => vec![Wanted::Boolean],
            StepKind::Assign(variable, _) => {
                vec![Wanted::of(&self.variables[variable.index()].ty)]
            }
            StepKind::SetField(_, field, _) => vec![Wanted::Other, Wanted::of(&field.ty)],
            StepKind::SetStatic(field, _) => vec![Wanted::of(&field.ty)],
            StepKind::SetElement(_, _, _, ty) => {
                vec![Wanted::Other, Wanted::Int, Wanted::of(ty)]
            }
            StepKind::Call(_, call) => {
                let receiver = call.receiver.iter().map(|_| Wanted::Other);
                receiver
                    .chain(all(&call.method.signature.parameters))
                    .collect()
            }
            StepKind::New(_, new) => all(&new.constructor.signature.parameters),
            StepKind::NewArray(_, _, lengths) => vec![Wanted::Int; lengths.len()],
            StepKind::Dynamic(_, call) => all(&call.signature.parameters),
            StepKind::Monitor(..) => vec![Wanted::Other],
            StepKind::Evaluate(value) => {
                let ty = value.ty(&self.variables);
                vec![ty.map_or(Wanted::Other, |ty| Wanted::of(&ty))]
            }
        }
    }

    fn rewrite(&self, flow: &mut Flow, result: Option<&Type>) {
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
    fn fix(&self, expression: &mut Expr, wanted: Wanted) {
        let inner = self.wanted_of(expression, wanted);
        for (operand, wanted) in expression.operands_mut().into_iter().zip(inner) {
            self.fix(operand, wanted);
        }
        let old = std::mem::replace(expression, Expr::Boolean(false));
        let new = self.simpler(old);
        *expression = match (wanted, new.is_boolean(&self.variables)) {
            (Wanted::Boolean, false) => as_boolean(new),
            (Wanted::Int, true) => Expr::FromBoolean(Box::new(new)),
            _ => new,
        };
    }

    /// Writes an expression over truth values as Java does, once its operands are written so.
    fn simpler(&self, expression: Expr) -> Expr {
        let boolean = |part: &Expr| part.is_boolean(&self.variables);
        match expression {
            Expr::Relation(relation, Operands::Numbers(Kind::Int), a, b)
                if boolean(&a) && boolean(&b) =>
            {
                compared(relation, *a, *b)
            }
            Expr::Binary(operator, Kind::Int, a, b) if boolean(&a) && boolean(&b) => {
                match (operator, *b) {
                    (Operator::Xor, Expr::Boolean(true)) => a.negated(),
                    (operator, b) => Expr::Logic(operator, a, Box::new(b)),
                }
            }
            Expr::Conditional(c, a, b) if boolean(&a) && boolean(&b) => chosen(*c, *a, *b),
            other => other,
        }
    }
}

/// What the exit of a block wants.
fn wanted_by(exit: &Exit, result: Option<&Type>) -> Wanted {
    match exit {
        Exit::If { .. } => Wanted::Boolean,
        Exit::Switch { .. } => Wanted::Int,
        Exit::Return(..) => result.map_or(Wanted::Other, Wanted::of),
        Exit::Throw(..) | Exit::Goto(_) => Wanted::Other,
    }
}

fn as_boolean(number: Expr) -> Expr {
    match number {
        Expr::Constant(Constant::Int(value)) => Expr::Boolean(value & 1 == 1),
        other => Expr::ToBoolean(Box::new(other)),
    }
}

/// `a == true` is `a`.
fn compared(relation: Relation, a: Expr, b: Expr) -> Expr {
    let equal = relation == Relation::Equal;
    match (a, b) {
        (a, Expr::Boolean(value)) | (Expr::Boolean(value), a) => {
            if value == equal {
                a
            } else {
                a.negated()
            }
        }
        (a, b) => Expr::Relation(relation, Operands::Booleans, Box::new(a), Box::new(b)),
    }
}

/// `c ? true : false` is `c`, and so on.
fn chosen(c: Expr, a: Expr, b: Expr) -> Expr {
    let (c, a, b) = (Box::new(c), Box::new(a), Box::new(b));
    match (*a, *b) {
        (Expr::Boolean(true), Expr::Boolean(false)) => *c,
        (Expr::Boolean(false), Expr::Boolean(true)) => c.negated(),
        (Expr::Boolean(true), b) => Expr::Or(c, Box::new(b)),
        (Expr::Boolean(false), b) => Expr::And(Box::new(c.negated()), Box::new(b)),
        (a, Expr::Boolean(false)) => Expr::And(c, Box::new(a)),
        (a, Expr::Boolean(true)) => Expr::Or(Box::new(c.negated()), Box::new(a)),
        (a, b) => Expr::Conditional(c, Box::new(a), Box::new(b)),
    }
}
