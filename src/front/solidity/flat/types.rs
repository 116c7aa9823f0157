//! Types of the flattened contract.

use std::sync::Arc;

use num_bigint::BigUint;

use super::{AliasId, EnumId, StructId};
use crate::front::solidity::ast::Int;
use crate::front::solidity::place::FileRange;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FlatType {
    /// `bool`
    Bool,
    /// `uint8`, `int256`
    Int(Int),
    /// An address.
    Address,
    /// An address that the user says has a contract, or an interface, of this name.
    Contract(Arc<str>),
    /// `bytes1` to `bytes32`
    FixedBytes(u8),
    /// `bytes`
    Bytes,
    /// `string`
    String,
    /// An enum.
    Enum(EnumId),
    /// A value type of the user's.
    Alias(AliasId),
    /// A struct.
    Struct(StructId),
    /// An array, of a length that is fixed or not.
    Array(Arc<FlatType>, Option<BigUint>),
    /// A mapping.
    Mapping(Arc<FlatType>, Arc<FlatType>),
}

impl FlatType {
    /// `uint256`
    pub const UINT: FlatType = FlatType::Int(Int {
        signed: false,
        bits: 256,
    });

    /// Whether its values are not references when they are in memory.
    pub fn is_value(&self) -> bool {
        !matches!(
            self,
            FlatType::Bytes
                | FlatType::String
                | FlatType::Array(..)
                | FlatType::Struct(_)
                | FlatType::Mapping(..)
        )
    }
}

/// A struct.
#[derive(Clone, Debug)]
pub struct FlatStruct {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its members: names and types.
    pub members: Vec<(String, FlatType)>,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct FlatEnum {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its members.
    pub members: Vec<String>,
}

/// A value type of the user's.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// The elementary type whose values it has.
    pub underlying: FlatType,
}
