//! Procedures as control-flow graphs.

use super::error::Result;
use crate::boogie::ast::Pos;
use crate::boogie::typed::{BoogieType, LocalId, TypedExpr, TypedExprKind, VariableRef};
use crate::ids::{Id, Table, id};
use crate::internal::Internal;

id! {
    /// A procedure or an extracted loop, as a graph.
    pub ProcId;
    /// A node of a graph.
    pub NodeId;
}

/// A procedure or an extracted loop.
#[derive(Clone, Debug)]
pub struct Proc {
    /// Its name; recursion is counted by it.
    pub name: String,
    /// Is it a loop?
    pub is_loop: bool,
    /// How much deeper than the bound it may recur.
    pub extra_bound: u32,
    /// Its local variables.
    pub vars: Table<LocalId, LocalVar>,
    /// The local variables that are its parameters.
    pub ins: Vec<LocalId>,
    /// The local variables that are its results, the error result among them.
    pub outs: Vec<LocalId>,
    /// The error result: a Boolean local variable.
    pub error: Option<LocalId>,
    /// The nodes; the first is the entry.
    pub nodes: Table<NodeId, GraphNode>,
    /// The node where it ends.
    pub exit: NodeId,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct LocalVar {
    /// Its name in the text, or what it is for.
    pub name: String,
    /// Its type.
    pub ty: BoogieType,
}

/// A node of the graph: commands, then on to any of the successors.
#[derive(Clone, Debug, Default)]
pub struct GraphNode {
    /// The label, where the node begins a block of the text.
    pub label: Option<String>,
    /// Where it begins.
    pub pos: Pos,
    /// What it does.
    pub cmds: Vec<Cmd>,
    /// Where it goes.
    pub succs: Vec<NodeId>,
    /// Why the procedure fails here.
    pub failure: Option<FailedCheck>,
    /// Is it a recursive call of a flattened procedure, and nothing else?
    pub is_lone_call: bool,
}

/// The check that an execution fails at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailedCheck {
    /// An assertion, and its text.
    Assert(Pos, String),
    /// A precondition, and its text.
    Requires(Pos, String),
    /// A postcondition, and its text.
    Ensures(Pos, String),
    /// One in the procedure that is called.
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
    Assume(TypedExpr),
    /// All at once.
    Assign(Vec<(VariableRef, TypedExpr)>),
    /// Gives arbitrary values.
    Havoc(Vec<VariableRef>),
    /// Calls a procedure. Globals are passed unsaid.
    Call {
        /// The procedure.
        callee: ProcId,
        /// Arguments for the callee's `ins`; none is arbitrary.
        args: Vec<Option<TypedExpr>>,
        /// What gets the callee's `outs`.
        outs: Vec<Option<VariableRef>>,
    },
    /// Notes a value for the trace.
    Record(Option<String>, TypedExpr),
}

impl Proc {
    /// The node where execution begins.
    pub fn entry(&self) -> NodeId {
        NodeId::new(0)
    }

    /// A graph without nodes, for a procedure that has none.
    pub(super) fn empty() -> Self {
        Proc {
            name: String::new(),
            is_loop: false,
            extra_bound: 0,
            vars: Table::new(),
            ins: Vec::new(),
            outs: Vec::new(),
            error: None,
            nodes: Table::new(),
            exit: NodeId::new(0),
        }
    }

    /// Another local variable.
    pub(super) fn fresh(&mut self, name: &str, ty: BoogieType) -> LocalId {
        self.vars.push(LocalVar {
            name: name.into(),
            ty,
        })
    }

    /// A local variable as an expression.
    pub(super) fn local(&self, id: LocalId) -> Result<TypedExpr, Internal> {
        Ok(local(id, self.vars.at(id)?.ty.clone()))
    }

    /// The successors of a node.
    pub(super) fn succs(&self, node: NodeId) -> Result<&[NodeId], Internal> {
        Ok(&self.nodes.at(node)?.succs)
    }

    /// All calls in it.
    pub(super) fn calls(&self) -> impl Iterator<Item = ProcId> {
        let cmds = self.nodes.iter().flat_map(|n| &n.cmds);
        cmds.filter_map(|c| match &c.kind {
            Simple::Call { callee, .. } => Some(*callee),
            _ => None,
        })
    }
}

impl Cmd {
    /// A command that the text does not say.
    pub(super) fn unsaid(kind: Simple) -> Self {
        Cmd { pos: None, kind }
    }
}

impl Simple {
    /// Calls `each` on the command's expressions.
    pub fn exprs(&self, each: &mut dyn FnMut(&TypedExpr)) {
        match self {
            Simple::Assume(e) | Simple::Record(_, e) => each(e),
            Simple::Assign(pairs) => pairs.iter().for_each(|(_, e)| each(e)),
            Simple::Havoc(_) => {}
            Simple::Call { args, .. } => args.iter().flatten().for_each(each),
        }
    }

    /// Calls `each` on the variables that the command reads by name.
    pub fn reads(&self, each: &mut dyn FnMut(VariableRef)) {
        self.exprs(&mut |e| {
            e.visit(&mut |e| {
                if let TypedExprKind::Var(v) = e.kind {
                    each(v);
                }
            });
        });
    }

    /// Calls `each` on the variables that the command gives a value by name.
    pub fn writes(&self, each: &mut dyn FnMut(VariableRef)) {
        match self {
            Simple::Assume(_) | Simple::Record(..) => {}
            Simple::Assign(pairs) => pairs.iter().for_each(|(v, _)| each(*v)),
            Simple::Havoc(vars) => vars.iter().copied().for_each(each),
            Simple::Call { outs, .. } => outs.iter().flatten().copied().for_each(each),
        }
    }
}

/// A local variable as an expression.
pub(super) fn local(id: LocalId, ty: BoogieType) -> TypedExpr {
    TypedExpr {
        kind: TypedExprKind::Var(VariableRef::Local(id)),
        ty,
    }
}
