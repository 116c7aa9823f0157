//! Names in Boogie text: those of the source wherever that is possible.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Program, VarId};

/// Words that mean something in Boogie, or in our prelude, and so cannot name a variable or type.
const RESERVED: &[&str] = &[
    "Exception",
    "Ref",
    "assert",
    "assume",
    "async",
    "axiom",
    "bool",
    "break",
    "call",
    "complete",
    "const",
    "div",
    "else",
    "ensures",
    "exists",
    "extends",
    "false",
    "finite",
    "forall",
    "free",
    "function",
    "goto",
    "havoc",
    "if",
    "implementation",
    "int",
    "invariant",
    "is_int",
    "lambda",
    "mod",
    "modifies",
    "null",
    "old",
    "par",
    "procedure",
    "real",
    "requires",
    "return",
    "returns",
    "rmode",
    "string",
    "regex",
    "then",
    "thrown",
    "true",
    "type",
    "unique",
    "var",
    "where",
    "while",
    "yield",
];

/// A name that Boogie takes: the source's own, with `#` behind it where Boogie means something else by it.
pub(super) fn identifier(name: &str) -> String {
    let sized = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    if RESERVED.contains(&name) || sized("bv") || sized("float") {
        format!("{name}#")
    } else {
        name.to_string()
    }
}

/// The names of the variables in one stretch of Boogie text.
#[derive(Clone, Debug, Default)]
pub(super) struct BoogieNames {
    by_var: BTreeMap<VarId, String>,
    /// The names under which quantifiers bind variables: never those of declared ones, which Boogie does not let
    /// them hide. A parameter is both where it is called with a value and a guard speaks of any value of it.
    bound: BTreeMap<VarId, String>,
    used: BTreeSet<String>,
}

impl BoogieNames {
    /// Names for these variables: each its own name behind `prefix`, numbered where that is taken.
    pub(super) fn add(
        &mut self,
        program: &Program,
        vars: impl IntoIterator<Item = VarId>,
        prefix: &str,
    ) {
        for id in vars {
            if self.by_var.contains_key(&id) {
                continue;
            }
            let name = self.fresh(&identifier(&format!("{prefix}{}", program.var(id).name)));
            self.by_var.insert(id, name);
        }
    }

    /// Names for variables that a quantifier binds.
    pub(super) fn add_bound(&mut self, program: &Program, vars: impl IntoIterator<Item = VarId>) {
        for id in vars {
            if !self.bound.contains_key(&id) {
                let name = self.fresh(&identifier(&program.var(id).name));
                self.bound.insert(id, name);
            }
        }
    }

    /// The name under which a quantifier binds a variable; see [`BoogieNames::of`].
    pub(super) fn of_bound(&self, program: &Program, id: VarId) -> String {
        match self.bound.get(&id) {
            Some(name) => name.clone(),
            None => self.of(program, id),
        }
    }

    /// A name that is not used yet: `base`, `base#2`, `base#3`, …
    pub(super) fn fresh(&mut self, base: &str) -> String {
        let mut name = base.to_string();
        let mut n = 2;
        while !self.used.insert(name.clone()) {
            name = format!("{base}#{n}");
            n += 1;
        }
        name
    }

    /// A variable id that stands for a Boogie variable which the source does not have.
    pub(super) fn alias(&mut self, name: &str) -> VarId {
        let id = VarId(usize::MAX - self.by_var.len());
        self.call(id, name.to_string());
        id
    }

    /// Gives a variable this name.
    pub(super) fn call(&mut self, id: VarId, name: String) {
        self.by_var.insert(id, name);
    }

    /// The variable's name. Every variable of the text must have been added; one that was not gets a name that
    /// cannot be confused with another's.
    pub(super) fn of(&self, program: &Program, id: VarId) -> String {
        self.by_var.get(&id).cloned().unwrap_or_else(|| {
            format!(
                "{}#v{}",
                program.vars.get(id.0).map_or("", |v| &v.name),
                id.0
            )
        })
    }
}
