//! What a type promises, and an assignment can break: it belongs to the invariant, so it matters whether it is kept.

use std::collections::BTreeSet;

use super::matter::routines;
use crate::ir::effects::walk;
use crate::ir::facts::{self, Fact};
use crate::ir::{Expr, ExprKind, FieldRef, Place, Program, Stmt, StmtKind, Type};

/// The fields, and the types of elements of arrays, that some statement may give a value that their type promises not to have.
pub(super) fn breakable(program: &Program) -> (BTreeSet<FieldRef>, BTreeSet<Type>) {
    let mut fields = BTreeSet::new();
    let mut elements = BTreeSet::new();
    for routine in routines(program) {
        let body = program.routine(routine).body.iter().map(Vec::as_slice);
        for stmt in walk::statements(body) {
            for place in walk::places(stmt) {
                match place {
                    Place::Field(_, field) if may_break(&program.field(*field).ty, stmt) => {
                        fields.insert(*field);
                    }
                    Place::Element(array, _) => {
                        if let Type::Array { element, .. } = &array.ty
                            && may_break(element, stmt)
                        {
                            elements.insert((**element).clone());
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    elements.extend(filled(program));
    for (class, declared) in program.classes.iter().enumerate() {
        let initial = declared.fields.iter().enumerate().filter(|(_, field)| {
            let promise = facts::invariant(&field.ty);
            promise.is_some_and(|fact| field.value.as_ref().is_some_and(|e| !keeps(&fact, e)))
        });
        let class = crate::ir::ClassId(class);
        fields.extend(initial.map(|(index, _)| FieldRef { class, index }));
    }
    (fields, elements)
}

/// The types of elements of new arrays that have a value everywhere which their type promises not to have.
fn filled(program: &Program) -> Vec<Type> {
    let bodies = program.classes.iter().flat_map(|class| &class.routines);
    let bodies = bodies.filter_map(|routine| routine.body.as_deref());
    let statements = walk::statements(bodies).into_iter();
    let filled = statements.filter_map(|stmt| match &stmt.kind {
        StmtKind::NewArray {
            element,
            fill: Some(fill),
            ..
        } => {
            let promise = facts::invariant(element)?;
            (!keeps(&promise, fill)).then(|| element.clone())
        }
        _ => None,
    });
    filled.collect()
}

/// Whether the statement may give a place of this type a value that the type promises not to have.
fn may_break(ty: &Type, stmt: &Stmt) -> bool {
    let Some(promise) = facts::invariant(ty) else {
        return false;
    };
    match &stmt.kind {
        StmtKind::Assign(_, value) => !keeps(&promise, value),
        // Any value of the type, or a new one.
        StmtKind::Havoc(_)
        | StmtKind::Guess(_)
        | StmtKind::New { .. }
        | StmtKind::NewArray { .. } => false,
        _ => true,
    }
}

/// Whether a value surely keeps a promise.
fn keeps(promise: &Fact, value: &Expr) -> bool {
    match (promise, &*value.kind) {
        (Fact::NonNull, ExprKind::This) => true,
        (Fact::Range { low, high }, ExprKind::Int(n)) => {
            low.as_ref().is_none_or(|low| low <= n) && high.as_ref().is_none_or(|high| n <= high)
        }
        _ => false,
    }
}
