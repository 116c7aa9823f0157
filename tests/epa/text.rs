//! The EPA of a class that is written in the test itself.

use tranquera::engine::{self, EngineConfig};
use tranquera::epa::{self, ConstructError, ConstructOptions, Epa, Exceptions, Strategy};

use crate::support::class;

/// The EPA of the text's last class, by the built-in engine.
pub fn construct(text: &str, strategy: Strategy) -> Result<Epa, ConstructError> {
    construct_by("builtin", text, strategy)
}

/// The EPA of the text's last class. No answer may be contradicted on the way.
pub fn construct_by(engine: &str, text: &str, strategy: Strategy) -> Result<Epa, ConstructError> {
    let loaded = class::parse(text);
    let encoding = class::encode(&loaded);
    let engine = (engine::kind(engine).expect("known").make)(&EngineConfig::default());
    let options = ConstructOptions {
        strategy,
        jobs: 2,
        pure_shortcut: true,
        exceptions: Exceptions::Declared,
        violations: true,
        ..ConstructOptions::default()
    };
    let made = epa::construct(&encoding, engine.as_ref(), &options)?;
    assert!(made.disagreements.is_empty(), "{:?}", made.disagreements);
    Ok(made.epa())
}
