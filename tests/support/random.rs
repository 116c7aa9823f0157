//! Random cases: the same ones in every run, unless others are asked for.
#![allow(dead_code)] // Each group of tests needs a part of it.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

/// A failing case is made smaller for so long at most, in milliseconds: it is better reported than minimal.
const SHRINKING: u32 = 60_000;

/// So many cases, which proptest's own variables can change: `PROPTEST_CASES` asks for another number of them,
/// `PROPTEST_RNG_SEED` for other ones, `PROPTEST_MAX_SHRINK_TIME` for more patience.
pub fn cases(count: u32) -> Config {
    let asked = Config::default();
    let is_set = |variable| std::env::var_os(variable).is_some();
    Config {
        cases: match is_set("PROPTEST_CASES") {
            true => asked.cases,
            false => count,
        },
        rng_seed: match asked.rng_seed {
            RngSeed::Random => RngSeed::Fixed(0),
            seed @ RngSeed::Fixed(_) => seed,
        },
        max_shrink_time: match is_set("PROPTEST_MAX_SHRINK_TIME") {
            true => asked.max_shrink_time,
            false => SHRINKING,
        },
        // The seed tries it again, and a case that showed a bug becomes a test of its own.
        failure_persistence: None,
        ..asked
    }
}

/// Checks so many cases; the test fails with what the check says of the smallest case that was found to fail.
pub fn check_cases<S: Strategy>(
    config: Config,
    cases: S,
    check: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    match TestRunner::new(config).run(&cases, check) {
        Ok(()) => {}
        Err(TestError::Fail(reason, _)) => panic!("{reason}"),
        Err(TestError::Abort(reason)) => panic!("given up: {reason}"),
    }
}
