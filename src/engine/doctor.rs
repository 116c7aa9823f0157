//! Whether an engine works here: what it needs is looked for, asked for its version, and put to the test with two
//! questions whose answers are known.

use std::cmp::Ordering;
use std::path::PathBuf;
use std::time::Instant;

use serde::Serialize;

use super::{EngineConfig, EngineError, EngineKind, Located, Session, Tool};
use crate::query::{EntryProcedure, QuestionProgram, Verdict};
use crate::time::millis_since;

/// What was found out about an engine.
#[derive(Clone, Debug, Serialize)]
pub struct Health {
    /// Its name.
    pub engine: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// Whether it can be used.
    pub state: ToolState,
    /// What it needs.
    pub tools: Vec<ToolHealth>,
    /// How it answered; empty where it was not asked.
    pub answers: Vec<CheckedAnswer>,
    /// What is wrong, and what may be, each in a line for a person.
    pub remarks: Vec<String>,
}

/// Whether an engine can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolState {
    /// It answered both questions, and rightly.
    Works,
    /// Something that it needs is not there.
    Missing,
    /// All is there, and it does not answer as it must.
    Broken,
}

/// Something that an engine needs.
#[derive(Clone, Debug, Serialize)]
pub struct ToolHealth {
    /// The name of the executable.
    pub name: &'static str,
    /// Where it is; none where it is missing.
    pub path: Option<PathBuf>,
    /// Its version, if it says one.
    pub version: Option<String>,
    /// Whether this version is one that is supported; none where it is not known.
    pub supported: Option<bool>,
    /// How to get it, where it is missing.
    pub hint: Option<String>,
}

/// The answer to a question whose answer is known.
#[derive(Clone, Debug, Serialize)]
pub struct CheckedAnswer {
    /// What the answer has to be: `reached` or `unreachable`.
    pub expected: &'static str,
    /// What was answered.
    pub answered: String,
    /// How long it took.
    pub wall_ms: u64,
}

/// Twice an integer is never odd, and can be any even number: the solver has to know that, and the call has to be
/// followed.
const PROGRAM: &str = "\
procedure twice(n: int) returns (r: int)
{
  r := n + n;
}
";

/// The result asked for and what the answer is.
const QUESTIONS: [(u32, &str); 2] = [(42, "reached"), (43, "unreachable")];

fn entry(result: u32) -> EntryProcedure {
    EntryProcedure {
        name: "question".to_owned(),
        text: format!(
            "procedure {{:entrypoint}} question()\n{{\n  var n: int;\n  var r: int;\n  havoc n;\n  \
             call r := twice(n);\n  assume r == {result};\n  assert {{:reached}} false;\n}}\n"
        ),
        limit: None,
    }
}

/// Examines an engine, with this configuration.
pub fn examine(kind: &EngineKind, config: &EngineConfig) -> Health {
    let mut health = looked_for(kind, config);
    if health.state == ToolState::Works {
        health.put_to_the_test(kind, config);
    }
    health
}

/// What an engine needs, as it is found here. Nothing is put to the test.
pub fn tools(kind: &EngineKind, config: &EngineConfig) -> Vec<ToolHealth> {
    looked_for(kind, config).tools
}

fn looked_for(kind: &EngineKind, config: &EngineConfig) -> Health {
    let mut health = Health {
        engine: kind.name,
        about: kind.about,
        state: ToolState::Works,
        tools: Vec::new(),
        answers: Vec::new(),
        remarks: Vec::new(),
    };
    for tool in kind.tools {
        health.look_for(*tool, config);
    }
    health
}

impl Health {
    fn look_for(&mut self, tool: Tool, config: &EngineConfig) {
        let mut found = ToolHealth {
            name: tool.name(),
            path: None,
            version: None,
            supported: None,
            hint: None,
        };
        match tool.locate(self.engine, config.named(tool)) {
            Ok(located) => {
                self.ask_version(&located, config, &mut found);
                found.path = Some(located.path);
            }
            Err(error) => {
                self.state = ToolState::Missing;
                match error {
                    EngineError::Missing {
                        executable, hint, ..
                    } => {
                        self.remarks.push(format!("cannot find `{executable}`"));
                        found.hint = Some(hint);
                    }
                    other => self.remarks.push(other.to_string()),
                }
            }
        }
        self.tools.push(found);
    }

