//! How the time that there is for all questions is shared among them.
//!
//! Most questions take milliseconds, and some take all the time that they are given; nobody knows which before. So at first
//! each may take a small part of what is left. When all were put, there is a second round: what was answered is known, and what was
//! not may take more.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::Answer;
use super::desk::lock;

/// Of the time that is left, a question of the first round may take one part of so many: fifty that end without an answer leave
/// a thirtieth of it for all others.
const AT_FIRST: u32 = 15;

/// The same of the second round: as many as there are calls left, within these. With more than these no question would have more
/// time than it had.
const AGAIN: RangeInclusive<u32> = 2..=5;

/// The same of what comes behind the rounds.
const BEHIND: u32 = 6;

/// In less time nothing is answered that is worth to be asked.
const LEAST: Duration = Duration::from_millis(100);

/// Of the time that is left when the second round begins, one part of so many is for what comes behind it.
const LEFT_BEHIND: u32 = 6;

/// In which round it is asked about a class that has a time for all questions, and how much of that is left.
pub(super) struct Rounds {
    deadline: Instant,
    /// How long an engine works for an answer at most.
    longest: Duration,
    round: Mutex<Round>,
    /// Whether, in this round, there was an answer of which more time might have made another.
    is_open: AtomicBool,
}

#[derive(Clone, Copy)]
enum Round {
    First,
    Second {
        /// When it ends.
        end: Instant,
        /// Of the time that is left, a question may take one part of so many.
        part: u32,
    },
    /// What leads to no state is asked last, and once.
    Behind,
}

impl Rounds {
    /// The first one.
    pub(super) fn new(deadline: Instant, longest: Duration) -> Self {
        Rounds {
            deadline,
            longest,
            round: Mutex::new(Round::First),
            is_open: AtomicBool::new(false),
        }
    }

    fn round(&self) -> Round {
        *lock(&self.round)
    }

    /// Whether all questions are put for the first time.
    pub(super) fn is_first(&self) -> bool {
        matches!(self.round(), Round::First)
    }

    /// Whether more time might have made another answer of this round: of the second one, where there was no more.
    pub(super) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Begins the second round, for so many calls.
    pub(super) fn begin_again(&self, left: usize) {
        self.is_open.store(false, Ordering::Relaxed);
        let time = self.deadline.saturating_duration_since(Instant::now());
        let left = u32::try_from(left).unwrap_or(u32::MAX);
        *lock(&self.round) = Round::Second {
            end: self.deadline - time / LEFT_BEHIND,
            part: left.clamp(*AGAIN.start(), *AGAIN.end()),
        };
    }

    /// Ends them.
    pub(super) fn end(&self) {
        *lock(&self.round) = Round::Behind;
    }

    /// When no more is asked in this one.
    pub(super) fn deadline(&self) -> Instant {
        match self.round() {
            Round::Second { end, .. } => end,
            Round::First | Round::Behind => self.deadline,
        }
    }

    /// How long a question that is put now may take.
    fn limit(&self) -> Duration {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let part = match self.round() {
            Round::First => AT_FIRST,
            Round::Second { part, .. } => part,
            Round::Behind => BEHIND,
        };
        (left / part).max(LEAST).min(self.longest)
    }

    /// Notes that more time might make another answer than this one, which was given in some. One that had more in the second round has
    /// had its time, and so has one that had as much as the engine works for it.
    fn leave_open(&self, answered: &Answered, is_put: bool) {
        let is_of_time = matches!(&answered.answer, Answer::Unknown(doubt) if doubt.is_of_time());
        let had_its_time = answered.limit >= self.longest || (is_put && !self.is_first());
        if is_of_time && !had_its_time {
            self.is_open.store(true, Ordering::Relaxed);
        }
    }
}

/// What a desk that has no time to waste knows of the questions that were put to it.
pub(super) struct Hurry {
    /// The same for all programs of the class.
    pub(super) rounds: Arc<Rounds>,
    /// The answers, by the texts of the questions.
    answers: Mutex<BTreeMap<String, Answered>>,
}

struct Answered {
    answer: Answer,
    /// How long it could have taken.
    limit: Duration,
}

impl Answered {
    /// Whether the question is worth to be put again, where it may take so long.
    fn is_worth(&self, limit: Duration) -> bool {
        let takes_time = match &self.answer {
            Answer::Yes(_) | Answer::No => false,
            Answer::Guess(_) => true,
            Answer::Unknown(doubt) => doubt.may_end_in_time(),
        };
        takes_time && limit >= self.limit * 3 / 2
    }
}

impl Hurry {
    /// Where nothing was asked so far.
    pub(super) fn new(rounds: &Arc<Rounds>) -> Self {
        Hurry {
            rounds: rounds.clone(),
            answers: Mutex::default(),
        }
    }

    /// The answer to a question, which is put unless it is known, or would hardly be another one in the time that there is for it.
    pub(super) fn answer(&self, text: String, put: impl FnOnce(Duration) -> Answer) -> Answer {
        let limit = self.rounds.limit();
        if let Some(known) = lock(&self.answers).get(&text)
            && !known.is_worth(limit)
        {
            self.rounds.leave_open(known, false);
            return known.answer.clone();
        }
        let answer = put(limit);
        let answered = Answered {
            answer: answer.clone(),
            limit,
        };
        self.rounds.leave_open(&answered, true);
        lock(&self.answers).insert(text, answered);
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::Doubt;
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    /// Puts a question whose answer takes so long, and says whether it was put at all.
    fn put(hurry: &Hurry, text: &str, takes: Duration) -> (bool, bool) {
        let is_put = Cell::new(false);
        let answer = hurry.answer(text.into(), |limit| {
            is_put.set(true);
            match takes <= limit {
                true => Answer::No,
                false => Answer::Unknown(Doubt::TimeOver),
            }
        });
        (is_put.get(), answer.is_no())
    }

    /// Of an hour a question has four minutes at first, and half an hour when it is the only one that is left.
    #[test]
    fn what_took_too_long_is_put_again_where_there_is_more_time() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        let rounds = Arc::new(Rounds::new(Instant::now() + HOUR, HOUR));
        let hurry = Hurry::new(&rounds);
        assert_eq!(put(&hurry, "short", minutes(3)), (true, true));
        assert!(!rounds.is_open());
        assert_eq!(put(&hurry, "long", minutes(20)), (true, false));
        assert!(rounds.is_open());
        for known in ["short", "long"] {
            assert!(!put(&hurry, known, minutes(0)).0, "{known}");
        }
        rounds.begin_again(1);
        assert_eq!(put(&hurry, "short", minutes(3)), (false, true));
        assert_eq!(put(&hurry, "long", minutes(20)), (true, true));
        assert!(!rounds.is_open());
        assert!(rounds.deadline() < Instant::now() + minutes(55));
        rounds.end();
        assert!(rounds.deadline() > Instant::now() + minutes(55));
    }

    /// No question has more time than the engine works for one, and what took all of that is not put again: nothing is open.
    #[test]
    fn what_took_all_the_time_of_an_engine_is_not_put_again() {
        let rounds = Arc::new(Rounds::new(Instant::now() + HOUR, HOUR / 60));
        let hurry = Hurry::new(&rounds);
        assert_eq!(put(&hurry, "long", HOUR), (true, false));
        rounds.begin_again(1);
        assert_eq!(put(&hurry, "long", HOUR), (false, false));
        assert!(!rounds.is_open());
    }
}
