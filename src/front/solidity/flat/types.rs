//! Types of the flattened contract.

use std::sync::Arc;

use num_bigint::BigUint;

use super::{AliasId, EnumId, StructId};
use crate::front::solidity::ast::Int;
use crate::front::solidity::place::Place;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
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
    Array(Arc<Type>, Option<BigUint>),
    /// A mapping.
    Mapping(Arc<Type>, Arc<Type>),
}

impl Type {
    /// `uint256`
    pub const UINT: Type = Type::Int(Int {
        signed: false,
        bits: 256,
    });

    /// Whether its values are not references when they are in memory.
    pub fn is_value(&self) -> bool {
        !matches!(
            self,
            Type::Bytes | Type::String | Type::Array(..) | Type::Struct(_) | Type::Mapping(..)
        )
    }
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Its members: names and types.
    pub members: Vec<(String, Type)>,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct Enum {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Its members.
    pub members: Vec<String>,
}

/// A value type of the user's.
#[derive(Clone, Debug)]
pub struct Alias {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// The elementary type whose values it has.
    pub underlying: Type,
}
