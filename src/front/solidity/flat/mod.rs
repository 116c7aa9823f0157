//! One contract, flattened: what all its bases, modifiers, libraries and free functions come to.
//!
//! - **One list of state variables**, in the order of storage, base first. What is inherited has the name that the user
//!   wrote, qualified where two have the same.
//! - **Routines** with bodies; calls go to routines, which one is decided: no dispatch, no `super`, no modifiers are left.
//!   [`EntryPoint`] says which can be called from outside, and as what.
//! - **Effects are statements, expressions have none**: an expression reads, computes, makes new values in memory, or
//!   reverts. What the user wrote inside an expression (calls, assignments, `x++`) stands before it, in the order in which
//!   the compiled code does it.
//! - **Storage references are gone.** `Deposit storage d = deposits[id]` leaves no variable: what is done to `d` is done to
//!   `deposits[id]`, with `id` kept if it may change. A routine with such a parameter is made for each form of place that
//!   is given to it, and takes the keys.
//! - **Memory stays as it is**: a local variable of a struct, array, `bytes` or `string` is a reference, and two may be
//!   the same. Copies are said: [`FlatExprKind::Load`] from storage, [`FlatExprKind::Copy`] from the data of a call.
//! - **Outside** is a statement, [`FlatStmtKind::Outside`]: the outcome and the results are what the environment likes.
//! - **Every node has its place** in the user's files.
//!
//! The tree says exactly what the compiled code does; what a checker then takes as opaque (strings, hashes) is its own
//! affair. Where the flattening itself did not understand, [`Contract::opaque`] and [`Contract::notes`] say so.

pub(in crate::front::solidity) mod effects;
mod expr;
mod stmt;
mod types;

use std::sync::Arc;

pub use expr::{
    AbiEncoding, AccessStep, ChainValue, FlatBinaryOp, FlatExpr, FlatExprKind, FlatLiteral, Lvalue,
    Overflow, Root, SolidityBuiltin, UnaryOp,
};
pub use stmt::{
    Attempt, CatchKind, FlatBlock, FlatCatch, FlatStmt, FlatStmtKind, Outside, OutsideKind, Why,
};
pub use types::{Alias, FlatEnum, FlatStruct, FlatType};

use super::ast::Mutability;
use super::place::{FileRange, Files};
use super::solc::Version;

/// A flattened contract.
#[derive(Clone, Debug)]
pub struct Contract {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// The files that places point into.
    pub files: Arc<Files>,
    /// The version of the compiler.
    pub version: Version,
    /// Structs that are used.
    pub structs: Vec<FlatStruct>,
    /// Enums that are used.
    pub enums: Vec<FlatEnum>,
    /// The user's own value types that are used.
    pub aliases: Vec<Alias>,
    /// State variables, in the order of storage; those that cannot change are among them.
    pub variables: Vec<StateVariable>,
    /// Constants that are used, of the contract, of libraries and of files.
    pub constants: Vec<Constant>,
    /// Functions of which only the signature is known.
    pub opaque: Vec<Opaque>,
    /// All routines.
    pub routines: Vec<FlatRoutine>,
    /// The constructor.
    pub constructor: EntryPoint,
    /// What can be called from outside, in the order of the linearisation, most derived first.
    pub entries: Vec<EntryPoint>,
    /// What cannot be taken.
    pub refused: Vec<Refused>,
    /// What is taken with less precision than it has.
    pub notes: Vec<Note>,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub(in crate::front::solidity) u32);

        impl $name {
            /// The number of a thing in its list.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            pub(in crate::front::solidity) fn of(index: usize) -> Self {
                $name(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }
    )*};
}

ids! {
    /// A struct, in [`Contract::structs`].
    StructId,
    /// An enum, in [`Contract::enums`].
    EnumId,
    /// A value type of the user's, in [`Contract::aliases`].
    AliasId,
    /// A state variable, in [`Contract::variables`].
    VariableId,
    /// A constant, in [`Contract::constants`].
    ConstantId,
    /// An opaque function, in [`Contract::opaque`].
    OpaqueId,
    /// A routine, in [`Contract::routines`].
    RoutineId,
    /// A local variable, in [`FlatRoutine::locals`].
    LocalId,
    /// A label of a block or loop of a routine.
    LabelId,
}

