//! A suite as tests of the class in Java that was read: they make the real object by its real constructor, and call its methods.
//!
//! What a method of others answers is not for a test to say. So each call of a test has to lead where it does by its arguments, or
//! because nothing else is possible there, and what a call gives is not looked at. Where a call ends in an exception that others
//! raise, or that their answers may have led to, the test is aborted; where the class itself raises one, it fails. That an object is
//! in a state shows in what the state refuses: each such call has to end in an exception, on an object that nothing else is done with.

mod values;

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use super::CodeError;
use super::code::{TestLanguage, comment, java_word, test_name};
use super::model::{Suite, TestCall};
use super::text::{call_line, report};
use crate::ir::effects::Effects;
use crate::ir::{JavaCalls, JavaValues, RoutineRef};
use crate::query::Subject;
use values::GivenObjects;

/// How it begins where an object stands in for others.
const STAND_IN: &str = "standIn(";

/// How a call is made that other code decides about.
const OPEN: &str = "ifOthersLetIt(";

/// How a call is made that gives objects to other code.
const GIVING: &str = "unlessOthersRaise(";

/// The most general exception, where it is not known which one a call ends in.
const ANY: &str = "Throwable";

/// What the template shows. All texts are ready to be put into code.
#[derive(Template)]
#[template(path = "suite/suite.real.java.txt")]
struct JavaSuite {
    /// The class under test, for people.
    class: String,
    package: String,
    /// The class of the tests.
    name: String,
    /// The class under test, as the tests name it.
    subject: String,
    /// Whether objects are given that stand in for others.
    has_stand_ins: bool,
    /// Whether calls are made that other code decides about.
    has_open: bool,
    /// Whether calls are made that give objects to other code.
    has_giving: bool,
    tests: Vec<TestCode>,
    states: Vec<StateCode>,
    report: Vec<String>,
}

struct TestCode {
    name: String,
    covers: Vec<String>,
    calls: Vec<CallCode>,
}

/// A call of a run.
struct CallCode {
    /// In the words of the text, and what is so after it.
    says: String,
    lines: Vec<String>,
}

/// An object in a state, and what is refused then.
struct StateCode {
    name: String,
    /// What can be called.
    enabled: String,
    calls: Vec<CallCode>,
    refused: Vec<RefusedCode>,
}

struct RefusedCode {
    exception: String,
    /// The call, of an object named `it`.
    call: String,
}

/// The suite as code. `path` names the class under test where it is another one with the same members.
///
/// # Errors
/// The path is no name, or a value of the suite cannot be written: it was made for something else.
pub(super) fn render(
    java: &JavaCalls,
    subject: &Subject,
    suite: &Suite,
    path: Option<&str>,
) -> Result<String, CodeError> {
    let (package, tested) = match path {
        Some(path) => TestLanguage::java_type(path)?,
        None => (java.package.clone(), without_package(java)),
    };
    let writer = JavaWriter::new(java, subject, &tested);
    let written = writer.suite(suite, package).map_err(CodeError::Value)?;
    Ok(written.render()?.trim_end().to_owned() + "\n")
}

/// Why the calls of a test cannot be written, if they cannot.
pub(super) fn objection(java: &JavaCalls, subject: &Subject, calls: &[TestCall]) -> Option<String> {
    let writer = JavaWriter::new(java, subject, &java.class);
    let mut given = GivenObjects::default();
    calls
        .iter()
        .find_map(|call| writer.call(0, call, &mut given).err())
}

/// The class as a test names it that stands in its package.
fn without_package(java: &JavaCalls) -> String {
    let name = java.class.strip_prefix(&format!("{}.", java.package));
    name.unwrap_or(&java.class).to_owned()
}

struct JavaWriter<'a> {
    java: &'a JavaCalls,
    subject: &'a Subject,
    /// The class under test.
    tested: &'a str,
}

