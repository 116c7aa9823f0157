//! Programs run by hand, and by the interpreter.

mod expressions;
mod fixtures;
mod oracle;
mod quantifiers;
mod residues;
mod statements;

use super::{Configuration, Value};
use crate::ir::{ClassId, Program, RoutineRef};

/// The program of a text that has no errors.
fn program(text: &str) -> Program {
    match crate::front::tq::parse_text("test.tq", text) {
        Ok(loaded) => std::sync::Arc::unwrap_or_clone(loaded.program),
        Err(diagnostics) => panic!("{diagnostics}\n{text}"),
    }
}

/// The last class.
fn last_class(program: &Program) -> ClassId {
    ClassId(program.classes.len() - 1)
}

/// The routine of the last class with this name.
fn routine(program: &Program, name: &str) -> RoutineRef {
    let class = last_class(program);
    let index = program
        .class(class)
        .routines
        .iter()
        .position(|r| r.name == name);
    RoutineRef {
        class,
        index: index.unwrap_or_else(|| panic!("no routine {name}")),
    }
}

/// An object of the last class with these values of its fields.
fn object(program: &Program, fields: &[Value]) -> Configuration {
    Configuration::with_this(last_class(program), fields.to_vec())
}

fn int(n: i64) -> Value {
    Value::int(n)
}

fn yes() -> Value {
    Value::Bool(true)
}

fn no() -> Value {
    Value::Bool(false)
}
