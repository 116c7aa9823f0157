//! What ends a question from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flags that other threads can set: once one is, what is being asked ends.
#[derive(Clone, Debug, Default)]
pub struct Stop(Vec<Arc<AtomicBool>>);

impl Stop {
    /// One that this flag sets.
    pub fn by(flag: Arc<AtomicBool>) -> Self {
        Stop(vec![flag])
    }

    /// One that this flag sets too.
    pub fn or_by(&self, flag: &Arc<AtomicBool>) -> Self {
        Stop(self.0.iter().chain([flag]).cloned().collect())
    }

    /// Whether a flag is set.
    pub fn is_set(&self) -> bool {
        self.0.iter().any(|flag| flag.load(Ordering::Relaxed))
    }
}
