//! Tests of a contract in JavaScript, for Hardhat with Mocha: messages to a chain of the test's own.

use askama::Template;
use num_bigint::BigInt;

use super::TestContract;
use super::calls::{Clocks, Message};
use super::people::Person;
use super::values::{Literal, hexadecimal, number};
use crate::interp::Value;
use crate::ir::{Addressee, Clock};
use crate::suite::CodeError;

/// What is sent to fallbacks whose data nobody looks at: the selector of no function.
const ANY_DATA: &str = "0xdeadbeef";

/// What the template shows.
#[derive(Template)]
#[template(path = "suite/suite.hardhat.txt", escape = "none")]
struct HardhatSuite<'a> {
    suite: &'a TestContract<'a>,
    /// The addresses that the contract names, as a list.
    named: String,
}

/// The tests as a file for Mocha.
pub(super) fn suite(suite: &TestContract<'_>) -> Result<String, CodeError> {
    let named: Vec<String> = suite.named.iter().map(address).collect();
    let named = format!("[{}]", named.join(", "));
    Ok(HardhatSuite { suite, named }.render()?)
}

/// Why Hardhat cannot do a call that succeeds though people refuse to be called, if it is one: calls wait in their block, and
/// who is called does the same for all of them.
pub(super) fn not_refused_by_people(message: &Message) -> Option<&'static str> {
    let refusing = message.refusing;
    refusing.map(|_| "people take what they are sent for a whole block, or for none of it")
}

/// Why Hardhat cannot do it when the clocks show this, if it cannot.
pub(super) fn objection(message: &Message, shown: &Clocks) -> Option<&'static str> {
    let clocks = || message.clocks.iter().chain(&message.later);
    if clocks().any(|(_, to)| *to < BigInt::from(1)) {
        return Some("nothing is called in block 0, which is there before everything");
    }
    if clocks().any(|(_, to)| *to > last()) {
        return Some("Hardhat has no time and no block from 2^63 on");
    }
    if is_within_a_block(message, shown) {
        return Some("time goes on within a block");
    }
    let begins = message.origin.is_none() || message.sender.is_none();
    if !begins && message.origin != message.sender {
        return Some("who calls has not begun the transaction: Hardhat sends from accounts");
    }
    let is_no_text = message.arguments.iter().any(is_no_text);
    is_no_text.then_some("a string is not UTF-8, and JavaScript has no other")
}

/// Whether there is such a time, or such a block.
pub(super) fn has_time(clock: &Value) -> bool {
    number(clock).is_none_or(|clock| *clock <= last())
}

/// The last time and the last block that there are.
fn last() -> BigInt {
    BigInt::from(i64::MAX)
}

/// Whether the time of blocks goes on, and their number does not.
fn is_within_a_block(message: &Message, shown: &Clocks) -> bool {
    let changes = |wanted: Clock| {
        let to = message.clocks.iter().find(|(clock, _)| *clock == wanted);
        let before = shown.get(&wanted);
        to.zip(before).map(|((_, to), before)| to != before)
    };
    changes(Clock::Timestamp) == Some(true) && changes(Clock::Number) == Some(false)
}

fn is_no_text(literal: &Literal) -> bool {
    match literal {
        Literal::String(bytes) => std::str::from_utf8(bytes).is_err(),
        Literal::Alias(_, inner) => is_no_text(inner),
        _ => false,
    }
}

/// The statements of a message.
pub(super) fn taken(message: &Message) -> Vec<String> {
    let does = match message.to {
        Some(Addressee::Constructor) => "isMade",
        _ => "accepts",
    };
    let sent = message.to.as_ref();
    let sent = sent.map(|to| format!("await subject.{does}({});", sent_to(to, message)));
    let before = at(&message.clocks).into_iter();
    before.chain(sent).chain(at(&message.later)).collect()
}

/// The statements of a message that has to revert.
pub(super) fn refused(message: &Message) -> Vec<String> {
    let sent = message.to.as_ref();
    let sent = sent.map(|to| {
        let does = match to {
            Addressee::Constructor => "isNotMade",
            _ => "refuses",
        };
        format!("await subject.{does}({});", sent_to(to, message))
    });
    at(&message.clocks).into_iter().chain(sent).collect()
}

/// Time goes on to this.
fn at(clocks: &[(Clock, BigInt)]) -> Option<String> {
    let shows = clocks.iter().map(|(clock, to)| match clock {
        Clock::Timestamp => format!("timestamp: {to}n"),
        Clock::Number => format!("number: {to}n"),
    });
    let shows: Vec<String> = shows.collect();
    let is_any = !shows.is_empty();
    is_any.then(|| format!("await subject.at({{ {} }});", shows.join(", ")))
}

/// A message as an object.
fn sent_to(to: &Addressee, message: &Message) -> String {
    let mut parts = Vec::new();
    let arguments: Vec<String> = message.arguments.iter().map(argument).collect();
    let list = format!("with: [{}]", arguments.join(", "));
    match to {
        Addressee::Constructor => {}
        Addressee::Function(signature) => parts.push(format!("call: \"{signature}\"")),
        Addressee::Receive => parts.push("data: \"0x\"".to_owned()),
        Addressee::Fallback => {
            let any = || format!("\"{ANY_DATA}\"");
            parts.push(format!(
                "data: {}",
                arguments.first().cloned().unwrap_or_else(any)
            ));
        }
    }
    if !message.is_bare() && !arguments.is_empty() {
        parts.push(list);
    }
    let sender = message.sender.as_ref().or(message.origin.as_ref());
    parts.extend(sender.map(|sender| format!("from: {}", person(sender))));
    let value = message.value.as_ref();
    parts.extend(value.map(|value| format!("value: {value}n")));
    let refusing = message.refusing;
    parts.extend(refusing.map(|number| format!("refusedBy: people({number})")));
    match parts.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", parts.join(", ")),
    }
}

