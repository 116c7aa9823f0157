//! What is different in the order of calls: what can be called right after what. Edges say it state by state; a caller
//! wants to know it call by call.
//!
//! Of two EPAs, each pair (a call with the way it ends, an action) is looked up in all edges of the call: whether the
//! action can be called behind none, some or all of them. Only pairs of which that changed are told.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::{Change, EdgeDiff, EdgeFacts, EpaDiff, Ids};
use crate::epa::wire::Certainty;

/// A call, with the way it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CallEnd {
    /// The action, or the constructor as it is shown.
    pub name: String,
    /// Whether it is a constructor.
    pub constructor: bool,
    /// Its outcome, where the action is split by it.
    pub outcome: Option<String>,
    /// The exception it ends in.
    pub exception: Option<String>,
}

/// Whether something can be after a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Possibility {
    /// After no such call.
    Never,
    /// The engine does not know of any such call, and could not rule it out.
    Unknown,
    /// After some of them.
    Sometimes,
    /// After each of them.
    Always,
}

/// Something that is different in the order of calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum OrderChange {
    /// An action is in one of the two only.
    Action {
        /// The action.
        name: String,
        /// Whether it is in the new one.
        is_new: bool,
    },
    /// An action can be called in some state of one of the two only.
    Callable {
        /// The action.
        name: String,
        /// Whether that is so in the new one.
        now: bool,
    },
    /// A call can end in this way in one of the two only.
    End {
        /// The call.
        end: CallEnd,
        /// Whether that is so in the new one.
        now: bool,
        /// Whether it is certain that it can.
        certain: bool,
    },
    /// What can be called after a call.
    Then {
        /// The call.
        after: CallEnd,
        /// The actions of which this holds.
        then: Vec<String>,
        /// As it was.
        was: Possibility,
        /// As it is.
        is: Possibility,
    },
    /// Whether, after a call, nothing can be called.
    Stuck {
        /// The call.
        after: CallEnd,
        /// As it was.
        was: Possibility,
        /// As it is.
        is: Possibility,
    },
}

impl OrderChange {
    /// The action or constructor that it is about.
    pub fn callee(&self) -> &str {
        match self {
            OrderChange::Action { name, .. } | OrderChange::Callable { name, .. } => name,
            OrderChange::End { end, .. } => &end.name,
            OrderChange::Then { after, .. } | OrderChange::Stuck { after, .. } => &after.name,
        }
    }
}

impl CallEnd {
    /// The way the call of an edge ends.
    pub fn of(edge: &EdgeDiff) -> CallEnd {
        CallEnd {
            name: edge.action.clone(),
            constructor: edge.source.is_none(),
            outcome: edge.outcome.clone(),
            exception: edge.exception.clone(),
        }
    }
}

impl EpaDiff {
    /// What is different in the order of calls, by calls in the order declared. Empty where edges moved between states, and
    /// no call can be followed by anything else than before.
    pub fn order(&self) -> Vec<OrderChange> {
        let order = CallOrder {
            diff: self,
            enabled: (self.states.iter())
                .map(|state| (&state.ids, state.enabled.as_slice()))
                .collect(),
        };
        let actions = order.actions();
        let told: BTreeSet<&str> = actions.iter().map(OrderChange::callee).collect();
        let calls = order.calls();
        let after = calls.iter().flat_map(|call| {
            let is_told = !call.constructor && told.contains(call.name.as_str());
            order.after(call, is_told)
        });
        let after: Vec<OrderChange> = after.collect();
        actions.into_iter().chain(after).collect()
    }
}

/// One of the two EPAs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// Edges by their calls, and what can be called behind them.
struct CallOrder<'a> {
    diff: &'a EpaDiff,
    enabled: BTreeMap<&'a Ids, &'a [String]>,
}

