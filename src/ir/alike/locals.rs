//! Local variables that make no difference: those with one value, and those that nobody reads.

use std::collections::{BTreeMap, BTreeSet};

use super::{always_has_a_value, is_constant};
use crate::ir::effects::{may_raise, walk};
use crate::ir::formula;
use crate::ir::{Block, Expr, Place, Program, Stmt, StmtKind, VarId};

/// The local variables that only ever have one value, which is a constant. A result has any value before it is given one.
pub(super) fn constants(body: &Block, results: &[VarId]) -> BTreeMap<VarId, Expr> {
    let mut written: BTreeMap<VarId, Vec<Option<&Expr>>> = BTreeMap::new();
    for stmt in walk::statements([body.as_slice()]) {
        let value = match &stmt.kind {
            StmtKind::Assign(_, value) if is_constant(value) => Some(value),
            _ => None,
        };
        for place in walk::places(stmt) {
            if let Place::Var(var) = place {
                written.entry(*var).or_default().push(value);
            }
        }
    }
    let constant = written
        .into_iter()
        .filter_map(|(var, values)| match values[..] {
            [Some(value)] if !results.contains(&var) => Some((var, value.clone())),
            _ => None,
        });
    constant.collect()
}

/// The variables of a routine that no statement reads, but to give others of them a value.
pub(super) fn unread(program: &Program, body: &Block) -> BTreeSet<VarId> {
    let all = walk::statements([body.as_slice()]);
    let mut dead: BTreeSet<VarId> = all
        .iter()
        .flat_map(|stmt| walk::places(stmt))
        .filter_map(|place| match place {
            Place::Var(var) => Some(*var),
            Place::Field(..) | Place::Element(..) => None,
        })
        .collect();
    // What is read is read by something that is done; what is done then may read more.
    loop {
        let done = all.iter().filter(|stmt| !is_dropped(program, stmt, &dead));
        let read = done.flat_map(|stmt| read_by(stmt));
        let read: BTreeSet<VarId> = read.collect();
        let before = dead.len();
        dead.retain(|var| !read.contains(var));
        if dead.len() == before {
            return dead;
        }
    }
}

/// The variables that a statement itself reads.
fn read_by(stmt: &Stmt) -> BTreeSet<VarId> {
    let operands = walk::places(stmt)
        .into_iter()
        .flat_map(walk::place_operands);
    let loops = match &stmt.kind {
        StmtKind::While { invariants, .. } => invariants.as_slice(),
        _ => &[],
    };
    let exprs = walk::evaluated(stmt)
        .into_iter()
        .chain(operands)
        .chain(loops);
    exprs.flat_map(formula::vars_of).collect()
}

/// Whether a statement does nothing but give a value to what nobody reads.
pub(super) fn is_dropped(program: &Program, stmt: &Stmt, dead: &BTreeSet<VarId>) -> bool {
    match &stmt.kind {
        StmtKind::Havoc(Place::Var(var)) => {
            dead.contains(var) && always_has_a_value(program, &program.vars[var.0].ty)
        }
        StmtKind::Assign(place, value) => {
            is_dead(place, dead) && may_raise(program, value).is_empty()
        }
        _ => false,
    }
}

pub(super) fn is_dead(place: &Place, dead: &BTreeSet<VarId>) -> bool {
    matches!(place, Place::Var(var) if dead.contains(var))
}
