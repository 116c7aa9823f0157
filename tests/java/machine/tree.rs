//! A tree run as it reads.

use std::collections::HashMap;

use tranquera::front::java::classfile::{ArithmeticOp, Monitor};
use tranquera::front::java::tree::{
    JavaCatch, JavaExpr, JavaStatement, JavaStep, JumpLabel, MethodBody, Operands, StepKind,
    VariableId,
};
use tranquera::front::java::types::{JavaType, MethodSignature};

use super::{
    FUEL, Outside, Result, Stop, Value, calculate, compare, convert, negate, related, zero,
};

struct Run<'a> {
    body: &'a MethodBody,
    outside: &'a mut Outside,
    values: HashMap<VariableId, Value>,
    fuel: usize,
}

/// How a statement ends that does not raise an exception.
enum End {
    Normal,
    Break(JumpLabel),
    Continue(JumpLabel),
    Return(Option<Value>),
}

/// Runs a body.
pub fn run(body: &MethodBody, outside: &mut Outside, arguments: &[Value]) -> Result<Option<Value>> {
    let values = body
        .parameters
        .iter()
        .copied()
        .zip(arguments.iter().copied());
    let mut run = Run {
        body,
        outside,
        values: values.collect(),
        fuel: FUEL,
    };
    match run.list(&body.statements)? {
        End::Return(value) => Ok(value),
        _ => panic!("the end of the method was reached"),
    }
}

