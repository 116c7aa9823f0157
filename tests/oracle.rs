//! Random classes: what the engines find through Boogie text is what running everything finds.

#[path = "support/generator/mod.rs"]
mod generator;
#[path = "support/graph.rs"]
mod graph;
#[path = "support/tape.rs"]
mod tape;

use graph::Graph;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use tape::Tape;
use tranquera::epa::Strategy as Targets;
use tranquera::interp::oracle::{Domain, OracleError, explore};
use tranquera::lang::parse_text;

/// Wide enough that whatever the small constants of a random class can tell apart has a value in it.
fn domain() -> Domain {
    Domain {
        fields: -1..=4,
        parameters: -8..=11,
        choices: -8..=11,
        limit: 300_000,
        ..Domain::integers(0..=0)
    }
}

/// What running everything finds; none where that does not say it all.
fn expected(text: &str) -> Option<Graph> {
    let loaded = parse_text("random.tq", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (class, _) = graph::subject(&loaded.program);
    let oracle = match explore(&loaded.program, class, &domain()) {
        Ok(oracle) => oracle,
        Err(OracleError::TooLarge) => return None,
        Err(OracleError::Undetermined(reason)) => {
            assert!(
                reason.contains("quantifier") || reason.contains("guard"),
                "{reason}\n{text}"
            );
            return None;
        }
    };
    let exact = oracle.escaped.is_empty() && oracle.undecided.is_empty();
    (exact && !oracle.constructors.is_empty()).then(|| Graph::of_oracle(&oracle))
}

fn check(text: &str, engine: &str, strategy: Targets) -> Result<(), TestCaseError> {
    let Some(expected) = expected(text) else {
        return Err(TestCaseError::reject("the oracle does not say it all"));
    };
    let loaded = parse_text("random.tq", text).map_err(|e| TestCaseError::fail(e.to_string()))?;
    let found = graph::by_engine(&loaded.program, engine, strategy);
    let differences = expected.differences(&found);
    prop_assert!(
        differences.is_empty(),
        "{engine}, - expected, + found:\n{}\n{text}",
        differences.join("\n")
    );
    Ok(())
}

/// Runs so many cases, or as many as the variable says.
fn run(variable: &str, cases: u32, check: impl Fn(&str) -> Result<(), TestCaseError>) {
    let cases = std::env::var(variable)
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(cases);
    let mut runner = TestRunner::new(Config {
        cases,
        max_shrink_iters: 200,
        max_global_rejects: 20 * cases + 100,
        failure_persistence: None,
        ..Config::default()
    });
    let numbers = prop::collection::vec(any::<u16>(), 60..300);
    let outcome = runner.run(&numbers, |numbers| {
        check(&generator::class(&mut Tape::new(numbers)))
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(reason, _)) => panic!("{reason}"),
        Err(TestError::Abort(reason)) => panic!("given up: {reason}"),
    }
}

#[test]
fn the_built_in_engine_finds_what_running_everything_finds() {
    run("TRANQUERA_BUILTIN_CASES", 40, |text| {
        check(text, "builtin", Targets::Guided)
    });
}

#[test]
fn boogie_finds_what_running_everything_finds() {
    run("TRANQUERA_BOOGIE_CASES", 3, |text| {
        check(text, "boogie", Targets::Guided)
    });
}
