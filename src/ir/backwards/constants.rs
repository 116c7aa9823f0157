//! What variables are known to be on the way to a statement, forwards: of runs that leave each loop in its first round.
//!
//! ```text
//! all := null; count := 0;                      all = null, count = 0
//! while (n > 0) { n := read(); … }              n is not known
//! if (count > 0) { all := new byte[count]; }    not gone through: count = 0
//! if (all == null) { return; }                  taken
//! ```
//!
//! Only what *suffices* for an end is looked for so: some run that ends as wanted is enough, and of those with fewest rounds most of
//! what a body decides is known before anything is asked.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::simple;
use super::{Backwards, RoutineFrame};
use crate::ir::effects::walk;
use crate::ir::formula::{self, Substitution};
use crate::ir::{
    Block, Condition, Expr, ExprKind, LabelId, Place, RoutineRef, Stmt, StmtKind, VarId,
};

/// The variables of the routine that is gone through that hold constants at one place.
pub(super) type Constants = BTreeMap<VarId, Expr>;

/// How a block is left, with what is known there: behind it, if that is reached, and by labels.
#[derive(Default)]
struct Flow {
    behind: Option<Constants>,
    labels: BTreeMap<LabelId, Constants>,
}

impl Flow {
    fn on(constants: Constants) -> Flow {
        Flow {
            behind: Some(constants),
            labels: BTreeMap::new(),
        }
    }

    /// Where one of two flows is taken.
    fn or(mut self, other: Flow) -> Flow {
        self.behind = either(self.behind, other.behind);
        self.leaves(other.labels);
        self
    }

    fn leaves(&mut self, labels: BTreeMap<LabelId, Constants>) {
        for (label, constants) in labels {
            let known = self.labels.remove(&label);
            self.labels
                .extend(either(known, Some(constants)).map(|both| (label, both)));
        }
    }
}

