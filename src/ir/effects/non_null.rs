//! Where a body looks behind a reference that cannot be null there: it was compared with `null` on every way that leads
//! there, or was given an object, and nobody has written to it since.
//!
//! The same that compilers know of local variables (Java's definite assignment, Kotlin's smart casts), for the fields of
//! `this` as well, as it is known which of them a call may write.

use std::collections::BTreeSet;

use super::flow::{Follower, Slot, Slots, follow, slot_of};
use super::{Effects, may_raise, routine_refs, walk};
use crate::ir::facts::{self, Fact};
use crate::ir::span::Span;
use crate::ir::{
    BinaryOp, BuiltinException, ClassId, CompareOp, Expr, ExprKind, FieldRef, Place, Program,
    RoutineRef, Stmt, StmtKind, Type, VarId,
};

/// The statements of a routine that look behind what may be null, or all of them where that is not known.
pub(super) struct NullDereferences {
    /// Told apart by where they are: a statement may stand twice in the same words.
    found: Option<BTreeSet<*const Stmt>>,
}

impl NullDereferences {
    /// Those of a routine. `effects` has the fields written by every routine; `kept` are fields that are never null.
    pub(super) fn of(
        program: &Program,
        effects: &Effects,
        kept: &BTreeSet<FieldRef>,
        reference: RoutineRef,
    ) -> Self {
        let mut check = Check::new(program, effects, kept, reference);
        let slots = check.at_the_start();
        if let Some(body) = &program.routine(reference).body {
            follow(body, slots, &mut check);
        }
        NullDereferences {
            found: (!check.is_lost).then_some(check.found),
        }
    }

    /// Whether the statement itself may look behind `null`.
    pub(super) fn are_in(&self, stmt: &Stmt) -> bool {
        let found = self.found.as_ref();
        found.is_none_or(|found| found.contains(&std::ptr::from_ref(stmt)))
    }
}

/// The fields that are never null: their type promises it, of the objects that there are at the start of a call as of a field
/// that nobody has assigned, and nobody writes to them.
pub(super) fn kept(program: &Program, effects: &Effects) -> BTreeSet<FieldRef> {
    let written = routine_refs(program).flat_map(|routine| &effects.routine(routine).writes);
    let written: BTreeSet<FieldRef> = written.copied().collect();
    let mut kept = BTreeSet::new();
    for (id, class) in program.classes.iter().enumerate() {
        let fields = class.fields.iter().enumerate();
        let promised = fields.filter(|(_, field)| is_promised(&field.ty));
        kept.extend(promised.map(|(index, _)| FieldRef {
            class: ClassId(id),
            index,
        }));
    }
    &kept - &written
}

/// Whether a declaration with this type promises that its value is not null.
fn is_promised(ty: &Type) -> bool {
    facts::invariant(ty) == Some(Fact::NonNull)
}

/// The slots are those that may be null.
struct Check<'a> {
    program: &'a Program,
    effects: &'a Effects,
    kept: &'a BTreeSet<FieldRef>,
    routine: RoutineRef,
    /// The parameters, and the variables that the body assigns. Of others nothing is known.
    variables: BTreeSet<VarId>,
    found: BTreeSet<*const Stmt>,
    is_lost: bool,
}

impl<'a> Check<'a> {
    fn new(
        program: &'a Program,
        effects: &'a Effects,
        kept: &'a BTreeSet<FieldRef>,
        routine: RoutineRef,
    ) -> Self {
        let declared = program.routine(routine);
        let body = declared.body.as_deref();
        let written = walk::statements(body).into_iter().flat_map(walk::places);
        let written = written.filter_map(|place| match place {
            Place::Var(variable) => Some(*variable),
            _ => None,
        });
        Check {
            program,
            effects,
            kept,
            routine,
            variables: declared.params.iter().copied().chain(written).collect(),
            found: BTreeSet::new(),
            is_lost: false,
        }
    }

    /// All but the parameters that no call gives `null`.
    fn at_the_start(&self) -> Slots {
        let class = self.routine.class;
        let fields = 0..self.program.class(class).fields.len();
        let fields = fields.map(|index| Slot::Field(FieldRef { class, index }));
        let mut slots: Slots = self.variables.iter().copied().map(Slot::Var).collect();
        slots.extend(fields);
        for parameter in &self.program.routine(self.routine).params {
            if is_promised(&self.program.var(*parameter).ty) {
                slots.remove(&Slot::Var(*parameter));
            }
        }
        slots
    }

    /// What holds the value of an expression, if that is followed.
    fn slot(&self, e: &Expr) -> Option<Slot> {
        match e.kind.as_ref() {
            ExprKind::Var(variable) => {
                let is_followed = self.variables.contains(variable);
                is_followed.then_some(Slot::Var(*variable))
            }
            ExprKind::Field(object, field) => {
                let is_own = matches!(*object.kind, ExprKind::This);
                let is_followed = is_own && field.class == self.routine.class;
                is_followed.then_some(Slot::Field(*field))
            }
            _ => None,
        }
    }

    fn may_be_null(&self, e: &Expr, slots: &Slots) -> bool {
        match e.kind.as_ref() {
            ExprKind::This => false,
            ExprKind::Field(_, field) if self.kept.contains(field) => false,
            ExprKind::If(_, then, otherwise) => {
                self.may_be_null(then, slots) || self.may_be_null(otherwise, slots)
            }
            _ => self.slot(e).is_none_or(|slot| slots.contains(&slot)),
        }
    }

