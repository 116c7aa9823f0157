//! Whether a routine is deterministic, its callees apart: no choice in its body, and nothing read that was not
//! assigned before.

use super::flow::{Follower, Slot, Slots, follow, slot_of};
use super::{Effects, walk};
use crate::ir::span::Span;
use crate::ir::{
    Expr, ExprKind, FieldRef, Place, Program, RoutineKind, RoutineRef, Stmt, StmtKind, VarId,
};

/// Whether the routine decides everything, assumed its callees do. `effects` has the fields read by every routine.
pub(super) fn deterministic(program: &Program, effects: &Effects, reference: RoutineRef) -> bool {
    let routine = program.routine(reference);
    let Some(body) = &routine.body else {
        return false;
    };
    let mut open: Slots = routine.results.iter().copied().map(Slot::Var).collect();
    if routine.kind == RoutineKind::Constructor {
        let class = reference.class;
        let fields = program.class(class).fields.iter().enumerate();
        open.extend(
            fields
                .filter(|(_, field)| field.value.is_none())
                .map(|(index, _)| Slot::Field(FieldRef { class, index })),
        );
    }
    let mut check = Check {
        program,
        effects,
        outputs: open.clone(),
        chance: false,
    };
    follow(body, open, &mut check);
    !check.chance
}

struct Check<'a> {
    program: &'a Program,
    effects: &'a Effects,
    /// What must be assigned when the routine ends normally.
    outputs: Slots,
    /// Something was found that the inputs do not decide.
    chance: bool,
}

/// The slots are those that may not be assigned yet.
impl Follower for Check<'_> {
    fn assigns(&mut self, _: &Stmt, place: &Place, open: &mut Slots) {
        if let Some(slot) = slot_of(place) {
            open.remove(&slot);
        }
    }

    fn reads(&mut self, expr: &Expr, open: &Slots) {
        if open.is_empty() {
            return;
        }
        walk::visit_through_functions(self.program, expr, |e| match e.kind.as_ref() {
            ExprKind::Var(v) => self.chance |= open.contains(&Slot::Var(*v)),
            ExprKind::Field(_, field) => self.chance |= open.contains(&Slot::Field(*field)),
            _ => {}
        });
    }

    fn chance(&mut self) {
        self.chance = true;
    }

    fn havoc(&mut self, variable: VarId, open: &mut Slots) {
        open.insert(Slot::Var(variable));
    }

    fn call(&mut self, callee: RoutineRef, _: Option<&Expr>, open: &mut Slots) {
        let reads = &self.effects.routine(callee).reads;
        self.chance |= reads
            .iter()
            .any(|field| open.contains(&Slot::Field(*field)));
    }

    /// The variables that get an arbitrary value somewhere in the block.
    fn added(&self, block: &[Stmt]) -> Slots {
        let havocs = walk::statements([block]).into_iter();
        havocs
            .filter_map(|stmt| match &stmt.kind {
                StmtKind::Havoc(Place::Var(v)) | StmtKind::Guess(Place::Var(v)) => {
                    Some(Slot::Var(*v))
                }
                _ => None,
            })
            .collect()
    }

    fn ends(&mut self, open: &Slots, _: Option<Span>) {
        self.chance |= !open.is_disjoint(&self.outputs);
    }

    fn lost(&mut self) {
        self.chance = true;
    }
}
