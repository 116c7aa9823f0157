//! A suite as tests of a contract for Foundry: each call of a run is done by who does it in the run, with the same ether and at
//! the same time. In each state that a run comes to, what the state forbids has to revert, whoever of the test calls it.

mod calls;
mod people;
mod values;

use askama::Template;

use super::CodeError;
use super::code::comment;
use super::model::{Suite, Test, TestCall};
use super::text::{call_line, report};
use crate::interp::Value;
use crate::ir::{Messages, Program, Routine};
use crate::query::Subject;
use calls::{CallCode, Caller, SEND};
use people::People;

/// What the template shows.
#[derive(Template)]
#[template(path = "suite/suite.sol.txt", escape = "none")]
struct FoundrySuite {
    contract: String,
    /// The file that it is imported from.
    file: String,
    /// Whether there are messages that call no function.
    sends: bool,
    tests: Vec<TestCode>,
    report: Vec<String>,
}

struct TestCode {
    name: String,
    covers: Vec<String>,
    /// How many people there are, with the stranger.
    people: usize,
    steps: Vec<StepCode>,
}

struct StepCode {
    /// The call in the source's words, and what is so after it.
    says: String,
    lines: Vec<String>,
    /// What the state after it forbids, with somebody who calls it.
    forbidden: Vec<String>,
}

/// The suite as a Solidity test contract. `path` names the file and the contract under test, as in `src/Vault.sol:Vault`.
///
/// # Errors
/// The path names no contract, or a value of the suite cannot be written: it was made for something else.
pub(super) fn foundry(
    messages: &Messages,
    subject: &Subject,
    suite: &Suite,
    path: Option<&str>,
) -> Result<String, CodeError> {
    let (file, contract) = match path {
        Some(path) => under_test(path)?,
        None => (messages.file.as_str(), messages.contract.as_str()),
    };
    let writer = FoundryWriter {
        messages,
        subject,
        contract,
    };
    // What is left open of calls is how time goes on, which a test says.
    let mut suite = suite.clone();
    let calls = suite.tests.iter_mut().flat_map(|test| &mut test.calls);
    calls.for_each(|call| call.open = false);
    let tests = writer.tests(&suite).map_err(CodeError::Value)?;
    let steps = tests.iter().flat_map(|test| &test.steps);
    let mut lines = steps.flat_map(|step| step.lines.iter().chain(&step.forbidden));
    let written = FoundrySuite {
        contract: contract.to_owned(),
        file: file.to_owned(),
        sends: lines.any(|line| line.starts_with(SEND)),
        tests,
        report: report(&suite).iter().map(|line| comment(line)).collect(),
    };
    Ok(written.render()?.trim_end().to_owned() + "\n")
}

/// The file and the contract that a path names.
fn under_test(path: &str) -> Result<(&str, &str), CodeError> {
    let is_name = |name: &str| {
        let is_part = |c: char| c == '_' || c == '$' || c.is_ascii_alphanumeric();
        !name.is_empty() && name.chars().all(is_part)
    };
    let is_file = |file: &str| !file.is_empty() && !file.contains(['"', '\\', '\n', '\r']);
    match path.rsplit_once(':') {
        Some((file, contract)) if is_file(file) && is_name(contract) => Ok((file, contract)),
        _ => {
            let wanted = "a file and a contract like `src/Vault.sol:Vault` are wanted";
            Err(CodeError::Subject(path.into(), wanted))
        }
    }
}

/// Whether a test can do all that decides how calls of a routine go.
pub(super) fn can_answer(messages: &Messages, routine: &Routine) -> bool {
    let form = messages.form(routine);
    !messages.is_any(routine) && form.is_none_or(|form| form.parts.iter().all(calls::is_told))
}

/// Why a call cannot be a part of a test, if it cannot.
pub(super) fn objection(messages: &Messages, program: &Program, call: &TestCall) -> Option<String> {
    let caller = Caller { messages, program };
    let why = caller.call(&mut People::default(), call, "").err()?;
    Some(format!("`{}`: {why}", call.name))
}

/// Writes the parts of the tests.
struct FoundryWriter<'a> {
    messages: &'a Messages,
    subject: &'a Subject,
    contract: &'a str,
}

impl FoundryWriter<'_> {
    fn tests(&self, suite: &Suite) -> Result<Vec<TestCode>, String> {
        let caller = Caller {
            messages: self.messages,
            program: &self.subject.program,
        };
        let mut people = vec![People::default(); suite.tests.len()];
        let mut written = Vec::new();
        for (test, people) in suite.tests.iter().zip(&mut people) {
            let calls = test.calls.iter();
            let calls = calls.map(|call| caller.call(people, call, self.contract));
            written.push(calls.collect::<Result<Vec<CallCode>, String>>()?);
        }
        let all = suite.tests.iter().enumerate();
        let tests = all.map(|(number, test)| {
            let calls = written.get(number).map_or(&[][..], Vec::as_slice);
            let last = test.calls.last().map_or("", |call| call.name.as_str());
            let last = last.split('(').next().unwrap_or_default();
            TestCode {
                name: format!("test_{}_{last}", number + 1),
                covers: test.covers.iter().map(|item| comment(item)).collect(),
                people: people.get(number).map_or(0, People::count) + 1,
                steps: self.steps(&caller, test, calls, (suite, &written)),
            }
        });
        Ok(tests.collect())
    }

    fn steps(
        &self,
        caller: &Caller<'_>,
        test: &Test,
        calls: &[CallCode],
        (suite, written): (&Suite, &[Vec<CallCode>]),
    ) -> Vec<StepCode> {
        let all = suite.tests.iter().zip(written);
        let everywhere = all.flat_map(|(test, calls)| test.calls.iter().zip(calls));
        let everywhere: Vec<(&TestCall, &CallCode)> = everywhere.collect();
        let steps = test.calls.iter().zip(calls).enumerate();
        let steps = steps.map(|(at, (call, code))| {
            // Rather with what this test knows: ids that are there, people who have a role.
            let here: Vec<_> = test.calls.iter().zip(calls).collect();
            let (before, after) = here.split_at((at + 1).min(here.len()));
            let known = before.iter().rev().chain(after).chain(&everywhere);
            let actions = self.subject.actions.iter();
            let refused = actions.filter(|action| !call.enabled.contains(&action.name));
            let forbidden = refused.filter_map(|action| {
                let mut known = known.clone();
                let like = known.find(|(known, _)| known.routine == Some(action.routine));
                match like {
                    Some((_, code)) => Some((*code).clone()),
                    None => caller.anyhow(action.routine),
                }
            });
            let forbidden = forbidden.flat_map(|call| call.refused("person(i)"));
            StepCode {
                says: comment(&format!("{}. {}", at + 1, call_line(call))),
                lines: code.lines(),
                forbidden: forbidden.collect(),
            }
        });
        steps.collect()
    }
}

/// The value of a field after a call.
fn field<'c>(call: &'c TestCall, name: &str) -> Option<&'c Value> {
    let field = call.fields.iter().find(|field| field.name == name);
    field.map(|field| &field.value)
}
