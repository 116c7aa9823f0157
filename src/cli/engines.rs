//! `tranquera engines`

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::engine::doctor::{self, Health, ToolHealth, ToolState};
use crate::engine::{self, EngineConfig, EngineKind, Tool};
use crate::query::Limits;

use super::cache;
use super::output::{self, ReportFormat};
use super::{Failure, input, interrupt};

/// The name and version of the JSON format.
const SCHEMA: &str = "tranquera/engines/1";

#[derive(Debug, clap::Args)]
pub(super) struct EnginesArguments {
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: ReportFormat,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Seconds for one question, and for saying the version
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0, value_parser = input::seconds)]
    timeout: f64,
    /// The Boogie executable [default: TRANQUERA_BOOGIE, then PATH]
    #[arg(long, value_name = "PATH")]
    boogie: Option<PathBuf>,
    /// The Corral executable [default: TRANQUERA_CORRAL, then PATH]
    #[arg(long, value_name = "PATH")]
    corral: Option<PathBuf>,
    /// The Z3 executable [default: TRANQUERA_Z3, then PATH]
    #[arg(long, value_name = "PATH")]
    z3: Option<PathBuf>,
}

/// All that was found out.
#[derive(Serialize)]
struct EnginesReport {
    schema: &'static str,
    /// The engine that is asked where none is named.
    default: &'static str,
    engines: Vec<Health>,
    cache: cache::Health,
    environment: Vec<EnvironmentVariable>,
}

/// An environment variable that is heeded.
#[derive(Serialize)]
struct EnvironmentVariable {
    name: &'static str,
    about: String,
    value: Option<String>,
}

pub(super) fn run(arguments: &EnginesArguments) -> Result<(), Failure> {
    let report = arguments.examine();
    interrupt::check()?;
    let text = match (arguments.json, arguments.format) {
        (false, ReportFormat::Text) => text(&report),
        _ => output::json(&report)?,
    };
    output::write(None, &text)?;
    let mut engines = report.engines.iter();
    match engines.find(|health| health.engine == engine::DEFAULT) {
        Some(health) if health.state != ToolState::Works => Err(Failure::NoEngine(format!(
            "error: the engine `{}`, which is asked where none is named, cannot be used",
            health.engine
        ))),
        _ => Ok(()),
    }
}

impl EnginesArguments {
    fn examine(&self) -> EnginesReport {
        let config = EngineConfig {
            limits: Limits {
                timeout: Duration::from_secs_f64(self.timeout),
                ..Limits::default()
            },
            boogie: self.boogie.clone(),
            corral: self.corral.clone(),
            z3: self.z3.clone(),
            interrupt: interrupt::token(),
            ..EngineConfig::default()
        };
        let alone = |kind: &&EngineKind| kind.name != engine::ALL;
        EnginesReport {
            schema: SCHEMA,
            default: engine::DEFAULT,
            engines: (engine::ENGINES.iter().filter(alone))
                .map(|kind| doctor::examine(kind, &config))
                .collect(),
            cache: cache::health(),
            environment: variables(),
        }
    }
}

fn variables() -> Vec<EnvironmentVariable> {
    let tools = Tool::ALL.map(|tool| {
        let about = format!("the {} executable", tool.name());
        (tool.variable(), about)
    });
    let cache = "the folder of answers; `off` for none".to_owned();
    (tools.into_iter().chain([(cache::VARIABLE, cache)]))
        .map(|(name, about)| EnvironmentVariable {
            name,
            about,
            value: std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()),
        })
        .collect()
}

fn text(report: &EnginesReport) -> String {
    let mut text = String::new();
    for health in &report.engines {
        engine_text(health, &mut text);
    }
    let working: Vec<&str> = (report.engines.iter())
        .filter(|health| health.state == ToolState::Works)
        .map(|health| health.engine)
        .collect();
    let all = if working.is_empty() {
        "no engine works".to_owned()
    } else {
        format!("asks {}", working.join(" and "))
    };
    line(&mut text, engine::ALL, &all);
    text.push('\n');
    line(&mut text, "answers", &report.cache.to_string());
    text.push_str("\nenvironment\n");
    for variable in &report.environment {
        let value = variable.value.as_deref().unwrap_or("not set");
        line(
            &mut text,
            "",
            &format!("{}: {value} ({})", variable.name, variable.about),
        );
    }
    text
}

fn engine_text(health: &Health, text: &mut String) {
    let state = match health.state {
        ToolState::Works => "works",
        ToolState::Missing => "not found",
        ToolState::Broken => "does not work",
    };
    let default = if health.engine == engine::DEFAULT {
        ", and is asked where none is named"
    } else {
        ""
    };
    line(text, health.engine, &format!("{state}{default}"));
    line(text, "", health.about);
    for tool in &health.tools {
        tool_text(tool, text);
    }
    let answers: Vec<String> = (health.answers.iter())
        .filter(|answer| answer.answered == answer.expected)
        .map(|answer| format!("{} in {} ms", answer.expected, answer.wall_ms))
        .collect();
    if !answers.is_empty() {
        line(
            text,
            "",
            &format!("answered rightly: {}", answers.join(", ")),
        );
    }
    for remark in &health.remarks {
        line(text, "", remark);
    }
    for hint in health.tools.iter().filter_map(|tool| tool.hint.as_ref()) {
        line(text, "", &format!("to mend it: {hint}"));
    }
    text.push('\n');
}

fn tool_text(tool: &ToolHealth, text: &mut String) {
    if let Some(path) = &tool.path {
        let version = tool.version.as_deref().unwrap_or("of unknown version");
        let said = format!("{} {version}: {}", tool.name, path.display());
        line(text, "", &said);
    }
}

/// A line below a name.
fn line(text: &mut String, name: &str, said: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{name:<9}{said}");
}
