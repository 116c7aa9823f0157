//! The part of a program that an entry depends on.

use std::collections::{BTreeMap, BTreeSet};

use crate::boogie::ast::Decl;
use crate::boogie::lexer::{Token, tokens};
use crate::boogie::parse;

/// A program, taken apart.
pub struct Sliced {
    /// What every entry may depend on: types, constants, functions, axioms and variables.
    common: String,
    /// The procedures by name, each with its implementations and the words in them.
    procedures: BTreeMap<String, Part>,
}

/// A procedure.
#[derive(Default)]
struct Part {
    text: String,
    words: BTreeSet<String>,
}

impl Sliced {
    /// Takes a program apart. One that cannot be read stays whole.
    pub fn new(text: &str) -> Sliced {
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
            let text = decl.to_string();
            let name = match decl {
                Decl::Procedure(procedure) => &procedure.name,
                Decl::Implementation(implementation) => &implementation.name,
                _ => {
                    sliced.common.push_str(&text);
                    continue;
                }
            };
            let part = sliced.procedures.entry(name.clone()).or_default();
            part.words.extend(words(&text));
            part.text.push_str(&text);
        }
        sliced
    }

    /// What an entry with this text depends on: everything that is not a procedure, and the procedures that it names,
    /// or that those name, and so on. A name counts wherever it occurs, so that rather too much is taken than too little.
    pub fn of(&self, entry: &str) -> String {
        let mut taken: BTreeSet<&str> = BTreeSet::new();
        let mut waiting: Vec<&str> = self.named_in(&words(entry));
        while let Some(name) = waiting.pop() {
            if taken.insert(name)
                && let Some(part) = self.procedures.get(name)
            {
                waiting.extend(self.named_in(&part.words));
            }
        }
        let mut text = self.common.clone();
        for part in taken.iter().filter_map(|name| self.procedures.get(*name)) {
            text.push_str(&part.text);
        }
        text
    }

    fn named_in(&self, words: &BTreeSet<String>) -> Vec<&str> {
        let procedures = self.procedures.keys();
        let named = procedures.filter(|name| words.contains(*name));
        named.map(String::as_str).collect()
    }
}

/// The names in a text; of one that cannot be read, none: then the engine refuses it, and nothing is kept.
fn words(text: &str) -> BTreeSet<String> {
    let tokens = tokens(text, 1).unwrap_or_default();
    let names = tokens.into_iter().filter_map(|t| match t.token {
        Token::Ident(name) => Some(name.trim_start_matches('\\').to_owned()),
        _ => None,
    });
    names.collect()
}