impl Run<'_> {
    fn list(&mut self, statements: &[JavaStatement]) -> Result<End> {
        for statement in statements {
            match self.statement(statement)? {
                End::Normal => {}
                end => return Ok(end),
            }
        }
        Ok(End::Normal)
    }

    fn statement(&mut self, statement: &JavaStatement) -> Result<End> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
        match statement {
            JavaStatement::Step(step) => self.step(step).map(|()| End::Normal),
            JavaStatement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                if self.truth(condition)? {
                    self.list(then)
                } else {
                    self.list(otherwise)
                }
            }
            JavaStatement::Switch {
                value,
                cases,
                default,
                ..
            } => {
                let value = self.value(value)?.int();
                let case = cases.iter().find(|(values, _)| values.contains(&value));
                self.list(case.map_or(default, |(_, body)| body))
            }
            JavaStatement::Labelled { label, body } => Ok(match self.list(body)? {
                End::Break(left) if left == *label => End::Normal,
                end => end,
            }),
            JavaStatement::Loop {
                label,
                condition,
                body,
            } => loop {
                self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
                if let Some((_, condition)) = condition
                    && !self.truth(condition)?
                {
                    return Ok(End::Normal);
                }
                match self.list(body)? {
                    End::Normal => {}
                    End::Continue(again) if again == *label => {}
                    End::Break(left) if left == *label => return Ok(End::Normal),
                    end => return Ok(end),
                }
            },
            JavaStatement::Break(label) => Ok(End::Break(*label)),
            JavaStatement::Continue(label) => Ok(End::Continue(*label)),
            JavaStatement::Return(_, value) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                Ok(End::Return(value))
            }
            JavaStatement::Throw(_, value) => match self.value(value)?.reference() {
                0 => Err(self.outside.raise("NullPointerException")),
                exception => Err(Stop::Raised(exception)),
            },
            JavaStatement::Try { body, catches } => self.guarded(body, catches),
        }
    }

    fn guarded(&mut self, body: &[JavaStatement], catches: &[JavaCatch]) -> Result<End> {
        let exception = match self.list(body) {
            Err(Stop::Raised(exception)) => exception,
            end => return end,
        };
        let handler = catches.iter().find(|catch| {
            let mut classes = catch.classes.iter();
            catch.classes.is_empty()
                || classes.any(|class| {
                    self.outside
                        .is_instance(exception, &JavaType::Class(class.clone()))
                })
        });
        let Some(handler) = handler else {
            return Err(Stop::Raised(exception));
        };
        self.values
            .insert(handler.variable, Value::Reference(exception));
        self.list(&handler.body)
    }

    fn step(&mut self, step: &JavaStep) -> Result<()> {
        match &step.kind {
            StepKind::Assign(variable, value) => {
                let value = self.value(value)?;
                self.values.insert(*variable, value);
            }
            StepKind::SetField(object, field, value) => {
                let object = self.value(object)?.reference();
                let value = self.value(value)?;
                if object == 0 {
                    return Err(self.outside.raise("NullPointerException"));
                }
                self.outside
                    .set_field(object, &field.to_string(), &field.ty, value)?;
            }
            StepKind::SetStatic(field, value) => {
                let value = self.value(value)?;
                self.outside
                    .set_field(7, &field.to_string(), &field.ty, value)?;
            }
            StepKind::SetElement(array, index, value, ty) => {
                let array = self.value(array)?.reference();
                let index = self.value(index)?.int();
                let value = self.value(value)?;
                self.outside.set_element(array, index, ty, value)?;
            }
            StepKind::Call(result, call) => {
                let receiver = call
                    .receiver
                    .as_ref()
                    .map(|object| self.value(object))
                    .transpose()?;
                let mut arguments = self.arguments(&call.arguments, &call.method.signature)?;
                if receiver == Some(Value::Reference(0)) {
                    return Err(self.outside.raise("NullPointerException"));
                }
                if let Some(receiver) = receiver {
                    arguments.insert(0, receiver);
                }
                let what = format!("{:?} {}", call.kind, call.method);
                let ty = call.method.signature.result.as_ref();
                let value = self.outside.call(&what, &arguments, ty)?;
                self.set(*result, value);
            }
            StepKind::New(result, new) => {
                let arguments = self.arguments(&new.arguments, &new.constructor.signature)?;
                let class = JavaType::Class(new.class.clone());
                let what = new.constructor.to_string();
                let object = self.outside.construct(&class, &what, &arguments)?;
                self.values.insert(*result, Value::Reference(object));
            }
            StepKind::NewArray(result, ty, lengths) => {
                let mut values = Vec::new();
                for length in lengths {
                    values.push(self.value(length)?.int());
                }
                let array = self.outside.new_array(ty, &values)?;
                self.values.insert(*result, Value::Reference(array));
            }
            StepKind::Dynamic(result, call) => {
                let arguments = self.arguments(&call.arguments, &call.signature)?;
                let what = format!("dynamic {}", call.signature.descriptor());
                let ty = call.signature.result.as_ref();
                let value = self.outside.call(&what, &arguments, ty)?;
                self.set(*result, value);
            }
            StepKind::Monitor(monitor, object) => {
                let object = self.value(object)?.reference();
                if object == 0 && *monitor == Monitor::Enter {
                    return Err(self.outside.raise("NullPointerException"));
                }
                self.outside.event(format!("{monitor:?} {object:x}"))?;
            }
            StepKind::Evaluate(value) => {
                self.value(value)?;
            }
        }
        Ok(())
    }

    fn set(&mut self, variable: Option<VariableId>, value: Option<Value>) {
        if let (Some(variable), Some(value)) = (variable, value) {
            self.values.insert(variable, value);
        }
    }

    fn arguments(
        &mut self,
        arguments: &[JavaExpr],
        signature: &MethodSignature,
    ) -> Result<Vec<Value>> {
        assert_eq!(arguments.len(), signature.parameters.len());
        arguments
            .iter()
            .map(|argument| self.value(argument))
            .collect()
    }

    fn truth(&mut self, condition: &JavaExpr) -> Result<bool> {
        assert!(condition.is_boolean(&self.body.variables), "{condition:?}");
        Ok(self.value(condition)?.int() != 0)
    }

    fn value(&mut self, expression: &JavaExpr) -> Result<Value> {
        let truth = |holds: bool| Value::Int(i32::from(holds));
        Ok(match expression {
            JavaExpr::Constant(constant) => self.outside.constant(constant),
            JavaExpr::Boolean(value) => truth(*value),
            JavaExpr::Variable(variable) => match self.values.get(variable) {
                Some(value) => *value,
                // What the machine would not let anybody look at.
                None => zero(self.body.variables[variable.index()].ty.kind()),
            },
            JavaExpr::Field(object, field) => match self.value(object)?.reference() {
                0 => return Err(self.outside.raise("NullPointerException")),
                object => self.outside.field(object, &field.to_string(), &field.ty),
            },
            JavaExpr::Static(field) => self.outside.field(7, &field.to_string(), &field.ty),
            JavaExpr::Element(array, index, ty) => {
                let array = self.value(array)?.reference();
                let index = self.value(index)?.int();
                self.outside.element(array, index, ty)?
            }
            JavaExpr::Length(array) => match self.value(array)?.reference() {
                0 => return Err(self.outside.raise("NullPointerException")),
                array => Value::Int(self.outside.length(array)),
            },
            JavaExpr::Binary(operator, _, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                match calculate(*operator, a, b) {
                    Some(value) => value,
                    None => return Err(self.outside.raise("ArithmeticException")),
                }
            }
            JavaExpr::Logic(operator, a, b) => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                truth(match operator {
                    ArithmeticOp::And => a & b,
                    ArithmeticOp::Or => a | b,
                    ArithmeticOp::Xor => a ^ b,
                    other => panic!("{other:?} of truth values"),
                })
            }
            JavaExpr::Negate(_, value) => negate(self.value(value)?),
            JavaExpr::Convert(_, ty, value) => convert(self.value(value)?, ty),
            JavaExpr::Compare(comparison, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Value::Int(compare(*comparison, a, b))
            }
            JavaExpr::Relation(relation, operands, a, b) => {
                if *operands == Operands::Booleans {
                    let (a, b) = (self.truth(a)?, self.truth(b)?);
                    return Ok(truth(related(*relation, a, b)));
                }
                truth(match (self.value(a)?, self.value(b)?) {
                    (Value::Int(a), Value::Int(b)) => related(*relation, a, b),
                    (Value::Long(a), Value::Long(b)) => related(*relation, a, b),
                    (Value::Float(a), Value::Float(b)) => related(*relation, a, b),
                    (Value::Double(a), Value::Double(b)) => related(*relation, a, b),
                    (Value::Reference(a), Value::Reference(b)) => related(*relation, a, b),
                    (a, b) => panic!("{a:?} and {b:?}"),
                })
            }
            JavaExpr::Not(value) => truth(!self.truth(value)?),
            JavaExpr::And(a, b) => truth(self.truth(a)? && self.truth(b)?),
            JavaExpr::Or(a, b) => truth(self.truth(a)? || self.truth(b)?),
            JavaExpr::Conditional(condition, a, b) => {
                if self.truth(condition)? {
                    self.value(a)?
                } else {
                    self.value(b)?
                }
            }
            JavaExpr::Cast(ty, value) => {
                let object = self.value(value)?.reference();
                self.outside.cast(object, ty)?;
                Value::Reference(object)
            }
            JavaExpr::InstanceOf(ty, value) => {
                let object = self.value(value)?.reference();
                truth(object != 0 && self.outside.is_instance(object, ty))
            }
            JavaExpr::FromBoolean(value) => truth(self.truth(value)?),
            JavaExpr::ToBoolean(value) => truth(self.value(value)?.int() & 1 == 1),
        })
    }
}
