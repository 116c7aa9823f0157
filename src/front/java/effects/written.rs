//! Conditions that authors wrote down, in one of the ways that tools before this one have read: annotations of boolean
//! methods with the name of an action (epa-evosuite), methods `m_pre` and `inv` (contractorj), and annotations with texts
//! (Contracts for Java, and others like it).

use std::sync::Arc;

use crate::front::java::classfile::{Annotation, ElementValue};
use crate::front::java::types::JavaType;
use crate::front::java::world::studied::Studied;
use crate::front::java::world::{MethodOf, methods_of};

/// What somebody wrote down about a class.
#[derive(Clone, Debug)]
pub enum Annotated {
    /// A method is an action of this name; several methods may share one.
    Action {
        /// The name.
        name: Arc<str>,
        /// The method.
        method: MethodOf,
    },
    /// Actions of this name can be called where the method says so: by a name in an annotation.
    Precondition {
        /// The name.
        name: Arc<str>,
        /// A method without parameters that says true or false.
        method: MethodOf,
    },
    /// The object is in a state of this name where the method says so.
    State {
        /// The name.
        name: Arc<str>,
        /// A method without parameters that says true or false.
        method: MethodOf,
    },
    /// A method can be called where `m_pre` says so; it has no parameters, or those of the method.
    PreMethod {
        /// The method it is about.
        action: MethodOf,
        /// The method that says so.
        method: MethodOf,
    },
    /// `inv` says what always holds.
    Invariant {
        /// A method without parameters that says true or false.
        method: MethodOf,
    },
    /// Conditions as text, in words of the language, of a method or (of nothing) the class.
    Text {
        /// What the annotation is called: `Requires`, `Ensures`, `Invariant`.
        kind: String,
        /// The conditions.
        texts: Vec<Arc<str>>,
        /// The method.
        method: Option<MethodOf>,
    },
}

/// The names of annotations with conditions as text.
const TEXTS: [&str; 3] = ["Requires", "Ensures", "Invariant"];

/// What is written down about a class, its own methods first.
pub fn written(studied: &Studied) -> Vec<Annotated> {
    let mut found = Vec::new();
    let of_class = studied.class().annotations.iter();
    found.extend(of_class.filter_map(|annotation| text(annotation, None)));
    let all: Vec<MethodOf> = studied.chain.iter().flat_map(methods_of).collect();
    for method in &all {
        for annotation in flattened(&method.method().annotations) {
            found.extend(named(annotation, method));
            found.extend(text(annotation, Some(method)));
        }
        found.extend(by_name(method, studied));
    }
    found
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

fn named(annotation: &Annotation, method: &MethodOf) -> Option<Annotated> {
    let Some(ElementValue::String(name)) = annotation.element("name") else {
        return None;
    };
    let (name, found) = (Arc::clone(name), method.clone());
    match annotation.simple_name() {
        "EpaAction" => Some(Annotated::Action {
            name,
            method: found,
        }),
        "EpaActionPrecondition" if is_condition(method, 0) => Some(Annotated::Precondition {
            name,
            method: found,
        }),
        "EpaState" if is_condition(method, 0) => Some(Annotated::State {
            name,
            method: found,
        }),
        _ => None,
    }
}

fn text(annotation: &Annotation, method: Option<&MethodOf>) -> Option<Annotated> {
    let kind = annotation.simple_name();
    if !TEXTS.contains(&kind) {
        return None;
    }
    let texts = match annotation.element("value")? {
        ElementValue::String(text) => vec![Arc::clone(text)],
        ElementValue::Array(values) => values
            .iter()
            .filter_map(|value| match value {
                ElementValue::String(text) => Some(Arc::clone(text)),
                _ => None,
            })
            .collect(),
        _ => return None,
    };
    Some(Annotated::Text {
        kind: kind.to_owned(),
        texts,
        method: method.cloned(),
    })
}

/// Whether a method says true or false, with so many parameters.
fn is_condition(method: &MethodOf, parameters: usize) -> bool {
    let signature = &method.method().signature;
    signature.result == Some(JavaType::Boolean) && signature.parameters.len() == parameters
}

fn by_name(method: &MethodOf, studied: &Studied) -> Vec<Annotated> {
    let name = &method.method().name;
    if &**name == "inv" && is_condition(method, 0) {
        return vec![Annotated::Invariant {
            method: method.clone(),
        }];
    }
    let Some(action) = name.strip_suffix("_pre") else {
        return Vec::new();
    };
    let signature = &method.method().signature;
    if signature.result != Some(JavaType::Boolean) {
        return Vec::new();
    }
    let about = studied.actions.iter().filter(|found| {
        let found = found.method();
        let fits =
            signature.parameters.is_empty() || signature.parameters == found.signature.parameters;
        &*found.name == action && fits
    });
    about
        .map(|action| Annotated::PreMethod {
            action: action.clone(),
            method: method.clone(),
        })
        .collect()
}
