//! The compiler's syntax tree, typed and resolved, as data: from version 0.4.12 to today's.
//!
//! What the versions write differently is read into one form. Names are resolved to declarations by the compiler, and
//! each expression has its type. `read` makes a tree from JSON, [`SolidityProgram`] finds declarations by their ids.

mod expression;
mod program;
mod read;
mod statement;
mod types;
mod yul;

use std::sync::Arc;

pub use expression::{
    Binary, CallExpression, CallKind, Expression, ExpressionKind, Literal, Unary,
};
pub use program::SolidityProgram;
pub(super) use read::unit;
pub use statement::{BlockStatement, Statement, StatementKind, TryClause};
pub use types::{FunctionType, Int, Location, Magic, SolidityType};
pub use yul::{Assembly, Reference, Suffix, Yul, YulBlock, YulCase, YulExpression};

use super::place::FileRange;

/// The compiler's number of a node. What is always there (`msg`, `require`) has one below zero, or one that is nobody's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub i64);

/// A source file's tree.
#[derive(Clone, Debug)]
pub struct Unit {
    /// Its id.
    pub id: NodeId,
    /// The name that the compiler knows the file by.
    pub path: String,
    /// What its `pragma solidity` say: `>=0.4.22<0.9.0`.
    pub pragmas: Vec<String>,
    /// The files that it imports: their names, and the ids of their trees.
    pub imports: Vec<(String, NodeId)>,
    /// What is declared in it, in order.
    pub items: Vec<Declaration>,
}

/// What is declared in a file, or in a contract.
#[derive(Clone, Debug)]
pub enum Declaration {
    /// A contract, interface or library.
    Contract(Arc<ContractDefinition>),
    /// A function.
    Function(Arc<FunctionDefinition>),
    /// A modifier.
    Modifier(Arc<Modifier>),
    /// A state variable, or a constant of a file.
    Variable(Arc<VariableDeclaration>),
    /// A struct.
    Struct(Arc<Struct>),
    /// An enum.
    Enum(Arc<EnumDefinition>),
    /// `type T is U;`
    UserValue(Arc<UserValue>),
    /// A custom error.
    Error(Arc<EventDefinition>),
    /// An event.
    Event(Arc<EventDefinition>),
}

impl Declaration {
    /// Its id.
    pub fn id(&self) -> NodeId {
        match self {
            Declaration::Contract(contract) => contract.id,
            Declaration::Function(function) => function.id,
            Declaration::Modifier(modifier) => modifier.id,
            Declaration::Variable(variable) => variable.id,
            Declaration::Struct(structure) => structure.id,
            Declaration::Enum(enumeration) => enumeration.id,
            Declaration::UserValue(value) => value.id,
            Declaration::Error(event) | Declaration::Event(event) => event.id,
        }
    }
}

/// A contract, interface or library.
#[derive(Clone, Debug)]
pub struct ContractDefinition {
    /// Its id.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// What it is.
    pub kind: ContractKind,
    /// Whether it is marked abstract, or (before 0.6) has functions without a body.
    pub is_abstract: bool,
    /// Itself and all its bases, most derived first.
    pub linearized: Vec<NodeId>,
    /// What it says it inherits from.
    pub bases: Vec<Inheritance>,
    /// What is declared in it, in order.
    pub items: Vec<Declaration>,
}

/// Kinds of contracts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ContractKind {
    /// `contract`
    Contract,
    /// `interface`
    Interface,
    /// `library`
    Library,
}

/// A base of a contract, with the arguments of its constructor if they are given here.
#[derive(Clone, Debug)]
pub struct Inheritance {
    /// The base.
    pub base: NodeId,
    /// The arguments.
    pub arguments: Option<Vec<Expression>>,
    /// Where it is said.
    pub place: FileRange,
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// Its id.
    pub id: NodeId,
    /// Its name; empty for constructors, `receive` and `fallback`.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// What it is.
    pub kind: FunctionKind,
    /// Who may call it.
    pub visibility: Visibility,
    /// What it may do.
    pub mutability: Mutability,
    /// Its parameters.
    pub parameters: Vec<Arc<VariableDeclaration>>,
    /// Its results.
    pub results: Vec<Arc<VariableDeclaration>>,
    /// Its modifiers; for a constructor also the bases that it gives arguments to.
    pub modifiers: Vec<ModifierCall>,
    /// Its body, if it has one.
    pub body: Option<BlockStatement>,
}

/// Kinds of functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// One with a name.
    Function,
    /// `constructor`
    Constructor,
    /// `receive`
    Receive,
    /// `fallback`, or the function without a name of old versions.
    Fallback,
}

/// Who may use a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Only outside.
    External,
    /// Everybody.
    Public,
    /// The contract and those derived from it.
    Internal,
    /// The contract.
    Private,
}

/// What a function may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mutability {
    /// It reads nothing.
    Pure,
    /// It changes nothing.
    View,
    /// It takes no ether.
    Nonpayable,
    /// It may be sent ether.
    Payable,
}

/// A modifier at a function, or a base constructor's arguments at a constructor.
#[derive(Clone, Debug)]
pub struct ModifierCall {
    /// The modifier or the base.
    pub target: NodeId,
    /// Whether it names a base of the contract: `C.m`, which is not looked up again.
    pub qualified: bool,
    /// The arguments; none if there are not even brackets.
    pub arguments: Option<Vec<Expression>>,
    /// Where it is.
    pub place: FileRange,
}

/// A modifier.
#[derive(Clone, Debug)]
pub struct Modifier {
    /// Its id.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its parameters.
    pub parameters: Vec<Arc<VariableDeclaration>>,
    /// Its body, if it has one.
    pub body: Option<BlockStatement>,
}

/// A variable: of a contract, a struct, a function.
#[derive(Clone, Debug)]
pub struct VariableDeclaration {
    /// Its id.
    pub id: NodeId,
    /// Its name; may be empty.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its type.
    pub ty: SolidityType,
    /// Who may read it.
    pub visibility: Visibility,
    /// Whether, and when, it may change.
    pub changes: Changes,
    /// What it is set to at first.
    pub value: Option<Expression>,
    /// Whether it is an indexed parameter of an event.
    pub indexed: bool,
}

/// When a state variable may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Changes {
    /// Always.
    Mutable,
    /// Always; it is zero again after each transaction.
    Transient,
    /// In the constructor.
    Immutable,
    /// Never.
    Constant,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its id.
    pub id: NodeId,
    /// Its name, with its contract's: `Vault.Deposit`.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its members.
    pub members: Vec<Arc<VariableDeclaration>>,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct EnumDefinition {
    /// Its id.
    pub id: NodeId,
    /// Its name, with its contract's.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its members.
    pub members: Vec<String>,
}

/// A type of the user's that has the values of an elementary one.
#[derive(Clone, Debug)]
pub struct UserValue {
    /// Its id.
    pub id: NodeId,
    /// Its name, with its contract's.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// The elementary type.
    pub underlying: SolidityType,
}

/// An event or a custom error.
#[derive(Clone, Debug)]
pub struct EventDefinition {
    /// Its id.
    pub id: NodeId,
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its parameters.
    pub parameters: Vec<Arc<VariableDeclaration>>,
}
