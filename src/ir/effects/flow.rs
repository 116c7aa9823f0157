//! Sets of variables and fields, carried along all ways through a body: where ways meet, what is in either is in both.
//! Which they are, and what puts one in or takes one out, is the follower's to say. (Definite assignment, as in the Java
//! language, is one such question.)

use std::collections::{BTreeMap, BTreeSet};

use super::walk;
use crate::ir::span::Span;
use crate::ir::{
    Condition, Expr, ExprKind, FieldRef, LabelId, Place, RoutineRef, Stmt, StmtKind, VarId,
};

/// Blocks nested deeper than this are not looked into.
const DEPTH_LIMIT: usize = 200;

/// Something that has an arbitrary value until it is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Slot {
    Var(VarId),
    /// A field of `this`.
    Field(FieldRef),
}

/// Some slots; none of them where control cannot come.
pub(super) type Slots = BTreeSet<Slot>;

/// Who is told of what happens on the way, with the slots as they are there.
pub(super) trait Follower {
    /// A statement assigns a place.
    fn assigns(&mut self, stmt: &Stmt, place: &Place, slots: &mut Slots);
    /// A variable gets an arbitrary value.
    fn havoc(&mut self, variable: VarId, slots: &mut Slots);
    /// The routine ends normally, at the `return` in this place or at the end of the body.
    fn ends(&mut self, slots: &Slots, at: Option<Span>);
    /// The body is too deep to be followed.
    fn lost(&mut self);
    /// A statement is come to, a loop with what its rounds add.
    fn at(&mut self, _: &Stmt, _: &Slots) {}
    /// A condition holds from here on, or does not.
    fn assumes(&mut self, _condition: &Expr, _holds: bool, _: &mut Slots) {}
    /// An expression is evaluated.
    fn reads(&mut self, _: &Expr, _: &Slots) {}
    /// Something is decided that no value decides.
    fn chance(&mut self) {}
    /// A routine is called; without a receiver where it makes an object.
    fn call(&mut self, _callee: RoutineRef, _receiver: Option<&Expr>, _: &mut Slots) {}
    /// What may come in anywhere in this block: it is repeated, or left in the midst of it.
    fn added(&self, _: &[Stmt]) -> Slots {
        Slots::new()
    }
}

/// Follows a body, from the slots at its start.
pub(super) fn follow(body: &[Stmt], slots: Slots, follower: &mut impl Follower) {
    let mut flow = FlowAnalysis {
        follower,
        left: BTreeMap::new(),
    };
    if let Some(end) = flow.block(body, slots, 0) {
        flow.follower.ends(&end, None);
    }
}

struct FlowAnalysis<'f, F> {
    follower: &'f mut F,
    /// The slots where the loops and labelled blocks around are left, or their next round begins.
    left: BTreeMap<LabelId, Slots>,
}

/// The slots at a place; none where control cannot come.
type FlowState = Option<Slots>;

fn join(into: &mut FlowState, slots: Slots) {
    match into {
        Some(all) => all.extend(slots),
        None => *into = Some(slots),
    }
}

