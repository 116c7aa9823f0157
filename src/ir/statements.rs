//! Statements.

use super::{ClassId, ExceptionId, Expr, FieldRef, RoutineRef, Type, VarId};
use crate::ir::span::Span;

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it says.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

impl Stmt {
    /// The blocks directly in this statement, in the order they are written.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If(_, then, otherwise) => vec![then, otherwise],
            StmtKind::While { body, .. } => vec![body],
            StmtKind::Try { body, catches } => std::iter::once(body)
                .chain(catches.iter().map(|(_, handler)| handler))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The type of what the statement makes anew.
    pub fn made_type(&self) -> Option<Type> {
        match &self.kind {
            StmtKind::New { class, .. } => Some(Type::Class {
                class: *class,
                nullable: false,
            }),
            StmtKind::NewArray { element, .. } => Some(Type::Array {
                element: Box::new(element.clone()),
                nullable: false,
            }),
            _ => None,
        }
    }

    /// The statement with other blocks in it: each what `change` makes of the one that was there.
    pub fn map_blocks(&self, mut change: impl FnMut(&Block) -> Block) -> Stmt {
        let mut mapped = self.clone();
        match &mut mapped.kind {
            StmtKind::If(_, then, otherwise) => {
                *then = change(then);
                *otherwise = change(otherwise);
            }
            StmtKind::While { body, .. } => *body = change(body),
            StmtKind::Try { body, catches } => {
                *body = change(body);
                for (_, handler) in catches {
                    *handler = change(handler);
                }
            }
            _ => {}
        }
        mapped
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `p := e;`
    Assign(Place, Expr),
    /// `havoc p;`: any value of the place's declared type
    Havoc(Place),
    /// `p, q := o.m(args);`: the receiver is looked at first, then the arguments, left to right
    Call {
        /// One place a result, or none at all.
        targets: Vec<Place>,
        /// The object; [`ExprKind::This`](super::ExprKind::This) for an unqualified call.
        receiver: Expr,
        /// What is called: an action or procedure.
        routine: RoutineRef,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `p := new C(args);`
    New {
        /// Where the object goes.
        target: Place,
        /// Its class.
        class: ClassId,
        /// Its constructor; none where the class has none (its `initially` is its meaning).
        constructor: Option<RoutineRef>,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `p := new T[n];`: the elements are arbitrary
    NewArray {
        /// Where the array goes.
        target: Place,
        /// The type of its elements.
        element: Type,
        /// How many.
        length: Expr,
    },
    /// `assume e;`
    Assume(Expr),
    /// `assert e;`: raises [`AssertionFailure`](super::BuiltinException::AssertionFailure) where `e` is false
    Assert(Expr),
    /// `if (c) { } else { }`
    If(Condition, Block, Block),
    /// `while (c) { }`
    While {
        /// The condition.
        condition: Condition,
        /// Hints for proofs; not part of the execution.
        invariants: Vec<Expr>,
        /// The body.
        body: Block,
    },
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;`
    Return,
    /// `throw E;`
    Throw(ExceptionId),
    /// `try { } catch E { }`
    Try {
        /// What is tried.
        body: Block,
        /// The handlers; each exception at most once.
        catches: Vec<(ExceptionId, Block)>,
    },
}

/// A branch's condition.
#[derive(Clone, Debug)]
pub enum Condition {
    /// `*`: either way
    Any,
    /// A boolean expression.
    Expr(Expr),
}

/// What can be assigned.
#[derive(Clone, Debug)]
pub enum Place {
    /// A local variable or result.
    Var(VarId),
    /// A field of an object; [`ExprKind::This`](super::ExprKind::This) for the object itself.
    Field(Expr, FieldRef),
    /// An element of an array.
    Element(Expr, Expr),
}
