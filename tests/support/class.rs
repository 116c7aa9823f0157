//! A class from a file or a text, as `tranquera epa` studies it: the last class, with all of its actions.
#![allow(dead_code)] // Each group of tests needs a part of it.

use std::path::Path;
use std::sync::Arc;

use tranquera::encode::Encoding;
use tranquera::front::tq::{self, Loaded};
use tranquera::ir::RoutineKind;
use tranquera::ir::{ClassId, Program, RoutineRef};
use tranquera::query::Subject;

/// Reads a file that must be correct.
pub fn load(path: &Path) -> Loaded {
    tq::load(path).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

/// Reads a text that must be correct.
pub fn parse(text: &str) -> Loaded {
    tq::parse_text("class.tq", text)
        .unwrap_or_else(|errors| panic!("{}\n{text}", errors.render(false)))
}

/// The last class.
pub fn last(program: &Program) -> ClassId {
    ClassId(program.classes.len() - 1)
}

/// The last class's actions.
pub fn actions(program: &Program) -> Vec<RoutineRef> {
    let class = last(program);
    let actions = program.class(class).routines_of(RoutineKind::Action);
    actions.map(|index| RoutineRef { class, index }).collect()
}

/// The last class, as it is studied.
pub fn subject(loaded: &Loaded) -> Subject {
    Subject::of_class(Arc::clone(&loaded.program), last(&loaded.program))
}

/// The encoding of the last class.
pub fn encode(loaded: &Loaded) -> Encoding {
    Encoding::new(Arc::new(subject(loaded))).expect("a class can be encoded")
}