impl<'a> JavaWriter<'a> {
    fn new(java: &'a JavaCalls, subject: &'a Subject, tested: &'a str) -> JavaWriter<'a> {
        JavaWriter {
            java,
            subject,
            tested,
        }
    }

    fn suite(&self, suite: &Suite, package: String) -> Result<JavaSuite, String> {
        let mut tests = Vec::new();
        for (at, test) in suite.tests.iter().enumerate() {
            let last = test.calls.last().map_or("", |call| call.name.as_str());
            tests.push(TestCode {
                name: test_name(TestLanguage::Java, at + 1, last),
                covers: test.covers.iter().map(|item| comment(item)).collect(),
                calls: self.calls(&test.calls)?,
            });
        }
        let states = self.states(suite)?;
        let mut suite = suite.clone();
        // What is left open of calls does not decide where they lead.
        let calls = suite.tests.iter_mut().flat_map(|test| &mut test.calls);
        calls.for_each(|call| call.open = false);
        let lines = tests.iter().flat_map(|test: &TestCode| &test.calls);
        let lines = lines.chain(states.iter().flat_map(|state| &state.calls));
        let lines: Vec<&String> = lines.flat_map(|call| &call.lines).collect();
        let refused = states.iter().flat_map(|state| &state.refused);
        let mut code = lines
            .iter()
            .copied()
            .chain(refused.map(|refused| &refused.call));
        let simple = self.tested.rsplit('.').next().unwrap_or(self.tested);
        Ok(JavaSuite {
            class: comment(&self.java.class),
            package,
            name: format!("{}Test", java_word(simple)),
            subject: self.tested.to_owned(),
            has_stand_ins: code.any(|line| line.contains(STAND_IN)),
            has_open: lines.iter().any(|line| line.contains(OPEN)),
            has_giving: lines.iter().any(|line| line.contains(GIVING)),
            tests,
            states,
            report: report(&suite).iter().map(|line| comment(line)).collect(),
        })
    }

    /// The states that tests come to, each by the fewest calls.
    fn states(&self, suite: &Suite) -> Result<Vec<StateCode>, String> {
        let mut ways: BTreeMap<&str, &[TestCall]> = BTreeMap::new();
        for test in &suite.tests {
            for at in 1..=test.calls.len() {
                let (way, _) = test.calls.split_at(at);
                if let Some(state) = way.last().and_then(|call| call.target.as_deref()) {
                    let known = ways.entry(state).or_insert(way);
                    *known = if way.len() < known.len() { way } else { known };
                }
            }
        }
        let effects = Effects::of(&self.subject.program);
        let mut states = Vec::new();
        for (state, way) in ways {
            let enabled = way.last().map_or(&[][..], |call| call.enabled.as_slice());
            let actions = self.subject.actions.iter();
            let refused = actions.filter(|action| !enabled.contains(&action.shown));
            let refused: Vec<RefusedCode> = refused
                .filter_map(|action| self.refused(&effects, action.routine))
                .collect();
            if !refused.is_empty() {
                states.push(StateCode {
                    name: comment(state),
                    enabled: comment(&enabled.join(", ")),
                    calls: self.calls(way)?,
                    refused,
                });
            }
        }
        Ok(states)
    }

    /// A call that a state refuses, whatever it is called with; none where the class itself may not refuse it.
    fn refused(&self, effects: &Effects, routine: RoutineRef) -> Option<RefusedCode> {
        let action = self.subject.program.routine(routine);
        if self.java.owed.contains(&action.name) {
            return None;
        }
        let call = self.java.call(action)?;
        let arguments: Vec<String> = call.parameters.iter().map(values::any).collect();
        let program = &self.subject.program;
        let thrown = effects.routine(routine).throws.iter();
        let own: BTreeSet<&String> = thrown
            .filter_map(|thrown| self.java.exceptions.get(program.exceptions.get(thrown.0)?))
            .collect();
        let exception = match own.into_iter().collect::<Vec<_>>().as_slice() {
            [one] => (*one).clone(),
            _ => ANY.to_owned(),
        };
        Some(RefusedCode {
            exception,
            call: format!("it.{}({})", call.name, arguments.join(", ")),
        })
    }

    fn calls(&self, calls: &[TestCall]) -> Result<Vec<CallCode>, String> {
        let mut given = GivenObjects::default();
        let calls = calls.iter().enumerate();
        calls
            .map(|(at, call)| self.call(at, call, &mut given))
            .collect()
    }

    /// # Errors
    /// Why a test cannot make this call, or cannot say how it goes.
    fn call(
        &self,
        at: usize,
        call: &TestCall,
        given: &mut GivenObjects,
    ) -> Result<CallCode, String> {
        let shown = &call.name;
        let routine = call
            .routine
            .map(|routine| self.subject.program.routine(routine));
        let java = routine.and_then(|routine| self.java.call(routine));
        let java = java.ok_or_else(|| format!("a test cannot call `{shown}`"))?;
        if call.open && !call.is_only_way {
            return Err(format!(
                "what other code answers decides where `{shown}` leads"
            ));
        }
        let (mut lines, arguments) = given.arguments(java, call)?;
        let arguments = arguments.join(", ");
        let raised = match &call.exception {
            Some(name) if call.open => {
                return Err(format!(
                    "whether `{shown}` raises `{name}` is not for a test to say"
                ));
            }
            Some(name) => {
                let own = call.raised.map(|id| self.subject.program.exception(id));
                let class = own.and_then(|own| self.java.exceptions.get(own));
                Some(class.ok_or_else(|| {
                    format!("`{name}` is raised by other code, which a test cannot make do so")
                })?)
            }
            None => None,
        };
        let target = match at {
            0 => format!("new {}", self.tested),
            _ => format!("it.{}", java.name),
        };
        let done = format!("{target}({arguments})");
        let makes = format!("{} it = ", self.tested);
        let gives = java
            .parameters
            .iter()
            .any(|parameter| matches!(parameter.values, JavaValues::Objects(_)));
        let within = match call.open {
            true => Some(OPEN),
            false => gives.then_some(GIVING),
        };
        lines.push(match (raised, within, at) {
            (Some(exception), ..) => format!("assertThrows({exception}.class, () -> {done});"),
            (None, Some(within), 0) => format!("{makes}{within}() -> {done});"),
            (None, Some(within), _) => format!("{within}() -> {{ {done}; return null; }});"),
            (None, None, 0) => format!("{makes}{done};"),
            (None, None, _) => format!("{done};"),
        });
        // What is left open does not decide where it leads, and what it gives is not looked at.
        let said = TestCall {
            open: false,
            results: Vec::new(),
            ..call.clone()
        };
        Ok(CallCode {
            says: comment(&format!("{}. {}", at + 1, call_line(&said))),
            lines,
        })
    }
}
