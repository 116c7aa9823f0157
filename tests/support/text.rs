//! The EPA of a class that is written in the test itself.

use tranquera::encode::Encoding;
use tranquera::engine::{self, EngineConfig};
use tranquera::epa::{self, Epa, Exceptions, Failure, Options, Strategy};
use tranquera::front::tq::parse_text;
use tranquera::ir::RoutineKind;
use tranquera::ir::{ClassId, RoutineRef};

/// The EPA of the text's last class, by the built-in engine.
pub fn construct(text: &str, strategy: Strategy) -> Result<Epa, Failure> {
    construct_by("builtin", text, strategy)
}

/// The EPA of the text's last class. No answer may be contradicted on the way.
pub fn construct_by(engine: &str, text: &str, strategy: Strategy) -> Result<Epa, Failure> {
    let loaded = parse_text("class.tq", text).unwrap_or_else(|e| panic!("{e}"));
    let class = ClassId(loaded.program.classes.len() - 1);
    let routines = loaded.program.class(class).routines_of(RoutineKind::Action);
    let actions: Vec<RoutineRef> = routines.map(|index| RoutineRef { class, index }).collect();
    let encoding = Encoding::new(&loaded.program, class, &actions).expect("a class can be encoded");
    let engine = (engine::kind(engine).expect("known").make)(&EngineConfig::default());
    let options = Options {
        strategy,
        jobs: 2,
        recursion_bound: 3,
        pure_shortcut: true,
        exceptions: Exceptions::Declared,
        violations: true,
    };
    let made = epa::construct(&encoding, engine.as_ref(), &options)?;
    assert!(made.disagreements.is_empty(), "{:?}", made.disagreements);
    Ok(made.epa)
}
