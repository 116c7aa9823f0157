//! Abstract states: which actions can be called, and which predicates hold.

use num_bigint::BigUint;

use super::{ActionId, Mark, PredicateId};

/// What all configurations of a state have in common: the set of the actions that can be called, each by its position in the
/// list of actions under study, and of the predicates that hold, where states are told apart by any. States are ordered as
/// binary numbers of which the first action is the lowest digit; those with the same actions by their predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbstractState {
    enabled: BigUint,
    holds: BigUint,
}

impl AbstractState {
    /// Whether the action can be called.
    pub fn contains(&self, action: ActionId) -> bool {
        self.enabled.bit(action.0 as u64)
    }

    /// Whether no action can be called.
    pub fn is_empty(&self) -> bool {
        self.enabled.bits() == 0
    }

    /// The actions that can be called, in order.
    pub fn iter(&self) -> impl Iterator<Item = ActionId> + '_ {
        positions(&self.enabled).map(ActionId)
    }

    /// The predicates that hold, in order.
    pub fn predicates(&self) -> impl Iterator<Item = PredicateId> + '_ {
        positions(&self.holds).map(PredicateId)
    }

    /// Whether it has this mark.
    pub fn has(&self, mark: Mark) -> bool {
        match mark {
            Mark::Enabled(action) => self.contains(action),
            Mark::Holds(predicate) => self.holds.bit(predicate.0 as u64),
        }
    }

    /// Gives it this mark.
    pub fn mark(&mut self, mark: Mark) {
        match mark {
            Mark::Enabled(action) => self.enabled.set_bit(action.0 as u64, true),
            Mark::Holds(predicate) => self.holds.set_bit(predicate.0 as u64, true),
        }
    }

    /// Whether just the same actions can be called in both.
    pub fn enables_the_same(&self, other: &AbstractState) -> bool {
        self.enabled == other.enabled
    }

    /// The state in hexadecimal: short, and different for different states.
    pub fn hex(&self) -> String {
        let enabled = format!("{:x}", self.enabled);
        match self.holds.bits() {
            0 => enabled,
            _ => format!("{enabled}_{:x}", self.holds),
        }
    }
}

fn positions(set: &BigUint) -> impl Iterator<Item = usize> + '_ {
    let last = usize::try_from(set.bits()).unwrap_or(usize::MAX);
    (0..last).filter(|position| set.bit(*position as u64))
}

impl FromIterator<Mark> for AbstractState {
    fn from_iter<I: IntoIterator<Item = Mark>>(marks: I) -> Self {
        let mut state = AbstractState::default();
        marks.into_iter().for_each(|mark| state.mark(mark));
        state
    }
}

impl FromIterator<ActionId> for AbstractState {
    fn from_iter<I: IntoIterator<Item = ActionId>>(actions: I) -> Self {
        actions.into_iter().map(Mark::Enabled).collect()
    }
}
