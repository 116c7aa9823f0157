//! Storage, as the flattened contract has it: cells in cells.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};
use tranquera::front::solidity::flat::{Contract, FlatType};

use super::{Machine, Object, Run, Value, unsupported};

/// Something in storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    Value(Value),
    Struct(Vec<Cell>),
    /// What has been looked at or written; elsewhere is zero.
    Mapping(BTreeMap<Vec<u8>, Cell>),
    /// Length and elements; those that were never looked at are zero. What is behind the end may not be.
    Array(u64, BTreeMap<u64, Cell>),
    Bytes(Vec<u8>),
}

impl Cell {
    pub fn zero(contract: &Contract, ty: &FlatType) -> Cell {
        match ty {
            FlatType::Bool => Cell::Value(Value::Bool(false)),
            FlatType::Int(_) | FlatType::Address | FlatType::Contract(_) | FlatType::Enum(_) => {
                Cell::Value(Value::Number(BigInt::zero()))
            }
            FlatType::FixedBytes(size) => Cell::Value(Value::Fixed(vec![0; usize::from(*size)])),
            FlatType::Alias(id) => Cell::zero(contract, &contract.aliases[id.index()].underlying),
            FlatType::Bytes | FlatType::String => Cell::Bytes(Vec::new()),
            FlatType::Struct(id) => {
                let members = &contract.structure(*id).expect("a struct").members;
                Cell::Struct(
                    members
                        .iter()
                        .map(|(_, ty)| Cell::zero(contract, ty))
                        .collect(),
                )
            }
            FlatType::Mapping(..) => Cell::Mapping(BTreeMap::new()),
            FlatType::Array(_, length) => {
                let length = length.as_ref().and_then(|length| length.to_u64());
                Cell::Array(length.unwrap_or(0), BTreeMap::new())
            }
        }
    }
}

impl Machine<'_> {
    /// A deep copy in memory of what is in storage, without mappings.
    pub(super) fn load(&mut self, cell: &Cell, ty: &FlatType) -> Run<Value> {
        match (cell, ty) {
            (Cell::Value(value), _) => Ok(value.clone()),
            (Cell::Bytes(bytes), _) => Ok(self.new_object(Object::Bytes(bytes.clone()))),
            (Cell::Struct(cells), FlatType::Struct(id)) => {
                let members = self
                    .contract
                    .structure(*id)
                    .expect("a struct")
                    .members
                    .clone();
                let mut values = Vec::new();
                for (cell, (_, ty)) in cells.iter().zip(&members) {
                    values.push(match ty {
                        FlatType::Mapping(..) => None,
                        _ => Some(self.load(cell, ty)?),
                    });
                }
                Ok(self.new_object(Object::List(values)))
            }
            (Cell::Array(length, elements), FlatType::Array(element, _)) => {
                if *length > super::MAX_LENGTH {
                    return Err(super::Stop::Fuel);
                }
                let zero = Cell::zero(self.contract, element);
                let mut values = Vec::new();
                for at in 0..*length {
                    let cell = elements.get(&at).unwrap_or(&zero).clone();
                    values.push(Some(self.load(&cell, element)?));
                }
                Ok(self.new_object(Object::List(values)))
            }
            (cell, ty) => unsupported(format!("load {cell:?} as {ty:?}")),
        }
    }

    /// What is in memory, written over what is in storage. Mappings stay.
    pub(super) fn store(&self, cell: &mut Cell, ty: &FlatType, value: &Value) -> Run<()> {
        match (&mut *cell, ty) {
            (Cell::Value(old), _) => *old = self.fitted(value, ty)?,
            (Cell::Bytes(old), _) => match self.object(value)? {
                Object::Bytes(bytes) => *old = bytes.clone(),
                Object::List(_) => return unsupported("a list as bytes"),
            },
            (Cell::Struct(cells), FlatType::Struct(id)) => {
                let members = &self.contract.structure(*id).expect("a struct").members;
                let Object::List(values) = self.object(value)? else {
                    return unsupported("bytes as a struct");
                };
                for ((cell, (_, ty)), value) in cells.iter_mut().zip(members).zip(values) {
                    if let Some(value) = value {
                        self.store(cell, ty, value)?;
                    }
                }
            }
            (Cell::Array(length, elements), FlatType::Array(element, fixed)) => {
                let Object::List(values) = self.object(value)? else {
                    return unsupported("bytes as an array");
                };
                let old = *length;
                if fixed.is_none() {
                    *length = values.len() as u64;
                }
                for (at, value) in values.iter().enumerate() {
                    let zero = || Cell::zero(self.contract, element);
                    let cell = elements.entry(at as u64).or_insert_with(zero);
                    if let Some(value) = value {
                        self.store(cell, element, value)?;
                    }
                }
                for at in values.len() as u64..old {
                    if let Some(cell) = elements.get_mut(&at) {
                        self.clear(cell, element);
                    }
                }
            }
            (cell, ty) => return unsupported(format!("store into {cell:?} as {ty:?}")),
        }
        Ok(())
    }

    /// A value in the type of the place that it goes to.
    fn fitted(&self, value: &Value, ty: &FlatType) -> Run<Value> {
        match (value, super::underlying(self.contract, ty)) {
            // Elements of arrays of smaller bytes take zeros at their end.
            (Value::Fixed(bytes), FlatType::FixedBytes(size)) => {
                let mut bytes = bytes.clone();
                bytes.resize(usize::from(*size), 0);
                Ok(Value::Fixed(bytes))
            }
            _ => Ok(value.clone()),
        }
    }

    /// `delete`: all is zero then, but what is in mappings.
    pub(super) fn clear(&self, cell: &mut Cell, ty: &FlatType) {
        match (&mut *cell, ty) {
            (Cell::Mapping(_), _) => {}
            (Cell::Struct(cells), FlatType::Struct(id)) => {
                let members = &self.contract.structure(*id).expect("a struct").members;
                for (cell, (_, ty)) in cells.iter_mut().zip(members) {
                    self.clear(cell, ty);
                }
            }
            (Cell::Array(length, elements), FlatType::Array(element, fixed)) => {
                for at in 0..*length {
                    if let Some(cell) = elements.get_mut(&at) {
                        self.clear(cell, element);
                    }
                }
                if fixed.is_none() {
                    *length = 0;
                }
            }
            (cell, ty) => *cell = Cell::zero(self.contract, ty),
        }
    }
}
