//! Whose turn it is.

use std::time::{Duration, Instant};

/// The usual rounds have the first turn, as long as this: most programs need no more.
const FIRST: Duration = Duration::from_millis(1_500);

/// A turn along executions takes at least so long.
pub(super) const TURN: Duration = Duration::from_secs(3);

/// Executions get so many times as much time as the usual rounds had: of these there may be a second search beside this one.
const SHARE: u32 = 2;

/// After so many that led nowhere there are no more turns.
const MOST_LOST: usize = 3;

/// Whose turn it is.
pub(in crate::reach::search) struct Turns {
    begin: Instant,
    /// What executions have had.
    taken: Duration,
    /// How many executions there may still be that lead nowhere.
    may_lose: usize,
}

impl Turns {
    pub(in crate::reach::search) fn new(has_any: bool) -> Turns {
        Turns {
            begin: Instant::now(),
            taken: Duration::ZERO,
            may_lose: match has_any {
                true => MOST_LOST,
                false => 0,
            },
        }
    }

    /// How long executions may be gone along now; none where it is not their turn.
    pub(super) fn next(&self) -> Option<Duration> {
        let usual = self.begin.elapsed().saturating_sub(self.taken);
        let theirs = SHARE * usual;
        let has_turn = self.may_lose > 0 && usual >= FIRST && theirs >= self.taken;
        has_turn.then(|| theirs.saturating_sub(self.taken).max(TURN))
    }

    /// Notes a turn along executions.
    pub(super) fn took(&mut self, time: Duration) {
        self.taken += time;
    }

    /// Notes an execution that led nowhere.
    pub(super) fn lost(&mut self) {
        self.may_lose = self.may_lose.saturating_sub(1);
    }
}
