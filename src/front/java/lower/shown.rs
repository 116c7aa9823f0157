//! What constructors and actions are called where a person sees them: as in Java, with the types of their parameters where
//! the name alone does not say which is meant.

use std::collections::{BTreeMap, HashMap};

use super::making::in_source;
use super::names::simple;
use crate::front::java::types::{JavaType, MethodSignature};
use crate::front::java::world::{MethodOf, World};
use crate::front::tq::is_showable;

/// What methods are called in Java, with their types where that is needed: always where objects are made by them. Two may be
/// called alike, by what they give alone.
pub(super) fn shown_names(world: &World, methods: &[&MethodOf], constructing: bool) -> Vec<String> {
    let mut named: HashMap<&str, usize> = HashMap::new();
    for method in methods {
        *named.entry(&method.method().name).or_default() += 1;
    }
    let names = methods.iter().map(|method| {
        let method = *method;
        let signature = &method.method().signature;
        let name = match constructing {
            true => name_of_making(method),
            false => method.method().name.to_string(),
        };
        let is_alone = named.get(&*method.method().name) == Some(&1);
        let short = match is_alone && !constructing {
            true => name.clone(),
            false => with_types(&name, signature, &short_type),
        };
        let ty = |ty: &JavaType| in_source(world, ty);
        (short, with_types(&name, signature, &ty))
    });
    as_short_as_can_be(names.collect())
}

/// Names, of which each is there in short and as a whole: those of one short name are told apart by their packages.
pub(super) fn as_short_as_can_be(names: Vec<(String, String)>) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (short, _) in &names {
        *counts.entry(short.clone()).or_default() += 1;
    }
    let names = names.into_iter();
    names
        .map(|(short, whole)| match counts.get(&short) {
            Some(1) => short,
            _ => whole,
        })
        .collect()
}

/// Of names, each with what is shown in its place, those that are told apart by what is shown: by nobody else's name, and of
/// several that are shown alike by one.
pub(super) fn told_apart(shown: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let fine = shown
        .iter()
        .filter(|(_, text)| is_showable(text) && !shown.contains_key(*text));
    let by_text: BTreeMap<&String, &String> = fine.map(|(name, text)| (text, name)).collect();
    let by_name = by_text.into_iter();
    by_name
        .map(|(text, name)| (name.clone(), text.clone()))
        .collect()
}

/// The name of a constructor is its class's; that of a method which makes objects of another class says whose it is.
fn name_of_making(method: &MethodOf) -> String {
    let class = simple(&method.class.name);
    match method.method().is_constructor() {
        true => class,
        false => format!("{class}.{}", method.method().name),
    }
}

/// `write(byte[], int)`
fn with_types(
    name: &str,
    signature: &MethodSignature,
    text: &dyn Fn(&JavaType) -> String,
) -> String {
    let types: Vec<String> = signature.parameters.iter().map(text).collect();
    format!("{name}({})", types.join(", "))
}

/// A type without its package.
fn short_type(ty: &JavaType) -> String {
    match ty {
        JavaType::Class(class) => simple(class),
        JavaType::Array(element) => format!("{}[]", short_type(element)),
        primitive => primitive.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::told_apart;

    /// What is shown is nobody else's name, nor shown of anybody else, and can be read.
    #[test]
    fn what_is_shown_tells_all_apart() {
        let told = |all: &[(&str, &str)]| -> BTreeMap<String, String> {
            let all = all
                .iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
            told_apart(&all.collect())
        };
        let found = told(&[
            ("read", "read()"),
            ("read_bytes", "read(byte[])"),
            ("close", "close"),
            ("foo", "foo()"),
            ("foo_2", "foo()"),
            ("odd", "\u{2003}"),
            ("worse", "a {"),
            ("write_int_2", "write_int"),
            ("write_int", "write(int)"),
        ]);
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["foo_2", "read", "read_bytes", "write_int"]);
    }
}
