//! Sets of actions.

use num_bigint::BigUint;

/// A set of actions, each by its position in the list of actions under study. Sets are ordered as binary numbers
/// of which the first action is the lowest digit.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionSet(BigUint);

impl ActionSet {
    /// Whether the action is in the set.
    pub fn contains(&self, action: usize) -> bool {
        self.0.bit(action as u64)
    }

    /// Adds an action.
    pub fn insert(&mut self, action: usize) {
        self.0.set_bit(action as u64, true);
    }

    /// The actions, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.bits() as usize).filter(|i| self.contains(*i))
    }

    /// The set in hexadecimal: short, and different for different sets.
    pub fn hex(&self) -> String {
        format!("{:x}", self.0)
    }
}

impl FromIterator<usize> for ActionSet {
    fn from_iter<I: IntoIterator<Item = usize>>(actions: I) -> Self {
        let mut set = ActionSet::default();
        for action in actions {
            set.insert(action);
        }
        set
    }
}
