//! `tranquera engines`

use crate::engine::{self, EngineConfig, EngineError};

use super::{Failure, output};

#[derive(Debug, clap::Args)]
pub struct Arguments {}

pub fn run(_: &Arguments) -> Result<(), Failure> {
    let config = EngineConfig::default();
    let mut text = String::new();
    for kind in engine::ENGINES {
        let engine = (kind.make)(&config);
        let (state, more) = match engine.version() {
            Ok(version) => (version, None),
            Err(EngineError::Missing {
                executable, hint, ..
            }) => (format!("not found (`{executable}` is missing)"), Some(hint)),
            Err(error) => (error.to_string(), None),
        };
        text.push_str(&format!(
            "{:<8} {}\n         {}\n",
            kind.name, kind.about, state
        ));
        if let Some(hint) = more {
            text.push_str(&format!("         to get it: {hint}\n"));
        }
    }
    output::write(None, &text)
}
