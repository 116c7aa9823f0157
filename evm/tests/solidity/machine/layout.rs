//! Storage as the real machine has it: which cell is in which slot.

use std::collections::BTreeMap;

use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use revm::primitives::{U256, keccak256};
use tranquera::front::solidity::flat::{Contract, FlatExpr, FlatType, Lifetime};

use super::convert::to_bytes;
use super::{Cell, Frame, Machine, Message, Value, underlying};

/// Words by their slots, without zeros.
pub type Slots = BTreeMap<U256, U256>;

impl Machine<'_> {
    /// What the contract keeps in storage, slot by slot.
    pub fn slots(&self) -> Slots {
        let mut writer = Writer {
            contract: self.contract,
            bytes: BTreeMap::new(),
        };
        let mut next = Next::default();
        for (variable, cell) in self.contract.variables.iter().zip(&self.state) {
            if variable.lifetime != Lifetime::Storage {
                continue;
            }
            let (slot, offset) = match &variable.slot {
                Some(slot) => (self.clone().slot(slot), 0),
                None => next.take(self.contract, &variable.ty),
            };
            writer.write(&variable.ty, cell, slot, offset);
        }
        let words = writer.bytes.into_iter();
        let words = words.map(|(slot, bytes)| (slot, U256::from_be_bytes(bytes)));
        words.filter(|(_, word)| !word.is_zero()).collect()
    }
}

impl Machine<'_> {
    /// A slot that is a constant.
    fn slot(&mut self, slot: &FlatExpr) -> U256 {
        let frame = Frame {
            routine: self.contract.constructor.routine,
            locals: BTreeMap::new(),
            message: Message {
                sender: BigUint::default(),
                value: BigUint::default(),
                data: None,
            },
        };
        let value = self.eval(&frame, slot).expect("a constant");
        U256::from_be_slice(&self.key(&value).expect("a word"))
    }
}

/// Where the next variable goes.
#[derive(Default)]
struct Next {
    slot: u64,
    offset: usize,
}

impl Next {
    fn take(&mut self, contract: &Contract, ty: &FlatType) -> (U256, usize) {
        let size = size(contract, ty);
        let whole = match underlying(contract, ty) {
            FlatType::Struct(_) | FlatType::Array(..) => true,
            _ => self.offset + size.bytes > 32,
        };
        if whole && self.offset > 0 {
            self.slot += 1;
            self.offset = 0;
        }
        let at = (U256::from(self.slot), self.offset);
        if size.slots > 1 || size.bytes == 32 {
            self.slot += size.slots;
            self.offset = 0;
        } else {
            self.offset += size.bytes;
        }
        at
    }
}

/// How much a variable takes: slots, or part of one.
struct Size {
    slots: u64,
    bytes: usize,
}

fn size(contract: &Contract, ty: &FlatType) -> Size {
    let part = |bytes| Size { slots: 1, bytes };
    match underlying(contract, ty) {
        FlatType::Bool | FlatType::Enum(_) => part(1),
        FlatType::Int(int) => part(usize::from(int.bits / 8)),
        FlatType::Address | FlatType::Contract(_) => part(20),
        FlatType::FixedBytes(size) => part(usize::from(*size)),
        FlatType::Struct(id) => {
            let mut next = Next::default();
            for (_, ty) in &contract.structure(*id).expect("a struct").members {
                next.take(contract, ty);
            }
            Size {
                slots: (next.slot + u64::from(next.offset > 0)).max(1),
                bytes: 32,
            }
        }
        FlatType::Array(element, Some(length)) => {
            let length = length.to_u64().expect("a length");
            let element = size(contract, element);
            let slots = if element.bytes < 32 {
                length.div_ceil((32 / element.bytes) as u64)
            } else {
                length * element.slots
            };
            Size {
                slots: slots.max(1),
                bytes: 32,
            }
        }
        _ => part(32),
    }
}

struct Writer<'c> {
    contract: &'c Contract,
    bytes: BTreeMap<U256, [u8; 32]>,
}

impl Writer<'_> {
    fn write(&mut self, ty: &FlatType, cell: &Cell, slot: U256, offset: usize) {
        match (cell, underlying(self.contract, ty)) {
            (Cell::Value(value), ty) => {
                let size = size(self.contract, ty).bytes;
                let bytes = match value {
                    Value::Bool(value) => vec![u8::from(*value)],
                    Value::Number(number) => to_bytes(number, size),
                    Value::Fixed(bytes) => bytes.clone(),
                    Value::Reference(_) => panic!("a reference in storage"),
                };
                self.put(slot, offset, &bytes);
            }
            (Cell::Struct(cells), FlatType::Struct(id)) => {
                let members = &self.contract.structure(*id).expect("a struct").members;
                let mut next = Next::default();
                for (cell, (_, ty)) in cells.iter().zip(members) {
                    let (inner, offset) = next.take(self.contract, ty);
                    self.write(ty, cell, slot.wrapping_add(inner), offset);
                }
            }
            (Cell::Mapping(cells), FlatType::Mapping(_, value)) => {
                for (key, cell) in cells {
                    let hash = keccak256([key.as_slice(), &slot.to_be_bytes::<32>()].concat());
                    self.write(value, cell, U256::from_be_bytes(hash.0), 0);
                }
            }
            (Cell::Array(length, cells), FlatType::Array(element, fixed)) => {
                let mut start = slot;
                if fixed.is_none() {
                    self.put(slot, 0, &to_bytes(&BigInt::from(*length), 32));
                    start = U256::from_be_bytes(keccak256(slot.to_be_bytes::<32>()).0);
                }
                for (at, cell) in cells {
                    let (inner, offset) = element_at(self.contract, element, *at);
                    self.write(element, cell, start.wrapping_add(inner), offset);
                }
            }
            (Cell::Bytes(bytes), _) => self.write_bytes(slot, bytes),
            (cell, ty) => panic!("{cell:?} as {ty:?}"),
        }
    }

    /// Short ones stand in the slot with their length; long ones elsewhere.
    fn write_bytes(&mut self, slot: U256, bytes: &[u8]) {
        if bytes.len() < 32 {
            let mut word = [0; 32];
            word[..bytes.len()].copy_from_slice(bytes);
            word[31] = u8::try_from(2 * bytes.len()).expect("short");
            self.put(slot, 0, &word);
            return;
        }
        let length = BigUint::from(2 * bytes.len() + 1);
        self.put(slot, 0, &to_bytes(&BigInt::from(length), 32));
        let start = U256::from_be_bytes(keccak256(slot.to_be_bytes::<32>()).0);
        for (at, part) in bytes.chunks(32).enumerate() {
            let mut word = [0; 32];
            word[..part.len()].copy_from_slice(part);
            self.put(start.wrapping_add(U256::from(at)), 0, &word);
        }
    }

    /// Offsets count from the right end of a slot.
    fn put(&mut self, slot: U256, offset: usize, bytes: &[u8]) {
        let word = self.bytes.entry(slot).or_insert([0; 32]);
        let end = 32 - offset;
        word[end - bytes.len()..end].copy_from_slice(bytes);
    }
}

fn element_at(contract: &Contract, element: &FlatType, at: u64) -> (U256, usize) {
    let element = size(contract, element);
    if element.bytes < 32 {
        let each = (32 / element.bytes) as u64;
        let within = usize::try_from(at % each).expect("small");
        (U256::from(at / each), within * element.bytes)
    } else {
        (U256::from(at * element.slots), 0)
    }
}
