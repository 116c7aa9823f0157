//! Tests of a contract in Solidity, for Foundry: its cheat codes set clocks and balances, and say who calls.

use askama::Template;

use super::TestContract;
use super::calls::Message;
use super::people::Person;
use super::values::{Literal, hexadecimal, is_plain};
use crate::ir::{Addressee, Clock};
use crate::query::without_types;
use crate::suite::CodeError;

/// What is sent to fallbacks whose data nobody looks at: the selector of no function.
const ANY_DATA: &str = "hex\"deadbeef\"";

/// What the template shows.
#[derive(Template)]
#[template(path = "suite/suite.sol.txt", escape = "none")]
struct FoundrySuite<'a> {
    suite: &'a TestContract<'a>,
    /// The file that the contract is imported from.
    file: &'a str,
    /// Whether there are messages that call no function.
    sends: bool,
    /// Whether the people of the tests do something when they are called.
    acts: bool,
}

/// What sends such a message.
const SEND: &str = "send(";
/// What says what people do when they are called.
const PEOPLE: &str = "people(";

/// The tests as a test contract.
pub(super) fn suite(suite: &TestContract<'_>) -> Result<String, CodeError> {
    let steps = suite.tests.iter().flat_map(|test| &test.steps);
    let lines = steps.flat_map(|step| {
        let refused = step.refused.iter().flat_map(|refused| &refused.lines);
        step.lines.iter().chain(&step.forbidden).chain(refused)
    });
    let first = suite.tests.iter().flat_map(|test| &test.refused);
    let first = first.flat_map(|refused| &refused.lines);
    let lines = lines.chain(first);
    let has = |begin: &str| lines.clone().any(|line| line.starts_with(begin));
    let written = FoundrySuite {
        suite,
        file: suite.file.unwrap_or_default(),
        sends: has(SEND),
        acts: suite.calls_code || has(PEOPLE),
    };
    Ok(written.render()?)
}

/// The statements of a message. `contract` is what the constructor makes.
pub(super) fn taken(contract: &str, message: &Message) -> Vec<String> {
    let before = message.clocks.iter().map(set);
    let after = message.later.iter().map(set);
    let lines = before.chain(sent_by(message));
    let lines = lines.chain(statement(contract, message));
    refusing(message, lines.chain(after).collect())
}

/// The statements of a message that has to revert.
pub(super) fn refused(contract: &str, message: &Message) -> Vec<String> {
    let before = message.clocks.iter().map(set);
    let mut lines: Vec<String> = before.chain(sent_by(message)).collect();
    lines.push("vm.expectRevert();".to_owned());
    lines.extend(statement(contract, message));
    refusing(message, lines)
}

/// The statements, while the people of the test refuse to be called if it is so for this message.
fn refusing(message: &Message, lines: Vec<String>) -> Vec<String> {
    let does = |what: &str| {
        let people = message.refusing;
        people.map(|people| format!("{PEOPLE}{people}, {what});"))
    };
    let lines = does("REFUSES").into_iter().chain(lines);
    lines.chain(does("TAKES")).collect()
}

/// Who sends what comes next, and has the ether for it.
fn sent_by(message: &Message) -> Vec<String> {
    let sender = message.sender.as_ref().map(person);
    let origin = message.origin.as_ref().map(person);
    let this = sender.clone().unwrap_or_else(|| "address(this)".to_owned());
    let paid = message.value.as_ref();
    let paid = paid.map(|value| format!("vm.deal({this}, {value});"));
    let sent = match (sender, origin) {
        (_, Some(origin)) => Some(format!("vm.prank({this}, {origin});")),
        (Some(sender), None) => Some(format!("vm.prank({sender});")),
        (None, None) => None,
    };
    paid.into_iter().chain(sent).collect()
}

/// A clock is set.
fn set((clock, to): &(Clock, num_bigint::BigInt)) -> String {
    match clock {
        Clock::Timestamp => format!("vm.warp({to});"),
        Clock::Number => format!("vm.roll({to});"),
    }
}

/// The call itself; none where only time goes on.
fn statement(contract: &str, message: &Message) -> Option<String> {
    let value = message.value.as_ref();
    let braces = value.map_or_else(String::new, |value| format!("{{value: {value}}}"));
    let list: Vec<String> = message.arguments.iter().map(argument).collect();
    let list = list.join(", ");
    let value = value.map_or_else(|| "0".to_owned(), ToString::to_string);
    let sent = |data: &str| format!("{SEND}{value}, {data});");
    Some(match message.to.as_ref()? {
        Addressee::Constructor => format!("subject = new {contract}{braces}({list});"),
        Addressee::Function(function) => {
            format!("subject.{}{braces}({list});", without_types(function))
        }
        Addressee::Receive => sent("\"\""),
        Addressee::Fallback if message.arguments.is_empty() => sent(ANY_DATA),
        Addressee::Fallback => sent(&list),
    })
}

/// Somebody, as a payable address.
fn person(person: &Person) -> String {
    match person {
        Person::Nobody => "payable(address(0))".to_owned(),
        Person::Named(address) => format!("payable(address(uint160({address})))"),
        Person::Numbered(number) => format!("person({number})"),
        Person::Each => "person(i)".to_owned(),
    }
}

fn argument(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Integer(number) => number.to_string(),
        Literal::Address(somebody) => person(somebody),
        Literal::Contract(name, at) => format!("{name}({})", person(at)),
        Literal::FixedBytes(size, Some(number)) => {
            format!("bytes{size}(uint{}({number}))", 8 * u32::from(*size))
        }
        Literal::FixedBytes(size, None) => format!("bytes{size}(0)"),
        Literal::Enum(name, Some(member)) => format!("{name}.{}", member.name),
        Literal::Enum(name, None) => format!("{name}(0)"),
        Literal::Bytes(bytes) => format!("hex\"{}\"", hexadecimal(bytes)),
        Literal::String(bytes) => text(bytes),
        Literal::Alias(name, inner) => format!("{name}.wrap({})", argument(inner)),
    }
}

fn text(bytes: &[u8]) -> String {
    match is_plain(bytes) {
        true => format!("\"{}\"", String::from_utf8_lossy(bytes)),
        false => format!("string(hex\"{}\")", hexadecimal(bytes)),
    }
}
