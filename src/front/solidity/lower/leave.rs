//! Blocks that are left early, said with `if` where that is enough, and else with `break`.
//!
//! What follows a branch that leaves goes into the other branch. Where both may go on, the block that is left has a label.

use std::collections::BTreeSet;

use super::action::LoweredAction;
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::{FlatExpr, FlatStmt, FlatStmtKind, LabelId};
use crate::front::tq::ast;
use crate::front::tq::build::{self, conditional, not};

/// How deep blocks may be nested in each other.
const MAX_DEPTH: usize = 100;

/// What is known of a block or loop that can be left.
#[derive(Clone, Debug)]
pub(super) struct LeaveLabel {
    /// How many loops are around it, itself included; none if it is no loop.
    loops: Option<usize>,
    /// What it is called, where `break` alone does not leave it.
    name: Option<String>,
}

impl<'c> LoweredAction<'_, 'c> {
    /// Statements, at the end of which these blocks end as well.
    pub(super) fn sequence(&mut self, statements: &[&'c FlatStmt], ends: &[LabelId]) -> Low<()> {
        for (at, statement) in statements.iter().enumerate() {
            let rest = statements.get(at + 1..).unwrap_or_default();
            let before = self.out.len();
            let goes_on = self.one_of_several(statement, rest, ends)?;
            if let Some(line) = self.class.contract.files.line(statement.place) {
                let has_parts = matches!(
                    statement.kind,
                    FlatStmtKind::If(..) | FlatStmtKind::Labelled(..) | FlatStmtKind::While(..)
                );
                let made = self.out.get_mut(before..).unwrap_or_default();
                ast::note_origins(made, &line, !has_parts);
            }
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// A statement. Whether those behind it are still to be written.
    fn one_of_several(
        &mut self,
        statement: &'c FlatStmt,
        rest: &[&'c FlatStmt],
        ends: &[LabelId],
    ) -> Low<bool> {
        let inner = if rest.is_empty() { ends } else { &[] };
        self.count(statement.place)?;
        match &statement.kind {
            FlatStmtKind::Leave(label) => {
                self.leave(*label, ends, statement.place)?;
                return Ok(false);
            }
            FlatStmtKind::If(condition, yes, no) => {
                let leaves = left(yes).iter().chain(&left(no)).next().is_some();
                if leaves {
                    self.parting(condition, (yes, no), rest, ends)?;
                    return Ok(false);
                }
                let condition = self.value(condition)?;
                self.branches(condition, &refs(yes), &refs(no), inner)?;
            }
            FlatStmtKind::Labelled(label, body) => self.labelled(*label, body, inner)?,
            FlatStmtKind::While(label, condition, body) => self.repeat(*label, condition, body)?,
            FlatStmtKind::Revert(_) => {
                let revert = self.revert();
                self.out.push(revert);
                return Ok(false);
            }
            kind => self.statement(kind, statement.place)?,
        }
        Ok(true)
    }

    fn branches(
        &mut self,
        condition: ast::ExprSyntax,
        yes: &[&'c FlatStmt],
        no: &[&'c FlatStmt],
        ends: &[LabelId],
    ) -> Low<()> {
        let (yes, ()) = self.block(yes, ends)?;
        let (no, ()) = self.block(no, ends)?;
        if yes.is_empty() && !no.is_empty() {
            self.out.push(conditional(not(condition), no, yes));
        } else if !yes.is_empty() {
            self.out.push(conditional(condition, yes, no));
        }
        Ok(())
    }

    fn block(
        &mut self,
        statements: &[&'c FlatStmt],
        ends: &[LabelId],
    ) -> Low<(Vec<ast::StmtSyntax>, ())> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let place = statements.first().map(|first| first.place);
            return refuse(place.unwrap_or_default(), "blocks are nested too deeply");
        }
        let written = self.nested(|action| action.sequence(statements, ends));
        self.depth -= 1;
        written
    }

    /// A choice of which a branch leaves a block.
    fn parting(
        &mut self,
        condition: &'c FlatExpr,
        (yes, no): (&'c [FlatStmt], &'c [FlatStmt]),
        rest: &[&'c FlatStmt],
        ends: &[LabelId],
    ) -> Low<()> {
        let condition = self.value(condition)?;
        let (mut yes, mut no) = (refs(yes), refs(no));
        if rest.is_empty() {
            return self.branches(condition, &yes, &no, ends);
        }
        if never_goes_on(&yes) {
            no.extend(rest);
            return self.branches(condition, &yes, &no, ends);
        }
        if never_goes_on(&no) {
            yes.extend(rest);
            return self.branches(condition, &yes, &no, ends);
        }
        self.branches(condition, &yes, &no, &[])?;
        self.sequence(rest, ends)
    }

    fn labelled(&mut self, label: LabelId, body: &'c [FlatStmt], ends: &[LabelId]) -> Low<()> {
        self.set_label(label, None);
        let ends: Vec<LabelId> = ends.iter().copied().chain([label]).collect();
        let (mut inside, ()) = self.nested(|action| action.sequence(&refs(body), &ends))?;
        match self.name_of(label) {
            Some(name) => {
                let labelled = ast::StmtSyntaxKind::Labelled(name, build::block(inside));
                self.out.push(build::stmt(labelled));
            }
            None => self.out.append(&mut inside),
        }
        Ok(())
    }

    fn repeat(&mut self, label: LabelId, condition: &'c FlatExpr, body: &'c [FlatStmt]) -> Low<()> {
        self.loops += 1;
        let (changed, made) = (self.changed.len(), self.made.len());
        self.set_label(label, Some(self.loops));
        let (mut round, condition) = self.nested(|action| action.value(condition))?;
        // What may revert in the condition is looked at in each round.
        let condition = if round.is_empty() {
            condition
        } else {
            let stop = build::stmt(ast::StmtSyntaxKind::Break(None));
            round.push(conditional(not(condition), vec![stop], Vec::new()));
            build::bool(true)
        };
        let (body, ()) = self.block(&refs(body), &[])?;
        round.extend(body);
        self.loops -= 1;
        self.changed_again(changed, made)?;
        self.out.push(build::stmt(ast::StmtSyntaxKind::While {
            label: self.name_of(label),
            condition,
            invariants: Vec::new(),
            body: build::block(round),
        }));
        Ok(())
    }

    fn leave(&mut self, label: LabelId, ends: &[LabelId], place: FileRange) -> Low<()> {
        if ends.contains(&label) {
            return Ok(());
        }
        let Some(mut known) = self.label(label) else {
            return refuse(place, "there is nothing here that could be left");
        };
        let to = if known.loops == Some(self.loops) {
            None
        } else {
            let fresh = || self.fresh_name("block");
            let name = known.name.take().unwrap_or_else(fresh);
            self.insert_label(
                label,
                LeaveLabel {
                    name: Some(name.clone()),
                    ..known
                },
            );
            Some(build::ident(name))
        };
        self.out.push(build::stmt(ast::StmtSyntaxKind::Break(to)));
        Ok(())
    }

    fn label(&self, label: LabelId) -> Option<LeaveLabel> {
        self.frames.last()?.labels.get(&label).cloned()
    }

    fn name_of(&self, label: LabelId) -> Option<ast::Ident> {
        self.label(label)?.name.map(build::ident)
    }

    fn set_label(&mut self, label: LabelId, loops: Option<usize>) {
        self.insert_label(label, LeaveLabel { loops, name: None });
    }

    fn insert_label(&mut self, label: LabelId, known: LeaveLabel) {
        if let Some(frame) = self.frames.last_mut() {
            frame.labels.insert(label, known);
        }
    }
}

fn refs(block: &[FlatStmt]) -> Vec<&FlatStmt> {
    block.iter().collect()
}

/// The labels of blocks around these statements that they may leave.
fn left(block: &[FlatStmt]) -> BTreeSet<LabelId> {
    block.iter().flat_map(left_by).collect()
}

fn left_by(statement: &FlatStmt) -> BTreeSet<LabelId> {
    match &statement.kind {
        FlatStmtKind::Leave(label) => BTreeSet::from([*label]),
        FlatStmtKind::Labelled(own, body) | FlatStmtKind::While(own, _, body) => {
            left_outside(*own, body)
        }
        kind => kind
            .blocks()
            .into_iter()
            .flat_map(|block| left(block))
            .collect(),
    }
}

fn left_outside(own: LabelId, body: &[FlatStmt]) -> BTreeSet<LabelId> {
    let mut labels = left(body);
    labels.remove(&own);
    labels
}

/// Whether nothing behind these statements is executed.
fn never_goes_on(block: &[&FlatStmt]) -> bool {
    block.iter().any(|statement| match &statement.kind {
        FlatStmtKind::Leave(_) | FlatStmtKind::Revert(_) => true,
        FlatStmtKind::If(_, yes, no) => never_goes_on(&refs(yes)) && never_goes_on(&refs(no)),
        _ => false,
    })
}
