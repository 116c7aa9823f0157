//! What is worked out once, by whoever needs it first, and kept for all others.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

/// What was worked out so far, by key.
#[derive(Debug)]
pub(super) struct Memo<K, V>(RwLock<HashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo(RwLock::default())
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Memo<K, V> {
    /// What is known of the key; else what `make` makes, which may ask for others meanwhile. Of two who make it at once, the first
    /// one's is kept.
    pub(super) fn get(&self, key: &K, make: impl FnOnce() -> V) -> V {
        // Nothing is left half done by those who held this lock.
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(key) {
            return found.clone();
        }
        drop(known);
        let found = make();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        known.entry(key.clone()).or_insert(found).clone()
    }
}
