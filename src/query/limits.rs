//! How far an engine may go.

use std::time::Duration;

/// What is asked of every engine alike.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How often one procedure (a loop's iteration is one) may recur on a stack.
    pub recursion_bound: u32,
    /// Wall-clock time for one question.
    pub timeout: Duration,
    /// Memory for one question, in MiB.
    pub memory_mib: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            recursion_bound: 3,
            timeout: Duration::from_secs(60),
            memory_mib: 4096,
        }
    }
}
