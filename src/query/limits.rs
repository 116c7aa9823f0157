//! How far everything may go: all limits that somebody can set, each with what it is where nobody does.
//!
//! Those of a question ([`Limits`]) belong to an engine, and whoever wants to know them asks the engine.

use std::time::Duration;

use crate::time::{at_most, by_the_clock};

/// What is asked of every engine alike, for one question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often one procedure (a loop's iteration is one) may recur on a stack. Also how many rounds of a loop are followed
    /// where preconditions are made of bodies.
    pub recursion_bound: u32,
    /// Wall-clock time for one question.
    pub timeout: Duration,
    /// Processor time of the solver for one question, where it is only a try ([`Limits::for_a_try`]).
    pub work: Option<Duration>,
    /// Memory for one question, in MiB.
    pub memory_mib: u64,
}

impl Limits {
    /// Those that hold where nothing else is said.
    pub const DEFAULT: Limits = Limits {
        recursion_bound: 3,
        timeout: Duration::from_secs(60),
        work: None,
        memory_mib: 4096,
    };

    /// The same for what is only tried: with so much of the solver's processor time at most. By the clock, what else the machine does
    /// would decide whether a try succeeds, and with it what is known of a class. An engine that is another program has as much by
    /// the clock.
    #[must_use]
    pub fn for_a_try(self, work: Duration) -> Limits {
        Limits {
            timeout: self.timeout.min(by_the_clock(work)),
            work: Some(at_most(work, self.work)),
            ..self
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

/// In less time than this an engine that is another program does not even begin.
pub(crate) const LEAST: Duration = Duration::from_secs(2);

/// How far the second pass may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The longest run looked for, in calls, the constructor counted.
    pub max_calls: u32,
    /// The recursion bound for runs, if it is higher than that of the engine: it bounds the loops of the bodies only.
    pub loop_bound: u32,
    /// Wall-clock time for everything.
    pub time: Duration,
}

impl Extent {
    /// What holds where nothing else is said.
    pub const DEFAULT: Extent = Extent {
        max_calls: 300,
        loop_bound: 24,
        time: Duration::from_secs(60),
    };

    /// The limits of a question that asks for a proof. A question that has begun is finished: without a limit of its own a
    /// single one could take longer than all of them may.
    pub fn of_proof(&self, usual: Limits) -> Limits {
        Limits {
            timeout: usual.timeout.min(self.time / 4),
            ..usual
        }
    }

    /// The limits of a question that asks for a run.
    pub fn of_run(&self, usual: Limits) -> Limits {
        Limits {
            recursion_bound: self.loop_bound.max(usual.recursion_bound),
            ..self.of_proof(usual)
        }
    }

    /// The limits of a question that asks for a run of any of several edges. What it does not answer is asked of each edge by
    /// itself, which is often simple: so it is given up soon.
    pub fn of_several(&self, usual: Limits) -> Limits {
        self.of_run(usual).for_a_try((self.time / 20).max(LEAST))
    }
}

impl Default for Extent {
    fn default() -> Self {
        Extent::DEFAULT
    }
}

/// How much is done to find clauses that take an edge away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// No more questions than these are asked about clauses.
    pub questions: usize,
    /// No more clauses than these are added to the class to see what they do.
    pub effects: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            questions: 250,
            effects: 16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use std::time::Duration;

    #[test]
    fn a_try_has_the_least_of_all_limits() {
        let second = Duration::from_secs(1);
        let once = Limits::DEFAULT.for_a_try(second);
        assert_eq!((once.work, once.timeout), (Some(second), 10 * second));
        let shorter = once.for_a_try(second / 2);
        assert_eq!(
            (shorter.work, shorter.timeout),
            (Some(second / 2), 5 * second)
        );
        assert_eq!(once.for_a_try(2 * second), once);
        let brief = Limits {
            timeout: second,
            ..Limits::DEFAULT
        };
        assert_eq!(brief.for_a_try(second).timeout, second);
    }
}
