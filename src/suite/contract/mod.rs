//! A suite as tests of a contract: each call of a run is done by who does it in the run, with the same ether and at the same
//! time. In each state that a run comes to, what the state forbids has to revert, whoever of the test calls it.
//!
//! What is called by whom is the same in each language (`calls`, `people`, `values`); a file a language says how it is written.

mod calls;
mod foundry;
mod hardhat;
mod people;
mod values;

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::CodeError;
use super::code::comment;
use super::model::{RefusedCall, Suite, Test, TestCall};
use super::text::{call_line, refused_line, report};
use crate::interp::Value;
use crate::ir::{Called, Field, Messages, Program, Routine};
use crate::query::{Subject, without_types};
use calls::{Caller, Clocks, Message};
use people::People;

/// What tests of a contract are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractTests {
    /// Foundry, in Solidity.
    Foundry,
    /// Hardhat, in JavaScript with Mocha.
    Hardhat,
}

/// What the templates show.
struct TestContract<'a> {
    contract: &'a str,
    /// The file that it is in; none where its name is enough.
    file: Option<&'a str>,
    /// Whether it calls functions of others: the people of the tests need code.
    calls_code: bool,
    /// The addresses that it names, and the one of nobody.
    named: BTreeSet<BigInt>,
    tests: Vec<TestCode>,
    report: Vec<String>,
}

struct TestCode {
    number: usize,
    /// The function that is called last.
    last: String,
    covers: Vec<String>,
    /// How many people there are, with the stranger.
    people: usize,
    /// What is refused before anything is made.
    refused: Vec<RefusedCode>,
    steps: Vec<StepCode>,
}

struct StepCode {
    /// The call in the source's words, and what is so after it.
    says: String,
    lines: Vec<String>,
    /// What the state after it forbids, with somebody who calls it.
    forbidden: Vec<String>,
    /// What is refused then for one reason alone.
    refused: Vec<RefusedCode>,
}

struct RefusedCode {
    /// The call in the source's words, and the reason.
    says: String,
    lines: Vec<String>,
}

impl ContractTests {
    /// The suite as code. `path` names the file and the contract under test, as in `src/Vault.sol:Vault`.
    ///
    /// # Errors
    /// The path names no contract, or a value of the suite cannot be written: it was made for something else.
    pub(super) fn render(
        self,
        messages: &Messages,
        subject: &Subject,
        suite: &Suite,
        path: Option<&str>,
    ) -> Result<String, CodeError> {
        let (file, contract) = match path {
            Some(path) => under_test(path).map(|(file, contract)| (Some(file), contract))?,
            None => (self.own_file(messages), messages.contract.as_str()),
        };
        let writer = ContractWriter {
            language: self,
            subject,
            caller: Caller {
                messages,
                program: &subject.program,
            },
            contract,
        };
        let written = writer.write(suite, file).map_err(CodeError::Value)?;
        let text = match self {
            ContractTests::Foundry => foundry::suite(&written),
            ContractTests::Hardhat => hardhat::suite(&written),
        }?;
        Ok(text.trim_end().to_owned() + "\n")
    }

    /// How the contract's file is called where nobody says it.
    fn own_file(self, messages: &Messages) -> Option<&str> {
        match self {
            ContractTests::Foundry => Some(&messages.file),
            // It is not known to Hardhat by what the compiler calls it here.
            ContractTests::Hardhat => None,
        }
    }

    /// Why calls cannot be a test, if they cannot.
    pub(super) fn objection(
        self,
        messages: &Messages,
        program: &Program,
        calls: &[TestCall],
    ) -> Option<String> {
        let caller = Caller { messages, program };
        let made = match caller.calls(&mut People::default(), calls) {
            Ok(made) => made,
            Err(why) => return Some(why),
        };
        let mut shown = Clocks::new();
        made.iter().zip(calls).find_map(|(message, call)| {
            let why = match self {
                ContractTests::Foundry => None,
                ContractTests::Hardhat => {
                    let refused = hardhat::not_refused_by_people(message);
                    refused.or_else(|| hardhat::objection(message, &shown))
                }
            };
            shown.extend(message.shows());
            Some(format!("`{}`: {}", call.name, why?))
        })
    }

    /// Whether a test can come to where the fields hold these.
    pub(super) fn may_show<'f>(
        self,
        messages: &Messages,
        mut held: impl Iterator<Item = (&'f Field, &'f Value)>,
    ) -> bool {
        let is_clock = |field: &Field| messages.clocks.values().any(|name| *name == field.name);
        match self {
            ContractTests::Foundry => true,
            ContractTests::Hardhat => {
                held.all(|(field, value)| !is_clock(field) || hardhat::has_time(value))
            }
        }
    }

    /// Whether what is refused after calls can be a part of their test: that time goes on for it, only after the last of them.
    pub(super) fn may_refuse(
        self,
        messages: &Messages,
        program: &Program,
        (calls, is_last): (&[TestCall], bool),
        refused: &RefusedCall,
    ) -> bool {
        let caller = Caller { messages, program };
        let mut people = People::default();
        let Ok(made) = caller.calls(&mut people, calls) else {
            return false;
        };
        let shown: Clocks = made.iter().flat_map(Message::shows).collect();
        let Ok(message) = caller.refused(&mut people, refused, &shown) else {
            return false;
        };
        let is_done = match self {
            ContractTests::Foundry => true,
            ContractTests::Hardhat => hardhat::objection(&message, &shown).is_none(),
        };
        is_done && (is_last || message.clocks.is_empty())
    }
}

/// Whether a test can do all that decides how calls of a routine go.
pub(super) fn can_answer(messages: &Messages, routine: &Routine) -> bool {
    let form = messages.form(routine);
    !messages.is_no_call(routine) && form.is_none_or(calls::is_told)
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

/// Writes the parts of the tests.
struct ContractWriter<'a> {
    language: ContractTests,
    subject: &'a Subject,
    caller: Caller<'a>,
    contract: &'a str,
}