    /// Whether evaluating the expression may look behind `null`.
    fn may_fail(&self, e: &Expr, slots: &Slots) -> bool {
        let under = |condition, holds, e| {
            let mut slots = slots.clone();
            self.learn(condition, holds, &mut slots);
            self.may_fail(e, &slots)
        };
        match e.kind.as_ref() {
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
                self.may_fail(a, slots) || under(a, *op != BinaryOp::Or, b)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.may_fail(condition, slots)
                    || under(condition, true, then)
                    || under(condition, false, otherwise)
            }
            ExprKind::Field(object, _) | ExprKind::Length(object) => {
                self.may_be_null(object, slots) || self.may_fail(object, slots)
            }
            ExprKind::Element(array, index) => {
                self.may_be_null(array, slots)
                    || self.may_fail(array, slots)
                    || self.may_fail(index, slots)
            }
            // Another state, and other variables.
            ExprKind::Old(_) | ExprKind::Call { .. } => {
                may_raise(self.program, e).contains(&BuiltinException::NullDereference)
            }
            _ => e
                .children()
                .into_iter()
                .any(|part| self.may_fail(part, slots)),
        }
    }

    /// What is known of the slots where a condition holds, or does not.
    fn learn(&self, condition: &Expr, holds: bool, slots: &mut Slots) {
        match condition.kind.as_ref() {
            ExprKind::Not(e) => self.learn(e, !holds, slots),
            ExprKind::Binary(BinaryOp::And, a, b) if holds => {
                self.learn(a, true, slots);
                self.learn(b, true, slots);
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !holds => {
                self.learn(a, false, slots);
                self.learn(b, false, slots);
            }
            ExprKind::Binary(BinaryOp::Implies, a, b) if !holds => {
                self.learn(a, true, slots);
                self.learn(b, false, slots);
            }
            ExprKind::Compare(op, a, b) => {
                let is_null = |e: &Expr| matches!(*e.kind, ExprKind::Null);
                let differ = (*op == CompareOp::Ne) == holds;
                if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
                    return;
                }
                for (one, other) in [(a, b), (b, a)] {
                    let is_something = match differ {
                        true => is_null(other),
                        false => !is_null(other) && !self.may_be_null(other, slots),
                    };
                    if let Some(slot) = self.slot(one).filter(|_| is_something) {
                        slots.remove(&slot);
                    }
                }
            }
            _ => {}
        }
    }

    /// The fields of `this` that a routine may write.
    fn written_by(&self, callee: RoutineRef) -> impl Iterator<Item = Slot> {
        let class = self.routine.class;
        let written = self.effects.routine(callee).writes.iter();
        let own = written.filter(move |field| field.class == class);
        own.map(|field| Slot::Field(*field))
    }
}

/// The slot that an assignment may change: a field of another object may be a field of `this`.
fn changed(place: &Place) -> Option<Slot> {
    match place {
        Place::Field(_, field) => Some(Slot::Field(*field)),
        place => slot_of(place),
    }
}

impl Follower for Check<'_> {
    fn at(&mut self, stmt: &Stmt, slots: &Slots) {
        let behind = |object: &Expr| self.may_be_null(object, slots);
        let of_places = walk::places(stmt).into_iter().any(|place| {
            let mut operands = walk::place_operands(place).into_iter();
            operands.any(|e| self.may_fail(e, slots))
                || match place {
                    Place::Var(_) => false,
                    Place::Field(object, _) | Place::Element(object, _) => behind(object),
                }
        });
        let of_receiver = match &stmt.kind {
            StmtKind::Call { receiver, .. } => behind(receiver),
            _ => false,
        };
        let mut evaluated = walk::evaluated(stmt).into_iter();
        if of_places || of_receiver || evaluated.any(|e| self.may_fail(e, slots)) {
            self.found.insert(std::ptr::from_ref(stmt));
        }
    }

    fn assumes(&mut self, condition: &Expr, holds: bool, slots: &mut Slots) {
        self.learn(condition, holds, slots);
    }

    fn assigns(&mut self, stmt: &Stmt, place: &Place, slots: &mut Slots) {
        let is_something = match &stmt.kind {
            StmtKind::New { .. } | StmtKind::NewArray { .. } => true,
            StmtKind::Assign(_, value) => !self.may_be_null(value, slots),
            _ => false,
        };
        if !is_something {
            slots.extend(changed(place));
        } else if let Some(slot) = slot_of(place) {
            slots.remove(&slot);
        }
    }

    fn havoc(&mut self, variable: VarId, slots: &mut Slots) {
        slots.insert(Slot::Var(variable));
    }

    fn call(&mut self, callee: RoutineRef, _: Option<&Expr>, slots: &mut Slots) {
        slots.extend(self.written_by(callee));
    }

    /// All that is written in the block.
    fn added(&self, block: &[Stmt]) -> Slots {
        let mut added = Slots::new();
        for stmt in walk::statements([block]) {
            added.extend(walk::places(stmt).into_iter().filter_map(changed));
            if let StmtKind::Call { routine, .. }
            | StmtKind::New {
                constructor: Some(routine),
                ..
            } = &stmt.kind
            {
                added.extend(self.written_by(*routine));
            }
        }
        added
    }

    fn ends(&mut self, _: &Slots, _: Option<Span>) {}

    fn lost(&mut self) {
        self.is_lost = true;
    }
}
