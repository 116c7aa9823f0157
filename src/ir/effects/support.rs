//! Maps that have one value at all keys but a few: those that begin so, and are written key by key.
//!
//! ```text
//! fact exists unused: nat :: owed[unused] == 0;
//! constructor() { owed := map<nat, nat>(0); }          zero everywhere
//! action bid() { owed[leader] := owed[leader] + 1; }   zero at all keys but those that were written
//! ```
//!
//! A formula can only say that some key has the value, and that is what such a fact says; a solver that makes a model of it is
//! free to give all other keys another one.

use std::collections::BTreeMap;

use super::begin::always_at_first;
use super::walk::{places, statements};
use super::{Effects, routine_refs};
use crate::ir::{ClassId, Expr, ExprKind, FieldRef, Place, Program, Stmt, StmtKind, Type, VarId};
use crate::ir::{CompareOp, Quantifier, formula};

/// The fields of a class with maps from integers of which a fact says that some key has a value, and which have it at all
/// keys but finitely many: with that value.
pub fn finite_support(
    program: &Program,
    effects: &Effects,
    class: ClassId,
) -> BTreeMap<FieldRef, Expr> {
    let facts = program.class(class).facts().iter();
    let mut found: BTreeMap<FieldRef, Expr> = facts.flat_map(said_of_some_key).collect();
    found.retain(|field, value| {
        let is_changed_out_of_sight = routine_refs(program)
            .filter(|routine| program.routine(*routine).body.is_none())
            .any(|routine| effects.routine(routine).writes.contains(field));
        has_integer_keys(program, *field)
            && !is_changed_out_of_sight
            && begins_with(program, *field, value)
            && is_written_key_by_key(program, *field, value)
    });
    found
}

/// What a fact says that maps have at some key: `exists k :: … && m[k] == v && …`.
fn said_of_some_key(fact: &Expr) -> Vec<(FieldRef, Expr)> {
    let ExprKind::Quantified(Quantifier::Exists, vars, body) = &*fact.kind else {
        return Vec::new();
    };
    let [key] = **vars else {
        return Vec::new();
    };
    let conjuncts = formula::guard_of(Quantifier::Exists, body).into_iter();
    conjuncts.filter_map(|e| value_at(e, key)).collect()
}

fn value_at(conjunct: &Expr, key: VarId) -> Option<(FieldRef, Expr)> {
    let ExprKind::Compare(CompareOp::Eq, a, b) = &*conjunct.kind else {
        return None;
    };
    let field = |e: &Expr| match &*e.kind {
        ExprKind::Select(map, at) if formula::is_var(at, key) => formula::own_field(map),
        _ => None,
    };
    let (field, value) = match (field(a), field(b)) {
        (Some(field), None) => (field, b),
        (None, Some(field)) => (field, a),
        _ => return None,
    };
    is_literal(value).then(|| (field, value.clone()))
}

/// Whether an expression has one value, whatever there is.
fn is_literal(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Member(..) | ExprKind::Named(..) => true,
        ExprKind::Everywhere(value) => is_literal(value),
        _ => false,
    }
}

/// Only where there are more keys than can be written.
fn has_integer_keys(program: &Program, field: FieldRef) -> bool {
    let ty = &program.field(field).ty;
    matches!(ty, Type::Map(key, _) if matches!(**key, Type::Int | Type::Nat | Type::Within(_)))
}

fn is_everywhere(map: &Expr, value: &Expr) -> bool {
    matches!(&*map.kind, ExprKind::Everywhere(everywhere) if formula::same(everywhere, value))
}

fn begins_with(program: &Program, field: FieldRef, value: &Expr) -> bool {
    if let Some(initial) = &program.field(field).value {
        return is_everywhere(initial, value);
    }
    always_at_first(program, field.class, |stmt| {
        matches!(&stmt.kind, StmtKind::Assign(Place::Field(object, assigned), map)
            if *assigned == field
                && matches!(*object.kind, ExprKind::This)
                && is_everywhere(map, value))
    })
}

/// Whether whoever changes the map changes it at one key, or sets all keys to that value.
fn is_written_key_by_key(program: &Program, field: FieldRef, value: &Expr) -> bool {
    let routines = program.classes.iter().flat_map(|class| &class.routines);
    let bodies = routines.filter_map(|routine| routine.body.as_deref());
    let mut statements = statements(bodies).into_iter();
    statements.all(|stmt| !writes(stmt, field) || is_kept_by(stmt, value))
}

fn writes(stmt: &Stmt, field: FieldRef) -> bool {
    let mut places = places(stmt).into_iter();
    places.any(|place| matches!(place, Place::Field(_, written) if *written == field))
}

fn is_kept_by(stmt: &Stmt, value: &Expr) -> bool {
    let StmtKind::Assign(Place::Field(object, field), map) = &stmt.kind else {
        return false;
    };
    let is_it = |e: &Expr| matches!(&*e.kind, ExprKind::Field(o, f) if f == field && formula::same(o, object));
    is_everywhere(map, value) || matches!(&*map.kind, ExprKind::Store(before, ..) if is_it(before))
}
