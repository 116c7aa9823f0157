//! What the actions of the class are of messages to the contract.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};

use super::class::{Ghost, LoweredClass};
use crate::front::solidity::flat::{EntryKind, EntryPoint, FlatType};
use crate::ir::{Addressee, ArgumentType, Called, MessageForm, MessagePart, Messages};

/// The messages that an entry takes; its parameters are these.
pub(super) fn message_form(
    entry: &EntryPoint,
    parts: Vec<MessagePart>,
    called: Called,
) -> MessageForm {
    MessageForm {
        clauses: 0,
        called,
        to: match entry.kind {
            EntryKind::Constructor => Addressee::Constructor,
            EntryKind::Function | EntryKind::Getter => Addressee::Function(entry.signature.clone()),
            EntryKind::Receive => Addressee::Receive,
            EntryKind::Fallback => Addressee::Fallback,
        },
        payable: entry.is_payable(),
        parts,
    }
}

impl LoweredClass<'_> {
    /// A parameter of a type, as an argument. What else than an argument it is, who makes it says.
    pub(super) fn message_part(&self, ty: &FlatType) -> MessagePart {
        // What has no such type is not taken as a parameter.
        self.argument_type(ty)
            .map_or(MessagePart::Answer, MessagePart::Argument)
    }

    fn argument_type(&self, ty: &FlatType) -> Option<ArgumentType> {
        Some(match ty {
            FlatType::Bool => ArgumentType::Bool,
            FlatType::Int(_) => ArgumentType::Integer,
            FlatType::Address => ArgumentType::Address,
            FlatType::Contract(name) => ArgumentType::Contract(name.to_string()),
            FlatType::FixedBytes(size) => ArgumentType::FixedBytes(*size),
            FlatType::Bytes => ArgumentType::Bytes,
            FlatType::String => ArgumentType::String,
            FlatType::Enum(id) => {
                let declared = self.contract.enums.get(id.index())?;
                ArgumentType::Enum(declared.name.clone(), declared.members.clone())
            }
            FlatType::Alias(id) => {
                let declared = self.contract.aliases.get(id.index())?;
                let underlying = self.argument_type(&declared.underlying)?;
                ArgumentType::Alias(declared.name.clone(), Box::new(underlying))
            }
            FlatType::Struct(_) | FlatType::Array(..) | FlatType::Mapping(..) => return None,
        })
    }

    /// The messages of the whole class.
    pub(super) fn messages(&mut self) -> Messages {
        let contract = self.contract;
        if self.names_strangers() {
            self.forms.iter_mut().for_each(stranger_called);
        }
        let mut forms = std::mem::take(&mut self.forms).into_iter();
        let file = contract.files.get(contract.place.file);
        let clocks = self.ghosts.iter();
        let texts = self.literals.iter();
        Messages {
            contract: contract.name.clone(),
            file: file.map_or_else(String::new, |file| file.name.clone()),
            constructor: forms.next().unwrap_or_else(|| {
                message_form(&contract.constructor, Vec::new(), Called::Anybody)
            }),
            actions: self
                .places
                .iter()
                .map(|(name, _)| name.clone())
                .zip(forms)
                .collect(),
            others: self.others.clone(),
            parts: self.pending.parts.clone(),
            clocks: clocks
                .filter_map(|(ghost, name)| Some((ghost.clock()?, name.clone())))
                .collect(),
            balance: self.ghosts.get(&Ghost::Balance).cloned(),
            addresses: std::mem::take(&mut self.addresses),
            texts: texts
                .map(|(bytes, name)| (name.clone(), bytes.clone()))
                .collect::<BTreeMap<_, _>>(),
        }
    }

    /// Whether it may have addresses of others than whom its messages name, or that stand for themselves: what is called there
    /// is nobody of a test. (Up to 2^16, contracts are built into the chain.)
    fn names_strangers(&self) -> bool {
        let is_built_in = |address: &BigInt| address.sign() != Sign::NoSign && address.bits() <= 16;
        self.makes_addresses || self.addresses.iter().any(is_built_in)
    }
}

/// It is not known who is called while these messages are handled.
fn stranger_called(form: &mut MessageForm) {
    if form.called == Called::Code {
        form.called = Called::Unknown;
    }
    taken_is_an_answer(&mut form.parts);
}

/// Whether those who are called take it is for them to answer, and not for who sends the message to say.
pub(super) fn taken_is_an_answer(parts: &mut [MessagePart]) {
    let taken = parts.iter_mut().filter(|part| **part == MessagePart::Taken);
    taken.for_each(|part| *part = MessagePart::Answer);
}
