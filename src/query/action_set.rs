//! Sets of actions.

use num_bigint::BigUint;

use super::ActionId;

/// A set of actions, each by its position in the list of actions under study. Sets are ordered as binary numbers
/// of which the first action is the lowest digit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionSet(BigUint);

impl ActionSet {
    /// Whether the action is in the set.
    pub fn contains(&self, action: ActionId) -> bool {
        self.0.bit(action.0 as u64)
    }

    /// Adds an action.
    pub fn insert(&mut self, action: ActionId) {
        self.0.set_bit(action.0 as u64, true);
    }

    /// Whether there is no action in it.
    pub fn is_empty(&self) -> bool {
        self.0.bits() == 0
    }

    /// The actions, in order.
    pub fn iter(&self) -> impl Iterator<Item = ActionId> + '_ {
        (0..self.0.bits() as usize)
            .map(ActionId)
            .filter(|a| self.contains(*a))
    }

    /// The set in hexadecimal: short, and different for different sets.
    pub fn hex(&self) -> String {
        format!("{:x}", self.0)
    }
}

impl FromIterator<ActionId> for ActionSet {
    fn from_iter<I: IntoIterator<Item = ActionId>>(actions: I) -> Self {
        let mut set = ActionSet::default();
        for action in actions {
            set.insert(action);
        }
        set
    }
}
