//! Procedures as control-flow graphs.

use crate::boogie::ast::Pos;
use crate::boogie::typed::{Expr, Type, Var};

/// A procedure or an extracted loop.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name; recursion is counted by it.
    pub name: String,
    /// Is it a loop?
    pub is_loop: bool,
    /// How much deeper than the bound it may recur.
    pub extra_bound: u32,
    /// Its local variables: name and type.
    pub vars: Vec<(String, Type)>,
    /// The local variables that are its parameters.
    pub ins: Vec<usize>,
    /// The local variables that are its results, the error result among them.
    pub outs: Vec<usize>,
    /// The error result: a Boolean local variable.
    pub error: Option<usize>,
    /// The nodes; the first is the entry.
    pub nodes: Vec<Node>,
    /// The node where it ends.
    pub exit: usize,
}

/// A node of the graph: commands, then on to any of the successors.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// The label, where the node begins a block of the text.
    pub label: Option<String>,
    /// Where it begins.
    pub pos: Pos,
    /// What it does.
    pub cmds: Vec<Cmd>,
    /// Where it goes.
    pub succs: Vec<usize>,
    /// Why the procedure fails here.
    pub failure: Option<Failure>,
    /// Is it a recursive call of a flattened procedure, and nothing else?
    pub is_lone_call: bool,
}

/// Why an execution fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An assertion, and its text.
    Assert(Pos, String),
    /// A precondition, and its text.
    Requires(Pos, String),
    /// A postcondition, and its text.
    Ensures(Pos, String),
    /// The callee failed.
    Callee,
}

/// A command and its place; none for what the text does not say.
#[derive(Clone, Debug)]
pub struct Cmd {
    /// Where it is.
    pub pos: Option<Pos>,
    /// What it does.
    pub kind: Simple,
}

/// A command.
#[derive(Clone, Debug)]
pub enum Simple {
    /// Blocks unless this holds.
    Assume(Expr),
    /// All at once.
    Assign(Vec<(Var, Expr)>),
    /// Gives arbitrary values.
    Havoc(Vec<Var>),
    /// Calls the procedure of that number. Globals are passed unsaid.
    Call {
        /// The procedure.
        callee: usize,
        /// Arguments for the callee's `ins`; none is arbitrary.
        args: Vec<Option<Expr>>,
        /// What gets the callee's `outs`.
        outs: Vec<Option<Var>>,
    },
    /// Notes a value for the trace.
    Record(Option<String>, Expr),
}

/// A construct that the engine cannot do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {what}", pos.line, pos.col)]
pub struct Unsupported {
    /// Where it is.
    pub pos: Pos,
    /// What it is: one sentence.
    pub what: String,
}

impl Unsupported {
    pub(super) fn new(pos: Pos, what: impl Into<String>) -> Self {
        Unsupported {
            pos,
            what: what.into(),
        }
    }
}