/// A state variable.
#[derive(Clone, Debug)]
pub struct StateVariable {
    /// Its name; `Base.name` where two have the same.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its type.
    pub ty: FlatType,
    /// When it may change.
    pub lifetime: Lifetime,
    /// The slot of storage where assembly put it; none if the compiler did.
    pub slot: Option<FlatExpr>,
}

/// How long a state variable keeps its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// Until it is assigned.
    Storage,
    /// For ever, once the constructor has ended.
    Immutable,
    /// Until the end of the transaction; then it is zero.
    Transient,
}

/// A constant.
#[derive(Clone, Debug)]
pub struct Constant {
    /// Its name, with that of the library or contract if it is not of this contract.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its type.
    pub ty: FlatType,
    /// Its value, which depends on nothing that changes.
    pub value: FlatExpr,
}

/// A function of which only the signature is known. Its results and whether it reverts are unknown, but (if it is pure) the
/// same for the same arguments.
#[derive(Clone, Debug)]
pub struct Opaque {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Whether results depend on the arguments only. Otherwise they may be different each time.
    pub is_pure: bool,
    /// Types of the parameters.
    pub parameters: Vec<FlatType>,
    /// Types of the results.
    pub results: Vec<FlatType>,
    /// What in it is not understood.
    pub because: Vec<NotTaken>,
}

/// A routine: a function with its modifiers, the constructor with those of all bases, a getter.
#[derive(Clone, Debug)]
pub struct FlatRoutine {
    /// Its name, which no other routine has: `transfer`, `ERC20.transfer` for a base's, `Math.max`.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// What it may do. A pure one may still change what its arguments refer to in memory.
    pub mutability: Mutability,
    /// Its local variables, with parameters and results.
    pub locals: Vec<Local>,
    /// Its parameters.
    pub parameters: Vec<LocalId>,
    /// Its results: they begin as zero, and are what is returned when the body ends.
    pub results: Vec<LocalId>,
    /// What it does.
    pub body: FlatBlock,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its name, which no other local variable of the routine has.
    pub name: String,
    /// Where it is.
    pub place: FileRange,
    /// Its type. One of a reference type is a reference into memory.
    pub ty: FlatType,
}

/// What can be called from outside.
#[derive(Clone, Debug)]
pub struct EntryPoint {
    /// What it is called: `transfer`; with the types of the parameters where two have the same name.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// What it may do.
    pub mutability: Mutability,
    /// The types of the parameters, as calls are encoded: `transfer(address,uint256)`.
    pub signature: String,
    /// The routine.
    pub routine: RoutineId,
    /// Where it is.
    pub place: FileRange,
}

/// Kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// The constructor.
    Constructor,
    /// A function.
    Function,
    /// The getter of a public variable.
    Getter,
    /// What gets ether that comes without a call.
    Receive,
    /// What gets calls of anything else. If it takes a parameter, that is the data of the call.
    Fallback,
}

impl EntryPoint {
    /// Whether it takes ether.
    pub fn is_payable(&self) -> bool {
        self.mutability == Mutability::Payable
    }

    /// Whether it changes nothing.
    pub fn is_view(&self) -> bool {
        self.mutability <= Mutability::View
    }
}

/// Why something is not taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NotTaken {
    /// Where.
    pub place: FileRange,
    /// What it is: `delegatecall runs foreign code on this contract's storage`.
    pub what: String,
}

/// Something that can be called from outside, and is not taken.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Its name, as [`EntryPoint::name`].
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// What it may do.
    pub mutability: Mutability,
    /// Where it is.
    pub place: FileRange,
    /// Why. Places may be in bases and libraries.
    pub because: Vec<NotTaken>,
}

/// Something that is taken with less precision than it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Note {
    /// Where.
    pub place: FileRange,
    /// What is lost.
    pub what: String,
}

impl Contract {
    /// A struct.
    pub fn structure(&self, id: StructId) -> Option<&FlatStruct> {
        self.structs.get(id.index())
    }

    /// A state variable.
    pub fn variable(&self, id: VariableId) -> Option<&StateVariable> {
        self.variables.get(id.index())
    }

    /// A routine.
    pub fn routine(&self, id: RoutineId) -> Option<&FlatRoutine> {
        self.routines.get(id.index())
    }
}

impl FlatRoutine {
    /// A local variable.
    pub fn local(&self, id: LocalId) -> Option<&Local> {
        self.locals.get(id.index())
    }
}