/// A call of a test.
struct Sent<'s> {
    call: &'s TestCall,
    /// The message that it is.
    message: Message,
    /// The messages that are refused then.
    refused: Vec<Refused<'s>>,
}

/// A call that is refused, and the message that it is.
type Refused<'s> = (&'s RefusedCall, Message);

/// The messages of a test.
struct SentTest<'s> {
    /// How many people there are, with the stranger.
    people: usize,
    /// What is refused before anything is made.
    first: Vec<Refused<'s>>,
    calls: Vec<Sent<'s>>,
}

impl<'a> ContractWriter<'a> {
    fn write(&self, suite: &Suite, file: Option<&'a str>) -> Result<TestContract<'a>, String> {
        // What is left open of calls is how time goes on, which a test says.
        let mut suite = suite.clone();
        let calls = suite.tests.iter_mut().flat_map(|test| &mut test.calls);
        calls.for_each(|call| call.open = false);
        let sent = suite.tests.iter().map(|test| self.sent(test));
        let sent: Vec<SentTest<'_>> = sent.collect::<Result<_, String>>()?;
        let tests = suite.tests.iter().zip(&sent).enumerate();
        let tests = tests.map(|(at, (test, run))| TestCode {
            number: at + 1,
            last: last(test),
            covers: test.covers.iter().map(|item| comment(item)).collect(),
            people: run.people,
            refused: self.refused_code(&run.first),
            steps: (0..run.calls.len())
                .filter_map(|at| self.step(&run.calls, at, &sent))
                .collect(),
        });
        let messages = self.caller.messages;
        let calls_code = messages.forms().any(|form| form.called == Called::Code);
        Ok(TestContract {
            contract: self.contract,
            file,
            calls_code,
            named: messages
                .addresses
                .iter()
                .cloned()
                .chain([BigInt::ZERO])
                .collect(),
            tests: tests.collect(),
            report: report(&suite).iter().map(|line| comment(line)).collect(),
        })
    }

    /// The messages of a test.
    fn sent<'s>(&self, test: &'s Test) -> Result<SentTest<'s>, String> {
        let (mut people, mut shown) = (People::default(), Clocks::new());
        let made = self.caller.calls(&mut people, &test.calls)?;
        let first = self.refusals(&mut people, &test.refuses, &shown)?;
        let calls = test.calls.iter().zip(made).map(|(call, message)| {
            shown.extend(message.shows());
            Ok(Sent {
                call,
                refused: self.refusals(&mut people, &call.refuses, &shown)?,
                message,
            })
        });
        let calls = calls.collect::<Result<_, String>>()?;
        Ok(SentTest {
            people: people.count() + 1,
            first,
            calls,
        })
    }

    /// The messages that are refused when the clocks show this.
    fn refusals<'s>(
        &self,
        people: &mut People,
        refused: &'s [RefusedCall],
        shown: &Clocks,
    ) -> Result<Vec<Refused<'s>>, String> {
        let made = refused.iter().map(|refused| {
            let message = self.caller.refused(people, refused, shown)?;
            Ok((refused, message))
        });
        made.collect()
    }

    /// The call at a place of a run, one of several.
    fn step(&self, run: &[Sent<'_>], at: usize, tests: &[SentTest<'_>]) -> Option<StepCode> {
        // Rather with what this test knows: ids that are there, people who have a role.
        let (before, after) = run.split_at_checked(at + 1)?;
        let known = before
            .iter()
            .rev()
            .chain(after)
            .chain(tests.iter().flat_map(|test| &test.calls));
        let Sent {
            call,
            message,
            refused: alone,
        } = before.last()?;
        let actions = self.subject.actions.iter();
        let refused = actions.filter(|action| !call.enabled.contains(&action.shown));
        let forbidden = refused.filter_map(|action| {
            let mut known = known.clone();
            let like = known.find(|known| known.call.routine == Some(action.routine));
            match like {
                Some(like) => Some(like.message.clone()),
                None => self.caller.anyhow(action.routine),
            }
        });
        let forbidden = forbidden.flat_map(|message| self.refused(&message.of_each_person()));
        Some(StepCode {
            says: comment(&format!("{}. {}", at + 1, call_line(call))),
            lines: self.taken(message),
            forbidden: forbidden.collect(),
            refused: self.refused_code(alone),
        })
    }

    fn refused_code(&self, refused: &[Refused<'_>]) -> Vec<RefusedCode> {
        let code = refused.iter().map(|(refused, message)| RefusedCode {
            says: comment(&refused_line(refused)),
            lines: self.refused(message),
        });
        code.collect()
    }

    /// The statements of a message.
    fn taken(&self, message: &Message) -> Vec<String> {
        match self.language {
            ContractTests::Foundry => foundry::taken(self.contract, message),
            ContractTests::Hardhat => hardhat::taken(message),
        }
    }

    /// The statements of a message that has to revert.
    fn refused(&self, message: &Message) -> Vec<String> {
        match self.language {
            ContractTests::Foundry => foundry::refused(self.contract, message),
            ContractTests::Hardhat => hardhat::refused(message),
        }
    }
}

/// The function that a test calls last, or is there to see refused.
fn last(test: &Test) -> String {
    let last = test.calls.last();
    let refused = last.map_or(&test.refuses, |call| &call.refuses);
    match (refused.first(), last) {
        (Some(refused), _) if test.covers.is_empty() => {
            format!("{}_refused", without_types(&refused.name))
        }
        (_, Some(call)) => without_types(&call.name).to_owned(),
        (_, None) => String::new(),
    }
}
