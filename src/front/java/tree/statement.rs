//! Statements: steps put in order by blocks, conditions, loops and handlers.

use super::expression::{Expr, Variable, VariableId};
use super::step::{Place, Step};
use crate::front::java::types::ClassName;

/// A name for a statement that can be left or begun again from inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub u32);

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// One thing is done.
    Step(Step),
    /// `if (c) { … } else { … }`
    If {
        /// Where it is decided.
        place: Place,
        /// What decides.
        condition: Expr,
        /// What is done if it holds.
        then: Vec<Statement>,
        /// What is done if it does not.
        otherwise: Vec<Statement>,
    },
    /// `switch (e) { … }`: the case with the value, or the default one. None goes on into the next.
    Switch {
        /// Where it is decided.
        place: Place,
        /// An `int`.
        value: Expr,
        /// What is done for these values.
        cases: Vec<(Vec<i32>, Vec<Statement>)>,
        /// What is done for all others.
        default: Vec<Statement>,
    },
    /// `l: while (c) { … }`: again and again, as long as the condition holds.
    Loop {
        /// For those who leave it or begin the next round.
        label: Label,
        /// Looked at before each round; nothing where it goes on for ever.
        condition: Option<(Place, Expr)>,
        /// A round.
        body: Vec<Statement>,
    },
    /// `l: { … }`
    Labelled {
        /// For those who leave it.
        label: Label,
        /// What can be left.
        body: Vec<Statement>,
    },
    /// Goes on behind the labelled statement or loop of that name, which this is part of.
    Break(Label),
    /// Begins the next round of the loop of that name, which this is part of.
    Continue(Label),
    /// Ends the method.
    Return(Place, Option<Expr>),
    /// Raises an exception; a `NullPointerException` where there is none.
    Throw(Place, Expr),
    /// `try { … } catch …`: the first handler that fits an exception out of the body is run. Handlers do not stand guard
    /// over each other.
    Try {
        /// What is guarded.
        body: Vec<Statement>,
        /// The handlers.
        catches: Vec<Catch>,
    },
}

/// A handler.
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// The classes of exceptions it handles, with their subclasses; none for all exceptions.
    pub classes: Vec<ClassName>,
    /// What the exception is assigned to.
    pub variable: VariableId,
    /// What is done.
    pub body: Vec<Statement>,
}

/// The body of a method as a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its variables. Those of which [`parameters`](Body::parameters) speaks have a value when it begins.
    pub variables: Vec<Variable>,
    /// `this`, if there is one, and the parameters.
    pub parameters: Vec<VariableId>,
    /// What is done. It always ends in a `return` or a `throw`, or not at all.
    pub statements: Vec<Statement>,
    /// What is odd about it.
    pub notes: Vec<Note>,
}

/// Something about a body that is worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// Loops had several entries, so many; a variable was added that says which of them is meant.
    Irreducible(usize),
    /// The body enters monitors. They are part of the tree, but nothing here says what other threads do.
    Monitors,
    /// So many instructions have more than one copy, for the ends of a method were copied to where they are reached from.
    CopiedEnds(usize),
}

impl Statement {
    /// The lists of statements that it is made of.
    pub fn parts(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            Statement::Switch { cases, default, .. } => cases
                .iter()
                .map(|(_, body)| body)
                .chain([default])
                .collect(),
            Statement::Loop { body, .. } | Statement::Labelled { body, .. } => vec![body],
            Statement::Try { body, catches } => [body]
                .into_iter()
                .chain(catches.iter().map(|catch| &catch.body))
                .collect(),
            Statement::Step(_)
            | Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Return(..)
            | Statement::Throw(..) => Vec::new(),
        }
    }

    /// The lists of statements that it is made of, to be changed.
    pub fn parts_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            Statement::Switch { cases, default, .. } => cases
                .iter_mut()
                .map(|(_, body)| body)
                .chain([default])
                .collect(),
            Statement::Loop { body, .. } | Statement::Labelled { body, .. } => vec![body],
            Statement::Try { body, catches } => {
                let handlers = catches.iter_mut().map(|catch| &mut catch.body);
                [body].into_iter().chain(handlers).collect()
            }
            Statement::Step(_)
            | Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Return(..)
            | Statement::Throw(..) => Vec::new(),
        }
    }

    /// Calls `visit` with it and all statements in it, outer ones first.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a Statement)) {
        visit(self);
        for statement in self.parts().into_iter().flatten() {
            statement.visit(visit);
        }
    }

    /// Whether it may come to its end, so that what follows it is reached.
    pub fn may_complete(&self) -> bool {
        match self {
            Statement::Step(_) => true,
            Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Return(..)
            | Statement::Throw(..) => false,
            Statement::Labelled { label, body } => may_complete(body) || leaves(body, *label),
            Statement::Loop {
                label,
                condition,
                body,
            } => condition.is_some() || leaves(body, *label),
            other => other.parts().into_iter().any(|part| may_complete(part)),
        }
    }

    /// The expressions that it evaluates itself, to be changed.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Statement::Step(step) => step.kind.expressions_mut(),
            Statement::If { condition, .. } => vec![condition],
            Statement::Switch { value, .. } => vec![value],
            Statement::Loop { condition, .. } => condition.iter_mut().map(|(_, c)| c).collect(),
            Statement::Return(_, value) => value.iter_mut().collect(),
            Statement::Throw(_, value) => vec![value],
            _ => Vec::new(),
        }
    }

    /// The expressions that it evaluates itself, those of statements in it left out.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Statement::Step(step) => step.kind.expressions(),
            Statement::If { condition, .. } => vec![condition],
            Statement::Switch { value, .. } => vec![value],
            Statement::Loop { condition, .. } => condition.iter().map(|(_, c)| c).collect(),
            Statement::Return(_, value) => value.iter().collect(),
            Statement::Throw(_, value) => vec![value],
            _ => Vec::new(),
        }
    }
}

/// Whether the end of a list may be reached. Nothing stands behind a statement that does not come to its end.
pub fn may_complete(statements: &[Statement]) -> bool {
    statements.last().is_none_or(Statement::may_complete)
}

/// Whether something in a body leaves it by its label.
fn leaves(body: &[Statement], label: Label) -> bool {
    let mut found = false;
    for statement in body {
        statement.visit(&mut |part| found |= *part == Statement::Break(label));
    }
    found
}
