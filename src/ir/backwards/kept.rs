//! What is known of the object when a call begins is known as long as the call writes nothing that it speaks of. Where it is
//! asked whether the call breaks it, nothing of what is done before the first such write has to be carried along.

use std::collections::BTreeSet;

use super::Backwards;
use super::diagram::Bdd;
use crate::ir::effects::walk;
use crate::ir::formula;
use crate::ir::{Block, Expr, ExprKind, FieldRef, Stmt, StmtKind};

/// What is known of the object where a call begins.
#[derive(Debug)]
pub(super) struct KnownAtStart {
    clause: Expr,
    /// The fields that it speaks of.
    fields: BTreeSet<FieldRef>,
}

impl KnownAtStart {
    /// The clause, if it speaks of nothing that changes but fields.
    pub(super) fn of(clause: &Expr) -> Option<KnownAtStart> {
        let mut fields = BTreeSet::new();
        let mut only_fields = true;
        walk::visit(clause, |e| match &*e.kind {
            ExprKind::Field(_, field) => drop(fields.insert(*field)),
            ExprKind::Element(..)
            | ExprKind::Call { .. }
            | ExprKind::Quantified(..)
            | ExprKind::Var(_) => only_fields = false,
            _ => {}
        });
        only_fields.then(|| KnownAtStart {
            clause: clause.clone(),
            fields,
        })
    }
}

impl Backwards {
    /// The condition before a block, statement by statement, with what may have been written before each.
    pub(super) fn block_knowing_the_start(
        &mut self,
        block: &Block,
        next: Bdd,
        mut before: impl FnMut(&mut Backwards, &Stmt, Bdd) -> Bdd,
    ) -> Bdd {
        let at_first = self.dirty.clone();
        let mut dirty = vec![at_first.clone()];
        for stmt in block {
            let mut then = dirty.last().cloned().unwrap_or_default();
            then.extend(self.fields_written(std::slice::from_ref(stmt)));
            dirty.push(then);
        }
        let statements = block.iter().zip(dirty).rev();
        let node = statements.fold(next, |next, (stmt, dirty)| {
            self.dirty = dirty;
            let node = before(self, stmt, next);
            match &stmt.kind {
                StmtKind::Call { .. }
                | StmtKind::New { .. }
                | StmtKind::While { .. }
                | StmtKind::Labelled(..)
                | StmtKind::Try { .. } => self.with_what_is_kept(node),
                _ => node,
            }
        });
        self.dirty = at_first;
        node
    }

    /// The condition, and what is still as it was when the call began.
    fn with_what_is_kept(&mut self, node: Bdd) -> Bdd {
        if node == Bdd::FALSE {
            return node;
        }
        let known = self.known_at_start.iter();
        let kept = known.filter(|known| known.fields.is_disjoint(&self.dirty));
        let kept: Vec<Expr> = kept.map(|known| known.clause.clone()).collect();
        let kept = self.condition(&formula::all(kept));
        self.diagrams.and(kept, node)
    }

    /// With what these statements write, as it may have been by then.
    pub(super) fn behind_writes<T>(
        &mut self,
        statements: &[Stmt],
        run: impl FnOnce(&mut Self) -> T,
    ) -> T {
        if self.known_at_start.is_empty() {
            return run(self);
        }
        let before = self.dirty.clone();
        let written = self.fields_written(statements);
        self.dirty.extend(written);
        let found = run(self);
        self.dirty = before;
        found
    }

    fn fields_written(&self, statements: &[Stmt]) -> BTreeSet<FieldRef> {
        self.written(&walk::statements([statements])).fields
    }
}
