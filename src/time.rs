//! Times as they are written: in whole milliseconds; and limits of time, of the clock and of work.

use std::time::{Duration, Instant};

/// How much longer than its processor time an answer is waited for by the clock.
const BUSY: u32 = 10;

/// How long to wait by the clock for what needs so much processor time: longer, for the machine may have other things to do.
pub(crate) fn by_the_clock(work: Duration) -> Duration {
    work.saturating_mul(BUSY)
}

/// A time, or the most that there is of it, where there is such a limit.
pub(crate) fn at_most(time: Duration, most: Option<Duration>) -> Duration {
    most.map_or(time, |most| time.min(most))
}

/// The milliseconds of a time.
pub(crate) fn millis(time: Duration) -> u64 {
    time.as_millis().try_into().unwrap_or(u64::MAX)
}

/// The milliseconds since then.
pub(crate) fn millis_since(start: Instant) -> u64 {
    millis(start.elapsed())
}