impl<'a> CallOrder<'a> {
    fn edges(&self) -> impl Iterator<Item = &'a EdgeDiff> {
        self.diff.constructors.iter().chain(&self.diff.transitions)
    }

    /// All calls: constructors first, then actions in the order declared, each with its ends in order.
    fn calls(&self) -> Vec<CallEnd> {
        let place: BTreeMap<&str, usize> =
            (self.diff.actions.iter().map(|a| a.name.as_str()).zip(1..)).collect();
        let calls: BTreeSet<CallEnd> = self.edges().map(CallEnd::of).collect();
        let mut calls: Vec<CallEnd> = calls.into_iter().collect();
        calls.sort_by_key(|call| match call.constructor {
            true => 0,
            false => place.get(call.name.as_str()).copied().unwrap_or(0),
        });
        calls
    }

    /// Actions that are new or gone, and those that can be called in one of the two only.
    fn actions(&self) -> Vec<OrderChange> {
        let callable = |side: Side, action: &String| {
            let there = self.diff.states.iter().filter(|state| match side {
                Side::Old => state.ids.old.is_some(),
                Side::New => state.ids.new.is_some(),
            });
            there
                .into_iter()
                .any(|state| state.enabled.contains(action))
        };
        let changes = self.diff.actions.iter().filter_map(|action| {
            let name = action.name.clone();
            let (was, now) = (callable(Side::Old, &name), callable(Side::New, &name));
            match action.change {
                Change::Added => Some(OrderChange::Action { name, is_new: true }),
                Change::Removed => Some(OrderChange::Action {
                    name,
                    is_new: false,
                }),
                _ if was != now => Some(OrderChange::Callable { name, now }),
                _ => None,
            }
        });
        changes.collect()
    }

    /// What is different after a call. `is_told` says that it was told already that its action is new, gone, or not called in one
    /// of the two.
    fn after(&self, call: &CallEnd, is_told: bool) -> Vec<OrderChange> {
        let (was, is) = (self.ends(Side::Old, call), self.ends(Side::New, call));
        if was.is_empty() || is.is_empty() {
            let there = if is.is_empty() { &was } else { &is };
            let end = OrderChange::End {
                end: call.clone(),
                now: was.is_empty(),
                certain: there.iter().any(|(certain, _)| *certain),
            };
            let is_new_or_gone = was.is_empty() != is.is_empty();
            return (is_new_or_gone && !is_told)
                .then_some(end)
                .into_iter()
                .collect();
        }
        let mut grouped: BTreeMap<(Possibility, Possibility), Vec<String>> = BTreeMap::new();
        for action in &self.diff.actions {
            let behind = |ends: &Vec<End<'a>>| possibility(ends, |set| set.contains(&action.name));
            let change = (behind(&was), behind(&is));
            if change.0 != change.1 {
                grouped.entry(change).or_default().push(action.name.clone());
            }
        }
        let then = grouped.into_iter().map(|((was, is), then)| {
            let after = call.clone();
            OrderChange::Then {
                after,
                then,
                was,
                is,
            }
        });
        let stuck = (
            possibility(&was, <[String]>::is_empty),
            possibility(&is, <[String]>::is_empty),
        );
        let stuck = (stuck.0 != stuck.1).then(|| OrderChange::Stuck {
            after: call.clone(),
            was: stuck.0,
            is: stuck.1,
        });
        then.chain(stuck).collect()
    }

    /// The ends of this call that make or leave an object: whether each is certain, and what can be called there.
    fn ends(&self, side: Side, call: &CallEnd) -> Vec<End<'a>> {
        let edges = self.edges().filter(|edge| CallEnd::of(edge) == *call);
        let ends = edges.filter_map(|edge| {
            let facts: &EdgeFacts = match side {
                Side::Old => edge.was.as_ref()?,
                Side::New => edge.is.as_ref()?,
            };
            let target = edge.target.as_ref();
            let enabled = target.and_then(|ids| self.enabled.get(ids).copied());
            Some((facts.verdict == Certainty::Reached, enabled))
        });
        ends.collect()
    }
}

/// Whether an edge is certain, and what can be called behind it; nothing is known where a constructor makes no object.
type End<'a> = (bool, Option<&'a [String]>);

/// After how many of the ends something holds.
fn possibility(ends: &[End<'_>], holds: impl Fn(&[String]) -> bool) -> Possibility {
    let made: Vec<(bool, bool)> = (ends.iter())
        .filter_map(|(certain, enabled)| Some((*certain, holds((*enabled)?))))
        .collect();
    let some = made.iter().any(|(_, holds)| *holds);
    let certain = made.iter().any(|(certain, holds)| *certain && *holds);
    let all = made.iter().all(|(_, holds)| *holds);
    match (some, certain, all) {
        (false, ..) => Possibility::Never,
        (true, false, _) => Possibility::Unknown,
        (true, true, false) => Possibility::Sometimes,
        (true, true, true) => Possibility::Always,
    }
}
