//! What nobody needs is left out: variables that are declared and never spoken of, and statements behind those that never
//! come to their ends.

use crate::front::tq::ast::{
    BlockSyntax, ExprSyntax, ExprSyntaxKind, Rhs, StmtSyntax, StmtSyntaxKind,
};
use crate::ir::BinaryOp;

/// A body without what nobody needs.
pub(super) fn tidy(mut block: BlockSyntax) -> BlockSyntax {
    unreached(&mut block);
    let mut before = usize::MAX;
    loop {
        let now = unused(&mut block);
        if now == 0 || now >= before {
            return block;
        }
        before = now;
    }
}

/// Takes statements away that are never reached; whether the end of the block may be.
fn unreached(block: &mut BlockSyntax) -> bool {
    let mut end = true;
    let mut kept = Vec::new();
    for mut statement in std::mem::take(&mut block.statements) {
        end = completes(&mut statement);
        kept.push(statement);
        if !end {
            break;
        }
    }
    block.statements = kept;
    end
}

fn completes(stmt: &mut StmtSyntax) -> bool {
    match &mut stmt.kind {
        StmtSyntaxKind::Break(_)
        | StmtSyntaxKind::Continue(_)
        | StmtSyntaxKind::Return(_)
        | StmtSyntaxKind::Throw(_) => false,
        StmtSyntaxKind::If {
            then, otherwise, ..
        } => {
            let first = unreached(then);
            otherwise.as_mut().is_none_or(unreached) || first
        }
        StmtSyntaxKind::Try { body, catches, .. } => {
            let mut end = unreached(body);
            for catch in catches {
                end |= unreached(&mut catch.body);
            }
            end
        }
        StmtSyntaxKind::While { body, .. } | StmtSyntaxKind::Labelled(_, body) => {
            unreached(body);
            // A loop that goes on for ever is left by `break` alone, and a block may be.
            true
        }
        StmtSyntaxKind::Block(block) => unreached(block),
        _ => true,
    }
}

/// Whether what a variable begins with can be left out: it raises nothing, and changes nothing.
fn has_no_effect(value: &Rhs) -> bool {
    match value {
        // The class of all other objects has a constructor that does nothing.
        Rhs::New { .. } => true,
        Rhs::NewArray { .. } => false,
        Rhs::Expr(e) => !may_raise(e) && !matches!(*e.kind, ExprSyntaxKind::Call { .. }),
    }
}

/// Takes declarations away that nobody needs; how many.
fn unused(block: &mut BlockSyntax) -> usize {
    let mut gone = 0;
    for stmt in &mut block.statements {
        for inner in stmt.blocks_mut() {
            gone += unused(inner);
        }
    }
    let mut at = 0;
    while at < block.statements.len() {
        let name = match &block.statements[at].kind {
            StmtSyntaxKind::Var { name, value, .. } if value.as_ref().is_none_or(has_no_effect) => {
                name.name.clone()
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let is_guessed = |stmt: &StmtSyntax| {
            matches!(&stmt.kind, StmtSyntaxKind::Guess(_)) && stmt.mentions(&name)
        };
        let mut rest = block.statements.iter().skip(at + 1);
        if rest.any(|stmt| stmt.mentions(&name) && !is_guessed(stmt)) {
            at += 1;
        } else {
            block.statements.remove(at);
            block.statements.retain(|stmt| !is_guessed(stmt));
            gone += 1;
        }
    }
    gone
}

/// Whether evaluating an expression of the language may raise an exception.
pub(super) fn may_raise(e: &ExprSyntax) -> bool {
    e.any(&|part| match &*part.kind {
        ExprSyntaxKind::Index(..) => true,
        ExprSyntaxKind::Dot(object, _) => !matches!(*object.kind, ExprSyntaxKind::This),
        ExprSyntaxKind::Binary(BinaryOp::Div | BinaryOp::Mod, _, by) => {
            !matches!(*by.kind, ExprSyntaxKind::Int(_))
        }
        _ => false,
    })
}
