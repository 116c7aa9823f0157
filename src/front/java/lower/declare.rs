//! Variables are declared where they are needed: at their first assignment, in the smallest block that has all of their
//! uses.

use crate::front::tq::ast::{
    BlockSyntax, ExprSyntax, Ident, StmtSyntax, StmtSyntaxKind, TypeSyntax,
};

use crate::front::tq::build::stmt;

/// Puts declarations of variables into a block, those with the most uses inside last.
pub(super) fn declare(block: &mut BlockSyntax, variables: &[(String, TypeSyntax)]) {
    for (name, ty) in variables.iter().rev() {
        put(block, name, ty);
    }
}

fn put(block: &mut BlockSyntax, name: &str, ty: &TypeSyntax) {
    let uses: Vec<usize> = (0..block.statements.len())
        .filter(|at| block.statements[*at].mentions(name))
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
    let declared = |value| StmtSyntaxKind::Var {
        name: Ident {
            name: name.to_owned(),
            span: Default::default(),
        },
        ty: ty.clone(),
        value,
    };
    match &found.kind {
        StmtSyntaxKind::Assign { targets, value }
            if is_only(targets, name) && !value.mentions(name) =>
        {
            found.kind = declared(Some(value.clone()));
        }
        StmtSyntaxKind::Havoc(places) if is_only(places, name) => found.kind = declared(None),
        _ => block.statements.insert(first, stmt(declared(None))),
    }
}

fn is_only(places: &[ExprSyntax], name: &str) -> bool {
    matches!(places, [place] if place.is_name(name))
}

/// The only block in a statement that speaks of a variable. Not that of a loop: what a round leaves in the variable the
/// next one may find there.
fn only_part<'a>(stmt: &'a mut StmtSyntax, name: &str) -> Option<&'a mut BlockSyntax> {
    let outside = stmt.expressions().iter().any(|e| e.mentions(name));
    if outside || matches!(stmt.kind, StmtSyntaxKind::While { .. }) {
        return None;
    }
    let mut parts = stmt.blocks_mut().into_iter();
    let mut parts: Vec<&mut BlockSyntax> = parts
        .by_ref()
        .filter(|block| block.mentions(name))
        .collect();
    match parts.len() {
        1 => parts.pop(),
        _ => None,
    }
}
