//! Types.

mod parse;

use std::sync::Arc;

use num_bigint::{BigInt, BigUint};

use super::NodeId;

/// Where a value of a reference type lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// In the contract's storage.
    Storage,
    /// In storage that is forgotten at the end of a transaction.
    Transient,
    /// In memory.
    Memory,
    /// In the data of the call.
    Calldata,
}

/// A type of Solidity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SolidityType {
    /// `bool`
    Bool,
    /// `uint8`, `int256`
    Int(Int),
    /// `fixed128x18`, which the language has and the compiler does not implement.
    FixedPoint,
    /// `address`, `address payable`
    Address,
    /// `bytes1` to `bytes32`
    FixedBytes(u8),
    /// `bytes`
    Bytes(Location),
    /// `string`
    String(Location),
    /// `T[]`, `T[3]`
    Array(Arc<SolidityType>, Option<BigUint>, Location),
    /// `mapping(K => V)`
    Mapping(Arc<SolidityType>, Arc<SolidityType>),
    /// A struct.
    Struct(NodeId, Location),
    /// An enum.
    Enum(NodeId),
    /// A contract or an interface; also a library's name.
    Contract(NodeId),
    /// `super`, in a contract.
    Super(NodeId),
    /// `type T is U;`
    UserValue(NodeId),
    /// The value of an expression of literals: numerator and denominator.
    Rational(BigInt, BigInt),
    /// A string literal.
    StringLiteral,
    /// `(T, , U)`
    Tuple(Vec<Option<SolidityType>>),
    /// A function, in all the senses that the compiler has for it.
    Function(Arc<FunctionType>),
    /// The name of a type, as an expression.
    Name(Arc<SolidityType>),
    /// A modifier's name.
    Modifier,
    /// What a custom error's name, called, gives.
    Error,
    /// `msg`, `block`, `tx`, `abi`
    Magic(Magic),
    /// `type(T)`
    Meta(Arc<SolidityType>),
    /// `import … as M`
    Module(NodeId),
    /// The result of an old external call that cannot be used.
    Inaccessible,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Int {
    /// Whether it has negative values.
    pub signed: bool,
    /// Its width: 8 to 256.
    pub bits: u16,
}

/// Objects that are always there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Magic {
    /// `block`
    Block,
    /// `msg`
    Message,
    /// `tx`
    Transaction,
    /// `abi`
    Abi,
}

/// The type of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// The compiler's word for what kind of function it is: `internal`, `external`, `barecall`, `require`, …
    pub kind: String,
    /// Types of the parameters.
    pub parameters: Vec<Option<SolidityType>>,
    /// Types of the results.
    pub results: Vec<Option<SolidityType>>,
    /// The type of what it is bound to (`using for`), which then is the first parameter.
    pub bound: Option<SolidityType>,
}

impl SolidityType {
    /// Reads a type identifier. None where it is not one.
    pub fn parse(identifier: &str) -> Option<SolidityType> {
        parse::parse(identifier)
    }

    /// Where a value of the type lives; none for value types.
    pub fn location(&self) -> Option<Location> {
        match self {
            SolidityType::Bytes(location)
            | SolidityType::String(location)
            | SolidityType::Array(_, _, location)
            | SolidityType::Struct(_, location) => Some(*location),
            SolidityType::Mapping(..) => Some(Location::Storage),
            _ => None,
        }
    }

    /// Whether it is that of `super`, which newer versions take for the name of a type.
    pub fn is_super(&self) -> bool {
        match self {
            SolidityType::Super(_) => true,
            SolidityType::Name(named) => matches!(**named, SolidityType::Super(_)),
            _ => false,
        }
    }

    /// Whether a value of the type is a place in storage.
    pub fn in_storage(&self) -> bool {
        matches!(
            self.location(),
            Some(Location::Storage | Location::Transient)
        )
    }
}
