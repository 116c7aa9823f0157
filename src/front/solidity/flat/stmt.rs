//! Statements of the flattened contract.

use super::{FlatExpr, FlatType, LabelId, LocalId, Lvalue, OpaqueId, RoutineId};
use crate::front::solidity::place::FileRange;

/// Statements, one after the other.
pub type FlatBlock = Vec<FlatStmt>;

/// A statement.
#[derive(Clone, Debug)]
pub struct FlatStmt {
    /// What it is.
    pub kind: FlatStmtKind,
    /// Where it is.
    pub place: FileRange,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum FlatStmtKind {
    /// A local variable begins, with this value, or as zero (of a reference type: something new in memory).
    Declare(LocalId, Option<FlatExpr>),
    /// A place gets a value. In storage, a reference's contents are copied: a fixed array may become a dynamic one and
    /// elements take the type of the place; mappings inside stay as they are.
    Assign(Lvalue, FlatExpr),
    /// An array in storage grows by an element: this one, or zero.
    Push(Lvalue, Option<FlatExpr>),
    /// An array in storage loses its last element; reverts if there is none.
    Pop(Lvalue),
    /// An array in storage gets a length: what is behind it is set to zero. (Until 0.5.)
    Resize(Lvalue, FlatExpr),
    /// An expression, for it may revert.
    Evaluate(FlatExpr),
    /// A choice.
    If(FlatExpr, FlatBlock, FlatBlock),
    /// A loop, which can be left by its label.
    While(LabelId, FlatExpr, FlatBlock),
    /// Statements that can be left by a label.
    Labelled(LabelId, FlatBlock),
    /// Goes on behind what has the label.
    Leave(LabelId),
    /// Reverts unless it is true.
    Require(FlatExpr, Why),
    /// Reverts.
    Revert(Why),
    /// Calls a routine, whose results go into local variables.
    Call {
        /// The routine.
        routine: RoutineId,
        /// The arguments.
        arguments: Vec<FlatExpr>,
        /// Where the results go.
        results: Vec<LocalId>,
    },
    /// Calls a function of which only the signature is known; reverts if it does.
    Opaque {
        /// The function.
        function: OpaqueId,
        /// The arguments.
        arguments: Vec<FlatExpr>,
        /// Where the results go.
        results: Vec<LocalId>,
    },
    /// Takes `bytes` apart, as `abi.decode` does; reverts where they do not have the types of the results.
    Decode(FlatExpr, Vec<LocalId>),
    /// Asks the outside.
    Outside(Outside),
    /// `this.f(…)`: the contract sends a message to itself. `msg.sender` is then its own address.
    CallSelf {
        /// The routine.
        routine: RoutineId,
        /// Whether it takes ether; else it reverts if it gets some.
        payable: bool,
        /// The arguments; what they refer to is copied.
        arguments: Vec<FlatExpr>,
        /// The ether that goes with it.
        value: Option<FlatExpr>,
        /// Where the results go; what they refer to is copied.
        results: Vec<LocalId>,
    },
    /// `try`: what happens next depends on how a call ends. A call that fails leaves nothing behind.
    Try {
        /// The call.
        attempt: Box<Attempt>,
        /// What happens if it ends well.
        success: FlatBlock,
        /// What happens if it fails, by what it says; if none fits, it reverts.
        catches: Vec<FlatCatch>,
    },
    /// A local variable gets any value of its type: what assembly or the machine gives is not known.
    Havoc(LocalId),
    /// What a reference refers to gets any contents: assembly has written there.
    HavocMemory(FlatExpr),
}

/// A call in a `try`: [`FlatStmtKind::Outside`] (which then does not say where its success goes) or [`FlatStmtKind::CallSelf`].
pub type Attempt = FlatStmt;

/// A branch for a call that fails.
#[derive(Clone, Debug)]
pub struct FlatCatch {
    /// What it must say.
    pub kind: CatchKind,
    /// The variable that gets it.
    pub parameter: Option<LocalId>,
    /// What happens then.
    pub body: FlatBlock,
}

/// What a call that fails says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CatchKind {
    /// `Error(string)`
    Error,
    /// `Panic(uint256)`
    Panic,
    /// Anything.
    Any,
}

