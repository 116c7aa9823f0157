//! The old EPA with the names of the new one.

use std::collections::{BTreeMap, BTreeSet};

use super::Rename;
use crate::epa::wire::Epa;

/// Why a renaming makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenameError {
    /// The old EPA has no such action or constructor.
    #[error("the old EPA has no action or constructor `{0}` that could be renamed")]
    NotInOld(String),
    /// The new EPA has no such action or constructor.
    #[error(
        "the new EPA has no action or constructor `{0}`, which something is said to be renamed to"
    )]
    NotInNew(String),
    /// The old EPA has the new name already.
    #[error(
        "the old EPA has an action or constructor `{0}` already, so nothing can be renamed to it"
    )]
    Taken(String),
    /// A name is given two others.
    #[error("`{0}` is renamed, or renamed to, more than once")]
    Twice(String),
}

/// The old EPA with the names of the new one. All renamings happen at once, so two names can be exchanged.
pub(super) fn with_new_names(old: &Epa, new: &Epa, renamed: &[Rename]) -> Result<Epa, RenameError> {
    let (in_old, in_new) = (names(old), names(new));
    let mut by_old = BTreeMap::new();
    let mut by_new = BTreeSet::new();
    for rename in renamed {
        if !in_old.contains(rename.old.as_str()) {
            return Err(RenameError::NotInOld(rename.old.clone()));
        }
        if !in_new.contains(rename.new.as_str()) {
            return Err(RenameError::NotInNew(rename.new.clone()));
        }
        if by_old.insert(rename.old.as_str(), &rename.new).is_some() {
            return Err(RenameError::Twice(rename.old.clone()));
        }
        if !by_new.insert(rename.new.as_str()) {
            return Err(RenameError::Twice(rename.new.clone()));
        }
    }
    if let Some(taken) = by_new
        .iter()
        .find(|n| in_old.contains(*n) && !by_old.contains_key(*n))
    {
        return Err(RenameError::Taken((*taken).to_owned()));
    }
    let mut epa = old.clone();
    let rename = |name: &mut String| {
        if let Some(new) = by_old.get(name.as_str()) {
            name.clone_from(new);
        }
    };
    epa.actions.iter_mut().for_each(rename);
    epa.states
        .iter_mut()
        .flat_map(|s| &mut s.enabled)
        .for_each(rename);
    epa.transitions
        .iter_mut()
        .map(|t| &mut t.action)
        .for_each(rename);
    epa.constructors
        .iter_mut()
        .map(|c| &mut c.name)
        .for_each(rename);
    Ok(epa)
}

/// The names of all actions and constructors.
fn names(epa: &Epa) -> BTreeSet<&str> {
    let constructors = epa.constructors.iter().map(|c| c.name.as_str());
    epa.actions
        .iter()
        .map(String::as_str)
        .chain(constructors)
        .collect()
}
