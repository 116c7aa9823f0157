//! What no guard looks at: a call that changes nothing else ends in the state in which it was made.

use super::{ActionId, Subject};
use crate::ir::effects::walk;
use crate::ir::{ExprKind, RoutineRef, Type};

impl Subject {
    /// Whether no call of the routine, however it ends, changes anything that decides which actions can be called.
    pub fn keeps_state(&self, routine: RoutineRef) -> bool {
        self.action_ids()
            .all(|action| self.keeps_guard(routine, action))
    }

    /// Whether no call of the routine, however it ends, changes anything that decides whether this action can be called.
    ///
    /// Where a guard is over-approximated, one configuration may count as one where the action is enabled and as one where
    /// it is not, and nothing is said; nor where a guard speaks of all objects of a class, or all arrays: a call may make one
    /// more.
    pub fn keeps_guard(&self, routine: RoutineRef, action: ActionId) -> bool {
        let effects = self.effects.routine(routine);
        let guard = &self[action].guard;
        let mut keeps = guard.is_exact();
        // `surely` is no part of it: it says what is certain of a state, not which one it is.
        walk::visit_through_functions(&self.program, &guard.enabled, |e| {
            keeps &= match &*e.kind {
                ExprKind::Field(_, field) => !effects.writes.contains(field),
                ExprKind::Element(array, _) => match &array.ty {
                    Type::Array { element, .. } => !effects.writes_elements.contains(element),
                    _ => false,
                },
                // A variable that the elimination of parameters made up is in no program, and of no known type.
                ExprKind::Quantified(_, vars, _) => vars.iter().all(|var| {
                    let declared = self.program.vars.get(var.0);
                    declared.is_some_and(|var| !is_reference(&var.ty))
                }),
                _ => true,
            };
        });
        keeps
    }
}

/// Whether there may be more values of a type after a call than before.
fn is_reference(ty: &Type) -> bool {
    match ty {
        Type::Class { .. } | Type::Array { .. } => true,
        Type::Map(key, value) => is_reference(key) || is_reference(value),
        _ => false,
    }
}
