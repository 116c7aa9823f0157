//! What the actions of the class are of messages to the contract.

use std::collections::BTreeMap;

use super::class::{Ghost, LoweredClass};
use crate::front::solidity::flat::{EntryKind, EntryPoint, FlatType};
use crate::ir::{Addressee, ArgumentType, MessageForm, MessagePart, Messages};

/// The messages that an entry takes; its parameters are these.
pub(super) fn message_form(entry: &EntryPoint, parts: Vec<MessagePart>) -> MessageForm {
    MessageForm {
        clauses: 0,
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
        let mut forms = std::mem::take(&mut self.forms).into_iter();
        let file = contract.files.get(contract.place.file);
        let clocks = self.ghosts.iter();
        let texts = self.literals.iter();
        Messages {
            contract: contract.name.clone(),
            file: file.map_or_else(String::new, |file| file.name.clone()),
            constructor: forms
                .next()
                .unwrap_or_else(|| message_form(&contract.constructor, Vec::new())),
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
}
