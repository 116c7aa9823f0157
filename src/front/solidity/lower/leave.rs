//! Blocks that are left early, said with `if` where that is enough, and else with `break`.
//!
//! What follows a branch that leaves goes into the other branch. Where both may go on, the block that is left has a label.

use std::collections::BTreeSet;

use super::action::Action;
use super::{Low, refuse};
use crate::front::solidity::Place;
use crate::front::solidity::flat::{Expr, LabelId, Stmt, StmtKind};
use crate::front::tq::ast;
use crate::front::tq::build::{self, conditional, not};

/// How deep blocks may be nested in each other.
const MAX_DEPTH: usize = 100;

/// What is known of a block or loop that can be left.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// How many loops are around it, itself included; none if it is no loop.
    loops: Option<usize>,
    /// What it is called, where `break` alone does not leave it.
    name: Option<String>,
}

impl<'c> Action<'_, 'c> {
    /// Statements, at the end of which these blocks end as well.
    pub fn sequence(&mut self, statements: &[&'c Stmt], ends: &[LabelId]) -> Low<()> {
        for (at, statement) in statements.iter().enumerate() {
            let rest = statements.get(at + 1..).unwrap_or_default();
            let inner = if rest.is_empty() { ends } else { &[] };
            self.count(statement.place)?;
            match &statement.kind {
                StmtKind::Leave(label) => return self.leave(*label, ends, statement.place),
                StmtKind::If(condition, yes, no) => {
                    let leaves = left(yes).iter().chain(&left(no)).next().is_some();
                    if leaves {
                        return self.parting(condition, (yes, no), rest, ends);
                    }
                    let condition = self.value(condition)?;
                    self.branches(condition, &refs(yes), &refs(no), inner)?;
                }
                StmtKind::Labelled(label, body) => self.labelled(*label, body, inner)?,
                StmtKind::While(label, condition, body) => self.repeat(*label, condition, body)?,
                StmtKind::Revert(_) => {
                    let revert = self.revert();
                    self.out.push(revert);
                    return Ok(());
                }
                kind => self.statement(kind, statement.place)?,
            }
        }
        Ok(())
    }

    fn branches(
        &mut self,
        condition: ast::Expr,
        yes: &[&'c Stmt],
        no: &[&'c Stmt],
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

    fn block(&mut self, statements: &[&'c Stmt], ends: &[LabelId]) -> Low<(Vec<ast::Stmt>, ())> {
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
        condition: &'c Expr,
        (yes, no): (&'c [Stmt], &'c [Stmt]),
        rest: &[&'c Stmt],
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

    fn labelled(&mut self, label: LabelId, body: &'c [Stmt], ends: &[LabelId]) -> Low<()> {
        self.set_label(label, None);
        let ends: Vec<LabelId> = ends.iter().copied().chain([label]).collect();
        let (mut inside, ()) = self.nested(|action| action.sequence(&refs(body), &ends))?;
        match self.name_of(label) {
            Some(name) => {
                let labelled = ast::StmtKind::Labelled(name, build::block(inside));
                self.out.push(build::stmt(labelled));
            }
            None => self.out.append(&mut inside),
        }
        Ok(())
    }

    fn repeat(&mut self, label: LabelId, condition: &'c Expr, body: &'c [Stmt]) -> Low<()> {
        self.loops += 1;
        self.set_label(label, Some(self.loops));
        let (mut round, condition) = self.nested(|action| action.value(condition))?;
        // What may revert in the condition is looked at in each round.
        let condition = if round.is_empty() {
            condition
        } else {
            let stop = build::stmt(ast::StmtKind::Break(None));
            round.push(conditional(not(condition), vec![stop], Vec::new()));
            build::bool(true)
        };
        let (body, ()) = self.block(&refs(body), &[])?;
        round.extend(body);
        self.loops -= 1;
        self.out.push(build::stmt(ast::StmtKind::While {
            label: self.name_of(label),
            condition,
            invariants: Vec::new(),
            body: build::block(round),
        }));
        Ok(())
    }

    fn leave(&mut self, label: LabelId, ends: &[LabelId], place: Place) -> Low<()> {
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
                Label {
                    name: Some(name.clone()),
                    ..known
                },
            );
            Some(build::ident(name))
        };
        self.out.push(build::stmt(ast::StmtKind::Break(to)));
        Ok(())
    }

    fn label(&self, label: LabelId) -> Option<Label> {
        self.frames.last()?.labels.get(&label).cloned()
    }

    fn name_of(&self, label: LabelId) -> Option<ast::Ident> {
        self.label(label)?.name.map(build::ident)
    }

    fn set_label(&mut self, label: LabelId, loops: Option<usize>) {
        self.insert_label(label, Label { loops, name: None });
    }

    fn insert_label(&mut self, label: LabelId, known: Label) {
        if let Some(frame) = self.frames.last_mut() {
            frame.labels.insert(label, known);
        }
    }
}

fn refs(block: &[Stmt]) -> Vec<&Stmt> {
    block.iter().collect()
}

/// The labels of blocks around these statements that they may leave.
fn left(block: &[Stmt]) -> BTreeSet<LabelId> {
    block.iter().flat_map(left_by).collect()
}

fn left_by(statement: &Stmt) -> BTreeSet<LabelId> {
    match &statement.kind {
        StmtKind::Leave(label) => BTreeSet::from([*label]),
        StmtKind::Labelled(own, body) | StmtKind::While(own, _, body) => left_outside(*own, body),
        kind => kind
            .blocks()
            .into_iter()
            .flat_map(|block| left(block))
            .collect(),
    }
}

fn left_outside(own: LabelId, body: &[Stmt]) -> BTreeSet<LabelId> {
    let mut labels = left(body);
    labels.remove(&own);
    labels
}

/// Whether nothing behind these statements is executed.
fn never_goes_on(block: &[&Stmt]) -> bool {
    block.iter().any(|statement| match &statement.kind {
        StmtKind::Leave(_) | StmtKind::Revert(_) => true,
        StmtKind::If(_, yes, no) => never_goes_on(&refs(yes)) && never_goes_on(&refs(no)),
        _ => false,
    })
}
