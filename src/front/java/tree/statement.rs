//! Statements: steps put in order by blocks, conditions, loops and handlers.

use std::collections::BTreeSet;

use super::expression::{BodyVariable, JavaExpr, VariableId};
use super::step::{CodePlace, JavaStep};
use crate::front::java::types::ClassName;

/// A name for a statement that can be left or begun again from inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JumpLabel(pub u32);

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum JavaStatement {
    /// One thing is done.
    Step(JavaStep),
    /// `if (c) { … } else { … }`
    If {
        /// Where it is decided.
        place: CodePlace,
        /// What decides.
        condition: JavaExpr,
        /// What is done if it holds.
        then: Vec<JavaStatement>,
        /// What is done if it does not.
        otherwise: Vec<JavaStatement>,
    },
    /// `switch (e) { … }`: the case with the value, or the default one. None goes on into the next.
    Switch {
        /// Where it is decided.
        place: CodePlace,
        /// An `int`.
        value: JavaExpr,
        /// What is done for these values.
        cases: Vec<(Vec<i32>, Vec<JavaStatement>)>,
        /// What is done for all others.
        default: Vec<JavaStatement>,
    },
    /// `l: while (c) { … }`: again and again, as long as the condition holds.
    Loop {
        /// For those who leave it or begin the next round.
        label: JumpLabel,
        /// Looked at before each round; nothing where it goes on for ever.
        condition: Option<(CodePlace, JavaExpr)>,
        /// A round.
        body: Vec<JavaStatement>,
    },
    /// `l: { … }`
    Labelled {
        /// For those who leave it.
        label: JumpLabel,
        /// What can be left.
        body: Vec<JavaStatement>,
    },
    /// Goes on behind the labelled statement or loop of that name, which this is part of.
    Break(JumpLabel),
    /// Begins the next round of the loop of that name, which this is part of.
    Continue(JumpLabel),
    /// Ends the method.
    Return(CodePlace, Option<JavaExpr>),
    /// Raises an exception; a `NullPointerException` where there is none.
    Throw(CodePlace, JavaExpr),
    /// `try { … } catch …`: the first handler that fits an exception out of the body is run. Handlers do not stand guard
    /// over each other.
    Try {
        /// What is guarded.
        body: Vec<JavaStatement>,
        /// The handlers.
        catches: Vec<JavaCatch>,
    },
}

/// A handler.
#[derive(Clone, Debug, PartialEq)]
pub struct JavaCatch {
    /// The classes of exceptions it handles, with their subclasses; none for all exceptions.
    pub classes: Vec<ClassName>,
    /// What the exception is assigned to.
    pub variable: VariableId,
    /// What is done.
    pub body: Vec<JavaStatement>,
}

/// The body of a method as a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodBody {
    /// Its variables. Those of which [`parameters`](MethodBody::parameters) speaks have a value when it begins.
    pub variables: Vec<BodyVariable>,
    /// `this`, if there is one, and the parameters.
    pub parameters: Vec<VariableId>,
    /// What is done. It always ends in a `return` or a `throw`, or not at all.
    pub statements: Vec<JavaStatement>,
    /// What is odd about it.
    pub notes: Vec<Note>,
}

impl MethodBody {
    /// The variables that steps give a value; those of handlers are left out.
    pub fn assigned(&self) -> BTreeSet<VariableId> {
        let mut found = BTreeSet::new();
        for statement in &self.statements {
            statement.visit(&mut |part| {
                if let JavaStatement::Step(step) = part {
                    found.extend(step.kind.defines());
                }
            });
        }
        found
    }
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

impl JavaStatement {
    /// Calls `visit` with it and all statements in it, outer ones first.
    pub fn visit<'a>(&'a self, visit: &mut impl FnMut(&'a JavaStatement)) {
        visit(self);
        for statement in self.parts().into_iter().flatten() {
            statement.visit(visit);
        }
    }

    /// Whether it may come to its end, so that what follows it is reached.
    pub fn may_complete(&self) -> bool {
        match self {
            JavaStatement::Step(_) => true,
            JavaStatement::Break(_)
            | JavaStatement::Continue(_)
            | JavaStatement::Return(..)
            | JavaStatement::Throw(..) => false,
            JavaStatement::Labelled { label, body } => may_complete(body) || leaves(body, *label),
            JavaStatement::Loop {
                label,
                condition,
                body,
            } => condition.is_some() || leaves(body, *label),
            other => other.parts().into_iter().any(|part| may_complete(part)),
        }
    }

    /// Where it stands, if it does something itself.
    pub fn place(&self) -> Option<CodePlace> {
        match self {
            JavaStatement::Step(step) => Some(step.place),
            JavaStatement::If { place, .. }
            | JavaStatement::Switch { place, .. }
            | JavaStatement::Return(place, _)
            | JavaStatement::Throw(place, _)
            | JavaStatement::Loop {
                condition: Some((place, _)),
                ..
            } => Some(*place),
            JavaStatement::Loop {
                condition: None, ..
            }
            | JavaStatement::Labelled { .. }
            | JavaStatement::Break(_)
            | JavaStatement::Continue(_)
            | JavaStatement::Try { .. } => None,
        }
    }
}

/// Whether the end of a list may be reached. Nothing stands behind a statement that does not come to its end.
pub fn may_complete(statements: &[JavaStatement]) -> bool {
    statements.last().is_none_or(JavaStatement::may_complete)
}

/// Whether something in a body leaves it by its label.
fn leaves(body: &[JavaStatement], label: JumpLabel) -> bool {
    let mut found = false;
    for statement in body {
        statement.visit(&mut |part| found |= *part == JavaStatement::Break(label));
    }
    found
}
