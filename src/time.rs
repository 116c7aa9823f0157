//! Times as they are written: in whole milliseconds.

use std::time::{Duration, Instant};

/// The milliseconds of a time.
pub(crate) fn millis(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

/// The milliseconds since then.
pub(crate) fn millis_since(start: Instant) -> u64 {
    millis(start.elapsed())
}
