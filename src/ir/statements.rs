//! Statements.

use super::{ClassId, ExceptionId, Expr, FieldRef, LabelId, RoutineRef, Type, VarId};
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
    /// The statement that raises an exception where a condition holds.
    pub(crate) fn throw_where(condition: Expr, exception: ExceptionId, span: Span) -> Stmt {
        let throw = Stmt {
            kind: StmtKind::Throw(exception),
            span,
        };
        Stmt {
            kind: StmtKind::If(Condition::Expr(condition), vec![throw], Vec::new()),
            span,
        }
    }

    /// The statement that does it, or nothing.
    pub(crate) fn maybe(done: Stmt) -> Stmt {
        let span = done.span;
        Stmt {
            kind: StmtKind::If(Condition::Any, vec![done], Vec::new()),
            span,
        }
    }

    /// The routine that it runs, if it runs one.
    pub(crate) fn called(&self) -> Option<RoutineRef> {
        match &self.kind {
            StmtKind::Call { routine, .. } => Some(*routine),
            StmtKind::New { constructor, .. } => *constructor,
            _ => None,
        }
    }

    /// The blocks directly in this statement, in the order they are written.
    pub fn blocks(&self) -> Vec<&Block> {
        match &self.kind {
            StmtKind::If(_, then, otherwise) => vec![then, otherwise],
            StmtKind::While { body, .. } | StmtKind::Labelled(_, body) => vec![body],
            StmtKind::Try { body, catches } => std::iter::once(body)
                .chain(catches.iter().map(|catch| &catch.body))
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
            StmtKind::While { body, .. } | StmtKind::Labelled(_, body) => *body = change(body),
            StmtKind::Try { body, catches } => {
                *body = change(body);
                for catch in catches {
                    catch.body = change(&catch.body);
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
    /// `havoc? p;`: the same, where it is not known which of them it can be. What a run does behind it, it may not do.
    Guess(Place),
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
    /// `p := new T[n];`, `p := new T[n](v);`
    NewArray {
        /// Where the array goes.
        target: Place,
        /// The type of its elements.
        element: Type,
        /// How many.
        length: Expr,
        /// What each of them is; arbitrary without one.
        fill: Option<Expr>,
    },
    /// `assume e;`
    Assume(Expr),
    /// `assert e;`: raises [`AssertionFailure`](super::BuiltinException::AssertionFailure) where `e` is false
    Assert(Expr),
    /// `if (c) { } else { }`
    If(Condition, Block, Block),
    /// `while (c) { }`
    While {
        /// What [`Break`](StmtKind::Break) and [`Continue`](StmtKind::Continue) call it.
        label: LabelId,
        /// The condition.
        condition: Condition,
        /// Hints for proofs; not part of the execution.
        invariants: Vec<Expr>,
        /// The body.
        body: Block,
    },
    /// `l: { }`: goes on behind it where it is left by its label
    Labelled(LabelId, Block),
    /// `break l;`: leaves the loop or labelled block around that has this label
    Break(LabelId),
    /// `continue l;`: looks at the condition of the loop around that has this label
    Continue(LabelId),
    /// `return;`
    Return,
    /// `throw E;`
    Throw(ExceptionId),
    /// `throw;`: what the innermost handler around has caught
    ThrowAgain,
    /// `try { } catch E, F { }`
    Try {
        /// What is tried.
        body: Block,
        /// The handlers; each exception at most once.
        catches: Vec<Catch>,
    },
}

/// `catch E, F { }`
#[derive(Clone, Debug)]
pub struct Catch {
    /// What it catches; for all exceptions, each of them.
    pub exceptions: Vec<ExceptionId>,
    /// What is done then.
    pub body: Block,
}

impl Catch {
    /// Whether what it caught may be raised again.
    pub fn throws_again(&self) -> bool {
        let mut blocks = vec![&self.body];
        while let Some(block) = blocks.pop() {
            for stmt in block {
                match &stmt.kind {
                    StmtKind::ThrowAgain => return true,
                    // In the handlers inside, another exception is meant.
                    StmtKind::Try { body, .. } => blocks.push(body),
                    _ => blocks.extend(stmt.blocks()),
                }
            }
        }
        false
    }
}

/// The handler of an exception, if there is one.
pub fn handler_of(catches: &[Catch], exception: ExceptionId) -> Option<&Catch> {
    let mut catches = catches.iter();
    catches.find(|catch| catch.exceptions.contains(&exception))
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
