//! The classes of a folder of `fixtures/`, their EPAs as an engine gives them, and the expected ones.

use std::path::Path;

use serde_json::Value;
use tranquera::engine::EngineConfig;
use tranquera::epa::{self, ConstructOptions, Epa, Exceptions, Strategy};
use tranquera::query::Limits;

use crate::support::{class, real};

pub const BOUND: u32 = 3;

/// The data in a JSON file that must be correct.
pub fn json<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// An expected EPA has no statistics; they are filled in, and not compared.
pub fn expected(path: &Path) -> Epa {
    let mut value: Value = json(path);
    value["stats"] = serde_json::to_value(epa::wire::EpaStats::default()).expect("plain data");
    serde_json::from_value(value).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The names of the classes' files in a folder, without `.tq`.
pub fn classes_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "tq"))
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}

pub fn options(strategy: Strategy) -> ConstructOptions {
    ConstructOptions {
        strategy,
        jobs: std::thread::available_parallelism().map_or(1, |n| n.get()),
        pure_shortcut: true,
        exceptions: Exceptions::Declared,
        violations: true,
        ..ConstructOptions::default()
    }
}

/// The EPA of a class. No answer of the engine may be contradicted on the way.
pub fn construct(path: &Path, engine: &'static str, options: &ConstructOptions) -> Epa {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: BOUND,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let loaded = class::load(path);
    let engine = real::engine(engine, &config);
    let made = epa::construct(&class::encode(&loaded), engine.as_ref(), options)
        .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert_eq!(made.disagreements, [], "{}", path.display());
    made.epa()
}

/// What must be as expected whatever the findings and statistics are.
pub fn result(epa: &Epa) -> Value {
    let mut value = serde_json::to_value(epa).expect("plain data");
    let fields = value.as_object_mut().expect("an object");
    fields.remove("stats");
    fields.remove("findings");
    fields.remove("notes");
    value
}
