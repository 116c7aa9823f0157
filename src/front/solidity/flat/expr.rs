//! Expressions of the flattened contract: they read, compute, make new values, or revert.

use num_bigint::BigInt;

use super::{ConstantId, FlatType, LocalId, VariableId};
use crate::front::solidity::place::FileRange;

/// An expression.
#[derive(Clone, Debug)]
pub struct FlatExpr {
    /// What it is.
    pub kind: FlatExprKind,
    /// Its type.
    pub ty: FlatType,
    /// Where it is.
    pub place: FileRange,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum FlatExprKind {
    /// A literal.
    Literal(FlatLiteral),
    /// A constant's value.
    Constant(ConstantId),
    /// What the call and the chain give.
    Env(ChainValue),
    /// What a place holds: a value, or a reference into memory. A place in storage is of a value type.
    Read(Lvalue),
    /// A copy in memory of what a place in storage holds, all of it. Mappings are left out.
    Load(Lvalue),
    /// A copy in memory of what a reference refers to, all of it.
    Copy(Box<FlatExpr>),
    /// The length of an array, `bytes` or `string` in storage.
    StorageLength(Lvalue),
    /// The length of an array, `bytes` or `string` in memory.
    Length(Box<FlatExpr>),
    /// The byte of a `bytesN` at an index; reverts behind the end.
    ByteAt(Box<FlatExpr>, Box<FlatExpr>),
    /// An operator before its operand.
    Unary(UnaryOp, Box<FlatExpr>, Overflow),
    /// An operator between its operands, which are of one type, but for shifts and powers. Of `&&` and `||` the right one
    /// is looked at only if it matters.
    Binary(FlatBinaryOp, Box<FlatExpr>, Box<FlatExpr>, Overflow),
    /// The second if the first is true, else the third; the other one is not looked at.
    Conditional(Box<FlatExpr>, Box<FlatExpr>, Box<FlatExpr>),
    /// The operand's value in this expression's type.
    ///
    /// - Integers, addresses and contracts to each other: the value, wrapped into the range.
    /// - Integers to enums: reverts where there is no such member; enums to integers.
    /// - Integers and addresses to `bytesN`: the last N bytes; `bytesN` to those: the number that its bytes are.
    /// - `bytesN` to `bytesM`: the first bytes, zeros behind them. `bytes` to `bytesM`: likewise.
    /// - `bytes` and `string` to each other: the same reference.
    /// - A value type of the user's from and to its underlying one.
    Convert(Box<FlatExpr>),
    /// The value that everything of the type is at first; of a reference type, something new in memory.
    Default,
    /// A new array, `bytes` or `string` in memory, of this length, all zero.
    NewArray(Box<FlatExpr>),
    /// A new struct in memory, by its members; those that are mappings are left out.
    NewStruct(Vec<FlatExpr>),
    /// A new array in memory, by its elements.
    NewElements(Vec<FlatExpr>),
    /// A part of what is in the data of the call: from, to. Reverts where they are not in order.
    Slice(Box<FlatExpr>, Option<Box<FlatExpr>>, Option<Box<FlatExpr>>),
    /// A function that is always there.
    Builtin(SolidityBuiltin, Vec<FlatExpr>),
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlatLiteral {
    /// `true`, `false`
    Bool(bool),
    /// Of an integer, address or contract type its value, of an enum the number of the member.
    Number(BigInt),
    /// The bytes of a `bytesN` (all of them), or of new `bytes` or `string`.
    Bytes(Vec<u8>),
}

/// A place that holds something.
#[derive(Clone, Debug)]
pub struct Lvalue {
    /// Where it begins.
    pub root: Root,
    /// How it goes on.
    pub steps: Vec<AccessStep>,
    /// The type of what it holds.
    pub ty: FlatType,
    /// Where it is in the text.
    pub place: FileRange,
}

/// Where a place begins.
#[derive(Clone, Debug)]
pub enum Root {
    /// In storage, with a state variable.
    Variable(VariableId),
    /// With a local variable, at which it ends.
    Local(LocalId),
    /// In memory, with what a reference refers to; there is one step.
    Memory(Box<FlatExpr>),
}

/// A step into something.
#[derive(Clone, Debug)]
pub enum AccessStep {
    /// To a member of a struct, by its number.
    Member(usize),
    /// To the value of a key of a mapping.
    Key(FlatExpr),
    /// To an element of an array or a byte of `bytes`. If `checked`, it reverts behind the end; otherwise the end was
    /// looked at when the reference was taken, and what is behind it now is as if it had never been there.
    Index {
        /// The index.
        index: FlatExpr,
        /// Whether it reverts behind the end.
        checked: bool,
    },
}

/// What arithmetic does that leaves its type's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// It reverts.
    Checked,
    /// It wraps around.
    Wrapping,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Minus,
    /// `~`
    BitNot,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlatBinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`: truncates; reverts by zero.
    Div,
    /// `%`: has the sign of the left operand; reverts by zero.
    Mod,
    /// `**`; the right operand is not negative, and of any integer type.
    Exp,
    /// `<<`, which always wraps; the right operand is not negative, and of any integer type.
    Shl,
    /// `>>`, rounding down; the right operand is not negative, and of any integer type.
    Shr,
    /// `>>` as 0.4 has it, rounding towards zero.
    ShrToZero,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// What the call and the chain give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChainValue {
    /// `this`: the contract's own address.
    This,
    /// `address(this).balance`
    Balance,
    /// `msg.sender`
    Sender,
    /// `msg.value`
    Value,
    /// `msg.data`
    Data,
    /// `msg.sig`
    Selector,
    /// `tx.origin`
    Origin,
    /// `tx.gasprice`
    GasPrice,
    /// `gasleft()`: something else each time.
    GasLeft,
    /// `block.timestamp`
    Timestamp,
    /// `block.number`
    Number,
    /// `block.chainid`
    ChainId,
    /// `block.basefee`
    BaseFee,
    /// `block.blobbasefee`
    BlobBaseFee,
    /// `block.coinbase`
    Coinbase,
    /// `block.difficulty`, `block.prevrandao`
    Difficulty,
    /// `block.gaslimit`
    GasLimit,
    /// How many bytes the last call outside gave back.
    ReturnSize,
}

/// Functions that are always there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SolidityBuiltin {
    /// `keccak256(bytes)`
    Keccak256,
    /// `sha256(bytes)`
    Sha256,
    /// `ripemd160(bytes)`
    Ripemd160,
    /// `ecrecover(bytes32, uint8, bytes32, bytes32)`
    EcRecover,
    /// `addmod(x, y, n)`; `n` is not zero.
    AddMod,
    /// `mulmod(x, y, n)`; `n` is not zero.
    MulMod,
    /// `blockhash(n)`
    BlockHash,
    /// `blobhash(n)`
    BlobHash,
    /// The balance of an address.
    BalanceOf,
    /// The code of an address.
    CodeOf,
    /// The length of the code of an address.
    CodeLength,
    /// The hash of the code of an address.
    CodeHash,
    /// The code that makes a contract of this name, or that it has.
    ContractCode(String),
    /// `abi.encode…`
    Encode(AbiEncoding),
    /// `bytes.concat(…)`, `string.concat(…)`
    Concat,
    /// `type(I).interfaceId` of this interface.
    InterfaceId(String),
    /// The first four bytes of calls to a function, by its signature.
    SelectorOf(String),
}

/// How arguments become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbiEncoding {
    /// `abi.encode`
    Standard,
    /// `abi.encodePacked`
    Packed,
    /// `abi.encodeWithSelector`, `abi.encodeCall`: the first argument is a `bytes4`.
    Selector,
    /// `abi.encodeWithSignature`: the first argument is a `string`.
    Signature,
}

impl FlatBinaryOp {
    /// Whether its value is a boolean.
    pub fn is_boolean(self) -> bool {
        matches!(
            self,
            FlatBinaryOp::Eq
                | FlatBinaryOp::Ne
                | FlatBinaryOp::Lt
                | FlatBinaryOp::Le
                | FlatBinaryOp::Gt
                | FlatBinaryOp::Ge
                | FlatBinaryOp::And
                | FlatBinaryOp::Or
        )
    }
}

impl Lvalue {
    /// A local variable.
    pub fn local(id: LocalId, ty: FlatType, place: FileRange) -> Lvalue {
        Lvalue {
            root: Root::Local(id),
            steps: Vec::new(),
            ty,
            place,
        }
    }

    /// Whether it is in storage.
    pub fn in_storage(&self) -> bool {
        matches!(self.root, Root::Variable(_))
    }
}

impl FlatExpr {
    /// An expression.
    pub fn new(kind: FlatExprKind, ty: FlatType, place: FileRange) -> FlatExpr {
        FlatExpr { kind, ty, place }
    }

    /// A local variable's value.
    pub fn local(id: LocalId, ty: FlatType, place: FileRange) -> FlatExpr {
        let lvalue = Lvalue::local(id, ty.clone(), place);
        FlatExpr::new(FlatExprKind::Read(lvalue), ty, place)
    }

    /// A number.
    pub fn number(value: impl Into<BigInt>, ty: FlatType, place: FileRange) -> FlatExpr {
        let literal = FlatLiteral::Number(value.into());
        FlatExpr::new(FlatExprKind::Literal(literal), ty, place)
    }

    /// A boolean.
    pub fn bool(value: bool, place: FileRange) -> FlatExpr {
        FlatExpr::new(
            FlatExprKind::Literal(FlatLiteral::Bool(value)),
            FlatType::Bool,
            place,
        )
    }

    /// The negation of a boolean.
    pub fn negated(self) -> FlatExpr {
        let place = self.place;
        match self.kind {
            FlatExprKind::Unary(UnaryOp::Not, inner, _) => *inner,
            _ => {
                let kind = FlatExprKind::Unary(UnaryOp::Not, Box::new(self), Overflow::Wrapping);
                FlatExpr::new(kind, FlatType::Bool, place)
            }
        }
    }
}