    fn ask_version(&mut self, located: &Located, config: &EngineConfig, found: &mut ToolHealth) {
        let path = located.path.display();
        match located.version_number(config.limits.timeout) {
            Ok(Some(version)) => {
                let supported = located.tool.supports(&version);
                found.supported = Some(supported);
                if !supported {
                    let (name, wanted) = (located.tool.name(), located.tool.versions());
                    let remark = format!("`{path}` is {name} {version}; {wanted}");
                    self.remarks.push(remark);
                }
                found.version = Some(version);
            }
            Ok(None) => {
                let name = located.tool.name();
                let remark = format!("`{path}` does not say which version it is: is it {name}?");
                self.remarks.push(remark);
            }
            Err(error) => {
                self.state = ToolState::Broken;
                self.remarks.push(format!("cannot run `{path}`: {error}"));
            }
        }
    }

    fn put_to_the_test(&mut self, kind: &EngineKind, config: &EngineConfig) {
        let engine = (kind.make)(config);
        let program = QuestionProgram::new("twice", PROGRAM);
        match engine.open(&program) {
            Ok(session) => {
                for (result, expected) in QUESTIONS {
                    self.ask(session.as_ref(), result, expected);
                }
            }
            Err(error) => {
                self.state = ToolState::Broken;
                self.remarks.push(error.to_string());
            }
        }
    }

    fn ask(&mut self, session: &dyn Session, result: u32, expected: &'static str) {
        let start = Instant::now();
        let verdict = session.ask(&entry(result));
        let wall_ms = millis_since(start);
        let answered = match verdict {
            Verdict::Reached(_) => "reached".to_owned(),
            Verdict::Presumed(_) => "presumed".to_owned(),
            Verdict::Unreachable => "unreachable".to_owned(),
            Verdict::BoundHit { bound } => format!("recursion bound {bound} hit"),
            Verdict::Unknown(unknown) => unknown.words(),
        };
        if answered != expected {
            self.state = ToolState::Broken;
            let remark = format!("where the answer is `{expected}`, it answered `{answered}`");
            self.remarks.push(remark);
        }
        self.answers.push(CheckedAnswer {
            expected,
            answered,
            wall_ms,
        });
    }
}

impl Tool {
    /// The versions that are supported, as half a sentence.
    fn versions(self) -> &'static str {
        match self {
            Tool::Z3 => "supported are 4.8.12 and later versions",
            Tool::Boogie => {
                "supported is 2.4, and versions up to 2.8 may do: later ones have no stratified inlining"
            }
            Tool::Corral => "supported are all versions",
        }
    }

    /// Whether a version is supported. Corral does not say its own: all versions call themselves 1.0.0.0 or the like.
    fn supports(self, version: &str) -> bool {
        match self {
            Tool::Z3 => compare(version, "4.8.12").is_ge(),
            Tool::Boogie => compare(version, "2.4").is_ge() && compare(version, "2.9").is_lt(),
            Tool::Corral => true,
        }
    }
}

/// Compares versions number by number; what is missing at the end is 0.
fn compare(left: &str, right: &str) -> Ordering {
    let numbers = |version: &str| -> Vec<u64> {
        let parts = version.split(['.', '-']);
        let mut numbers: Vec<u64> = parts.map_while(|part| part.parse().ok()).collect();
        while numbers.last() == Some(&0) {
            numbers.pop();
        }
        numbers
    };
    numbers(left).cmp(&numbers(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_numbers() {
        assert_eq!(compare("4.8.12", "4.8.5"), Ordering::Greater);
        assert_eq!(compare("4.8.12", "4.13.0.1"), Ordering::Less);
        assert_eq!(compare("2.4", "2.4.0"), Ordering::Equal);
        assert_eq!(compare("5.0.0-rc1", "4.99"), Ordering::Greater);
    }

    #[test]
    fn supported_versions() {
        // The range that engines.md of the reference was measured with, and its ends.
        for (tool, version, supported) in [
            (Tool::Z3, "4.8.12", true),
            (Tool::Z3, "4.8.11", false),
            (Tool::Z3, "5.0.0", true),
            (Tool::Boogie, "2.4.1.10503", true),
            (Tool::Boogie, "2.3.0.61016", false),
            (Tool::Boogie, "3.1.2", false),
            (Tool::Corral, "1.0.0.0", true),
        ] {
            assert_eq!(tool.supports(version), supported, "{tool:?} {version}");
        }
    }
}
