//! All questions in a limited time: those that take too long are put again when all others were, and what nobody knows by then is
//! an edge that is not certain. Here a question takes too long by chance.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tranquera::engine::{Builtin, Engine};
use tranquera::epa::{Constructed, TimedEngine, construct_until};
use tranquera::query::{EntryProcedure, Limits, Reason, Unknown, Verdict};

use crate::features::{self, Case};
use crate::graph;
use crate::ignorant::Ignorant;
use crate::support::class;

/// Time enough.
const TIME: Duration = Duration::from_secs(3000);

/// Which questions take too long.
#[derive(Clone, Copy)]
enum Slow {
    /// One in four, by their names and this number, however often they are put.
    Always(u64),
    /// One of those about edges, the one after so many, when it is put first.
    AtFirst(usize),
    /// The same, and when it is put again somebody interrupts it.
    ThenInterrupted(usize),
}

/// What is known of an engine that is slow.
struct Sluggish {
    slow: Slow,
    asked: Mutex<Vec<String>>,
}

impl Sluggish {
    /// Why there is no answer, where there is none.
    fn instead(&self, entry: &EntryProcedure) -> Option<Reason> {
        let (number, then) = match self.slow {
            Slow::Always(number) => {
                let hash = entry.name.bytes().fold(number, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
                });
                let is_slow = (hash >> 32).is_multiple_of(4);
                return is_slow.then_some(Reason::Timeout);
            }
            Slow::AtFirst(number) => (number, None),
            Slow::ThenInterrupted(number) => (number, Some(Reason::Interrupted)),
        };
        if entry.name.starts_with("invariant_violation") {
            return None;
        }
        let mut asked = self.asked.lock().expect("nobody panics");
        match asked.iter().position(|text| *text == entry.text) {
            Some(at) => then.filter(|_| at == number),
            None => {
                asked.push(entry.text.clone());
                (asked.len() == number + 1).then_some(Reason::Timeout)
            }
        }
    }
}

/// What is found of a class.
fn made(case: &Case, slow: Slow) -> Constructed {
    let encoding = class::encode(&class::parse(&case.text));
    let sluggish = Sluggish {
        slow,
        asked: Mutex::default(),
    };
    let engine = Ignorant::answering(move |entry: &EntryProcedure| {
        let limit = entry.limit.expect("each has its part of the time");
        assert!(limit <= TIME / 2, "{}: {limit:?}", entry.name);
        let reason = sluggish.instead(entry)?;
        Some(Verdict::Unknown(Unknown {
            reason,
            detail: String::new(),
            output: String::new(),
        }))
    });
    let limits = Limits {
        timeout: TIME,
        ..engine.limits()
    };
    let timed = TimedEngine {
        engine: Box::new(engine.with_limits(limits)),
        until: Instant::now() + TIME,
    };
    let options = graph::all_of_it();
    let made = construct_until(&encoding, &Builtin::default(), Some(&timed), &options);
    made.expect("an EPA")
}

/// What is found too little, or is taken for certain and is not expected. From a state to which nothing leads for certain there may be
/// more edges.
fn wrong(case: &Case, made: &Constructed) -> Vec<String> {
    let found = graph::of_constructed(made);
    let mut differences = case.expected.differences(&found);
    let is_doubtful = |line: &str| found.doubts.iter().any(|doubt| doubt.starts_with(line));
    let expected = case.expected.edges.iter();
    let states: BTreeSet<&str> = expected
        .filter_map(|line| line.split(' ').next_back())
        .collect();
    let is_known = |line: &str| {
        let mut words = line.split(' ');
        words.next().is_some_and(|from| states.contains(from))
    };
    differences.retain(|line| match line.split_at(2) {
        ("+ ", edge) => is_known(edge) && !is_doubtful(edge),
        ("? ", _) => false,
        _ => true,
    });
    differences
}

#[test]
fn what_takes_too_long_loses_no_edge_and_makes_none_certain() {
    for number in 0..3 {
        features::check_all(|case| wrong(case, &made(case, Slow::Always(number))));
    }
}

/// A question that is answered when it is put again leaves nothing open.
#[test]
fn what_takes_too_long_is_asked_again_when_all_else_is_known() {
    for number in [0, 2, 5] {
        features::check_all(|case| {
            let made = made(case, Slow::AtFirst(number));
            let mut differences = case.expected.differences(&graph::of_constructed(&made));
            differences.extend(made.is_late.then(|| "? not all was asked".to_owned()));
            differences
        });
    }
}

/// What was found before somebody interrupts the second round is not lost.
#[test]
fn who_interrupts_what_is_asked_again_has_what_was_found_before() {
    for number in [0, 3] {
        features::check_all(|case| {
            let made = made(case, Slow::ThenInterrupted(number));
            let mut differences = wrong(case, &made);
            // What breaks the invariant is told where all was asked.
            differences.retain(|line| made.open.is_none() || !line.ends_with('*'));
            differences
        });
    }
}
