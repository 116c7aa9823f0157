//! Every jump of a tree leads out of something it is in, and nothing stands behind one.

use std::collections::HashSet;

use crate::front::java::flow::Refused;
use crate::front::java::tree::{JavaStatement, JumpLabel, may_complete};

/// Checks a tree.
pub(super) fn check(statements: &[JavaStatement]) -> Result<(), Refused> {
    let mut scope = JumpScope::default();
    scope.list(statements)?;
    if may_complete(statements) {
        return internal("the end of a method is reached without a return");
    }
    Ok(())
}

fn internal(what: impl Into<String>) -> Result<(), Refused> {
    Err(Refused::Internal(what.into()))
}

/// What can be left, and what can be begun again.
#[derive(Default)]
struct JumpScope {
    left: HashSet<JumpLabel>,
    again: HashSet<JumpLabel>,
}

impl JumpScope {
    fn list(&mut self, statements: &[JavaStatement]) -> Result<(), Refused> {
        let last = statements.len().saturating_sub(1);
        for (position, statement) in statements.iter().enumerate() {
            if position < last && !statement.may_complete() {
                return internal("a statement that is never reached");
            }
            self.statement(statement)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &JavaStatement) -> Result<(), Refused> {
        match statement {
            JavaStatement::Break(label) if !self.left.contains(label) => {
                internal(format!("label {} is left from outside", label.0))
            }
            JavaStatement::Continue(label) if !self.again.contains(label) => {
                internal(format!("loop {} is begun again from outside", label.0))
            }
            JavaStatement::Labelled { label, body } => {
                self.left.insert(*label);
                self.list(body)?;
                self.left.remove(label);
                Ok(())
            }
            JavaStatement::Loop { label, body, .. } => {
                self.left.insert(*label);
                self.again.insert(*label);
                self.list(body)?;
                self.left.remove(label);
                self.again.remove(label);
                Ok(())
            }
            other => other
                .parts()
                .into_iter()
                .try_for_each(|part| self.list(part)),
        }
    }
}
