//! A class from a file or a text, encoded as `tranquera epa` does it: the last class, with all of its actions.

use std::path::Path;

use tranquera::encode::Encoding;
use tranquera::front::tq::{self, Loaded};
use tranquera::ir::RoutineKind;
use tranquera::ir::{ClassId, RoutineRef};

/// Reads a file that must be correct.
pub fn load(path: &Path) -> Loaded {
    tq::load(path).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

/// The encoding of the file's last class.
pub fn encode(loaded: &Loaded) -> Encoding<'_> {
    let class = ClassId(loaded.program.classes.len() - 1);
    let actions: Vec<RoutineRef> = loaded
        .program
        .class(class)
        .routines_of(RoutineKind::Action)
        .map(|index| RoutineRef { class, index })
        .collect();
    Encoding::new(&loaded.program, class, &actions).expect("a class can be encoded")
}
