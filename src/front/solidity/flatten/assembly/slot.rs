//! Places in storage, as assembly names them: by slots.
//!
//! Four ways to come to one are understood: the slot of a variable or reference; the place of an element or a value, which
//! is the hash of what stands in the first words of memory; and a slot that is a constant, which then is a variable of its
//! own (as ERC-1967 and ERC-7201 have it).

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

use super::super::place::{ConstantKey, constant};
use super::super::writer::{Binding, RoutineWriter, WrittenValue};
use super::super::{Flat, Flattener, Rejection};
use super::AssemblyScope;
use super::word::Word;
use crate::front::solidity::ast::{NodeId, Reference, SolidityType as Ast};
use crate::front::solidity::flat::{
    AccessStep, FlatBinaryOp, FlatExpr, FlatExprKind, FlatLiteral, FlatStmtKind, FlatType,
    Lifetime, Lvalue, Root, StateVariable, VariableId,
};
use crate::front::solidity::place::FileRange;

/// A slot.
#[derive(Clone, Debug)]
pub(super) enum StorageSlot {
    /// Where a place begins.
    Of(Lvalue),
    /// Where the elements of an array begin.
    Elements(Lvalue),
}

/// What a slot that is a constant is kept under.
pub(in super::super) type SlotKey = (ConstantKey, bool);

const WORD: FlatType = FlatType::UINT;

impl RoutineWriter<'_, '_> {
    /// `x.slot`
    pub(super) fn slot_of(&mut self, reference: &Reference, place: FileRange) -> Flat<Word> {
        let lvalue = match self.bindings.get(&reference.variable) {
            Some(Binding::Pointer(number)) => self.pointed(*number, place)?,
            _ => self.variable_slot(reference.variable, place)?,
        };
        Ok(Word::slot(StorageSlot::Of(lvalue)))
    }

    /// A state variable that has its slot for itself.
    fn variable_slot(&self, variable: NodeId, place: FileRange) -> Flat<Lvalue> {
        let id = self.f.variable_ids.get(&variable).copied();
        let known = id.and_then(|id| self.f.variables.get(id.index()));
        match (id, known) {
            (Some(id), Some(known)) if self.f.slots(&known.ty, 0).is_some() => Ok(Lvalue {
                root: Root::Variable(id),
                steps: Vec::new(),
                ty: known.ty.clone(),
                place,
            }),
            _ => Err(Rejection::at(
                place,
                "assembly computes with the slot of a variable that may share it",
            )),
        }
    }

    /// `keccak256(0, 0x20)`, `keccak256(0, 0x40)` of what stands there.
    pub(super) fn hashed(
        &mut self,
        scope: &AssemblyScope<'_>,
        words: &[Word],
        place: FileRange,
    ) -> Flat<Option<Word>> {
        let [from, size] = words else {
            return Ok(None);
        };
        let number = |word: &Word| match word.value.as_ref().and_then(constant) {
            Some(ConstantKey::Number(number)) => number.to_u32(),
            _ => None,
        };
        let at = |offset: u32| scope.scratch.get(&offset);
        match (number(from), number(size)) {
            (Some(0), Some(0x20)) => Ok(match at(0).and_then(|word| word.slot.clone()) {
                Some(StorageSlot::Of(lvalue)) if matches!(lvalue.ty, FlatType::Array(_, None)) => {
                    Some(Word::slot(StorageSlot::Elements(lvalue)))
                }
                _ => None,
            }),
            (Some(0), Some(0x40)) => {
                let (Some(key), Some(StorageSlot::Of(lvalue))) =
                    (at(0), at(0x20).and_then(|word| word.slot.clone()))
                else {
                    return Ok(None);
                };
                let (Some(key), FlatType::Mapping(ty, _)) = (&key.value, &lvalue.ty) else {
                    return Ok(None);
                };
                let ty = ty.as_ref().clone();
                if !ty.is_value() {
                    return Ok(None);
                }
                let key = self.read_back(key.clone(), &ty);
                let lvalue = self.step(lvalue, AccessStep::Key(key), place)?;
                Ok(Some(Word::slot(StorageSlot::Of(lvalue))))
            }
            _ => Ok(None),
        }
    }

