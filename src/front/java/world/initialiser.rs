//! What is known of static fields before any method is called: constants, and what plain assignments of the class
//! initialiser put there.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::front::java::classfile::{ClassField, ClassFile, PoolConstant};
use crate::front::java::flow::body_of;
use crate::front::java::tree::{JavaExpr, JavaStatement, MethodBody, StepKind, VariableId};
use crate::front::java::types::{ClassName, JavaType};

/// What a static field holds, as far as it never changes.
#[derive(Clone, Debug, PartialEq)]
pub enum StaticValue {
    /// This value.
    Constant(PoolConstant),
    /// This truth value.
    Boolean(bool),
    /// An object of that class that was made for it, and for no other.
    Object(ClassName),
    /// An array that was made for it, of this length, where that is a constant.
    Array(Option<i32>),
    /// Something that never changes and is not known.
    Unknown,
}

/// What is known of the static fields of a class that are `final`, by their names. Others may change at any time.
pub fn constants(class: &Arc<ClassFile>) -> BTreeMap<Arc<str>, StaticValue> {
    let mut found = BTreeMap::new();
    for field in class
        .fields
        .iter()
        .filter(|f| f.access.is_static() && f.access.is_final())
    {
        let value = field
            .constant
            .clone()
            .map_or(StaticValue::Unknown, |value| of_constant(field, value));
        found.insert(Arc::clone(&field.name), value);
    }
    let initialiser = class
        .methods
        .iter()
        .find(|method| method.is_class_initialiser());
    let body = initialiser.and_then(|method| body_of(class, method).ok().flatten());
    if let Some(body) = body {
        for (name, value) in assigned(class, &body) {
            if let Some(known) = found.get_mut(&name) {
                *known = value;
            }
        }
    }
    // Assertions are not checked unless the machine is told to.
    if let Some(known) = found.get_mut("$assertionsDisabled") {
        *known = StaticValue::Boolean(true);
    }
    found
}

fn of_constant(field: &ClassField, value: PoolConstant) -> StaticValue {
    match (&field.ty, value) {
        (JavaType::Boolean, PoolConstant::Int(value)) => StaticValue::Boolean(value != 0),
        (_, value) => StaticValue::Constant(value),
    }
}

/// What is assigned once, in a plain step of the initialiser: one that is run in any case.
fn assigned(class: &ClassFile, body: &MethodBody) -> BTreeMap<Arc<str>, StaticValue> {
    let mut counts: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for statement in &body.statements {
        statement.visit(&mut |part| {
            if let JavaStatement::Step(step) = part
                && let StepKind::SetStatic(field, _) = &step.kind
                && field.class == class.name
            {
                *counts.entry(Arc::clone(&field.name)).or_default() += 1;
            }
        });
    }
    let mut made: BTreeMap<VariableId, StaticValue> = BTreeMap::new();
    let mut found = BTreeMap::new();
    for statement in &body.statements {
        let JavaStatement::Step(step) = statement else {
            continue;
        };
        match &step.kind {
            StepKind::New(variable, new) => {
                made.insert(*variable, StaticValue::Object(new.class.clone()));
            }
            StepKind::NewArray(variable, _, lengths) => {
                let length = match lengths.as_slice() {
                    [JavaExpr::Constant(PoolConstant::Int(length)), ..] => Some(*length),
                    _ => None,
                };
                made.insert(*variable, StaticValue::Array(length));
            }
            StepKind::SetStatic(field, value) if counts.get(&field.name) == Some(&1) => {
                let value = match value {
                    JavaExpr::Constant(value) => StaticValue::Constant(value.clone()),
                    JavaExpr::Boolean(value) => StaticValue::Boolean(*value),
                    // What two fields hold was not made for one of them.
                    JavaExpr::Variable(variable) => {
                        made.remove(variable).unwrap_or(StaticValue::Unknown)
                    }
                    _ => StaticValue::Unknown,
                };
                found.insert(Arc::clone(&field.name), value);
            }
            _ => {}
        }
    }
    found
}