impl<F: Follower> FlowAnalysis<'_, F> {
    /// The slots behind the block.
    fn block(&mut self, block: &[Stmt], slots: Slots, depth: usize) -> FlowState {
        if depth > DEPTH_LIMIT {
            self.follower.lost();
            return Some(slots);
        }
        let mut slots = slots;
        for stmt in block {
            slots = self.statement(stmt, slots, depth)?;
        }
        Some(slots)
    }

    fn statement(&mut self, stmt: &Stmt, mut slots: Slots, depth: usize) -> FlowState {
        self.follower.at(stmt, &slots);
        let places = walk::places(stmt);
        let operands = places.iter().flat_map(|place| walk::place_operands(place));
        for expr in walk::evaluated(stmt).into_iter().chain(operands) {
            self.follower.reads(expr, &slots);
        }
        match &stmt.kind {
            StmtKind::Havoc(Place::Var(variable)) | StmtKind::Guess(Place::Var(variable)) => {
                self.follower.havoc(*variable, &mut slots);
                return Some(slots);
            }
            StmtKind::Havoc(_) | StmtKind::Guess(_) | StmtKind::NewArray { fill: None, .. } => {
                self.follower.chance()
            }
            StmtKind::Call {
                routine, receiver, ..
            } => self.follower.call(*routine, Some(receiver), &mut slots),
            StmtKind::New { constructor, .. } => match constructor {
                Some(routine) => self.follower.call(*routine, None, &mut slots),
                None => self.follower.chance(),
            },
            StmtKind::If(condition, then, otherwise) => {
                self.branches(condition);
                let (holds, fails) = self.either(condition, slots);
                let mut end = self.block(then, holds, depth + 1);
                if let Some(slots) = self.block(otherwise, fails, depth + 1) {
                    join(&mut end, slots);
                }
                return end;
            }
            StmtKind::While {
                label,
                condition,
                body,
                ..
            } => {
                slots.extend(self.follower.added(body));
                self.follower.at(stmt, &slots);
                return self.repeated(*label, condition, body, slots, depth);
            }
            StmtKind::Labelled(label, body) => {
                let end = self.block(body, slots, depth + 1);
                return self.joined(*label, end);
            }
            StmtKind::Break(label) | StmtKind::Continue(label) => {
                self.left.entry(*label).or_default().extend(slots);
                return None;
            }
            StmtKind::Return => {
                self.follower.ends(&slots, Some(stmt.span));
                return None;
            }
            StmtKind::Throw(_) | StmtKind::ThrowAgain => return None,
            StmtKind::Try { body, catches } => {
                let mut caught = slots.clone();
                caught.extend(self.follower.added(body));
                let mut end = self.block(body, slots, depth + 1);
                for catch in catches {
                    if let Some(slots) = self.block(&catch.body, caught.clone(), depth + 1) {
                        join(&mut end, slots);
                    }
                }
                return end;
            }
            StmtKind::NewArray { fill: Some(_), .. } | StmtKind::Assign(..) => {}
            StmtKind::Assume(e) | StmtKind::Assert(e) => self.follower.assumes(e, true, &mut slots),
        }
        for place in places {
            self.follower.assigns(stmt, place, &mut slots);
        }
        Some(slots)
    }

    fn repeated(
        &mut self,
        label: LabelId,
        condition: &Condition,
        body: &[Stmt],
        slots: Slots,
        depth: usize,
    ) -> FlowState {
        self.branches(condition);
        if let Condition::Expr(e) = condition {
            self.follower.reads(e, &slots);
        }
        // All that a round may add is there before the first one.
        let (holds, fails) = self.either(condition, slots);
        let mut out = Some(fails);
        if let Some(mut end) = self.block(body, holds, depth + 1) {
            if let Condition::Expr(e) = condition {
                self.follower.assumes(e, false, &mut end);
            }
            join(&mut out, end);
        }
        self.joined(label, out)
    }

    /// The slots behind what has the label, where its end has these.
    fn joined(&mut self, label: LabelId, mut end: FlowState) -> FlowState {
        if let Some(slots) = self.left.remove(&label) {
            join(&mut end, slots);
        }
        end
    }

    /// The slots where a condition holds, and where it does not.
    fn either(&mut self, condition: &Condition, slots: Slots) -> (Slots, Slots) {
        let (mut holds, mut fails) = (slots.clone(), slots);
        if let Condition::Expr(e) = condition {
            self.follower.assumes(e, true, &mut holds);
            self.follower.assumes(e, false, &mut fails);
        }
        (holds, fails)
    }

    fn branches(&mut self, condition: &Condition) {
        if super::by_chance(condition) {
            self.follower.chance();
        }
    }
}

/// The slot that a place is.
pub(super) fn slot_of(place: &Place) -> Option<Slot> {
    match place {
        Place::Var(v) => Some(Slot::Var(*v)),
        Place::Field(object, field) if matches!(*object.kind, ExprKind::This) => {
            Some(Slot::Field(*field))
        }
        _ => None,
    }
}
