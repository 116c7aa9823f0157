//! Inline assembly: its language is Yul.

mod parse;

use num_bigint::BigUint;

pub(in crate::front::solidity::ast) use parse::{parse, value};

use super::NodeId;
use crate::front::solidity::place::FileRange;

/// An `assembly` block.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// What it does. None where it is in a form that is not read, such as the stack instructions of 0.4.
    pub block: Option<YulBlock>,
    /// Which of its names are variables of the contract.
    pub references: Vec<Reference>,
}

/// A name in assembly that is a variable of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name, as it is written: `x`, `x.slot`, `x_slot`.
    pub name: String,
    /// The variable.
    pub variable: NodeId,
    /// What of it is meant.
    pub suffix: Suffix,
}

/// What of a variable is meant in assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suffix {
    /// Its value; of a reference type, its address in memory.
    Value,
    /// `x.slot`: where in storage it is.
    Slot,
    /// `x.offset`: at which byte of the slot; of calldata, where it begins.
    Offset,
    /// `x.length`, of calldata.
    Length,
}

/// Statements in braces.
#[derive(Clone, Debug, Default)]
pub struct YulBlock(pub Vec<(Yul, FileRange)>);

/// A statement.
#[derive(Clone, Debug)]
pub enum Yul {
    /// `{ }`
    Block(YulBlock),
    /// `let x, y := e`
    Let(Vec<String>, Option<YulExpression>),
    /// `x, y := e`
    Assign(Vec<String>, YulExpression),
    /// A call whose result, if there is one, is dropped.
    Expression(YulExpression),
    /// `if e { }`
    If(YulExpression, YulBlock),
    /// `switch e case … default …`
    Switch(YulExpression, Vec<YulCase>),
    /// `for { } e { } { }`: before, condition, after, body.
    For(YulBlock, YulExpression, YulBlock, YulBlock),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `leave`
    Leave,
    /// `function f(x) -> y { }`
    Function(String, Vec<String>, Vec<String>, YulBlock),
}

/// A case of a `switch`.
#[derive(Clone, Debug)]
pub struct YulCase {
    /// The value; none for `default`.
    pub value: Option<BigUint>,
    /// What is done.
    pub body: YulBlock,
}

/// An expression: words of 256 bits.
#[derive(Clone, Debug)]
pub enum YulExpression {
    /// A number, or the bytes of a string.
    Literal(BigUint),
    /// A name.
    Name(String),
    /// An instruction, or a function of the block.
    Call(String, Vec<YulExpression>),
}