/// A question to the outside: what it answers is its own choice.
#[derive(Clone, Debug)]
pub struct Outside {
    /// What is called.
    pub kind: OutsideKind,
    /// Whom; none for a contract that is made.
    pub target: Option<FlatExpr>,
    /// The ether that goes with it; it is gone if the call succeeds, and must be there.
    pub value: Option<FlatExpr>,
    /// The arguments.
    pub arguments: Vec<FlatExpr>,
    /// Where it is said whether it succeeded. None: if it did not, it reverts.
    pub success: Option<LocalId>,
    /// Where the results go.
    pub results: Vec<LocalId>,
}

/// What of the outside is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutsideKind {
    /// A function of a contract or an interface.
    Function {
        /// The contract's or interface's name.
        contract: String,
        /// `transfer(address,uint256)`
        signature: String,
        /// Types of the results.
        results: Vec<FlatType>,
        /// Whether it can change nothing.
        is_static: bool,
    },
    /// `.transfer(value)`: there is no call, only ether.
    Transfer,
    /// `.send(value)`
    Send,
    /// `.call(data)`; the result is what comes back.
    Call,
    /// `.staticcall(data)`
    StaticCall,
    /// `new C(…)`; the result is its address, which is not zero.
    Create {
        /// The contract's name.
        contract: String,
    },
    /// A function of this contract that has no body yet.
    Unimplemented {
        /// Its name.
        name: String,
    },
}

/// Why it reverts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// `require`, `revert`, `throw`; with its message if that is a literal.
    Require(Option<String>),
    /// A custom error.
    Error(String),
    /// `assert`
    Assert,
    /// One of the compiler's own checks, by its code: `0x11` overflow, `0x12` division by zero, `0x21` conversion to an
    /// enum, `0x31` `pop` of nothing, `0x32` index, `0x41` memory, `0x51` uninitialised function.
    Panic(u8),
    /// In assembly.
    Assembly,
}

impl FlatStmt {
    /// A statement.
    pub fn new(kind: FlatStmtKind, place: FileRange) -> FlatStmt {
        FlatStmt { kind, place }
    }
}

impl FlatStmtKind {
    /// The blocks inside of it.
    pub fn blocks(&self) -> Vec<&FlatBlock> {
        match self {
            FlatStmtKind::If(_, yes, no) => vec![yes, no],
            FlatStmtKind::While(_, _, body) | FlatStmtKind::Labelled(_, body) => vec![body],
            FlatStmtKind::Try {
                success, catches, ..
            } => {
                let catches = catches.iter().map(|catch| &catch.body);
                std::iter::once(success).chain(catches).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The blocks inside of it, to be changed.
    pub fn blocks_mut(&mut self) -> Vec<&mut FlatBlock> {
        match self {
            FlatStmtKind::If(_, yes, no) => vec![yes, no],
            FlatStmtKind::While(_, _, body) | FlatStmtKind::Labelled(_, body) => vec![body],
            FlatStmtKind::Try {
                success, catches, ..
            } => {
                let catches = catches.iter_mut().map(|catch| &mut catch.body);
                std::iter::once(success).chain(catches).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The routine that it calls, not counting those called in its blocks.
    pub fn called(&self) -> Option<RoutineId> {
        match self {
            FlatStmtKind::Call { routine, .. } | FlatStmtKind::CallSelf { routine, .. } => {
                Some(*routine)
            }
            FlatStmtKind::Try { attempt, .. } => attempt.kind.called(),
            _ => None,
        }
    }

    /// The same, to be changed.
    pub(in crate::front::solidity) fn called_mut(&mut self) -> Option<&mut RoutineId> {
        match self {
            FlatStmtKind::Call { routine, .. } | FlatStmtKind::CallSelf { routine, .. } => {
                Some(routine)
            }
            FlatStmtKind::Try { attempt, .. } => attempt.kind.called_mut(),
            _ => None,
        }
    }
}