/// The address of somebody.
fn person(person: &Person) -> String {
    match person {
        Person::Nobody => address(&BigInt::ZERO),
        Person::Named(number) => address(number),
        Person::Numbered(number) => format!("person({number})"),
        Person::Each => "person(i)".to_owned(),
    }
}

fn address(number: &BigInt) -> String {
    fixed_bytes(20, number)
}

fn fixed_bytes(size: u8, number: &BigInt) -> String {
    format!("\"0x{number:0>width$x}\"", width = 2 * usize::from(size))
}

fn argument(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Integer(number) => format!("{number}n"),
        Literal::Address(somebody) | Literal::Contract(_, somebody) => person(somebody),
        Literal::FixedBytes(size, number) => {
            fixed_bytes(*size, number.as_ref().unwrap_or(&BigInt::ZERO))
        }
        Literal::Enum(_, member) => {
            let index = member.as_ref().map_or(0, |member| member.index);
            format!("{index}n")
        }
        Literal::Bytes(bytes) => format!("\"0x{}\"", hexadecimal(bytes)),
        Literal::String(bytes) => text(bytes),
        Literal::Alias(_, inner) => argument(inner),
    }
}

/// A text between quotes.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        c => format!("\\u{{{:x}}}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::contract::values::Member;

    /// As ethers takes them for `bytes4`, `address`, an enum, `int256`, `bytes` and `string`.
    #[test]
    fn values_are_written_as_ethers_takes_them() {
        let number = BigInt::from;
        let member = Member {
            name: "Off".into(),
            index: 2,
        };
        let alias = Literal::Alias("Id".into(), Box::new(Literal::Integer(number(7))));
        let written = [
            (Literal::FixedBytes(4, Some(number(255))), "\"0x000000ff\""),
            (Literal::FixedBytes(2, None), "\"0x0000\""),
            (
                Literal::Address(Person::Named(number(1))),
                "\"0x0000000000000000000000000000000000000001\"",
            ),
            (Literal::Contract("Token".into(), Person::Each), "person(i)"),
            (Literal::Enum("Phase".into(), Some(member)), "2n"),
            (Literal::Enum("Phase".into(), None), "0n"),
            (Literal::Integer(number(-3)), "-3n"),
            (alias, "7n"),
            (Literal::Bytes(vec![0xca, 0xfe]), "\"0xcafe\""),
            (Literal::String(b"a \"b\" \\n".to_vec()), r#""a \"b\" \\n""#),
            (
                Literal::String("\u{e9}\n${x}".into()),
                r#""\u{e9}\u{a}${x}""#,
            ),
        ];
        for (literal, expected) in written {
            assert_eq!(argument(&literal), expected);
        }
    }

    #[test]
    fn a_message_says_only_what_it_needs() {
        let message = Message {
            clocks: vec![(Clock::Timestamp, 5.into()), (Clock::Number, 2.into())],
            sender: Some(Person::Numbered(1)),
            value: Some(9.into()),
            to: Some(Addressee::Function("f(bool)".into())),
            arguments: vec![Literal::Bool(true)],
            ..Message::default()
        };
        let call = "{ call: \"f(bool)\", with: [true], from: person(1), value: 9n }";
        let lines = [
            "await subject.at({ timestamp: 5n, number: 2n });".to_owned(),
            format!("await subject.accepts({call});"),
        ];
        assert_eq!(taken(&message), lines);
        let call = call.replace("person(1)", "person(i)");
        let refuses = format!("await subject.refuses({call});");
        assert_eq!(refused(&message.of_each_person()), [refuses]);
        let bare = |to: Addressee| Message {
            to: Some(to),
            ..Message::default()
        };
        let fallback = refused(&bare(Addressee::Fallback));
        assert_eq!(
            fallback,
            ["await subject.refuses({ data: \"0xdeadbeef\" });"]
        );
        let made = taken(&bare(Addressee::Constructor));
        assert_eq!(made, ["await subject.isMade({});"]);
    }

    #[test]
    fn what_hardhat_cannot_do_is_told() {
        let at = |timestamp: u64, number: u64| Message {
            clocks: vec![
                (Clock::Timestamp, timestamp.into()),
                (Clock::Number, number.into()),
            ],
            ..Message::default()
        };
        let shown: Clocks = at(5, 5).clocks.into_iter().collect();
        let is_done = |message: &Message| objection(message, &shown).is_none();
        assert!(is_done(&at(6, 6)) && is_done(&at(5, 6)) && is_done(&at(5, 5)));
        assert!(!is_done(&at(6, 5)), "within a block");
        assert!(!is_done(&at(1 << 63, 6)) && is_done(&at((1 << 63) - 1, 6)));
        assert!(objection(&at(2, 0), &Clocks::new()).is_some());
        let by = |sender: usize, origin: usize| Message {
            sender: Some(Person::Numbered(sender)),
            origin: Some(Person::Numbered(origin)),
            ..Message::default()
        };
        assert!(is_done(&by(1, 1)) && !is_done(&by(1, 2)));
        let says = |bytes: &[u8]| Message {
            arguments: vec![Literal::String(bytes.to_vec())],
            ..Message::default()
        };
        assert!(is_done(&says(b"text")) && !is_done(&says(&[0xff])));
    }
}
