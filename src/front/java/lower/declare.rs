//! Variables are declared where they are needed: at their first assignment, in the smallest block that has all of their
//! uses.

use crate::front::tq::ast::{Block, Expr, ExprKind, Ident, Rhs, Stmt, StmtKind, Type};

use super::build::statement;

/// Puts declarations of variables into a block, those with the most uses inside last.
pub fn declare(block: &mut Block, variables: &[(String, Type)]) {
    for (name, ty) in variables.iter().rev() {
        put(block, name, ty);
    }
}

fn put(block: &mut Block, name: &str, ty: &Type) {
    let uses: Vec<usize> = (0..block.statements.len())
        .filter(|at| mentions(&block.statements[*at], name))
        .collect();
    let Some(first) = uses.first().copied() else {
        return;
    };
    let found = &mut block.statements[first];
    if uses.len() == 1
        && let Some(inner) = only_part(found, name)
    {
        return put(inner, name, ty);
    }
    let declared = |value| {
        statement(StmtKind::Var {
            name: Ident {
                name: name.to_owned(),
                span: Default::default(),
            },
            ty: ty.clone(),
            value,
        })
    };
    match &found.kind {
        StmtKind::Assign { targets, value } if is_only(targets, name) && !in_rhs(value, name) => {
            *found = declared(Some(value.clone()));
        }
        StmtKind::Havoc(places) if is_only(places, name) => *found = declared(None),
        _ => block.statements.insert(first, declared(None)),
    }
}

fn is_only(places: &[Expr], name: &str) -> bool {
    matches!(places, [place] if is_name(place, name))
}

fn is_name(e: &Expr, name: &str) -> bool {
    matches!(&*e.kind, ExprKind::Name(found) if found.name == name)
}

/// The only block in a statement that speaks of a variable. Not that of a loop: what a round leaves in the variable the
/// next one may find there.
fn only_part<'a>(stmt: &'a mut Stmt, name: &str) -> Option<&'a mut Block> {
    let outside = direct(stmt).iter().any(|e| in_expr(e, name));
    if outside || matches!(stmt.kind, StmtKind::While { .. }) {
        return None;
    }
    let mut parts = blocks_mut(stmt).into_iter();
    let mut parts: Vec<&mut Block> = parts
        .by_ref()
        .filter(|block| block.statements.iter().any(|s| mentions(s, name)))
        .collect();
    match parts.len() {
        1 => parts.pop(),
        _ => None,
    }
}

fn blocks(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => [then].into_iter().chain(otherwise).collect(),
        StmtKind::While { body, .. } | StmtKind::Block(body) => vec![body],
        StmtKind::Try { body, catches } => [body]
            .into_iter()
            .chain(catches.iter().map(|catch| &catch.body))
            .collect(),
        _ => Vec::new(),
    }
}

/// The blocks of a statement, to be changed.
pub fn blocks_mut(stmt: &mut Stmt) -> Vec<&mut Block> {
    match &mut stmt.kind {
        StmtKind::If {
            then, otherwise, ..
        } => [then].into_iter().chain(otherwise).collect(),
        StmtKind::While { body, .. } | StmtKind::Block(body) => vec![body],
        StmtKind::Try { body, catches } => [body]
            .into_iter()
            .chain(catches.iter_mut().map(|catch| &mut catch.body))
            .collect(),
        _ => Vec::new(),
    }
}

/// The expressions that a statement has itself.
fn direct(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        StmtKind::Var { value, .. } => value.iter().flat_map(of_rhs).collect(),
        StmtKind::Assign { targets, value } => targets.iter().chain(of_rhs(value)).collect(),
        StmtKind::If { condition, .. } | StmtKind::While { condition, .. } => vec![condition],
        StmtKind::Call(e) | StmtKind::Assume(e) | StmtKind::Assert(e) => vec![e],
        StmtKind::Return(value) => value.iter().collect(),
        StmtKind::Havoc(places) => places.iter().collect(),
        _ => Vec::new(),
    }
}

fn of_rhs(rhs: &Rhs) -> Vec<&Expr> {
    match rhs {
        Rhs::Expr(e) => vec![e],
        Rhs::New { args, .. } => args.iter().collect(),
        Rhs::NewArray { length, .. } => vec![length],
    }
}

fn in_rhs(rhs: &Rhs, name: &str) -> bool {
    of_rhs(rhs).into_iter().any(|e| in_expr(e, name))
}

fn in_expr(e: &Expr, name: &str) -> bool {
    is_name(e, name) || e.children().into_iter().any(|child| in_expr(child, name))
}

/// Whether a statement speaks of a variable.
pub fn mentions(stmt: &Stmt, name: &str) -> bool {
    direct(stmt).into_iter().any(|e| in_expr(e, name))
        || blocks(stmt)
            .into_iter()
            .flat_map(|block| &block.statements)
            .any(|s| mentions(s, name))
}