    /// `add(slot, number)`: an element, where each takes one slot.
    pub(super) fn moved(&self, a: &Word, b: &Word, place: FileRange) -> Flat<Option<Word>> {
        let (array, index) = match (a, b) {
            (
                Word {
                    slot: Some(StorageSlot::Elements(array)),
                    ..
                },
                Word {
                    value: Some(index), ..
                },
            )
            | (
                Word {
                    value: Some(index), ..
                },
                Word {
                    slot: Some(StorageSlot::Elements(array)),
                    ..
                },
            ) => (array, index),
            _ => return Ok(None),
        };
        let FlatType::Array(element, _) = &array.ty else {
            return Ok(None);
        };
        let index = match self.f.slots(element, 0) {
            Some(size) if size.is_one() => Some(index.clone()),
            Some(size) => factor(index, &size),
            None => None,
        };
        let Some(index) = index else {
            return Ok(None);
        };
        let step = AccessStep::Index {
            index,
            checked: false,
        };
        let lvalue = self.step(array.clone(), step, place)?;
        Ok(Some(Word::slot(StorageSlot::Of(lvalue))))
    }

    /// `r.slot := …`
    pub(super) fn set_slot(
        &mut self,
        reference: &Reference,
        word: Word,
        place: FileRange,
    ) -> Flat<()> {
        let Some(Binding::Pointer(number)) = self.bindings.get(&reference.variable).cloned() else {
            return Err(Rejection::at(
                place,
                "assembly sets the slot of what is no storage reference",
            ));
        };
        let ty = self.pointer_type(number, place)?;
        let lvalue = match word.slot {
            Some(StorageSlot::Of(mut lvalue)) => {
                if lvalue.ty != ty {
                    lvalue.ty = self.overlay(&lvalue, &ty, place)?;
                }
                lvalue
            }
            _ => self.constant_slot(word.value.as_ref(), &ty, false, place)?,
        };
        self.set_pointer(number, WrittenValue::Place(lvalue), place)
    }

    fn pointer_type(&mut self, number: usize, place: FileRange) -> Flat<FlatType> {
        let pointer = self.pointers.get(number);
        let ty: Option<Ast> = pointer.map(|pointer| pointer.ty.clone());
        let ty = ty.ok_or_else(Rejection::default)?;
        self.f.ty(&ty, place)
    }

    /// A struct over a place: its first member has to be what is there.
    fn overlay(&self, lvalue: &Lvalue, ty: &FlatType, place: FileRange) -> Flat<FlatType> {
        let first = self.f.step_type(ty, &AccessStep::Member(0));
        if first.as_ref() == Some(&lvalue.ty) {
            return Ok(ty.clone());
        }
        Err(Rejection::at(
            place,
            "assembly takes a place in storage for something else",
        ))
    }

    /// The variable at a slot that is a constant.
    fn constant_slot(
        &mut self,
        slot: Option<&FlatExpr>,
        ty: &FlatType,
        transient: bool,
        place: FileRange,
    ) -> Flat<Lvalue> {
        let key = slot.and_then(constant);
        let (Some(slot), Some(key)) = (slot, key) else {
            return Err(Rejection::at(
                place,
                "assembly computes a place in storage that is not understood",
            ));
        };
        let id = self.f.slot_variable(slot, (key, transient), ty, place)?;
        Ok(Lvalue {
            root: Root::Variable(id),
            steps: Vec::new(),
            ty: ty.clone(),
            place,
        })
    }

    /// `sload(slot)`, `tload(slot)`
    pub(super) fn load_slot(
        &mut self,
        word: Word,
        transient: bool,
        place: FileRange,
    ) -> Flat<Word> {
        let lvalue = self.word_place(word, transient, place)?;
        let ty = lvalue.ty.clone();
        let read = FlatExpr::new(FlatExprKind::Read(lvalue), ty, place);
        Ok(Word::known(self.to_word(read)))
    }

    /// `sstore(slot, value)`, `tstore(slot, value)`
    pub(super) fn store_slot(
        &mut self,
        word: Word,
        value: Word,
        transient: bool,
        place: FileRange,
    ) -> Flat<()> {
        let lvalue = self.word_place(word, transient, place)?;
        let value = self.known(value, place)?;
        let value = self.read_back(value, &lvalue.ty);
        self.write(FlatStmtKind::Assign(lvalue, value), place)
    }

