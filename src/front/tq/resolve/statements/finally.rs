//! `finally`, spelt out.
//!
//! What is tried becomes a block. Wherever it is left, by `return`, `break` or `continue`, the block is left instead, with a
//! number that says where to go on; behind the block stand the last statements, and then that. An exception is caught, the
//! last statements are run, and it is raised again.

use std::collections::BTreeSet;

use super::super::super::ast;
use super::super::expressions::make;
use super::super::scope::Scope;
use crate::ir::span::Span;
use crate::ir::{
    Block, Catch, CompareOp, Condition, Diagnostic, Expr, ExprKind, LabelId, Place, Stmt, StmtKind,
    Type, VarId,
};

/// How deep these blocks may be nested in each other: each is there twice, so the innermost of so many sixteen times.
const DEEPEST: u32 = 4;

impl<'a> Scope<'_, 'a> {
    /// What stands in the block of a `finally`.
    pub(super) fn last_statements(&mut self, last: &'a ast::BlockSyntax, span: Span) -> Block {
        if self.finallies == DEEPEST {
            self.report(
                Diagnostic::error("this `finally` is in too many others")
                    .at(span, "")
                    .help(format!("at most {DEEPEST} can be nested in each other")),
            );
            return Block::new();
        }
        self.finallies += 1;
        let last = self.statements(last);
        self.finallies -= 1;
        last
    }

    pub(super) fn finally(&mut self, tried: Block, last: Block, span: Span, out: &mut Block) {
        let mut ways = Ways {
            block: self.new_label(),
            number: None,
            found: Vec::new(),
        };
        let tried = ways.redirected(&tried, &mut BTreeSet::new(), &mut || {
            let ty = Type::Int;
            self.resolver.variable("goes_on'", Some(ty))
        });
        let statement = |kind| Stmt { kind, span };
        let mut handler = last.clone();
        handler.push(statement(StmtKind::ThrowAgain));
        let guarded = statement(StmtKind::Try {
            body: tried,
            catches: vec![Catch {
                exceptions: self.resolver.all_exceptions(),
                body: handler,
            }],
        });
        let Some(number) = ways.number else {
            out.push(guarded);
            out.extend(last);
            return;
        };
        out.push(statement(assign(number, 0, span)));
        out.push(statement(StmtKind::Labelled(ways.block, vec![guarded])));
        out.extend(last);
        for (way, to) in (1..).zip(ways.found) {
            let value = make(ExprKind::Var(number), Type::Int, span);
            let is_it = ExprKind::Compare(CompareOp::Eq, value, int(way, span));
            let condition = Condition::Expr(make(is_it, Type::Bool, span));
            out.push(statement(StmtKind::If(condition, vec![to], Vec::new())));
        }
    }
}

/// The ways out of a block.
struct Ways {
    block: LabelId,
    /// The variable that says which one was taken, once there is one.
    number: Option<VarId>,
    found: Vec<Stmt>,
}

impl Ways {
    /// The statements, with those that leave them replaced.
    fn redirected(
        &mut self,
        block: &Block,
        inside: &mut BTreeSet<LabelId>,
        variable: &mut dyn FnMut() -> VarId,
    ) -> Block {
        let mut out = Block::new();
        for stmt in block {
            let leaves = match &stmt.kind {
                StmtKind::Return => true,
                StmtKind::Break(label) | StmtKind::Continue(label) => !inside.contains(label),
                StmtKind::While { label, .. } | StmtKind::Labelled(label, _) => {
                    inside.insert(*label);
                    false
                }
                _ => false,
            };
            if !leaves {
                out.push(stmt.map_blocks(|block| self.redirected(block, inside, variable)));
                continue;
            }
            let number = *self.number.get_or_insert_with(&mut *variable);
            self.found.push(stmt.clone());
            let span = stmt.span;
            let way = self.found.len();
            for kind in [assign(number, way, span), StmtKind::Break(self.block)] {
                out.push(Stmt { kind, span });
            }
        }
        out
    }
}

fn assign(number: VarId, value: usize, span: Span) -> StmtKind {
    StmtKind::Assign(Place::Var(number), int(value, span))
}

fn int(value: usize, span: Span) -> Expr {
    make(ExprKind::Int(value.into()), Type::Int, span)
}
