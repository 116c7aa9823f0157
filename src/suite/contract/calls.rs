//! The calls of a run as messages to the contract, before they are written in a language.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::{BigInt, Sign};

use super::people::{People, Person, STRANGER};
use super::values::{Literal, any, literal, number};
use crate::interp::Value;
use crate::ir::{
    Addressee, Called, Clock, MessageForm, MessagePart, Messages, Program, RoutineRef,
};
use crate::suite::model::{Argument, RefusedCall, TestCall};

/// What clocks show.
pub(super) type Clocks = BTreeMap<Clock, BigInt>;

/// A message to the contract, in its parts; or time that goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct Message {
    /// What the clocks are set to before it.
    pub clocks: Vec<(Clock, BigInt)>,
    /// Who sends it, where that matters.
    pub sender: Option<Person>,
    /// Who began the transaction, where that matters.
    pub origin: Option<Person>,
    /// The ether that comes with it, where that is more than none.
    pub value: Option<BigInt>,
    /// What takes it; none where only time goes on.
    pub to: Option<Addressee>,
    /// What it is called with.
    pub arguments: Vec<Literal>,
    /// How many of the test's people there are until then, where they refuse to be called.
    pub refusing: Option<usize>,
    /// What the clocks are set to after it, where time goes on with each call.
    pub later: Vec<(Clock, BigInt)>,
}

impl Message {
    /// What clocks show after it.
    pub(super) fn shows(&self) -> impl Iterator<Item = (Clock, BigInt)> + '_ {
        self.clocks.iter().chain(&self.later).cloned()
    }

    /// The same message from each of the test's people, whatever the clocks show; and all that is sent is taken.
    pub(super) fn of_each_person(&self) -> Message {
        let each = |role: &Option<Person>| role.as_ref().map(|_| Person::Each);
        Message {
            clocks: Vec::new(),
            sender: each(&self.sender),
            origin: each(&self.origin),
            refusing: None,
            later: Vec::new(),
            ..self.clone()
        }
    }

    /// Whether it calls no function.
    pub(super) fn is_bare(&self) -> bool {
        matches!(self.to, Some(Addressee::Receive | Addressee::Fallback))
    }
}

/// Whether a test can tell all that such messages are.
pub(super) fn is_told(form: &MessageForm) -> bool {
    let is_untold = |part: &MessagePart| {
        matches!(
            part,
            MessagePart::Inside | MessagePart::Answer | MessagePart::Block
        )
    };
    form.called != Called::Unknown && !form.parts.iter().any(is_untold)
}

/// Whether the people of the test refuse what a message sends them.
///
/// # Errors
/// Some of them would have to take it, and others not.
fn refuses(form: &MessageForm, arguments: &[Argument]) -> Result<bool, String> {
    let parts = form.parts.iter().zip(arguments);
    let taken = parts.filter(|(part, _)| **part == MessagePart::Taken);
    let refuses = taken.map(|(_, argument)| argument.value == Value::Bool(false));
    let refuses: BTreeSet<bool> = refuses.collect();
    match refuses.len() {
        2 => Err("of those who are called, some take it, and others do not".to_owned()),
        _ => Ok(refuses.contains(&true)),
    }
}

/// Makes messages of calls.
pub(super) struct Caller<'a> {
    pub messages: &'a Messages,
    pub program: &'a Program,
}

