//! What constructors and actions are called where a person sees them: as in Java, with the types of their parameters where
//! the name alone does not say which is meant.

use std::collections::{BTreeMap, HashMap};

use super::making::in_source;
use super::names::simple;
use crate::front::java::types::{JavaType, MethodSignature};
use crate::front::java::world::{MethodOf, World};
use crate::front::tq::is_showable;

/// What methods are called in Java, with their types where that is needed. Two may be called alike, by what they give alone.
pub(super) fn shown_names(world: &World, methods: &[&MethodOf]) -> Vec<String> {
    let mut named: HashMap<&str, usize> = HashMap::new();
    for method in methods {
        *named.entry(&method.method().name).or_default() += 1;
    }
    let short: Vec<String> = methods
        .iter()
        .map(|method| {
            let name = name_of(method);
            let is_alone = named.get(&*method.method().name) == Some(&1);
            match is_alone && !method.method().is_constructor() {
                true => name,
                false => with_types(&name, &method.method().signature, &short_type),
            }
        })
        .collect();
    let whole = |method: &MethodOf| {
        let ty = |ty: &JavaType| in_source(world, ty);
        with_types(&name_of(method), &method.method().signature, &ty)
    };
    // Two types of one name are told apart by their packages.
    let twice = counts(&short);
    let all = methods.iter().zip(short);
    all.map(|(method, short)| match twice.get(&short) {
        Some(1) => short,
        _ => whole(method),
    })
    .collect()
}

/// Of names and of what is shown in their place, those that are told apart by what is shown.
pub(super) fn told_apart(mut shown: BTreeMap<String, String>) -> BTreeMap<String, String> {
    shown.retain(|name, text| name == text || is_showable(text));
    loop {
        let mut twice: BTreeMap<&str, usize> = BTreeMap::new();
        for text in shown.values() {
            *twice.entry(text).or_default() += 1;
        }
        let same = shown.iter().find(|(name, text)| {
            let is_shown = *name != *text;
            is_shown && (twice.get(text.as_str()) != Some(&1) || shown.contains_key(*text))
        });
        let Some((name, _)) = same.map(|(name, text)| (name.clone(), text.clone())) else {
            break;
        };
        shown.remove(&name);
    }
    shown.retain(|name, text| name != text);
    shown
}

fn counts(names: &[String]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for name in names {
        *found.entry(name.clone()).or_default() += 1;
    }
    found
}

/// The method's name; that of a constructor is its class's.
fn name_of(method: &MethodOf) -> String {
    match method.method().is_constructor() {
        true => simple(&method.class.name),
        false => method.method().name.to_string(),
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
            told_apart(all.collect())
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
