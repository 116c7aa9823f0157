//! `tranquera --version`: which program this is, and what its engines are made of here.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::time::Duration;

use crate::engine::doctor::{self, ToolHealth};
use crate::engine::{self, EngineConfig, EngineKind};
use crate::query::Limits;

/// How long an executable may take to say its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether arguments that ask for the version ask for all of it: `-V` is one line.
pub(super) fn is_long<T: AsRef<OsStr>>(arguments: impl IntoIterator<Item = T>) -> bool {
    let mut arguments = arguments.into_iter();
    arguments.any(|argument| argument.as_ref() == "--version")
}

/// The engines, each with the versions of what it needs. What is missing is said, and is no failure.
pub(super) fn engines() -> String {
    let config = EngineConfig {
        limits: Limits {
            timeout: PATIENCE,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let alone = |kind: &&EngineKind| kind.name != engine::ALL;
    let mut text = String::new();
    for kind in engine::ENGINES.iter().filter(alone) {
        let tools = doctor::tools(kind, &config);
        let tools: Vec<String> = tools.iter().map(shown).collect();
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{:<9}{}", kind.name, tools.join(", "));
    }
    text
}

/// `z3 4.8.12`
fn shown(tool: &ToolHealth) -> String {
    let version = match (&tool.path, &tool.version) {
        (None, _) => "not found",
        (Some(_), None) => "of unknown version",
        (Some(_), Some(version)) => version,
    };
    format!("{} {version}", tool.name)
}
