//! Names of the language for those of Java.

use std::collections::{BTreeMap, HashSet};

use crate::front::java::types::{ClassName, JavaType, MethodSignature};
use crate::front::tq::is_free_name;

/// Names that are given out, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct UniqueNames {
    taken: HashSet<String>,
}

impl UniqueNames {
    /// Whether a name is taken.
    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// A name like this one that nothing else has.
    pub(super) fn give(&mut self, wanted: &str) -> String {
        let wanted = plain(wanted);
        let mut name = wanted.clone();
        let mut number = 1;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }
}

/// A name as the language has it: other letters than it knows are `_`, and its own words have one behind them, as have its types
/// but for those that are read as such nowhere but in front of a `<`.
fn plain(wanted: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let mut name: String = wanted.chars().map(letter).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        name.insert(0, '_');
    }
    if !is_free_name(&name) && !matches!(name.as_str(), "array" | "map") {
        name.push('_');
    }
    name
}

/// The names of routines of one class: plain where a name is there once, else with the types of the parameters behind it.
pub(super) fn routine_names<'a>(
    names: &mut UniqueNames,
    methods: impl Iterator<Item = (&'a str, &'a MethodSignature)> + Clone,
) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in methods.clone() {
        *counts.entry(name).or_default() += 1;
    }
    let named = methods.map(|(name, signature)| {
        if counts.get(name) == Some(&1) || signature.parameters.is_empty() {
            names.give(name)
        } else {
            names.give(&format!("{name}{}", types_behind(signature)))
        }
    });
    named.collect()
}

/// `_bytes_int_int`
pub(super) fn types_behind(signature: &MethodSignature) -> String {
    let types = signature.parameters.iter();
    types.map(|ty| format!("_{}", short(ty))).collect()
}

fn short(ty: &JavaType) -> String {
    match ty {
        JavaType::Class(class) => simple(class),
        JavaType::Array(element) => format!("{}s", short(element)),
        primitive => primitive.to_string(),
    }
}

/// The name of a class without its package, and without those around it.
pub(super) fn simple(class: &ClassName) -> String {
    let name = class.simple();
    let inner = name.rsplit('$').next().unwrap_or(name);
    let anonymous = inner.is_empty() || inner.starts_with(|c: char| c.is_ascii_digit());
    if anonymous { name } else { inner }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::UniqueNames;

    #[test]
    fn words_and_types_of_the_language_are_no_names() {
        let mut names = UniqueNames::default();
        let given = ["i16", "nat", "requires", "map", "i16", "$1"].map(|name| names.give(name));
        assert_eq!(given, ["i16_", "nat_", "requires_", "map", "i16__2", "_1"]);
    }
}
