//! The object around: an object of an inner class is made in one of the class around it (`this$0`), which it never leaves. What
//! such a class is like decides what the inner one can do: an iterator ends where its list does.
//!
//! Of the objects of helper classes no numbers are known, since nothing is known of how they go together: a list may be
//! longer than the array that holds it. Of the class around that can be found out beforehand. All that others may call of
//! it is taken for its actions ([`lower_outer`](super::lower_outer)), and what these always keep are its rules ([`OuterRules`]): where a
//! method of the inner class begins and ends, none of its methods is run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::LoweredClass;
use super::bodies::Bodies;
use super::closed::called_by_others;
use crate::front::java::classfile::{ClassFile, Instruction, JavaFieldRef};
use crate::front::java::types::{ClassName, JavaType};
use crate::front::java::world::nesting::is_outer_object;
use crate::front::java::world::studied::{OwnField, Studied};
use crate::front::java::world::{MethodOf, World, methods_of};
use crate::front::tq::ast::{ExprSyntax, ExprSyntaxKind};
use crate::front::tq::build::{dot, this};
use crate::front::tq::parse_expression;

/// What is known of the objects of a class that others are made in.
#[derive(Clone, Debug, Default)]
pub struct OuterRules {
    /// What its constructors and methods keep, over the names of its fields in Java.
    rules: Vec<ExprSyntax>,
    /// The numbers and arrays that are known: what the rules speak of, and what code may change that nobody has looked at, so that
    /// it may be anything. What else no rule was found for may not, though nobody knows how.
    known: BTreeSet<String>,
}

/// The rules of each class around.
pub type RulesAround = BTreeMap<ClassName, OuterRules>;

impl OuterRules {
    /// The rules that were found for a class made [with all its entries](super::lower_outer), in words of its text; nothing
    /// where there are none.
    pub fn of(lowered: &LoweredClass, rules: &[String]) -> Option<OuterRules> {
        let rules = rules.iter().filter_map(|rule| {
            let rule = parse_expression(rule).ok()?;
            in_java(rule, lowered)
        });
        let rules: Vec<ExprSyntax> = rules.collect();
        let names = lowered.fields.iter();
        let known = names.filter(|(here, java)| {
            lowered.open.contains(*here) || rules.iter().any(|rule| speaks_of(rule, java))
        });
        let known = known.map(|(_, java)| java.clone()).collect();
        (!rules.is_empty()).then_some(OuterRules { rules, known })
    }

    /// Whether a number or an array of its objects is known.
    pub(super) fn knows(&self, own: &OwnField) -> bool {
        self.known.contains(&own.name)
    }

    /// The rules of the object that an expression gives; `field` says what its fields are called in the text.
    pub(super) fn hold_of(
        &self,
        object: &ExprSyntax,
        field: impl Fn(&str) -> Option<String>,
    ) -> Vec<ExprSyntax> {
        let rules = self.rules.iter();
        rules
            .filter_map(|rule| of_object(rule, object, &field))
            .collect()
    }
}

/// A rule with the names that fields have in Java; nothing where it speaks of something else.
fn in_java(mut rule: ExprSyntax, lowered: &LoweredClass) -> Option<ExprSyntax> {
    let name = match &mut *rule.kind {
        ExprSyntaxKind::Name(name) => Some(name),
        ExprSyntaxKind::Dot(object, name) if matches!(*object.kind, ExprSyntaxKind::This) => {
            Some(name)
        }
        _ => None,
    };
    if let Some(name) = name {
        name.name = lowered.fields.get(&name.name)?.clone();
        return Some(dot(this(), &name.name));
    }
    for part in rule.children_mut() {
        *part = in_java(part.clone(), lowered)?;
    }
    Some(rule)
}

fn field_of(e: &ExprSyntax) -> Option<&str> {
    match &*e.kind {
        ExprSyntaxKind::Dot(object, name) if matches!(*object.kind, ExprSyntaxKind::This) => {
            Some(&name.name)
        }
        _ => None,
    }
}

fn speaks_of(rule: &ExprSyntax, field: &str) -> bool {
    rule.any(&|part| field_of(part) == Some(field))
}

/// What a rule says of another object than `this`; nothing where not all of its fields are known.
fn of_object(
    rule: &ExprSyntax,
    object: &ExprSyntax,
    field: &impl Fn(&str) -> Option<String>,
) -> Option<ExprSyntax> {
    if let Some(java) = field_of(rule) {
        return Some(dot(object.clone(), &field(java)?));
    }
    let mut rule = rule.clone();
    for part in rule.children_mut() {
        *part = of_object(part, object, field)?;
    }
    Some(rule)
}

/// The classes of the objects that an object of this class is made in, if its code looks at their numbers or arrays, or runs
/// methods of theirs.
pub fn outer_classes(world: &World, class: &Arc<ClassFile>) -> Vec<Arc<ClassFile>> {
    let studied = Studied::of(world, class);
    let fields = studied.fields.iter();
    let outer = fields.filter_map(|own| match &own.field.ty {
        JavaType::Class(outer) if is_outer_object(&own.field) => Some(outer),
        _ => None,
    });
    let outer: BTreeSet<&ClassName> = outer.collect();
    let near = outer.into_iter().filter_map(|outer| world.class(outer));
    let near = near.filter(|outer| {
        let is_near = outer.name.package() == class.name.package();
        is_near && !outer.access.is_interface() && looks_into(world, &studied, outer)
    });
    near.collect()
}

fn looks_into(world: &World, studied: &Studied, outer: &Arc<ClassFile>) -> bool {
    let outer = Studied::of(world, outer);
    let counts = |field: &JavaFieldRef| {
        let decides = !matches!(field.ty, JavaType::Boolean | JavaType::Class(_));
        decides && outer.own_field(field).is_some()
    };
    studied.chain.iter().flat_map(methods_of).any(|method| {
        let code = method.class.code(method.method()).ok().flatten();
        let mut all = code.into_iter().flat_map(|code| code.instructions);
        let atomics = &method.class.atomics;
        all.any(|(_, instruction)| match &instruction {
            Instruction::GetField(field) => counts(atomics.meant(field).unwrap_or(field)),
            Instruction::Invoke(_, method) => {
                !method.is_constructor() && outer.is_own(&method.class())
            }
            _ => false,
        })
    })
}

/// The class with all that others may call as its actions, whether or not they are meant to, and all its constructors.
pub(super) fn with_all_entries(world: &World, studied: Studied) -> Studied {
    let mut studied = studied;
    let class = Arc::clone(studied.class());
    let constructors = methods_of(&class).filter(|method| method.method().is_constructor());
    studied.constructors = constructors.collect();
    let entries = called_by_others(world, &studied, &Bodies::of_copies_as_well());
    // What stands in the place of a method that is abstract has no more than others have.
    let is_written = |method: &MethodOf| !method.method().access.is_abstract();
    studied.actions.extend(entries);
    studied.actions.retain(is_written);
    studied
}
