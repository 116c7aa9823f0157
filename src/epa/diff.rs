//! What is different between two EPAs.
//!
//! A state *is* its set of enabled actions, so states are matched by that and not by their ids; an edge is matched
//! by its ends, its action, its outcome and its exception. What can change about a matched edge is its certainty,
//! whether it can break the invariant, and what the second pass says of it.
//!
//! What is not compared: the class's name, reasons, findings, notes, statistics, lengths of traces; and what the
//! second pass says, where only one of the two EPAs has had one.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;

use serde::Serialize;

use super::model::{Certainty, Confirmation, ConstructorEdge, Epa, State, Transition};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/diff/1";

/// Two EPAs as one, with what is different.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EpaDiff {
    /// [`SCHEMA`].
    pub schema: String,
    /// Whether there is any difference. Renamings that were asked for are none.
    pub different: bool,
    /// The classes.
    pub classes: Classes,
    /// The renamings that were asked for. Everything below has the new names.
    pub renamed: Vec<Rename>,
    /// The actions: those of the old EPA, then the added ones.
    pub actions: Vec<ActionDiff>,
    /// The states: those of the old EPA, then the added ones.
    pub states: Vec<StateDiff>,
    /// The constructors' edges.
    pub constructors: Vec<EdgeDiff>,
    /// The transitions.
    pub transitions: Vec<EdgeDiff>,
}

/// The names of two classes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Classes {
    /// The old EPA's.
    pub old: String,
    /// The new EPA's.
    pub new: String,
}

/// An action or constructor that has another name in the new EPA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rename {
    /// Its name in the old EPA.
    pub old: String,
    /// Its name in the new one.
    pub new: String,
}

/// What became of something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is in both EPAs, and the same.
    #[default]
    Same,
    /// It is in both, and not the same.
    Changed,
    /// It is in the old one only.
    Removed,
    /// It is in the new one only.
    Added,
}

/// An action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionDiff {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub change: Change,
}

/// The ids of a state; it has at least one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Ids {
    /// In the old EPA.
    pub old: Option<String>,
    /// In the new EPA.
    pub new: Option<String>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateDiff {
    /// Its ids.
    pub ids: Ids,
    /// What it enables.
    pub enabled: Vec<String>,
    /// What became of it: changed means that it is initial in one EPA only.
    pub change: Change,
    /// Whether it is initial in the old EPA; none where it is not there.
    pub was_initial: Option<bool>,
    /// Whether it is initial in the new EPA; none where it is not there.
    pub is_initial: Option<bool>,
}

/// A transition, or a constructor's edge.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EdgeDiff {
    /// The state it leaves; none for a constructor's edge.
    pub source: Option<Ids>,
    /// The action, or the constructor.
    pub action: String,
    /// The outcome, where edges are split by it.
    pub outcome: Option<String>,
    /// The exception it ends in.
    pub exception: Option<String>,
    /// The state it ends in; none where a constructor makes no object.
    pub target: Option<Ids>,
    /// What became of it.
    pub change: Change,
    /// What changed about it.
    pub aspects: Vec<Aspect>,
    /// What the old EPA says of it; none where it is not there.
    pub was: Option<Facts>,
    /// What the new EPA says of it; none where it is not there.
    pub is: Option<Facts>,
}

/// Something that can change about an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Whether it is certain.
    Certainty,
    /// Whether it can break the invariant.
    Violation,
    /// What the second pass says.
    Confirmation,
}

/// What an EPA says of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Whether it is certain.
    pub verdict: Certainty,
    /// Why it is not.
    pub reason: Option<String>,
    /// Whether it can break the invariant.
    pub violates_invariant: bool,
    /// What the second pass says.
    pub confirmation: Option<Confirmation>,
}

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

