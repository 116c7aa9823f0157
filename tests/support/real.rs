//! The real engines. A test that needs one fails where it is missing, and says what to install.

use tranquera::engine::{Engine, EngineConfig, Tool, kind};

/// The engine of this name, which must be on this machine.
pub fn engine(name: &'static str, config: &EngineConfig) -> Box<dyn Engine> {
    let tools: &[Tool] = match name {
        "boogie" => &[Tool::Boogie, Tool::Z3],
        _ => &[Tool::Z3],
    };
    for tool in tools {
        if let Err(error) = tool.locate(name, None) {
            panic!(
                "{error}: this test needs the real one. To get it: {}",
                tool.hint()
            );
        }
    }
    (kind(name).expect("a known engine").make)(config)
}
