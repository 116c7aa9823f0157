//! How many questions were asked, by answer.

use serde::{Deserialize, Serialize};

use crate::query::Verdict;

/// Questions by answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryCounts {
    /// All questions.
    pub total: u64,
    /// Answered "reached".
    pub reached: u64,
    /// Answered "unreachable".
    pub unreachable: u64,
    /// Answered "bound hit".
    pub bound_hit: u64,
    /// Not answered.
    pub unknown: u64,
}

impl QueryCounts {
    /// One more question, with this answer.
    pub fn count(&mut self, verdict: &Verdict) {
        self.total += 1;
        match verdict {
            Verdict::Reached(_) => self.reached += 1,
            Verdict::Unreachable => self.unreachable += 1,
            Verdict::BoundHit { .. } => self.bound_hit += 1,
            // A yes that nobody ran is none.
            Verdict::Presumed(_) | Verdict::Unknown(_) => self.unknown += 1,
        }
    }

    /// All of these together.
    pub fn sum<'c>(counts: impl IntoIterator<Item = &'c QueryCounts>) -> QueryCounts {
        let add = |sum: QueryCounts, c: &QueryCounts| QueryCounts {
            total: sum.total + c.total,
            reached: sum.reached + c.reached,
            unreachable: sum.unreachable + c.unreachable,
            bound_hit: sum.bound_hit + c.bound_hit,
            unknown: sum.unknown + c.unknown,
        };
        counts.into_iter().fold(QueryCounts::default(), add)
    }

    /// Certain answers ÷ all questions asked; 1 where none was asked. So many of the answers are certain, but rest on a
    /// guess.
    pub fn precision(&self, guesses: usize) -> f64 {
        let certain = (self.reached + self.unreachable).saturating_sub(guesses as u64);
        match self.total {
            0 => 1.0,
            total => certain as f64 / total as f64,
        }
    }
}
