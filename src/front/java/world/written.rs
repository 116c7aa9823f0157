//! Conditions that authors wrote down, in one of the ways that tools before this one have read: annotations of boolean
//! methods with the name of an action (epa-evosuite), methods `m_pre` and `inv` (contractorj), and annotations with texts
//! (Contracts for Java, and others like it).
//!
//! The class itself does not ask for them: they say what its callers owe to it.

use std::sync::Arc;

use super::{MethodOf, methods_of};
use crate::front::java::classfile::{Annotation, ClassFile, ElementValue};
use crate::front::java::types::JavaType;

/// What somebody wrote down about a class.
#[derive(Clone, Debug, Default)]
pub struct WrittenConditions {
    /// When actions may be called, said by methods.
    pub preconditions: Vec<WrittenPrecondition>,
    /// Methods without parameters that say what always holds: `inv`.
    pub invariants: Vec<MethodOf>,
    /// Conditions in words.
    pub texts: Vec<WrittenText>,
}

/// An action may be called only where a method says so.
#[derive(Clone, Debug)]
pub struct WrittenPrecondition {
    /// The action.
    pub action: MethodOf,
    /// The method; it has no parameters, or those of the action.
    pub method: MethodOf,
}

/// A condition in words of the language.
#[derive(Clone, Debug)]
pub struct WrittenText {
    /// The condition.
    pub text: Arc<str>,
    /// The method that may be called only where it holds; nothing where it always does.
    pub of: Option<MethodOf>,
}

/// The annotation of a method with a text that says when it may be called.
const REQUIRES: &str = "Requires";
/// The annotation of a class with a text that says what always holds.
const INVARIANT: &str = "Invariant";

impl WrittenConditions {
    /// What is written down about a class, which comes first, and those above it.
    pub(super) fn of(chain: &[Arc<ClassFile>], actions: &[MethodOf]) -> WrittenConditions {
        let mut found = WrittenConditions::default();
        let classes = chain.iter().flat_map(|class| &class.annotations);
        for annotation in classes.filter(|found| found.simple_name() == INVARIANT) {
            found.texts(annotation, None);
        }
        let all: Vec<MethodOf> = chain.iter().flat_map(methods_of).collect();
        let mut named: Vec<(Arc<str>, &MethodOf)> = Vec::new();
        let mut conditions: Vec<(Arc<str>, &MethodOf)> = Vec::new();
        for (at, method) in all.iter().enumerate() {
            for annotation in flattened(&method.method().annotations) {
                match (annotation.simple_name(), name(annotation)) {
                    (REQUIRES, _) => found.texts(annotation, Some(method)),
                    ("EpaAction", Some(name)) => named.push((name, method)),
                    ("EpaActionPrecondition", Some(name)) if is_condition(method) => {
                        conditions.push((name, method));
                    }
                    _ => {}
                }
            }
            let overrides = |above: &MethodOf| {
                let (above, method) = (above.method(), method.method());
                above.name == method.name
                    && above.signature == method.signature
                    && !above.access.is_private()
            };
            let (nearer, _) = all.split_at(at);
            if !nearer.iter().any(overrides) {
                found.by_name(method, actions);
            }
        }
        for (name, method) in conditions {
            let of_name = |action: &&MethodOf| {
                let mut named = named.iter().filter(|(given, _)| *given == name).peekable();
                match named.peek() {
                    Some(_) => named.any(|(_, found)| found.is(action)),
                    None => action.method().name == name,
                }
            };
            found.ask(actions.iter().filter(of_name), method);
        }
        found
    }

    /// Whether a method is one of the conditions.
    pub(super) fn is_condition(&self, method: &MethodOf) -> bool {
        let conditions = self.preconditions.iter().map(|found| &found.method);
        conditions
            .chain(&self.invariants)
            .any(|found| found.is(method))
    }

    fn texts(&mut self, annotation: &Annotation, of: Option<&MethodOf>) {
        let texts = match annotation.element("value") {
            Some(ElementValue::Array(values)) => values.as_slice(),
            Some(value) => std::slice::from_ref(value),
            None => &[],
        };
        self.texts
            .extend(texts.iter().filter_map(|text| match text {
                ElementValue::String(text) => Some(WrittenText {
                    text: Arc::clone(text),
                    of: of.cloned(),
                }),
                _ => None,
            }));
    }

    fn ask<'a>(&mut self, actions: impl Iterator<Item = &'a MethodOf>, method: &MethodOf) {
        self.preconditions
            .extend(actions.map(|action| WrittenPrecondition {
                action: action.clone(),
                method: method.clone(),
            }));
    }

    /// A method that says something by what it is called.
    fn by_name(&mut self, method: &MethodOf, actions: &[MethodOf]) {
        let found = method.method();
        if &*found.name == "inv" && is_condition(method) {
            return self.invariants.push(method.clone());
        }
        let Some(action) = found.name.strip_suffix("_pre") else {
            return;
        };
        let given = &found.signature.parameters;
        let fits = |about: &&MethodOf| {
            let about = about.method();
            &*about.name == action && (given.is_empty() || *given == about.signature.parameters)
        };
        if found.signature.result == Some(JavaType::Boolean) {
            self.ask(actions.iter().filter(fits), method);
        }
    }
}

/// Annotations with those that are repeated, and so lie in another one.
fn flattened(annotations: &[Annotation]) -> Vec<&Annotation> {
    let mut found = Vec::new();
    for annotation in annotations {
        found.push(annotation);
        if let Some(ElementValue::Array(values)) = annotation.element("value") {
            found.extend(values.iter().filter_map(|value| match value {
                ElementValue::Annotation(inner) => Some(inner),
                _ => None,
            }));
        }
    }
    found
}

/// The name that an annotation gives.
fn name(annotation: &Annotation) -> Option<Arc<str>> {
    match annotation.element("name")? {
        ElementValue::String(name) => Some(Arc::clone(name)),
        _ => None,
    }
}

/// Whether a method says true or false, and needs nothing for it.
fn is_condition(method: &MethodOf) -> bool {
    let signature = &method.method().signature;
    signature.result == Some(JavaType::Boolean) && signature.parameters.is_empty()
}
