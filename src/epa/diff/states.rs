//! Actions and states of two EPAs, matched.

use std::collections::{BTreeMap, BTreeSet};

use super::{ActionDiff, Change, Ids, StateDiff};
use crate::epa::wire::{Epa, EpaState};

pub(super) fn actions(old: &Epa, new: &Epa) -> Vec<ActionDiff> {
    let in_old: BTreeSet<&String> = old.actions.iter().collect();
    let in_new: BTreeSet<&String> = new.actions.iter().collect();
    let added = new.actions.iter().filter(|a| !in_old.contains(a));
    let all = old.actions.iter().chain(added);
    all.map(|name| ActionDiff {
        name: name.clone(),
        change: Change::of(in_old.contains(name), in_new.contains(name)),
    })
    .collect()
}

pub(super) fn states(old: &Epa, new: &Epa, actions: &[ActionDiff]) -> Vec<StateDiff> {
    let order: BTreeMap<&str, usize> = actions.iter().map(|a| a.name.as_str()).zip(0..).collect();
    let enabled = |s: &EpaState| {
        let mut enabled = s.enabled.clone();
        // Predicates are no actions, and come last.
        enabled.sort_by_key(|a| order.get(a.as_str()).copied().unwrap_or(usize::MAX));
        enabled.dedup();
        enabled
    };
    let of = |epa: &Epa| -> BTreeMap<Vec<String>, EpaState> {
        epa.states.iter().map(|s| (enabled(s), s.clone())).collect()
    };
    let (in_old, in_new) = (of(old), of(new));
    let sets = |epa: &Epa| -> Vec<Vec<String>> { epa.states.iter().map(enabled).collect() };
    let added = sets(new)
        .into_iter()
        .filter(|set| !in_old.contains_key(set));
    let all = sets(old).into_iter().chain(added);
    all.map(|enabled| {
        let (was, is) = (in_old.get(&enabled), in_new.get(&enabled));
        let (was_initial, is_initial) = (was.map(|s| s.initial), is.map(|s| s.initial));
        let change = match Change::of(was.is_some(), is.is_some()) {
            Change::Same if was_initial != is_initial => Change::Changed,
            change => change,
        };
        StateDiff {
            ids: Ids {
                old: was.map(|s| s.id.clone()),
                new: is.map(|s| s.id.clone()),
            },
            enabled,
            change,
            was_initial,
            is_initial,
        }
    })
    .collect()
}
