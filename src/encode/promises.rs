//! Maps whose values promise something: `map<address, nat>`. That the promise is kept everywhere takes a quantifier, and at the end
//! of a call a solver has to show it anew, through all that was written: that mostly takes longer than all the rest.
//!
//! So it is remembered whether a body ever wrote something that breaks the promise. Where it has not, what held at the start holds
//! at the end; where it has, the quantifier says what is kept.

use super::storage::Storage;
use super::term::BoogieTerm;
use crate::ir::{Expr, ExprKind, FieldRef, Place, Type};

/// The global that says whether something was written to a field that breaks what its type promises of each value; none where
/// the field is no map of the object under analysis, or its type promises nothing.
pub(super) fn broken_promise(storage: &Storage, field: FieldRef) -> Option<String> {
    let ty = &storage.program().field(field).ty;
    let is_own = !storage.in_heap(field.class);
    let promises = || !storage.promise(ty, &BoogieTerm::atom("map")).is_empty();
    (is_own && matches!(ty, Type::Map(..)) && promises())
        .then(|| format!("{}.broken", storage.field(field)))
}

/// The values that are written where a map is made of what the field holds; none where it is made of something else.
pub(super) fn written<'e>(place: &Place, value: &'e Expr) -> Option<Vec<&'e Expr>> {
    let Place::Field(_, field) = place else {
        return None;
    };
    let mut found = Vec::new();
    collect(*field, value, &mut found).then_some(found)
}

/// What the map's values are in the end, whatever it takes to get there.
pub(super) fn value_type(ty: &Type) -> &Type {
    match ty {
        Type::Map(_, value) => value_type(value),
        other => other,
    }
}

fn collect<'e>(field: FieldRef, value: &'e Expr, found: &mut Vec<&'e Expr>) -> bool {
    match &*value.kind {
        ExprKind::Field(_, read) => *read == field,
        // A part of what the field holds.
        ExprKind::Select(map, _) if matches!(value.ty, Type::Map(..)) => collect(field, map, found),
        ExprKind::Store(map, _, new) => collect(field, map, found) && leaf(field, new, found),
        ExprKind::Everywhere(new) => leaf(field, new, found),
        _ => false,
    }
}

fn leaf<'e>(field: FieldRef, value: &'e Expr, found: &mut Vec<&'e Expr>) -> bool {
    if matches!(value.ty, Type::Map(..)) {
        return collect(field, value, found);
    }
    found.push(value);
    true
}
