//! What each constructor of a class does, whatever way it goes.

use super::walk::statements;
use crate::ir::{ClassId, Program, RoutineKind, Stmt, StmtKind};

/// Whether each constructor, and there is one, executes such a statement before it can end normally.
pub(super) fn always_at_first(
    program: &Program,
    class: ClassId,
    is_it: impl Fn(&Stmt) -> bool,
) -> bool {
    let mut constructors = program
        .class(class)
        .routines
        .iter()
        .filter(|routine| routine.kind == RoutineKind::Constructor)
        .peekable();
    constructors.peek().is_some()
        && constructors.all(|constructor| {
            let body = constructor.body.as_deref().unwrap_or_default();
            let before = body.iter().position(&is_it);
            // What returns before does not come there.
            before.is_some_and(|before| {
                let before = body.get(..before).unwrap_or_default();
                let mut before = statements([before]).into_iter();
                before.all(|stmt| !matches!(stmt.kind, StmtKind::Return))
            })
        })
}
