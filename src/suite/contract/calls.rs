//! A call of a run as statements of a test.

use super::field;
use super::people::People;
use super::values::{literal, number};
use crate::ir::{
    Addressee, ArgumentType, Clock, MessageForm, MessagePart, Messages, Program, RoutineRef,
};
use crate::suite::model::{Argument, TestCall};

/// What is sent to fallbacks whose data nobody looks at: the selector of no function.
const ANY_DATA: &str = "hex\"deadbeef\"";

/// What sends a message that calls no function.
pub(super) const SEND: &str = "send(";

/// A call, in its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct CallCode {
    /// What the clocks are set to before it.
    clocks: Vec<String>,
    /// Who sends it, where that matters.
    sender: Option<String>,
    /// Who began the transaction, where that matters.
    origin: Option<String>,
    /// The ether that comes with it, where that is more than none.
    value: Option<String>,
    /// The statement; none where only time goes on.
    statement: Option<String>,
}

impl CallCode {
    /// The statements of the call.
    pub(super) fn lines(&self) -> Vec<String> {
        let sent = self.sent_by(self.sender.as_deref(), self.origin.as_deref());
        let lines = self.clocks.iter().cloned().chain(sent);
        lines.chain(self.statement.clone()).collect()
    }

    /// The statements of the same call, done by somebody: it has to revert.
    pub(super) fn refused(&self, somebody: &str) -> Vec<String> {
        let instead = |role: &Option<String>| role.as_ref().map(|_| somebody);
        let mut lines = self.sent_by(instead(&self.sender), instead(&self.origin));
        lines.push("vm.expectRevert();".to_owned());
        lines.extend(self.statement.clone());
        lines
    }

    /// Who sends what comes next, and has the ether for it.
    fn sent_by(&self, sender: Option<&str>, origin: Option<&str>) -> Vec<String> {
        let this = sender.unwrap_or("address(this)");
        let paid = self.value.as_ref();
        let paid = paid.map(|value| format!("vm.deal({this}, {value});"));
        let sent = match (sender, origin) {
            (_, Some(origin)) => Some(format!("vm.prank({this}, {origin});")),
            (Some(sender), None) => Some(format!("vm.prank({sender});")),
            (None, None) => None,
        };
        paid.into_iter().chain(sent).collect()
    }
}

/// Whether a test can tell this part of a message.
pub(super) fn is_told(part: &MessagePart) -> bool {
    !matches!(
        part,
        MessagePart::Inside | MessagePart::Answer | MessagePart::Block
    )
}

/// Writes calls.
pub(super) struct Caller<'a> {
    pub messages: &'a Messages,
    pub program: &'a Program,
}

