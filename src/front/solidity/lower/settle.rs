//! Reverts, once it is known what a call requires so that it does not revert: no run at all. They undo everything, and are
//! no edge.

use super::LoweredContract;
use crate::front::tq::ast::{
    BlockSyntax, FileSyntax, ItemSyntax, Member, StmtSyntax, StmtSyntaxKind,
};
use crate::front::tq::build::{self, not};

impl LoweredContract {
    /// The file without its exception: what reverts is `assume`d not to happen. `file` is this one, with more clauses.
    pub fn settled(&self, mut file: FileSyntax) -> FileSyntax {
        file.items.retain(
            |item| !matches!(item, ItemSyntax::Exception { name } if name.name == self.revert),
        );
        for item in &mut file.items {
            let ItemSyntax::Class(class) = item else {
                continue;
            };
            for member in &mut class.members {
                if let Member::Routine(routine) = member
                    && let Some(body) = &mut routine.body
                {
                    self.settle(body);
                }
            }
        }
        file
    }

    fn settle(&self, block: &mut BlockSyntax) {
        for statement in std::mem::take(&mut block.statements) {
            match statement.kind {
                StmtSyntaxKind::If {
                    condition,
                    mut then,
                    otherwise,
                } => {
                    let mut otherwise = otherwise.unwrap_or_default();
                    let assume = |e| build::stmt(StmtSyntaxKind::Assume(e));
                    if self.reverts(&then) {
                        block.statements.push(assume(not(condition)));
                        self.settle(&mut otherwise);
                        block.statements.append(&mut otherwise.statements);
                    } else if self.reverts(&otherwise) {
                        block.statements.push(assume(condition));
                        self.settle(&mut then);
                        block.statements.append(&mut then.statements);
                    } else {
                        self.settle(&mut then);
                        self.settle(&mut otherwise);
                        let (then, otherwise) = (then.statements, otherwise.statements);
                        let choice = build::conditional(condition, then, otherwise);
                        block.statements.push(choice);
                    }
                }
                StmtSyntaxKind::Throw(Some(name)) if name.name == self.revert => {
                    let never = StmtSyntaxKind::Assume(build::bool(false));
                    block.statements.push(build::stmt(never));
                }
                kind => {
                    let mut other = build::stmt(kind);
                    for inner in other.blocks_mut() {
                        self.settle(inner);
                    }
                    block.statements.push(other);
                }
            }
        }
    }

    /// Whether a block does nothing but revert.
    fn reverts(&self, block: &BlockSyntax) -> bool {
        let throws = |statement: &StmtSyntax| matches!(&statement.kind, StmtSyntaxKind::Throw(Some(name)) if name.name == self.revert);
        matches!(block.statements.as_slice(), [only] if throws(only))
    }
}
