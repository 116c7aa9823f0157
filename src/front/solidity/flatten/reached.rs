//! The routines that are reached, named and numbered; no others are kept.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{Flat, Rejection};
use crate::front::solidity::flat::{
    Contract, FlatBlock, FlatRoutine, FlatStmtKind, NotTaken, Note, OpaqueId, RoutineId,
};

/// Whether a routine reaches one that is not there.
pub(super) fn unreached(
    routines: &[Option<FlatRoutine>],
    dead: &BTreeMap<RoutineId, Vec<NotTaken>>,
    from: RoutineId,
) -> Flat<()> {
    let reached = reached(routines, [from]);
    let missing = reached
        .iter()
        .find(|id| routines.get(id.index()).is_none_or(Option::is_none));
    match missing {
        None => Ok(()),
        Some(id) => Err(Rejection(dead.get(id).cloned().unwrap_or_default())),
    }
}

/// The routines that calls from some lead to.
fn reached(
    routines: &[Option<FlatRoutine>],
    from: impl IntoIterator<Item = RoutineId>,
) -> BTreeSet<RoutineId> {
    let mut open: Vec<RoutineId> = from.into_iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id)
            && let Some(Some(routine)) = routines.get(id.index())
        {
            called(&routine.body, &mut open);
        }
    }
    reached
}

fn called(block: &FlatBlock, found: &mut Vec<RoutineId>) {
    for statement in block {
        found.extend(statement.kind.called());
        for block in statement.kind.blocks() {
            called(block, found);
        }
    }
}

/// Gives each routine a name that no other has: first those that can be called, which have the names that users know.
pub(super) fn name_routines(
    contract: &Contract,
    routines: &mut [Option<FlatRoutine>],
    plans: &BTreeMap<RoutineId, Vec<String>>,
) {
    let entries = contract.entries.iter().map(|entry| entry.routine);
    let all = (0..routines.len()).map(RoutineId::of);
    let mut taken: HashSet<String> = HashSet::from(["constructor".to_owned()]);
    let mut named = HashSet::new();
    for id in entries.chain(all) {
        let Some(Some(routine)) = routines.get_mut(id.index()) else {
            continue;
        };
        if !named.insert(id) || !routine.name.is_empty() {
            continue;
        }
        let plan = plans.get(&id).map_or(&[][..], Vec::as_slice);
        routine.name = free_name(plan, &taken);
        taken.insert(routine.name.clone());
    }
}

/// The first name that is free, else the last one with a number.
fn free_name(plan: &[String], taken: &HashSet<String>) -> String {
    let mut plan = plan.iter();
    let free = plan.clone().find(|name| !taken.contains(*name));
    if let Some(name) = free {
        return name.clone();
    }
    let last = plan.next_back().map_or("", String::as_str);
    let mut numbered = (2_u64..).map(|number| format!("{last}'{number}"));
    numbered
        .find(|name| !taken.contains(name))
        .unwrap_or_default()
}

/// Keeps the routines that are reached, with new numbers.
pub(super) fn compact(contract: &mut Contract, routines: Vec<Option<FlatRoutine>>) {
    let roots = contract.entries.iter().map(|entry| entry.routine);
    let roots: Vec<RoutineId> = roots.chain([contract.constructor.routine]).collect();
    let kept = reached(&routines, roots);
    let mut numbers: BTreeMap<RoutineId, RoutineId> = BTreeMap::new();
    for (at, slot) in routines.into_iter().enumerate() {
        let id = RoutineId::of(at);
        if let (Some(routine), true) = (slot, kept.contains(&id)) {
            numbers.insert(id, RoutineId::of(contract.routines.len()));
            contract.routines.push(routine);
        }
    }
    let renamed = |id: RoutineId| numbers.get(&id).copied().unwrap_or(id);
    for routine in &mut contract.routines {
        renumber(&mut routine.body, &renamed);
    }
    for entry in &mut contract.entries {
        entry.routine = renamed(entry.routine);
    }
    contract.constructor.routine = renamed(contract.constructor.routine);
}

/// Keeps the opaque functions that are called, with new numbers, and says what is lost with each.
pub(super) fn note_opaque(contract: &mut Contract) {
    let mut used = BTreeMap::new();
    for routine in &mut contract.routines {
        renumber_opaque(&mut routine.body, &mut used);
    }
    let mut kept: Vec<(OpaqueId, OpaqueId)> = used.into_iter().collect();
    kept.sort_by_key(|(_, new)| *new);
    let kept = kept
        .into_iter()
        .filter_map(|(old, _)| contract.opaque.get(old.index()).cloned());
    contract.opaque = kept.collect();
    for opaque in &contract.opaque {
        let name = &opaque.name;
        let what = if opaque.is_pure {
            format!("`{name}` is taken as an unknown function of its arguments, which may revert")
        } else {
            format!("`{name}` is not understood: its results may be any, and it may revert")
        };
        let place = opaque.place;
        contract.notes.push(Note { place, what });
    }
    contract
        .notes
        .sort_by(|a, b| (a.place, &a.what).cmp(&(b.place, &b.what)));
    contract.notes.dedup();
}

fn renumber_opaque(block: &mut FlatBlock, used: &mut BTreeMap<OpaqueId, OpaqueId>) {
    for statement in block {
        if let FlatStmtKind::Opaque { function, .. } = &mut statement.kind {
            let next = OpaqueId::of(used.len());
            *function = *used.entry(*function).or_insert(next);
        }
        for block in statement.kind.blocks_mut() {
            renumber_opaque(block, used);
        }
    }
}

fn renumber(block: &mut FlatBlock, renamed: &impl Fn(RoutineId) -> RoutineId) {
    for statement in block {
        if let Some(routine) = statement.kind.called_mut() {
            *routine = renamed(*routine);
        }
        for block in statement.kind.blocks_mut() {
            renumber(block, renamed);
        }
    }
}
