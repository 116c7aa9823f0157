//! Classes with a protocol for each key of a map: as a whole they can take each call, for some key.

use std::collections::BTreeMap;

use super::{Besides, EpaShape, Finding};
use crate::ir::{Expr, ExprKind, FieldRef, formula};
use crate::query::{AbstractState, ActionId, Subject};

/// The actions that can be called where a map has something at a key that the call brings.
#[derive(Clone, Debug)]
pub struct KeyedActions {
    /// The map.
    field: String,
    /// Those.
    actions: Vec<ActionId>,
    /// How many of their guards say that there is such a key, with a quantifier.
    quantified: usize,
}

/// They, by the map.
pub(super) fn keyed_of(subject: &Subject) -> Vec<KeyedActions> {
    let mut found: BTreeMap<FieldRef, Vec<ActionId>> = BTreeMap::new();
    for action in subject.action_ids() {
        let routine = subject.program.routine(subject[action].routine);
        let mut look = |e: &Expr| {
            if let Some(field) = asked(e, |e| formula::mentions(e, &routine.params)) {
                let actions = found.entry(field).or_default();
                if actions.last() != Some(&action) {
                    actions.push(action);
                }
            }
            false
        };
        for clause in &routine.requires {
            formula::contains(clause, &mut look);
        }
    }
    let name = |field: FieldRef| subject.program.field(field).name.clone();
    let is_quantified = |action: &&ActionId| subject[**action].guard.note.is_some();
    let found = found.into_iter().map(|(field, actions)| KeyedActions {
        field: name(field),
        quantified: actions.iter().filter(is_quantified).count(),
        actions,
    });
    found.collect()
}

/// The map of the class that is looked at, if it is at such a key.
fn asked(e: &Expr, is_brought: impl Fn(&Expr) -> bool) -> Option<FieldRef> {
    let ExprKind::Select(map, key) = &*e.kind else {
        return None;
    };
    match &*map.kind {
        ExprKind::Field(_, field) => is_brought(key).then_some(*field),
        _ => None,
    }
}

/// The map that most actions ask, where every action can be called for ever, or what two of them ask cannot be said without
/// a key that there is.
pub(super) fn per_key(shape: &EpaShape<'_>, besides: &Besides) -> Option<Finding> {
    let all = shape.epa.action_ids().count();
    let everywhere = |(_, set): &(_, &AbstractState)| set.iter().count() == all;
    let always = !shape.states.is_empty() && shape.states.iter().all(everywhere);
    let kept = |map: &&KeyedActions| map.quantified >= 2;
    let maps = besides.keyed.iter().filter(|map| always || kept(map)).rev();
    let map = maps.max_by_key(|map| map.actions.len())?;
    Some(Finding::PerKey {
        field: map.field.clone(),
        actions: map.actions.clone(),
    })
}