impl Caller<'_> {
    /// The calls of a run.
    ///
    /// # Errors
    /// Why one of them cannot be written, in words.
    pub(super) fn calls(
        &self,
        people: &mut People,
        calls: &[TestCall],
    ) -> Result<Vec<Message>, String> {
        let mut shown = Clocks::new();
        let made = calls.iter().map(|call| {
            let message = self.call(people, call);
            let mut message = message.map_err(|why| format!("`{}`: {why}", call.name))?;
            shown.extend(message.clocks.iter().cloned());
            message.later = self.later(call, &shown);
            shown.extend(message.later.iter().cloned());
            Ok(message)
        });
        made.collect()
    }

    /// A call that is refused when the clocks show this.
    ///
    /// # Errors
    /// Why it cannot be written, in words.
    pub(super) fn refused(
        &self,
        people: &mut People,
        refused: &RefusedCall,
        shown: &Clocks,
    ) -> Result<Message, String> {
        let mut message = self
            .message(people, refused.routine, &refused.arguments)?
            .ok_or("time always goes on")?;
        // All or none: what only the time of a block says would set its number, too.
        let is_shown = |(clock, to): &(Clock, BigInt)| shown.get(clock) == Some(to);
        if message.clocks.iter().all(is_shown) {
            message.clocks.clear();
        }
        Ok(message)
    }

    fn call(&self, people: &mut People, call: &TestCall) -> Result<Message, String> {
        let routine = call.routine.ok_or("nothing is called")?;
        let Some(message) = self.message(people, routine, &call.arguments)? else {
            return self.time(call);
        };
        match call.open {
            true => Err("its arguments alone do not decide how it goes".to_owned()),
            false => Ok(message),
        }
    }

    /// What is called with these arguments; none where only time goes on.
    fn message(
        &self,
        people: &mut People,
        routine: RoutineRef,
        arguments: &[Argument],
    ) -> Result<Option<Message>, String> {
        if self.messages.is_no_call(self.program.routine(routine)) {
            return Err("which call it is is not told".to_owned());
        }
        let Some(form) = self.messages.form(self.program.routine(routine)) else {
            return Ok(None);
        };
        let mut message = Message {
            to: Some(form.to.clone()),
            ..Message::default()
        };
        if form.called == Called::Unknown {
            return Err("it calls others, and how they answer is not for a test to say".to_owned());
        }
        for (part, argument) in form.parts.iter().zip(arguments) {
            let told = self.part(people, &mut message, part, argument);
            told.map_err(|why| {
                format!("it needs {} = {}, and {why}", argument.name, argument.text)
            })?;
        }
        message.refusing = refuses(form, arguments)?.then(|| people.count() + 1);
        Ok(Some(message))
    }

    /// One part of a message.
    fn part(
        &self,
        people: &mut People,
        message: &mut Message,
        part: &MessagePart,
        argument: &Argument,
    ) -> Result<(), String> {
        let known = || number(&argument.value).ok_or("it is no number");
        match part {
            MessagePart::Argument(ty) => {
                let value = literal(self.messages, self.program, people, ty, &argument.value)?;
                message.arguments.push(value);
            }
            MessagePart::Sender => message.sender = Some(people.person(self.messages, known()?)),
            MessagePart::Origin => message.origin = Some(people.person(self.messages, known()?)),
            MessagePart::Value => {
                let value = known()?;
                message.value = (value.sign() != Sign::NoSign).then(|| value.clone());
            }
            // All of them together say what the people of the test do.
            MessagePart::Taken => {}
            MessagePart::Now(clock) => message.clocks.push((*clock, known()?.clone())),
            MessagePart::Inside => {
                return Err("arrays and structs are not written as arguments yet".to_owned());
            }
            MessagePart::Block | MessagePart::Answer => {
                return Err("it is not for a test to say".to_owned());
            }
        }
        Ok(())
    }

    /// Time that goes on.
    fn time(&self, call: &TestCall) -> Result<Message, String> {
        let clocks = self.messages.clocks.iter().map(|(clock, name)| {
            let shows = field(call, name).ok_or("it is not known what time it is then")?;
            Ok((*clock, shows.clone()))
        });
        Ok(Message {
            clocks: clocks.collect::<Result<_, String>>()?,
            ..Message::default()
        })
    }

    /// What clocks show after a call that was made when they showed something else.
    fn later(&self, call: &TestCall, shown: &Clocks) -> Vec<(Clock, BigInt)> {
        let clocks = self.messages.clocks.iter();
        let shows = clocks.filter_map(|(clock, name)| Some((*clock, field(call, name)?.clone())));
        let is_later = |(clock, shows): &(Clock, BigInt)| {
            let before = shown.get(clock);
            before.is_some_and(|before| before != shows)
        };
        shows.filter(is_later).collect()
    }

    /// A message with whatever arguments; none where only time goes on.
    pub(super) fn anyhow(&self, routine: RoutineRef) -> Option<Message> {
        let form = self.messages.form(self.program.routine(routine))?;
        let has = |wanted: &MessagePart| form.parts.contains(wanted);
        let arguments = form.parts.iter().filter_map(|part| match part {
            MessagePart::Argument(ty) => Some(any(ty)),
            _ => None,
        });
        Some(Message {
            sender: has(&MessagePart::Sender).then_some(STRANGER),
            origin: has(&MessagePart::Origin).then_some(STRANGER),
            to: Some(form.to.clone()),
            arguments: arguments.collect(),
            ..Message::default()
        })
    }
}

/// The number that a field holds after a call.
fn field<'c>(call: &'c TestCall, name: &str) -> Option<&'c BigInt> {
    let field = call.fields.iter().find(|field| field.name == name);
    field.and_then(|field| number(&field.value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Type;

    fn taken(name: &str, value: bool) -> Argument {
        Argument {
            name: name.into(),
            type_name: "bool".into(),
            text: value.to_string(),
            ty: Type::Bool,
            value: Value::Bool(value),
        }
    }

    #[test]
    fn who_is_called_takes_all_or_nothing() {
        let form = MessageForm {
            to: Addressee::Receive,
            payable: true,
            parts: vec![MessagePart::Taken, MessagePart::Value, MessagePart::Taken],
            called: Called::Anybody,
            clauses: 0,
        };
        let refuses = |first: bool, second: bool| {
            let sent = Argument {
                value: Value::Int(1.into()),
                ..taken("sent", true)
            };
            refuses(
                &form,
                &[taken("first", first), sent, taken("second", second)],
            )
        };
        assert_eq!(refuses(true, true), Ok(false));
        assert_eq!(refuses(false, false), Ok(true));
        assert!(refuses(true, false).is_err());
    }

    /// What is called by a number, or answers, is nobody of a test.
    #[test]
    fn a_test_cannot_tell_what_others_answer() {
        let form = |part: MessagePart, called: Called| MessageForm {
            to: Addressee::Receive,
            payable: false,
            parts: vec![part],
            called,
            clauses: 0,
        };
        assert!(is_told(&form(MessagePart::Taken, Called::Code)));
        assert!(!is_told(&form(MessagePart::Answer, Called::Anybody)));
        assert!(!is_told(&form(MessagePart::Sender, Called::Unknown)));
    }
}
