//! Reverts, once it is known what a call requires so that it does not revert: no run at all. They undo everything, and are
//! no edge.

use super::LoweredContract;
use crate::front::tq::ast::{
    BlockSyntax, FileSyntax, ItemSyntax, Member, StmtSyntax, StmtSyntaxKind, note_origins,
};
use crate::front::tq::build::{self, not};

impl LoweredContract {
    /// The file without its exception: what reverts is `assume`d not to happen. `file` is this one, with more clauses.
    pub fn settled(&self, mut file: FileSyntax) -> FileSyntax {
        file.items.retain(
            |item| !matches!(item, ItemSyntax::Exception { name, .. } if name.name == self.revert),
        );
        for item in &mut file.items {
            let ItemSyntax::Class(class) = item else {
                continue;
            };
            for member in &mut class.members {
                if let Member::Routine(routine) = member
                    && let Some(body) = &mut routine.body
                {
                    settle(body, &self.revert);
                }
            }
        }
        file
    }
}

/// The same of a block.
pub(super) fn settle(block: &mut BlockSyntax, revert: &str) {
    for statement in std::mem::take(&mut block.statements) {
        let (before, origin) = (block.statements.len(), statement.origin.0);
        match statement.kind {
            StmtSyntaxKind::If {
                condition,
                mut then,
                otherwise,
            } => {
                let mut otherwise = otherwise.unwrap_or_default();
                let assume = |e| build::stmt(StmtSyntaxKind::Assume(e));
                if reverts(&then, revert) {
                    block.statements.push(assume(not(condition)));
                    settle(&mut otherwise, revert);
                    block.statements.append(&mut otherwise.statements);
                } else if reverts(&otherwise, revert) {
                    block.statements.push(assume(condition));
                    settle(&mut then, revert);
                    block.statements.append(&mut then.statements);
                } else {
                    settle(&mut then, revert);
                    settle(&mut otherwise, revert);
                    let (then, otherwise) = (then.statements, otherwise.statements);
                    let choice = build::conditional(condition, then, otherwise);
                    block.statements.push(choice);
                }
            }
            StmtSyntaxKind::Throw(Some(name)) if name.name == revert => {
                let never = StmtSyntaxKind::Assume(build::bool(false));
                block.statements.push(build::stmt(never));
            }
            kind => {
                let mut other = build::stmt(kind);
                for inner in other.blocks_mut() {
                    settle(inner, revert);
                }
                block.statements.push(other);
            }
        }
        if let Some(line) = origin {
            let made = block.statements.get_mut(before..).unwrap_or_default();
            note_origins(made, &line, false);
        }
    }
}

/// Whether a block does nothing but revert.
fn reverts(block: &BlockSyntax, revert: &str) -> bool {
    let throws = |statement: &StmtSyntax| matches!(&statement.kind, StmtSyntaxKind::Throw(Some(name)) if name.name == revert);
    matches!(block.statements.as_slice(), [only] if throws(only))
}
