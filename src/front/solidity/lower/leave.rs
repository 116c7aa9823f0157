//! Blocks that are left early, said with `if` and, out of loops, `break`.
//!
//! What follows a branch that leaves goes into the other branch. Where both may go on, a flag says whether the block has been
//! left.

use std::collections::BTreeSet;

use super::action::Action;
use super::{Low, refuse};
use crate::front::solidity::Place;
use crate::front::solidity::flat::{Expr, LabelId, Stmt, StmtKind};
use crate::front::tq::ast;
use crate::front::tq::build::{self, assign, conditional, name, not};

/// How deep blocks may be nested in each other.
const MAX_DEPTH: usize = 100;

/// What is known of a block or loop that can be left.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// How many loops are around it; of a loop, itself included.
    loops: usize,
    is_loop: bool,
    /// The variable that says that it has been left.
    flag: Option<String>,
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
                StmtKind::Labelled(label, body) => {
                    self.labelled(*label, body, inner)?;
                    let outer = left_outside(*label, body);
                    if !outer.is_empty() {
                        return self.unless_left(&outer, rest, ends);
                    }
                }
                StmtKind::While(label, condition, body) => {
                    self.repeat(*label, condition, body)?;
                    let outer = left_outside(*label, body);
                    if !outer.is_empty() {
                        return self.unless_left(&outer, rest, ends);
                    }
                }
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
        let outer: BTreeSet<LabelId> = yes.iter().chain(&no).flat_map(|s| left_by(s)).collect();
        self.branches(condition, &yes, &no, &[])?;
        self.unless_left(&outer, rest, ends)
    }

    fn labelled(&mut self, label: LabelId, body: &'c [Stmt], ends: &[LabelId]) -> Low<()> {
        let begin = self.out.len();
        let known = Label {
            loops: self.loops,
            is_loop: false,
            flag: None,
        };
        self.set_label(label, known);
        let ends: Vec<LabelId> = ends.iter().copied().chain([label]).collect();
        self.sequence(&refs(body), &ends)?;
        self.lower_flag(label, begin);
        Ok(())
    }

    fn repeat(&mut self, label: LabelId, condition: &'c Expr, body: &'c [Stmt]) -> Low<()> {
        let begin = self.out.len();
        self.loops += 1;
        let known = Label {
            loops: self.loops,
            is_loop: true,
            flag: None,
        };
        self.set_label(label, known);
        let (mut round, condition) = self.nested(|action| action.value(condition))?;
        // What may revert in the condition is looked at in each round.
        let condition = if round.is_empty() {
            condition
        } else {
            let stop = build::stmt(ast::StmtKind::Break);
            round.push(conditional(not(condition), vec![stop], Vec::new()));
            build::bool(true)
        };
        let (body, ()) = self.block(&refs(body), &[])?;
        round.extend(body);
        self.loops -= 1;
        self.out.push(build::stmt(ast::StmtKind::While {
            condition,
            invariants: Vec::new(),
            body: build::block(round),
        }));
        self.lower_flag(label, begin);
        Ok(())
    }

    fn leave(&mut self, label: LabelId, ends: &[LabelId], place: Place) -> Low<()> {
        if ends.contains(&label) {
            return Ok(());
        }
        let Some(known) = self.label(label) else {
            return refuse(place, "there is nothing here that could be left");
        };
        let stop = || build::stmt(ast::StmtKind::Break);
        if known.is_loop && known.loops == self.loops {
            self.out.push(stop());
            return Ok(());
        }
        let flag = self.flag(label, place)?;
        self.out.push(assign(name(flag), build::bool(true)));
        if known.loops < self.loops {
            self.out.push(stop());
        }
        Ok(())
    }

    /// Goes on where none of these blocks has been left.
    fn unless_left(
        &mut self,
        outer: &BTreeSet<LabelId>,
        rest: &[&'c Stmt],
        ends: &[LabelId],
    ) -> Low<()> {
        let mut left: Option<ast::Expr> = None;
        for label in outer {
            let known = self.label(*label);
            let Some((known, flag)) = known.and_then(|known| Some((known.clone(), known.flag?)))
            else {
                continue;
            };
            if known.loops < self.loops || (known.is_loop && known.loops == self.loops) {
                let stop = vec![build::stmt(ast::StmtKind::Break)];
                self.out.push(conditional(name(&flag), stop, Vec::new()));
            } else if !ends.contains(label) || !rest.is_empty() {
                left = Some(match left {
                    Some(others) => build::or(others, name(&flag)),
                    None => name(&flag),
                });
            }
        }
        match left {
            Some(left) if !rest.is_empty() => {
                let (rest, ()) = self.block(rest, ends)?;
                if !rest.is_empty() {
                    self.out.push(conditional(not(left), rest, Vec::new()));
                }
                Ok(())
            }
            _ => self.sequence(rest, ends),
        }
    }

    fn label(&self, label: LabelId) -> Option<Label> {
        self.frames.last()?.labels.get(&label).cloned()
    }

    fn set_label(&mut self, label: LabelId, known: Label) {
        if let Some(frame) = self.frames.last_mut() {
            frame.labels.insert(label, known);
        }
    }

    /// The variable that says that a block has been left.
    fn flag(&mut self, label: LabelId, place: Place) -> Low<String> {
        let Some(mut known) = self.label(label) else {
            return refuse(place, "there is nothing here that could be left");
        };
        if let Some(flag) = known.flag {
            return Ok(flag);
        }
        let flag = self.plain_local("left", build::ty("bool"));
        known.flag = Some(flag.clone());
        self.set_label(label, known);
        Ok(flag)
    }

    /// At its beginning, a block has not been left.
    fn lower_flag(&mut self, label: LabelId, begin: usize) {
        if let Some(flag) = self.label(label).and_then(|known| known.flag) {
            let lowered = assign(name(flag), build::bool(false));
            self.out.insert(begin, lowered);
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
