//! Ways through expressions and statements, without recursion.

use std::collections::BTreeSet;

use crate::ir::{Condition, Expr, ExprKind, Place, Program, RoutineRef, Stmt, StmtKind};

/// Visits the expression and everything in it.
pub(crate) fn visit<'a>(expr: &'a Expr, mut see: impl FnMut(&'a Expr)) {
    let mut open = vec![expr];
    while let Some(e) = open.pop() {
        see(e);
        open.extend(e.children());
    }
}

/// As [`visit`], and through the bodies of the functions called, each once.
pub(crate) fn visit_through_functions<'a>(
    program: &'a Program,
    expr: &'a Expr,
    mut see: impl FnMut(&'a Expr),
) {
    let mut entered = BTreeSet::new();
    let mut open = vec![expr];
    while let Some(e) = open.pop() {
        see(e);
        open.extend(e.children());
        if let ExprKind::Call { function, .. } = e.kind.as_ref()
            && entered.insert(*function)
        {
            open.push(&program.function(*function).body);
        }
    }
}

/// The expressions that a statement itself evaluates: not those of the statements inside it, and not loop
/// invariants. The places it assigns are given by [`places`].
pub(crate) fn evaluated(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Assign(_, value) => vec![value],
        StmtKind::Call { receiver, args, .. } => {
            std::iter::once(receiver).chain(args.iter()).collect()
        }
        StmtKind::New { args, .. } => args.iter().collect(),
        StmtKind::NewArray { length, fill, .. } => [length].into_iter().chain(fill).collect(),
        StmtKind::Assume(e) | StmtKind::Assert(e) => vec![e],
        StmtKind::If(condition, ..) | StmtKind::While { condition, .. } => match condition {
            Condition::Any => Vec::new(),
            Condition::Expr(e) => vec![e],
        },
        StmtKind::Havoc(_)
        | StmtKind::Guess(_)
        | StmtKind::Labelled(..)
        | StmtKind::Break(_)
        | StmtKind::Continue(_)
        | StmtKind::Return
        | StmtKind::Throw(_)
        | StmtKind::ThrowAgain
        | StmtKind::Try { .. } => Vec::new(),
    }
}

/// All statements of these blocks, and those inside them, in no particular order.
pub(crate) fn statements<'a>(blocks: impl IntoIterator<Item = &'a [Stmt]>) -> Vec<&'a Stmt> {
    let mut blocks: Vec<&[Stmt]> = blocks.into_iter().collect();
    let mut all = Vec::new();
    while let Some(block) = blocks.pop() {
        for stmt in block {
            all.push(stmt);
            blocks.extend(stmt.blocks().into_iter().map(Vec::as_slice));
        }
    }
    all
}

/// The places a statement itself writes.
pub(crate) fn places(stmt: &Stmt) -> Vec<&Place> {
    match &stmt.kind {
        StmtKind::Assign(place, _)
        | StmtKind::Havoc(place)
        | StmtKind::Guess(place)
        | StmtKind::New { target: place, .. }
        | StmtKind::NewArray { target: place, .. } => vec![place],
        StmtKind::Call { targets, .. } => targets.iter().collect(),
        _ => Vec::new(),
    }
}

/// The expressions inside a place.
pub(crate) fn place_operands(place: &Place) -> Vec<&Expr> {
    match place {
        Place::Var(_) => Vec::new(),
        Place::Field(object, _) => vec![object],
        Place::Element(array, index) => vec![array, index],
    }
}

/// These routines, and those that they call.
pub(crate) fn reachable(program: &Program, from: &[RoutineRef]) -> BTreeSet<RoutineRef> {
    let mut found = BTreeSet::new();
    let mut open = from.to_vec();
    while let Some(routine) = open.pop() {
        if !found.insert(routine) {
            continue;
        }
        let body = program.routine(routine).body.iter().map(Vec::as_slice);
        for stmt in statements(body) {
            match &stmt.kind {
                StmtKind::Call { routine, .. } => open.push(*routine),
                StmtKind::New { constructor, .. } => open.extend(*constructor),
                _ => {}
            }
        }
    }
    found
}
