//! What compilers add: ways to the object around, ways to private members, tables for `switch` over enums.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{MethodOf, World};
use crate::front::java::classfile::{ClassField, ClassFile, JavaFieldRef, PoolConstant};
use crate::front::java::flow::body_of;
use crate::front::java::tree::{JavaExpr, JavaStatement, StepKind};

/// Whether a field is `this$0`: the object of the class around, which never changes and is never null.
pub fn is_outer_object(field: &ClassField) -> bool {
    field.access.is_synthetic() && field.access.is_final() && field.name.starts_with("this$")
}

/// Whether a method is the body of a lambda.
pub fn is_lambda_body(method: &MethodOf) -> bool {
    let method = method.method();
    method.access.is_synthetic() && method.name.starts_with("lambda$")
}

/// Whether only the classes around can name a class: it is private, or stands in a method.
pub fn is_hidden(class: &ClassFile) -> bool {
    let inner = class.inner_classes.iter();
    let mut own = inner.filter(|inner| inner.class == class.name);
    own.any(|own| own.outer.is_none() || own.access.is_private())
}

/// The constants of an enum, in order: the place of each is its `ordinal()`.
pub fn enum_constants(class: &ClassFile) -> Vec<&ClassField> {
    class
        .fields
        .iter()
        .filter(|field| field.access.is_enum())
        .collect()
}

/// What a `$SwitchMap$…` makes of the constants of an enum, by their names. The `switch` is over these numbers, which
/// stay the same where constants are added to the enum; what others have it does not say.
///
/// Nothing where the field is no such table, or its class is not there.
pub fn switch_map(world: &World, field: &JavaFieldRef) -> Option<BTreeMap<String, i32>> {
    if !field.name.starts_with("$SwitchMap$") {
        return None;
    }
    let class = world.class(&field.class)?;
    let initialiser = class
        .methods
        .iter()
        .find(|method| method.is_class_initialiser())?;
    let body = body_of(&class, initialiser).ok().flatten()?;
    // `m = map; t = E.A.ordinal(); m[t] = 1;` for each constant that is there when the class is initialised.
    let mut found = BTreeMap::new();
    let mut maps = HashSet::new();
    let mut ordinals = HashMap::new();
    for statement in &body.statements {
        statement.visit(&mut |part| {
            let JavaStatement::Step(step) = part else {
                return;
            };
            match &step.kind {
                StepKind::Assign(variable, JavaExpr::Static(map)) if map == field => {
                    maps.insert(*variable);
                }
                StepKind::Call(Some(result), call) if &*call.method.name == "ordinal" => {
                    if let Some(JavaExpr::Static(constant)) = &call.receiver {
                        ordinals.insert(*result, constant.name.to_string());
                    }
                }
                StepKind::SetElement(
                    JavaExpr::Variable(map),
                    JavaExpr::Variable(index),
                    JavaExpr::Constant(PoolConstant::Int(number)),
                    _,
                ) if maps.contains(map) => {
                    if let Some(name) = ordinals.get(index) {
                        found.insert(name.clone(), *number);
                    }
                }
                _ => {}
            }
        });
    }
    Some(found)
}