impl Caller<'_> {
    /// A call of a run. `contract` is what the constructor makes.
    ///
    /// # Errors
    /// Why it cannot be written, in words.
    pub(super) fn call(
        &self,
        people: &mut People,
        call: &TestCall,
        contract: &str,
    ) -> Result<CallCode, String> {
        let routine = call.routine.ok_or("nothing is called")?;
        if self.messages.is_any(self.program.routine(routine)) {
            return Err("which call it is is not told".to_owned());
        }
        let Some(form) = self.messages.form(self.program.routine(routine)) else {
            return self.time(call);
        };
        if call.open {
            return Err("its arguments alone do not decide how it goes".to_owned());
        }
        let mut code = CallCode::default();
        let mut arguments = Vec::new();
        for (part, argument) in form.parts.iter().zip(&call.arguments) {
            let told = self.part(people, &mut code, part, argument);
            let told = told.map_err(|why| {
                format!("it needs {} = {}, and {why}", argument.name, argument.text)
            })?;
            arguments.extend(told);
        }
        code.statement = Some(statement(form, &code, contract, &arguments));
        Ok(code)
    }

    /// One part of a message; what it is as an argument, if it is one.
    fn part(
        &self,
        people: &mut People,
        code: &mut CallCode,
        part: &MessagePart,
        argument: &Argument,
    ) -> Result<Option<String>, String> {
        let known = || number(&argument.value).ok_or("it is no number");
        match part {
            MessagePart::Argument(ty) => {
                let value = &argument.value;
                return literal(self.messages, self.program, people, ty, value).map(Some);
            }
            MessagePart::Sender => code.sender = Some(people.address(self.messages, known()?)),
            MessagePart::Origin => code.origin = Some(people.address(self.messages, known()?)),
            MessagePart::Value => {
                let value = known()?.to_string();
                code.value = (value != "0").then_some(value);
            }
            MessagePart::Now(clock) => code.clocks.push(set(*clock, known()?)),
            MessagePart::Inside => {
                return Err("arrays and structs are not written as arguments yet".to_owned());
            }
            MessagePart::Block | MessagePart::Answer => {
                return Err("it is not for a test to say".to_owned());
            }
        }
        Ok(None)
    }

    /// Time that goes on.
    fn time(&self, call: &TestCall) -> Result<CallCode, String> {
        let clocks = self.messages.clocks.iter().map(|(clock, name)| {
            let shows = field(call, name).and_then(number);
            Ok(set(
                *clock,
                shows.ok_or("it is not known what time it is then")?,
            ))
        });
        Ok(CallCode {
            clocks: clocks.collect::<Result<_, String>>()?,
            ..CallCode::default()
        })
    }

    /// A call with whatever arguments; none where only time goes on.
    pub(super) fn anyhow(&self, routine: RoutineRef) -> Option<CallCode> {
        let form = self.messages.form(self.program.routine(routine))?;
        let has = |wanted: &MessagePart| form.parts.contains(wanted);
        let somebody = || "person(0)".to_owned();
        let mut code = CallCode {
            sender: has(&MessagePart::Sender).then(somebody),
            origin: has(&MessagePart::Origin).then(somebody),
            ..CallCode::default()
        };
        let arguments = form.parts.iter().filter_map(|part| match part {
            MessagePart::Argument(ty) => Some(default(ty)),
            _ => None,
        });
        let arguments: Vec<String> = arguments.collect();
        code.statement = Some(statement(form, &code, "", &arguments));
        Some(code)
    }
}

/// A clock is set.
fn set(clock: Clock, to: &num_bigint::BigInt) -> String {
    match clock {
        Clock::Timestamp => format!("vm.warp({to});"),
        Clock::Number => format!("vm.roll({to});"),
    }
}

/// Some value of a type.
fn default(ty: &ArgumentType) -> String {
    match ty {
        ArgumentType::Bool => "false".to_owned(),
        ArgumentType::Integer => "0".to_owned(),
        ArgumentType::Address => "person(1)".to_owned(),
        ArgumentType::Contract(name) => format!("{name}(person(1))"),
        ArgumentType::FixedBytes(size) => format!("bytes{size}(0)"),
        ArgumentType::Enum(name, _) => format!("{name}(0)"),
        ArgumentType::Bytes => "hex\"\"".to_owned(),
        ArgumentType::String => "\"\"".to_owned(),
        ArgumentType::Alias(name, inner) => format!("{name}.wrap({})", default(inner)),
    }
}

fn statement(form: &MessageForm, code: &CallCode, contract: &str, arguments: &[String]) -> String {
    let value = code.value.as_ref();
    let value = value.map_or_else(String::new, |value| format!("{{value: {value}}}"));
    let list = arguments.join(", ");
    let sent = |data: &str| format!("{SEND}{}, {data});", code.value.as_deref().unwrap_or("0"));
    match &form.to {
        Addressee::Constructor => format!("subject = new {contract}{value}({list});"),
        Addressee::Function(name) => format!("subject.{name}{value}({list});"),
        Addressee::Receive => sent("\"\""),
        Addressee::Fallback if arguments.is_empty() => sent(ANY_DATA),
        Addressee::Fallback => sent(&list),
    }
}