    /// The place that a slot is, of a type that fills it.
    fn word_place(&mut self, word: Word, transient: bool, place: FileRange) -> Flat<Lvalue> {
        let Some(StorageSlot::Of(lvalue)) = word.slot else {
            return self.constant_slot(word.value.as_ref(), &WORD, transient, place);
        };
        let fills = match self.f.types.underlying(&lvalue.ty) {
            FlatType::Int(int) => int.bits == 256,
            FlatType::FixedBytes(size) => *size == 32,
            _ => false,
        };
        if fills && !transient {
            return Ok(lvalue);
        }
        Err(Rejection::at(
            place,
            "assembly reads or writes a slot that holds more than one value",
        ))
    }
}

/// The number of which a multiple is taken.
fn factor(expr: &FlatExpr, size: &BigUint) -> Option<FlatExpr> {
    let FlatExprKind::Binary(FlatBinaryOp::Mul, left, right, _) = &expr.kind else {
        return None;
    };
    let is_size = |expr: &FlatExpr| match &expr.kind {
        FlatExprKind::Literal(FlatLiteral::Number(number)) => *number == BigInt::from(size.clone()),
        _ => false,
    };
    if is_size(right) {
        return Some(left.as_ref().clone());
    }
    is_size(left).then(|| right.as_ref().clone())
}

/// How deep structs may be in each other.
const MAX_DEPTH: u32 = 16;

impl Flattener<'_> {
    /// The variable at a slot that is a constant.
    fn slot_variable(
        &mut self,
        slot: &FlatExpr,
        key: SlotKey,
        ty: &FlatType,
        place: FileRange,
    ) -> Flat<VariableId> {
        if let Some(id) = self.slot_variables.get(&key) {
            let known = self.variables.get(id.index());
            if known.is_some_and(|known| known.ty == *ty) {
                return Ok(*id);
            }
            return Err(Rejection::at(
                place,
                "assembly takes a slot of storage for different things",
            ));
        }
        // Where the variables of the contract are, a slot by its number may be one of theirs.
        if let ConstantKey::Number(number) = &key.0
            && number.bits() < 64
        {
            return Err(Rejection::at(
                place,
                "assembly reads or writes storage by the number of a slot",
            ));
        }
        let name = match &key.0 {
            ConstantKey::Named(id) => {
                let constant = self.constants.get(id.index());
                constant.map_or_else(String::new, |constant| constant.name.clone())
            }
            ConstantKey::Number(number) => format!("{number:#x}"),
        };
        let id = VariableId::of(self.variables.len());
        self.variables.push(StateVariable {
            name: format!("slot {name}"),
            place,
            ty: ty.clone(),
            lifetime: if key.1 {
                Lifetime::Transient
            } else {
                Lifetime::Storage
            },
            slot: Some(slot.clone()),
        });
        self.slot_variables.insert(key, id);
        Ok(id)
    }

    /// How many slots a value of a type fills; none if it may share one.
    fn slots(&self, ty: &FlatType, depth: u32) -> Option<BigUint> {
        if depth > MAX_DEPTH {
            return None;
        }
        let one = BigUint::one();
        match self.types.underlying(ty) {
            FlatType::Int(int) => (int.bits == 256).then_some(one),
            FlatType::FixedBytes(size) => (*size == 32).then_some(one),
            FlatType::Bytes
            | FlatType::String
            | FlatType::Mapping(..)
            | FlatType::Array(_, None) => Some(one),
            FlatType::Array(element, Some(length)) => {
                Some(self.slots(element, depth + 1)? * length)
            }
            FlatType::Struct(id) => {
                let mut size = BigUint::default();
                // Bytes that are taken of the slot that was begun last.
                let mut used = 32;
                for (_, member) in self.types.members(*id) {
                    match (self.slots(member, depth + 1), self.bytes(member)) {
                        (Some(whole), _) => {
                            size += whole;
                            used = 32;
                        }
                        (None, Some(bytes)) if used + bytes <= 32 => used += bytes,
                        (None, Some(bytes)) => {
                            size += 1_u8;
                            used = bytes;
                        }
                        (None, None) => return None,
                    }
                }
                Some(size)
            }
            _ => None,
        }
    }

    /// How many bytes of a slot a value takes.
    fn bytes(&self, ty: &FlatType) -> Option<usize> {
        Some(match self.types.underlying(ty) {
            FlatType::Bool | FlatType::Enum(_) => 1,
            FlatType::Int(int) => usize::from(int.bits / 8),
            FlatType::Address | FlatType::Contract(_) => 20,
            FlatType::FixedBytes(size) => usize::from(*size),
            _ => return None,
        })
    }
}
