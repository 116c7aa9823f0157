//! What the routines of a class are called with in Java, where the class was made of a class file: a run of the class is told as
//! the calls of a constructor and of methods.

use std::collections::{BTreeMap, BTreeSet};

use super::{Routine, RoutineKind};

/// The calls that the routines of a Java class's text stand for. All names are as Java's sources write them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCalls {
    /// The class: `java.util.Map.Entry`.
    pub class: String,
    /// Its package, where other code can stand in it, as in those of the JDK it cannot; empty for none.
    pub package: String,
    /// The constructors that code of this package can call, by the names that they have in the text.
    pub constructors: BTreeMap<String, JavaCall>,
    /// The methods that its actions stand for, by the names of these.
    pub actions: BTreeMap<String, JavaCall>,
    /// The exceptions that its own code raises, by the names that they have in the text.
    pub exceptions: BTreeMap<String, String>,
    /// The actions that require what is only written down: in Java they go on where it does not hold.
    pub owed: BTreeSet<String>,
}

impl JavaCalls {
    /// The call that a routine of the class stands for; none where a test cannot make it.
    pub fn call(&self, routine: &Routine) -> Option<&JavaCall> {
        match routine.kind {
            // One without a name is called like its class.
            RoutineKind::Constructor => {
                let named = self.constructors.get(&routine.name);
                named.or_else(|| self.constructors.get(""))
            }
            _ => self.actions.get(&routine.name),
        }
    }
}

/// A constructor or a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCall {
    /// The method's name; that of a constructor is the class's.
    pub name: String,
    /// What it is called with.
    pub parameters: Vec<JavaParameter>,
    /// The type of what it gives, without type arguments: `void` where that is nothing.
    pub result: String,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaParameter {
    /// Its type, without type arguments.
    pub ty: String,
    /// How its values are written.
    pub values: JavaValues,
}

/// How the values of a type are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JavaValues {
    /// `true`, `false`
    Booleans,
    /// Integers.
    Integers(JavaInteger),
    /// Numbers of which only the identity is known.
    Fractions,
    /// Arrays; an element type without dimensions, and how many there are besides the first.
    Arrays(String, usize),
    /// The constants of an enum, in their order. Behind `null`, which is the first of their values in the text.
    Constants(Vec<String>),
    /// Objects: one is made by this expression, where a way is known.
    Objects(Option<String>),
}

/// A type of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JavaInteger {
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `char`
    Char,
    /// `int`
    Int,
    /// `long`
    Long,
}
