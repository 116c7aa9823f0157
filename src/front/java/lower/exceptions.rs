//! Exceptions: each class of them twice, raised by the class's own code and by the code of others. What the class itself
//! raises is how it refuses a call; what others raise only may happen.

use std::collections::{BTreeMap, BTreeSet};

use super::making::class_in_source;
use super::names::{UniqueNames, simple};
use super::shown::{as_short_as_can_be, told_apart};
use crate::front::java::types::ClassName;
use crate::front::java::world::World;
use crate::ir::BuiltinException;

/// An exception and who raises it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Raised {
    /// The class's own code.
    Own(ClassName),
    /// Somebody else's: then it may be of a subclass as well.
    Outside(ClassName),
}

impl Raised {
    /// An exception that an operation raises.
    pub(super) fn by_operation(internal: &str) -> Raised {
        Raised::Own(ClassName::new(internal))
    }

    /// Its class.
    pub(super) fn class(&self) -> &ClassName {
        match self {
            Raised::Own(class) | Raised::Outside(class) => class,
        }
    }
}

/// Where a reference is `null`.
pub(super) const NULL: &str = "java/lang/NullPointerException";
/// Where an index is none of the array's.
pub(super) const INDEX: &str = "java/lang/ArrayIndexOutOfBoundsException";
/// Where a position is none of those that there are.
pub(super) const OUT_OF_BOUNDS: &str = "java/lang/IndexOutOfBoundsException";
/// Division by zero.
pub(super) const ARITHMETIC: &str = "java/lang/ArithmeticException";
/// An array of negative length.
pub(super) const NEGATIVE: &str = "java/lang/NegativeArraySizeException";

/// Where there is no memory left.
pub(super) const OUT_OF_MEMORY: &str = "java/lang/OutOfMemoryError";

/// Exceptions that the language's own operations raise, and Java's as well.
const OF_OPERATIONS: [(&str, &str); 4] = [
    (NULL, "NullDereference"),
    (INDEX, "IndexOutOfRange"),
    (ARITHMETIC, "DivisionByZero"),
    (NEGATIVE, "NegativeLength"),
];

/// Whether a handler takes an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fits {
    /// It does.
    Yes,
    /// It depends on what is not known.
    Maybe,
    /// It does not.
    No,
}

/// Whether a handler of these classes, or of everything, takes an exception.
pub(super) fn fits(world: &World, raised: &Raised, handled: &[ClassName]) -> Fits {
    if handled.is_empty() {
        return Fits::Yes;
    }
    let mut found = Fits::No;
    for class in handled {
        match world.is_subclass(raised.class(), class) {
            Some(true) => return Fits::Yes,
            None => found = Fits::Maybe,
            Some(false) => {
                let narrower = world.is_subclass(class, raised.class()) != Some(false);
                if narrower && matches!(raised, Raised::Outside(_)) {
                    found = Fits::Maybe;
                }
            }
        }
    }
    found
}

/// The names of exceptions in the language, and their numbers.
#[derive(Debug, Default)]
pub(super) struct Exceptions {
    names: BTreeMap<Raised, (String, usize)>,
}

impl Exceptions {
    /// The name of an exception.
    pub(super) fn name(&mut self, names: &mut UniqueNames, raised: &Raised) -> String {
        self.entry(names, raised).0.clone()
    }

    /// The number of an exception, from 1.
    pub(super) fn number(&mut self, names: &mut UniqueNames, raised: &Raised) -> usize {
        self.entry(names, raised).1
    }

    fn entry(&mut self, names: &mut UniqueNames, raised: &Raised) -> &(String, usize) {
        let next = self.names.len() + 1;
        self.names.entry(raised.clone()).or_insert_with(|| {
            let name = match raised {
                Raised::Own(class) => {
                    let known = OF_OPERATIONS.iter().find(|(java, _)| class.is(java));
                    match known {
                        Some((_, name)) => (*name).to_owned(),
                        None => names.give(&simple(class)),
                    }
                }
                Raised::Outside(class) => names.give(&format!("{}_outside", simple(class))),
            };
            (name, next)
        })
    }

    /// The names of `Error`s that the class's own code raises: something is broken then, and no call is refused.
    pub(super) fn errors(&self, world: &World) -> BTreeSet<String> {
        let error = ClassName::new("java/lang/Error");
        let is_error = |raised: &Raised| match raised {
            Raised::Own(class) => world.is_subclass(class, &error) == Some(true),
            Raised::Outside(_) => false,
        };
        let all = self.names.iter();
        all.filter(|(raised, _)| is_error(raised))
            .map(|(_, (name, _))| name.clone())
            .collect()
    }

    /// The names of those that other code raises.
    pub(super) fn of_other_code(&self) -> BTreeSet<String> {
        let all = self.names.iter();
        all.filter(|(raised, _)| matches!(raised, Raised::Outside(_)))
            .map(|(_, (name, _))| name.clone())
            .collect()
    }

    /// What exceptions are called where they are shown, by the names that they have in the text, where that is something else.
    pub(super) fn shown(&self, world: &World) -> BTreeMap<String, String> {
        let words = |raised: &Raised, class: String| match raised {
            Raised::Own(_) => class,
            Raised::Outside(_) => format!("{class} (other code)"),
        };
        let of_operations = OF_OPERATIONS.iter();
        let of_operations = of_operations
            .map(|(java, name)| (Raised::Own(ClassName::new(java)), (*name).to_owned()));
        let named = self.names.iter();
        let named = named.map(|(raised, (name, _))| (raised.clone(), name.clone()));
        let all: BTreeMap<Raised, String> = of_operations.chain(named).collect();
        let texts = all.keys().map(|raised| {
            let class = raised.class();
            let [short, whole] = [simple(class), class_in_source(world, class)];
            (words(raised, short), words(raised, whole))
        });
        let texts = as_short_as_can_be(texts.collect());
        let shown = all.into_values().zip(texts);
        // Those of the language that Java does not have keep their names.
        let builtin = BuiltinException::ALL.iter();
        let builtin = builtin.map(|builtin| (builtin.name().to_owned(), builtin.name().to_owned()));
        told_apart(&builtin.chain(shown).collect())
    }

    /// Those that the class's own code raises, and its operations: their names, with those that sources write.
    pub(super) fn own(&self, world: &World) -> BTreeMap<String, String> {
        let of_operations = OF_OPERATIONS.iter();
        let mut found: BTreeMap<String, String> = of_operations
            .map(|(java, name)| ((*name).to_owned(), ClassName::new(java).to_string()))
            .collect();
        for (raised, (name, _)) in &self.names {
            if let Raised::Own(class) = raised {
                found.insert(name.clone(), class_in_source(world, class));
            }
        }
        found
    }

    /// The names of those that have to be declared.
    pub(super) fn declared(&self) -> impl Iterator<Item = &str> {
        let all = self.names.values().map(|(name, _)| name.as_str());
        all.filter(|name| OF_OPERATIONS.iter().all(|(_, known)| known != name))
    }
}
