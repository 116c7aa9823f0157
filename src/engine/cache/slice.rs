//! The part of a program that an entry depends on.

use std::collections::{BTreeMap, BTreeSet};

use crate::boogie::ast::Decl;
use crate::boogie::parse;

/// A program, taken apart.
pub(super) struct Sliced {
    /// What every entry may depend on: types, constants, functions, axioms and variables.
    common: String,
    /// The procedures by name, each with its implementations.
    procedures: BTreeMap<String, String>,
}

impl Sliced {
    /// Takes a program apart. One that cannot be read stays whole.
    pub(super) fn new(text: &str) -> Sliced {
        let Ok(program) = parse(text) else {
            return Sliced {
                common: text.to_owned(),
                procedures: BTreeMap::new(),
            };
        };
        let mut sliced = Sliced {
            common: String::new(),
            procedures: BTreeMap::new(),
        };
        for decl in &program.decls {
            let name = match decl {
                Decl::Procedure(procedure) => &procedure.name,
                Decl::Implementation(implementation) => &implementation.name,
                _ => {
                    sliced.common.push_str(&decl.to_string());
                    continue;
                }
            };
            let part = sliced.procedures.entry(name.clone()).or_default();
            part.push_str(&decl.to_string());
        }
        sliced
    }

    /// What an entry with this text depends on: everything that is not a procedure, and the procedures that it names,
    /// or that those name, and so on. A name counts wherever it occurs, be it in a comment, so that rather too much is
    /// taken than too little.
    pub(super) fn of(&self, entry: &str) -> String {
        let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
        let mut waiting: Vec<(&str, &str)> = self.named_in(entry);
        while let Some((name, text)) = waiting.pop() {
            if taken.insert(name, text).is_none() {
                waiting.extend(self.named_in(text));
            }
        }
        let mut text = self.common.clone();
        text.extend(taken.into_values());
        text
    }

    /// The procedures that a text names, with their own texts.
    fn named_in(&self, text: &str) -> Vec<(&str, &str)> {
        let words = text.split(|c: char| !is_part_of_a_name(c));
        let named = words.filter_map(|word| self.procedures.get_key_value(word));
        let named: BTreeSet<(&str, &str)> = named.map(|(n, t)| (n.as_str(), t.as_str())).collect();
        named.into_iter().collect()
    }
}

/// Whether names of Boogie may have this character. (A backslash may precede a name, and is not part of it.)
fn is_part_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "'~#$^_.?`".contains(c)
}
