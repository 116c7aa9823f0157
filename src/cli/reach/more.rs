//! `/cex:N`: after an execution that fails, others that fail elsewhere.

use crate::boogie::ast::Pos;
use crate::boogie::typed::{CmdKind, TypedCondition, TypedProgram};
use crate::reach::graph::FailedCheck;
use crate::reach::search::SearchExecution;

/// Makes an assumption of the assertion or condition that an execution failed at. Is it one?
pub(super) fn disable(program: &mut TypedProgram, execution: &SearchExecution) -> bool {
    let same = |a: Pos, b: Pos| (a.line, a.col) == (b.line, b.col);
    let mut found = false;
    let mut free = |conditions: &mut Vec<TypedCondition>, pos: Pos| {
        for condition in conditions.iter_mut().filter(|c| same(c.pos, pos)) {
            found |= !condition.free;
            condition.free = true;
        }
    };
    match &execution.failure {
        Some(FailedCheck::Requires(pos, _)) => {
            let procedures = program.procedures.iter_mut();
            procedures.for_each(|p| free(&mut p.requires, *pos));
        }
        Some(FailedCheck::Ensures(pos, _)) => {
            let procedures = program.procedures.iter_mut();
            procedures.for_each(|p| free(&mut p.ensures, *pos));
        }
        Some(FailedCheck::Assert(pos, _)) => {
            let bodies = program
                .procedures
                .iter_mut()
                .filter_map(|p| p.body.as_mut());
            for cmd in bodies.flat_map(|b| &mut b.blocks).flat_map(|b| &mut b.cmds) {
                if let (true, CmdKind::Assert(e, _)) = (same(cmd.pos, *pos), &cmd.kind) {
                    cmd.kind = CmdKind::Assume(e.clone());
                    found = true;
                }
            }
        }
        Some(FailedCheck::Callee) | None => {}
    }
    found
}