/// What is known where one of two places was, if any.
fn either(a: Option<Constants>, b: Option<Constants>) -> Option<Constants> {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.retain(|id, value| b.get(id).is_some_and(|other| formula::same(value, other)));
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

impl Backwards {
    /// What is known before each statement of a block with this before the first; none before one that is not reached.
    pub(super) fn constants_on_the_way(
        &self,
        block: &Block,
        constants: &Constants,
    ) -> Vec<Option<Constants>> {
        let mut here = Some(constants.clone());
        let mut all = Vec::new();
        for stmt in block {
            all.push(here.clone());
            here = here.and_then(|constants| self.flow(stmt, constants).behind);
        }
        all
    }

    /// The parameters of a routine that get constants.
    pub(super) fn constant_arguments(
        &self,
        routine: RoutineRef,
        callee: &RoutineFrame,
        args: &[Expr],
    ) -> Constants {
        let params = self.program.routine(routine).params.iter();
        let constants = params.zip(args).filter_map(|(param, arg)| {
            let value = simple(&self.here(arg));
            is_constant(&value).then(|| (callee.renamed(*param), value))
        });
        constants.collect()
    }

    fn flow_of_block(&self, block: &Block, constants: Constants) -> Flow {
        let mut flow = Flow::on(constants);
        for stmt in block {
            let Some(constants) = flow.behind.take() else {
                break;
            };
            let next = self.flow(stmt, constants);
            flow.behind = next.behind;
            flow.leaves(next.labels);
        }
        flow
    }

    fn flow(&self, stmt: &Stmt, mut constants: Constants) -> Flow {
        self.diagrams.works(1);
        match &stmt.kind {
            StmtKind::Assign(Place::Var(id), value) => {
                let value = simple(&self.here_with(value, &constants));
                let id = self.frame.renamed(*id);
                match is_constant(&value) {
                    true => constants.insert(id, value),
                    false => constants.remove(&id),
                };
                Flow::on(constants)
            }
            StmtKind::If(condition, then, otherwise) => {
                let [then, otherwise] = [(then, true), (otherwise, false)].map(|(block, holds)| {
                    match self.may_be(condition, holds, &constants) {
                        true => self.flow_of_block(block, constants.clone()),
                        false => Flow::default(),
                    }
                });
                then.or(otherwise)
            }
            StmtKind::While {
                label,
                condition,
                body,
                ..
            } => {
                if is_plain(*label, body) {
                    self.forget_written(body, &mut constants);
                    return Flow::on(constants);
                }
                let mut flow = match self.may_be(condition, true, &constants) {
                    true => self.flow_of_block(body, constants.clone()),
                    false => Flow::default(),
                };
                let left = flow.labels.remove(label);
                let at_once = self.may_be(condition, false, &constants);
                flow.behind = either(left, at_once.then_some(constants));
                flow
            }
            StmtKind::Labelled(label, body) => {
                let mut flow = self.flow_of_block(body, constants);
                let left = flow.labels.remove(label);
                flow.behind = either(flow.behind, left);
                flow
            }
            StmtKind::Break(label) => Flow {
                behind: None,
                labels: BTreeMap::from([(*label, constants)]),
            },
            StmtKind::Try { body, catches } => {
                let mut raised = constants.clone();
                self.forget_written(body, &mut raised);
                let tried = self.flow_of_block(body, constants);
                let handlers = catches.iter();
                handlers.fold(tried, |flow, catch| {
                    flow.or(self.flow_of_block(&catch.body, raised.clone()))
                })
            }
            // The next round of a loop is none of the runs that are looked at.
            StmtKind::Continue(_)
            | StmtKind::Return
            | StmtKind::Throw(_)
            | StmtKind::ThrowAgain => Flow::default(),
            StmtKind::Assign(..)
            | StmtKind::Havoc(_)
            | StmtKind::Guess(_)
            | StmtKind::Call { .. }
            | StmtKind::New { .. }
            | StmtKind::NewArray { .. }
            | StmtKind::Assume(_)
            | StmtKind::Assert(_) => {
                self.forget_written(std::slice::from_ref(stmt), &mut constants);
                Flow::on(constants)
            }
        }
    }

    /// Whether a condition may be so, as far as constants say.
    fn may_be(&self, condition: &Condition, holds: bool, constants: &Constants) -> bool {
        match condition {
            Condition::Any => true,
            Condition::Expr(e) => {
                let value = simple(&self.here_with(e, constants));
                !formula::is_bool(&value, !holds)
            }
        }
    }

    /// Nothing is known any more of the variables that these statements write.
    fn forget_written(&self, body: &[Stmt], constants: &mut Constants) {
        for place in walk::statements([body]).into_iter().flat_map(walk::places) {
            if let Place::Var(id) = place {
                constants.remove(&self.frame.renamed(*id));
            }
        }
    }

    /// What is known here of the variables that these statements do not write.
    pub(super) fn constants_but_of(&self, body: &[Stmt]) -> Constants {
        let mut constants = self.frame.constants.clone();
        self.forget_written(body, &mut constants);
        constants
    }

    /// An expression of the routine that is being gone through, as one over the whole: `this` is the object it runs on,
    /// functions are what they say, and variables are the constants that they hold.
    pub(super) fn here_with(&self, e: &Expr, constants: &Constants) -> Expr {
        let renamed = self.frame.renamed.iter().map(|(id, other)| {
            let value = constants.get(other).cloned();
            (
                *id,
                value.unwrap_or_else(|| formula::var(&self.program, *other)),
            )
        });
        let mut vars = constants.clone();
        vars.extend(renamed);
        vars.extend(self.held_here());
        let by = Substitution {
            vars,
            this: Some(self.frame.this.clone()),
        };
        by.apply(&formula::inline_functions(&self.program, e))
    }
}

fn is_constant(e: &Expr) -> bool {
    matches!(
        &*e.kind,
        ExprKind::Null | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Member(..)
    )
}

/// Whether the rounds of a loop run nothing of the program, and lead nowhere but behind it: it may do what it does as often as it
/// likes.
pub(super) fn is_plain(loop_label: LabelId, body: &[Stmt]) -> bool {
    let all = walk::statements([body]);
    let labels = all.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::While { label, .. } | StmtKind::Labelled(label, _) => Some(*label),
        _ => None,
    });
    let inside: BTreeSet<LabelId> = labels.chain([loop_label]).collect();
    all.iter().all(|stmt| match &stmt.kind {
        StmtKind::Break(label) | StmtKind::Continue(label) => inside.contains(label),
        StmtKind::Call { .. }
        | StmtKind::New { .. }
        | StmtKind::Return
        | StmtKind::Throw(_)
        | StmtKind::ThrowAgain
        | StmtKind::Try { .. } => false,
        _ => true,
    })
}
