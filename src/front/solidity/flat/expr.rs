//! Expressions of the flattened contract: they read, compute, make new values, or revert.

use num_bigint::BigInt;

use super::{ConstantId, LocalId, Type, VariableId};
use crate::front::solidity::place::Place;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it is.
    pub place: Place,
}

/// Kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// A constant's value.
    Constant(ConstantId),
    /// What the call and the chain give.
    Env(Env),
    /// What a place holds: a value, or a reference into memory. A place in storage is of a value type.
    Read(Lvalue),
    /// A copy in memory of what a place in storage holds, all of it. Mappings are left out.
    Load(Lvalue),
    /// A copy in memory of what a reference refers to, all of it.
    Copy(Box<Expr>),
    /// The length of an array, `bytes` or `string` in storage.
    StorageLength(Lvalue),
    /// The length of an array, `bytes` or `string` in memory.
    Length(Box<Expr>),
    /// The byte of a `bytesN` at an index; reverts behind the end.
    ByteAt(Box<Expr>, Box<Expr>),
    /// An operator before its operand.
    Unary(UnaryOp, Box<Expr>, Overflow),
    /// An operator between its operands, which are of one type, but for shifts and powers. Of `&&` and `||` the right one
    /// is looked at only if it matters.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Overflow),
    /// The second if the first is true, else the third; the other one is not looked at.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operand's value in this expression's type.
    ///
    /// - Integers, addresses and contracts to each other: the value, wrapped into the range.
    /// - Integers to enums: reverts where there is no such member; enums to integers.
    /// - Integers and addresses to `bytesN`: the last N bytes; `bytesN` to those: the number that its bytes are.
    /// - `bytesN` to `bytesM`: the first bytes, zeros behind them. `bytes` to `bytesM`: likewise.
    /// - `bytes` and `string` to each other: the same reference.
    /// - A value type of the user's from and to its underlying one.
    Convert(Box<Expr>),
    /// The value that everything of the type is at first; of a reference type, something new in memory.
    Default,
    /// A new array, `bytes` or `string` in memory, of this length, all zero.
    NewArray(Box<Expr>),
    /// A new struct in memory, by its members; those that are mappings are left out.
    NewStruct(Vec<Expr>),
    /// A new array in memory, by its elements.
    NewElements(Vec<Expr>),
    /// A part of what is in the data of the call: from, to. Reverts where they are not in order.
    Slice(Box<Expr>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// A function that is always there.
    Builtin(Builtin, Vec<Expr>),
}

/// A literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
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
    pub steps: Vec<Step>,
    /// The type of what it holds.
    pub ty: Type,
    /// Where it is in the text.
    pub place: Place,
}

/// Where a place begins.
#[derive(Clone, Debug)]
pub enum Root {
    /// In storage, with a state variable.
    Variable(VariableId),
    /// With a local variable, at which it ends.
    Local(LocalId),
    /// In memory, with what a reference refers to; there is one step.
    Memory(Box<Expr>),
}

/// A step into something.
#[derive(Clone, Debug)]
pub enum Step {
    /// To a member of a struct, by its number.
    Member(usize),
    /// To the value of a key of a mapping.
    Key(Expr),
    /// To an element of an array or a byte of `bytes`. If `checked`, it reverts behind the end; otherwise the end was
    /// looked at when the reference was taken, and what is behind it now is as if it had never been there.
    Index {
        /// The index.
        index: Expr,
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
pub enum BinaryOp {
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
pub enum Env {
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
pub enum Builtin {
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
    Encode(Encoding),
    /// `bytes.concat(…)`, `string.concat(…)`
    Concat,
    /// `type(I).interfaceId` of this interface.
    InterfaceId(String),
    /// The first four bytes of calls to a function, by its signature.
    SelectorOf(String),
}

/// How arguments become bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// `abi.encode`
    Standard,
    /// `abi.encodePacked`
    Packed,
    /// `abi.encodeWithSelector`, `abi.encodeCall`: the first argument is a `bytes4`.
    Selector,
    /// `abi.encodeWithSignature`: the first argument is a `string`.
    Signature,
}

impl BinaryOp {
    /// As it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Exp => "**",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr | BinaryOp::ShrToZero => ">>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge => ">=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// Whether its value is a boolean.
    pub fn is_boolean(self) -> bool {
        matches!(
            self,
            BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge
                | BinaryOp::And
                | BinaryOp::Or
        )
    }
}

impl Lvalue {
    /// A local variable.
    pub fn local(id: LocalId, ty: Type, place: Place) -> Lvalue {
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

impl Expr {
    /// An expression.
    pub fn new(kind: ExprKind, ty: Type, place: Place) -> Expr {
        Expr { kind, ty, place }
    }

    /// A local variable's value.
    pub fn local(id: LocalId, ty: Type, place: Place) -> Expr {
        let lvalue = Lvalue::local(id, ty.clone(), place);
        Expr::new(ExprKind::Read(lvalue), ty, place)
    }

    /// A number.
    pub fn number(value: impl Into<BigInt>, ty: Type, place: Place) -> Expr {
        let literal = Literal::Number(value.into());
        Expr::new(ExprKind::Literal(literal), ty, place)
    }

    /// A boolean.
    pub fn bool(value: bool, place: Place) -> Expr {
        Expr::new(ExprKind::Literal(Literal::Bool(value)), Type::Bool, place)
    }

    /// The negation of a boolean.
    pub fn negated(self) -> Expr {
        let place = self.place;
        match self.kind {
            ExprKind::Unary(UnaryOp::Not, inner, _) => *inner,
            _ => {
                let kind = ExprKind::Unary(UnaryOp::Not, Box::new(self), Overflow::Wrapping);
                Expr::new(kind, Type::Bool, place)
            }
        }
    }
}