impl EpaDiff {
    /// Compares two EPAs, each of which is one ([`check`](super::check::check())).
    ///
    /// # Errors
    ///
    /// [`RenameError`]: a name that is not there, or a renaming that is not one to one.
    ///
    /// # Examples
    /// The two buffers of "Automated Abstractions for Contract Validation" (TSE 2012, §2): what the corrected invariant
    /// takes away.
    ///
    /// ```
    /// use std::{error::Error, path::Path};
    /// use tranquera::{encode::Encoding, engine::Builtin, epa::{self, Epa, diff::{Change, EpaDiff}}, lang};
    ///
    /// fn epa_of(file: &str) -> Result<Epa, Box<dyn Error>> {
    ///     let loaded = lang::load(Path::new(file))?;
    ///     let class = loaded.program.class_named("CircularBuffer").ok_or("no such class")?;
    ///     let encoding = Encoding::of_class(&loaded.program, class)?;
    ///     Ok(epa::construct(&encoding, &Builtin::default(), &epa::Options::default())?.epa)
    /// }
    ///
    /// let weak = epa_of("fixtures/tse-2012/circular_buffer_weak.tq")?;
    /// let strong = epa_of("fixtures/tse-2012/circular_buffer_strong.tq")?;
    /// let diff = EpaDiff::of(&weak, &strong, &[])?;
    /// let gone = diff.transitions.iter().filter(|edge| edge.change == Change::Removed);
    /// assert_eq!(gone.count(), 2);
    /// # Ok::<(), Box<dyn Error>>(())
    /// ```
    pub fn of(old: &Epa, new: &Epa, renamed: &[Rename]) -> Result<EpaDiff, RenameError> {
        let old = with_new_names(old, new, renamed)?;
        let actions = actions(&old, new);
        let states = states(&old, new, &actions);
        let constructors = Edges::of(&old, new, &states).constructors();
        let mut transitions = Edges::of(&old, new, &states).transitions();
        sort(&mut transitions, &states, &actions);
        let different = actions.iter().any(|a| a.change != Change::Same)
            || states.iter().any(|s| s.change != Change::Same)
            || constructors
                .iter()
                .chain(&transitions)
                .any(|e| e.change != Change::Same);
        Ok(EpaDiff {
            schema: SCHEMA.to_owned(),
            different,
            classes: Classes {
                old: old.class,
                new: new.class.clone(),
            },
            renamed: renamed.to_vec(),
            actions,
            states,
            constructors,
            transitions,
        })
    }
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

/// The old EPA with the names of the new one. All renamings happen at once, so two names can be exchanged.
fn with_new_names(old: &Epa, new: &Epa, renamed: &[Rename]) -> Result<Epa, RenameError> {
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

fn presence(old: bool, new: bool) -> Change {
    match (old, new) {
        (true, false) => Change::Removed,
        (false, true) => Change::Added,
        _ => Change::Same,
    }
}

fn actions(old: &Epa, new: &Epa) -> Vec<ActionDiff> {
    let in_old: BTreeSet<&String> = old.actions.iter().collect();
    let in_new: BTreeSet<&String> = new.actions.iter().collect();
    let added = new.actions.iter().filter(|a| !in_old.contains(a));
    let all = old.actions.iter().chain(added);
    all.map(|name| ActionDiff {
        name: name.clone(),
        change: presence(in_old.contains(name), in_new.contains(name)),
    })
    .collect()
}

fn states(old: &Epa, new: &Epa, actions: &[ActionDiff]) -> Vec<StateDiff> {
    let order: BTreeMap<&str, usize> = actions.iter().map(|a| a.name.as_str()).zip(0..).collect();
    let enabled = |s: &State| {
        let mut enabled = s.enabled.clone();
        enabled.sort_by_key(|a| order.get(a.as_str()).copied());
        enabled.dedup();
        enabled
    };
    let of = |epa: &Epa| -> BTreeMap<Vec<String>, State> {
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
        let change = match presence(was.is_some(), is.is_some()) {
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

/// What tells edges apart: source, action, outcome, exception, target.
type Key = (
    Option<Ids>,
    String,
    Option<String>,
    Option<String>,
    Option<Ids>,
);

/// The edges of two EPAs, their ends given by states of both.
struct Edges<'a> {
    old: &'a Epa,
    new: &'a Epa,
    by_old: BTreeMap<&'a str, &'a Ids>,
    by_new: BTreeMap<&'a str, &'a Ids>,
}

impl<'a> Edges<'a> {
    fn of(old: &'a Epa, new: &'a Epa, states: &'a [StateDiff]) -> Self {
        let by = |id: fn(&Ids) -> Option<&String>| {
            let ids = states.iter().map(|s| &s.ids);
            ids.filter_map(|ids| Some((id(ids)?.as_str(), ids)))
                .collect()
        };
        Edges {
            old,
            new,
            by_old: by(|ids| ids.old.as_ref()),
            by_new: by(|ids| ids.new.as_ref()),
        }
    }

    fn constructors(&self) -> Vec<EdgeDiff> {
        let edges = |epa: &Epa, ids: &BTreeMap<&str, &Ids>| {
            let edges = epa.constructors.iter();
            edges.map(|c| constructor(c, ids)).collect::<Vec<_>>()
        };
        merge(edges(self.old, &self.by_old), edges(self.new, &self.by_new))
    }

    fn transitions(&self) -> Vec<EdgeDiff> {
        let edges = |epa: &Epa, ids: &BTreeMap<&str, &Ids>| {
            let edges = epa.transitions.iter();
            edges.map(|t| transition(t, ids)).collect::<Vec<_>>()
        };
        merge(edges(self.old, &self.by_old), edges(self.new, &self.by_new))
    }
}

fn constructor(edge: &ConstructorEdge, ids: &BTreeMap<&str, &Ids>) -> (Key, Facts) {
    let target = edge.target.as_deref().and_then(|id| ids.get(id));
    let key = (
        None,
        edge.name.clone(),
        None,
        edge.exception.clone(),
        target.map(|ids| (*ids).clone()),
    );
    let facts = Facts {
        verdict: edge.verdict,
        reason: edge.reason.clone(),
        violates_invariant: edge.violates_invariant,
        confirmation: edge.confirmation.clone(),
    };
    (key, facts)
}

fn transition(edge: &Transition, ids: &BTreeMap<&str, &Ids>) -> (Key, Facts) {
    let end = |id: &str| ids.get(id).map(|ids| (*ids).clone());
    let key = (
        end(&edge.source),
        edge.action.clone(),
        edge.outcome.clone(),
        edge.exception.clone(),
        end(&edge.target),
    );
    let facts = Facts {
        verdict: edge.verdict,
        reason: edge.reason.clone(),
        violates_invariant: edge.violates_invariant,
        confirmation: edge.confirmation.clone(),
    };
    (key, facts)
}

/// The edges of the old EPA, then those that are only in the new one, each list in its order.
fn merge(old: Vec<(Key, Facts)>, new: Vec<(Key, Facts)>) -> Vec<EdgeDiff> {
    let order: Vec<Key> = old.iter().chain(&new).map(|(key, _)| key.clone()).collect();
    let mut old: BTreeMap<Key, Facts> = old.into_iter().collect();
    let mut new: BTreeMap<Key, Facts> = new.into_iter().collect();
    let edges = order.into_iter().filter_map(|key| {
        // An edge of both is met twice; by then it has been taken out.
        let (was, is) = (old.remove(&key), new.remove(&key));
        (was.is_some() || is.is_some()).then(|| edge(key, was, is))
    });
    edges.collect()
}

fn edge(key: Key, was: Option<Facts>, is: Option<Facts>) -> EdgeDiff {
    let aspects = match (&was, &is) {
        (Some(was), Some(is)) => aspects(was, is),
        _ => Vec::new(),
    };
    let change = match presence(was.is_some(), is.is_some()) {
        Change::Same if !aspects.is_empty() => Change::Changed,
        change => change,
    };
    let (source, action, outcome, exception, target) = key;
    EdgeDiff {
        source,
        action,
        outcome,
        exception,
        target,
        change,
        aspects,
        was,
        is,
    }
}

fn aspects(was: &Facts, is: &Facts) -> Vec<Aspect> {
    let confirmation = match (&was.confirmation, &is.confirmation) {
        (Some(was), Some(is)) => discriminant(was) != discriminant(is),
        _ => false,
    };
    let all = [
        (was.verdict != is.verdict, Aspect::Certainty),
        (
            was.violates_invariant != is.violates_invariant,
            Aspect::Violation,
        ),
        (confirmation, Aspect::Confirmation),
    ];
    all.into_iter()
        .filter_map(|(changed, aspect)| changed.then_some(aspect))
        .collect()
}

/// By source, action, exception, target, outcome; states and actions in their order.
fn sort(edges: &mut [EdgeDiff], states: &[StateDiff], actions: &[ActionDiff]) {
    let number: BTreeMap<&Ids, usize> = states.iter().map(|s| &s.ids).zip(0..).collect();
    let position: BTreeMap<&str, usize> =
        actions.iter().map(|a| a.name.as_str()).zip(0..).collect();
    let place = |ids: &Option<Ids>| ids.as_ref().and_then(|ids| number.get(ids)).copied();
    edges.sort_by_cached_key(|e| {
        (
            place(&e.source),
            position.get(e.action.as_str()).copied(),
            e.exception.clone(),
            place(&e.target),
            e.outcome.clone(),
        )
    });
}
