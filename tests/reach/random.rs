//! Random programs: the built-in engine against Boogie, and against all executions one by one.
//!
//! A few in every run. More with `TRANQUERA_RANDOM=first..end cargo test --test reach random:: -- --nocapture`; a program
//! on which two disagree is printed, and belongs into `tests/reach/programs/`.

mod explore;
mod generate;
mod large;

use std::ops::Range;

use super::simulate::shown_by;
use explore::{Outcome, explore};
use generate::{Flavour, Generated, program};
use large::{Shape, large};
use tranquera::boogie::{check, parse};
use tranquera::engine::{self, Engine, EngineConfig};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Reason, Verdict};

fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(range) = std::env::var("TRANQUERA_RANDOM") else {
        return default;
    };
    let (first, end) = range.split_once("..").expect("first..end");
    first.parse().expect("a number")..end.parse().expect("a number")
}

fn config(bound: u32) -> EngineConfig {
    EngineConfig {
        limits: Limits {
            recursion_bound: bound,
            timeout: std::time::Duration::from_secs(6),
            ..Limits::default()
        },
        ..EngineConfig::default()
    }
}

fn ask(engine: &dyn Engine, generated: &Generated) -> Verdict {
    let program = QuestionProgram::new("Random", generated.program.clone());
    let session = engine.open(&program).expect("the program is right");
    session.ask(&EntryProcedure {
        name: "q".into(),
        text: generated.entry.clone(),
        limit: None,
    })
}

#[test]
fn builtin_and_boogie_never_contradict_each_other() {
    let boogie = (engine::kind("boogie").expect("an engine").make)(&config(3));
    boogie.version().expect("Boogie is installed");
    let builtin = engine::Builtin::new(&config(3));
    let mut counts = std::collections::BTreeMap::new();
    for seed in seeds(0..6) {
        let generated = program(seed, Flavour::Arbitrary);
        let ours = ask(&builtin, &generated);
        let bounded = ask(
            &engine::Builtin::new(&config(3)).unbounded(false),
            &generated,
        );
        let theirs = ask(boogie.as_ref(), &generated);
        let text = || format!("seed {seed}\n{}{}", generated.program, generated.entry);
        let word = |v: &Verdict| match v {
            Verdict::Reached(_) => "reached",
            Verdict::Unreachable => "unreachable",
            Verdict::BoundHit { .. } => "bound-hit",
            Verdict::Presumed(_) => "presumed",
            Verdict::Unknown(_) => "unknown",
        };
        *counts
            .entry((word(&ours), word(&bounded), word(&theirs)))
            .or_insert(0) += 1;
        match (&ours, &theirs) {
            (Verdict::Reached(_), Verdict::Unreachable)
            | (Verdict::Unreachable, Verdict::Reached(_)) => {
                panic!("{ours:?}\n{theirs:?}\n{}", text())
            }
            _ => {}
        }
        // What the bound covers, it covers in both; and of an unknown there is no cause in these programs.
        match (&bounded, &theirs) {
            (Verdict::Reached(_), Verdict::Unreachable | Verdict::BoundHit { .. })
            | (Verdict::Unreachable | Verdict::BoundHit { .. }, Verdict::Reached(_)) => {
                panic!("bounded: {bounded:?}\n{theirs:?}\n{}", text())
            }
            _ => {}
        }
    }
    println!("(builtin, without the unbounded search, Boogie): {counts:?}");
}

#[test]
fn builtin_agrees_with_all_executions_one_by_one() {
    agree_with_all_executions(|seed| program(seed, Flavour::Finite));
}

/// Procedures that write many globals share names for what they are worth behind calls (`reach::encode::names`).
#[test]
fn so_it_does_where_results_share_names() {
    agree_with_all_executions(|seed| program(seed, Flavour::Finite).with_more_globals());
}

fn agree_with_all_executions(program: impl Fn(u64) -> Generated) {
    let builtin = engine::Builtin::new(&config(8)).unbounded(false);
    let unbounded = engine::Builtin::new(&config(2));
    let mut counts = [0; 3];
    let mut shown = 0;
    for seed in seeds(0..40) {
        let generated = program(seed);
        let text = format!("{}{}", generated.program, generated.entry);
        let typed = check(&parse(&text).expect(&text)).expect(&text);
        let wanted = explore(&typed, "q", 200_000);
        for is_shown in shown_by(typed, "q") {
            assert!(
                !is_shown || wanted != Outcome::Fails,
                "simulated, seed {seed}\n{text}"
            );
            shown += usize::from(is_shown);
        }
        let verdict = ask(&builtin, &generated);
        match (&wanted, &verdict) {
            (Outcome::Fails, Verdict::Unreachable) | (Outcome::Holds, Verdict::Reached(_)) => {
                panic!("seed {seed}: {wanted:?}, {verdict:?}\n{text}")
            }
            // Time may run out; nothing else in these programs is a cause.
            (_, Verdict::Unknown(unknown)) => {
                assert_eq!(unknown.reason, Reason::Timeout, "seed {seed}\n{text}")
            }
            _ => {}
        }
        let also = ask(&unbounded, &generated);
        match (&wanted, &also) {
            (Outcome::Fails, Verdict::Unreachable) | (Outcome::Holds, Verdict::Reached(_)) => {
                panic!("unbounded, seed {seed}: {wanted:?}, {also:?}\n{text}")
            }
            _ => {}
        }
        counts[match wanted {
            Outcome::Fails => 0,
            Outcome::Holds => 1,
            Outcome::TooMany => 2,
        }] += 1;
    }
    println!(
        "fails, holds, too many: {counts:?}; {shown} of twice those that hold shown with simulation"
    );
}

/// Eleven levels of calls, so that not all of them can be inlined.
#[test]
fn large_programs_have_the_answer_they_were_made_for() {
    have_the_answer_they_were_made_for(seeds(1..4), |_| Shape::DENSE);
}

/// Hundreds of procedures and globals.
#[test]
fn wide_programs_have_the_answer_they_were_made_for() {
    have_the_answer_they_were_made_for(seeds(1..2), Shape::wide);
}

/// One whose bug the usual rounds of the search do not find in a minute: executions do (`reach::search::directed`).
#[test]
fn a_bug_is_found_along_executions() {
    have_the_answer_they_were_made_for(6..7, Shape::wide);
}

fn have_the_answer_they_were_made_for(seeds: Range<u64>, shape: impl Fn(u64) -> Shape) {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: 3,
            timeout: std::time::Duration::from_secs(60),
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let builtin = engine::Builtin::new(&config);
    for seed in seeds {
        let shape = shape(seed);
        let (with_bug, without) = (large(seed, shape, true), large(seed, shape, false));
        let text = format!("seed {seed}\n{}{}", with_bug.program, with_bug.entry);
        let begin = std::time::Instant::now();
        let found = ask(&builtin, &with_bug);
        println!("seed {seed}, {shape:?}, with a bug: {:?}", begin.elapsed());
        assert!(matches!(found, Verdict::Reached(_)), "{found:?}\n{text}");
        let found = ask(&builtin, &without);
        println!("seed {seed}, without: {:?}", begin.elapsed());
        assert_eq!(found, Verdict::Unreachable, "{text}");
    }
}
