//! Random programs of 50 to 500 procedures and 100 to 400 globals, whose answer is known by construction
//! (`tests/reach/random/large.rs`): how many have it in the time that is given, and how long they take.
//!
//! ```sh
//! cargo bench --bench wide                    # seeds 0 to 99, with a bug and without, 20 seconds each
//! cargo bench --bench wide -- 100..1000 60    # other seeds, a minute each
//! ```
//!
//! One after the other, so that each has the machine for itself. Those that have no answer are named, and an answer that
//! is wrong ends all with an error.

use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

// Both were made for the tests, which need more of them.
#[allow(dead_code, unreachable_pub)]
#[path = "../tests/reach/random/generate.rs"]
mod generate;
#[allow(dead_code, unreachable_pub)]
#[path = "../tests/reach/random/large.rs"]
mod large;

use generate::Generated;
use large::{Shape, large};
use tranquera::engine::{Builtin, Engine, EngineConfig};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

fn main() -> ExitCode {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let (Some(seeds), Some(seconds)) = (
        range(words.first().map_or("0..100", String::as_str)),
        words.get(1).map_or("20", String::as_str).parse().ok(),
    ) else {
        println!("cargo bench --bench wide -- [FIRST..END [SECONDS]]");
        return ExitCode::FAILURE;
    };
    let engine = Builtin::new(&EngineConfig {
        limits: Limits {
            recursion_bound: 3,
            timeout: Duration::from_secs(seconds),
            ..Limits::default()
        },
        ..EngineConfig::default()
    });
    let mut wrong = false;
    let (mut with, mut without) = (Times::default(), Times::default());
    for seed in seeds {
        for (has_bug, times) in [(true, &mut with), (false, &mut without)] {
            wrong |= !times.ask(&engine, seed, has_bug);
        }
    }
    println!("with a bug: {}", with.in_words());
    println!("without:    {}", without.in_words());
    ExitCode::from(u8::from(wrong))
}

fn range(words: &str) -> Option<Range<u64>> {
    let (first, end) = words.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}

/// How long each program took that had its answer, and how many had none.
#[derive(Default)]
struct Times {
    answered: Vec<Duration>,
    open: usize,
}

impl Times {
    /// Asks about a program. Is what was said not wrong?
    fn ask(&mut self, engine: &dyn Engine, seed: u64, has_bug: bool) -> bool {
        let shape = Shape::wide(seed);
        let Generated { program, entry } = large(seed, shape, has_bug);
        let begin = Instant::now();
        let session = engine
            .open(&QuestionProgram::new("Random", program))
            .expect("the program is right");
        let verdict = session.ask(&EntryProcedure {
            name: "q".into(),
            text: entry,
            limit: None,
        });
        let took = begin.elapsed();
        let kind = if has_bug { "with a bug" } else { "without" };
        match (&verdict, has_bug) {
            (Verdict::Reached(_), true) | (Verdict::Unreachable, false) => {
                self.answered.push(took);
                true
            }
            (Verdict::Reached(_), false) | (Verdict::Unreachable, true) => {
                println!("seed {seed}, {kind}: WRONG, {verdict:?}");
                false
            }
            _ => {
                self.open += 1;
                println!("seed {seed}, {kind}, {shape:?}: no answer in {took:.1?}");
                true
            }
        }
    }

    fn in_words(&self) -> String {
        let mut sorted = self.answered.clone();
        sorted.sort_unstable();
        let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
        format!(
            "{} of {} answered, median {:.1?}, nine of ten in {:.1?}, the last in {:.1?}",
            sorted.len(),
            sorted.len() + self.open,
            at(sorted.len() / 2),
            at(sorted.len() * 9 / 10),
            at(sorted.len().saturating_sub(1)),
        )
    }
}
