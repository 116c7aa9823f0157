//! Statements of the syntax tree.

use std::sync::Arc;

use super::{Assembly, Expression, VariableDeclaration};
use crate::front::solidity::place::FileRange;

/// Statements in braces.
#[derive(Clone, Debug)]
pub struct BlockStatement {
    /// The statements.
    pub statements: Vec<Statement>,
    /// Whether arithmetic wraps around in it.
    pub unchecked: bool,
    /// Where it is.
    pub place: FileRange,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it is.
    pub place: FileRange,
}

/// Kinds of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// Statements in braces.
    Block(BlockStatement),
    /// `if`
    If {
        /// The condition.
        condition: Expression,
        /// What is done if it is true.
        yes: Box<Statement>,
        /// What is done if it is false.
        no: Option<Box<Statement>>,
    },
    /// `while`
    While {
        /// The condition.
        condition: Expression,
        /// What is repeated.
        body: Box<Statement>,
    },
    /// `do … while`
    DoWhile {
        /// The condition.
        condition: Expression,
        /// What is repeated.
        body: Box<Statement>,
    },
    /// `for`
    For {
        /// What is done first.
        first: Option<Box<Statement>>,
        /// The condition.
        condition: Option<Expression>,
        /// What is done after each round.
        next: Option<Box<Statement>>,
        /// What is repeated.
        body: Box<Statement>,
    },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<Expression>),
    /// `throw`, of old versions.
    Throw,
    /// `emit E(…)`
    Emit(Expression),
    /// `revert E(…)`
    Revert(Expression),
    /// An expression.
    Expression(Expression),
    /// `T x = e;`, `(T x, , U y) = e;`. A name that is left out is a hole.
    Declaration {
        /// The variables.
        variables: Vec<Option<Arc<VariableDeclaration>>>,
        /// What they are set to.
        value: Option<Expression>,
    },
    /// `_`, in a modifier.
    Placeholder,
    /// `try … { } catch { }`
    Try {
        /// The call.
        call: Expression,
        /// What is done if it ends well; its variables are the results.
        success: TryClause,
        /// What is done if it does not.
        catches: Vec<TryClause>,
    },
    /// `assembly { }`
    Assembly(Assembly),
}

/// A branch of a `try`.
#[derive(Clone, Debug)]
pub struct TryClause {
    /// `Error`, `Panic`, or nothing.
    pub name: String,
    /// What the branch is told.
    pub parameters: Vec<Arc<VariableDeclaration>>,
    /// What is done.
    pub block: BlockStatement,
    /// Where it is.
    pub place: FileRange,
}
