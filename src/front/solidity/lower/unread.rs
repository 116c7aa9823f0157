//! Answers that nobody looks at are no parameters.
//!
//! ```text
//! (bool sent, ) = to.call("");              the contract
//! hidden success: bool, hidden data: Text   what the outside answers
//! var t: Text := data;                      nobody reads `t`: both are gone
//! ```

use std::collections::BTreeSet;

use crate::front::tq::ast::{
    BlockSyntax, ContractClause, ExprSyntax, ExprSyntaxKind, Rhs, RoutineSyntax, StmtSyntax,
    StmtSyntaxKind, all_statements,
};
use crate::ir::MessagePart;

/// Leaves out the answers to a routine that it does not read, and the variables that only hold them. `parts` says what each
/// parameter is.
pub(super) fn leave_unread(routine: &mut RoutineSyntax, parts: &mut Vec<MessagePart>) {
    let Some(body) = &mut routine.body else {
        return;
    };
    let mut read = ReadNames::of(body);
    // What held a name that is gone may have been the only one to read another.
    while remove_unread(body, &read) {
        read = ReadNames::of(body);
    }
    for clause in &routine.contract {
        if let ContractClause::Requires(e) = clause {
            e.names(&mut read.names);
        }
    }
    let mut kept = Vec::new();
    let given = std::mem::take(&mut routine.params).into_iter();
    for (param, part) in given.zip(parts.drain(..)) {
        let is_answer = param.hidden && part == MessagePart::Answer;
        if !is_answer || read.names.contains(&param.name.name) {
            routine.params.push(param);
            kept.push(part);
        }
    }
    *parts = kept;
}

/// What a body reads.
#[derive(Debug, Default)]
struct ReadNames {
    names: BTreeSet<String>,
    /// The variables that are declared in it.
    declared: BTreeSet<String>,
}

impl ReadNames {
    fn of(body: &BlockSyntax) -> ReadNames {
        let mut read = ReadNames::default();
        read.block(body);
        read
    }

    fn block(&mut self, block: &BlockSyntax) {
        for statement in all_statements(&block.statements) {
            self.statement(statement);
        }
    }

    /// What reads something, and not only sets a variable to what is in another one. A variable that gets more than a name counts
    /// as read: computing it may fail.
    fn statement(&mut self, statement: &StmtSyntax) {
        if let StmtSyntaxKind::Var { name, .. } = &statement.kind {
            self.declared.insert(name.name.clone());
        }
        match only_set(statement) {
            Some((_, from)) => self.names.extend(from.map(str::to_owned)),
            None => {
                let all = statement.expressions().into_iter();
                all.for_each(|e| e.names(&mut self.names));
                if let StmtSyntaxKind::Var { name, .. } = &statement.kind {
                    self.names.insert(name.name.clone());
                }
            }
        }
    }

    fn is_unread(&self, variable: &str) -> bool {
        self.declared.contains(variable) && !self.names.contains(variable)
    }
}

/// The variable that a statement does nothing but set, and the name of what it gets; none for any value.
fn only_set(statement: &StmtSyntax) -> Option<(&str, Option<&str>)> {
    match &statement.kind {
        StmtSyntaxKind::Var { name, value, .. } => match value {
            None => Some((&name.name, None)),
            Some(Rhs::Expr(value)) => Some((&name.name, Some(plain(value)?))),
            Some(_) => None,
        },
        StmtSyntaxKind::Assign {
            targets,
            value: Rhs::Expr(value),
        } => match targets.as_slice() {
            [target] => Some((plain(target)?, Some(plain(value)?))),
            _ => None,
        },
        StmtSyntaxKind::Havoc(places) => match places.as_slice() {
            [place] => Some((plain(place)?, None)),
            _ => None,
        },
        _ => None,
    }
}

/// A name that stands alone.
fn plain(e: &ExprSyntax) -> Option<&str> {
    match &*e.kind {
        ExprSyntaxKind::Name(name) => Some(&name.name),
        _ => None,
    }
}

/// Whether there was anything to remove.
fn remove_unread(block: &mut BlockSyntax, read: &ReadNames) -> bool {
    let before = block.statements.len();
    block.statements.retain(|statement| {
        let set = only_set(statement);
        set.is_none_or(|(variable, _)| !read.is_unread(variable))
    });
    let mut is_changed = block.statements.len() < before;
    for statement in &mut block.statements {
        for inner in statement.blocks_mut() {
            is_changed |= remove_unread(inner, read);
        }
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::build::{assign, assume, block, declare, ident, name, param, stmt, ty};
    use crate::ir::RoutineKind;

    fn hidden(called: &str) -> crate::front::tq::ast::ParamSyntax {
        crate::front::tq::ast::ParamSyntax {
            hidden: true,
            ..param(called, ty("bool"))
        }
    }

    /// `sent` is asked about, `data` goes into two variables that nobody reads, and `other` into one that is computed with.
    #[test]
    fn what_nobody_reads_is_gone() {
        let body = vec![
            declare("t", ty("bool"), Some(name("data"))),
            declare("u", ty("bool"), None),
            assign(name("u"), name("t")),
            declare(
                "v",
                ty("bool"),
                Some(crate::front::tq::build::not(name("other"))),
            ),
            stmt(StmtSyntaxKind::Havoc(vec![name("u")])),
            assume(name("sent")),
        ];
        let mut routine = RoutineSyntax {
            kind: RoutineKind::Action,
            pure: false,
            control: None,
            name: Some(ident("pay")),
            params: vec![
                hidden("sent"),
                hidden("data"),
                hidden("other"),
                hidden("bounded"),
            ],
            returns: Vec::new(),
            outcomes: Vec::new(),
            contract: vec![ContractClause::Requires(name("bounded"))],
            body: Some(block(body)),
            span: Default::default(),
        };
        let mut parts = vec![
            MessagePart::Taken,
            MessagePart::Answer,
            MessagePart::Answer,
            MessagePart::Answer,
        ];
        leave_unread(&mut routine, &mut parts);
        let left: Vec<&str> = routine
            .params
            .iter()
            .map(|param| param.name.name.as_str())
            .collect();
        assert_eq!(left, ["sent", "other", "bounded"]);
        assert_eq!(
            parts,
            [MessagePart::Taken, MessagePart::Answer, MessagePart::Answer]
        );
        let body = routine.body.expect("a body");
        assert_eq!(body.statements.len(), 2, "{body:?}");
    }
}
