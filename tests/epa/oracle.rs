//! Random classes: what the engines find through Boogie text is what running everything finds.

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::epa::Strategy as Targets;
use tranquera::interp::oracle::{Domain, OracleError, explore};

use crate::graph::{self, Graph};
use crate::heap;
use crate::stores;
use crate::support::tape::Tape;
use crate::support::{class, generator, random};
use crate::watched;

/// Wide enough that whatever the small constants of a random class can tell apart has a value in it.
fn numbers() -> Domain {
    Domain {
        fields: -1..=4,
        // `6 > p div 2` tells 12 from others.
        parameters: -8..=13,
        choices: -8..=11,
        // A field and two parameters that may all be different.
        opaque: 3,
        limit: 300_000,
        ..Domain::integers(0..=0)
    }
}

/// So many objects around, and as many arrays.
fn heaps(count: usize) -> Domain {
    Domain {
        objects: count,
        arrays: count,
        lengths: 0..=1,
        limit: 300_000,
        ..Domain::integers(0..=2)
    }
}

/// A random class, and the domain over which running everything says all there is to say.
pub(crate) struct Class {
    pub(crate) text: String,
    pub(crate) domain: Domain,
}

impl Class {
    pub(crate) fn of_numbers(tape: &mut Tape) -> Class {
        Class {
            text: generator::class(tape),
            domain: numbers(),
        }
    }

    pub(crate) fn of_heaps(tape: &mut Tape) -> Class {
        let (text, shape) = heap::class(tape);
        let domain = heaps(match shape {
            heap::Shape::Nodes => 4,
            heap::Shape::Chain | heap::Shape::Arrays => 3,
        });
        Class { text, domain }
    }

    pub(crate) fn of_stores(tape: &mut Tape) -> Class {
        Class::of_store(stores::class(tape))
    }

    /// Stores whose loops have invariants.
    pub(crate) fn of_loops(tape: &mut Tape) -> Class {
        Class::of_store(stores::class_with_invariants(tape))
    }

    /// Two names for what may be the same, and one more that neither leads to.
    pub(crate) fn of_watched(tape: &mut Tape) -> Class {
        Class {
            text: watched::class(tape),
            domain: Domain {
                objects: 3,
                arrays: 3,
                // Whatever has another length keeps no invariant and is no argument.
                lengths: 1..=1,
                limit: 600_000,
                ..Domain::integers(0..=1)
            },
        }
    }

    fn of_store(text: String) -> Class {
        let arrays = if text.contains("var b:") { 2 } else { 1 };
        // A field and two parameters that may all be different, or two values of a map and a parameter.
        let domain = Domain {
            opaque: 3,
            arrays,
            lengths: 0..=2,
            limit: 1_000_000,
            ..Domain::integers(0..=1)
        };
        Class { text, domain }
    }
}

/// What running everything finds; none where that does not say it all.
pub(crate) fn expected(text: &str, domain: &Domain) -> Option<Graph> {
    let program = class::parse(text).program;
    let oracle = match explore(&program, class::last(&program), domain) {
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

fn check(class: &Class, engine: &str, effort: &Effort) -> Result<(), TestCaseError> {
    let Class { text, domain } = class;
    let Some(expected) = expected(text, domain) else {
        return Err(TestCaseError::reject("the oracle does not say it all"));
    };
    if expected.edges.len() > effort.edges {
        return Err(TestCaseError::reject("too many questions"));
    }
    let loaded = class::parse(text);
    let mut all = vec![graph::by_engine(&loaded, engine, Targets::Guided)];
    // It takes as long again: every other class is enough.
    if engine == "builtin" && text.len() % 2 == 0 {
        all.push(graph::behind_runs(&loaded, engine));
    }
    for found in all {
        let mut differences = expected.differences(&found);
        if effort.doubts && !found.doubts.is_empty() {
            // What it has too much may come from what it is in doubt about; nothing may be lost.
            differences.retain(|line| line.starts_with('-'));
        }
        prop_assert!(
            differences.is_empty(),
            "{engine}, - expected, + found:\n{}\n{text}",
            differences.join("\n")
        );
    }
    Ok(())
}

/// How many random classes are tried, of which size, and how hard a failing one is made smaller.
pub(crate) struct Effort {
    pub(crate) cases: u32,
    /// How many decisions a class is made of; the other ones are the simplest.
    pub(crate) decisions: std::ops::Range<usize>,
    /// Classes with more edges are left out.
    pub(crate) edges: usize,
    /// Whether the engine may be in doubt. A solver that has to guess the instances of a quantifier does not always
    /// find an answer.
    pub(crate) doubts: bool,
    pub(crate) shrinks: u32,
}

pub(crate) fn run(engine: &str, class: fn(&mut Tape) -> Class, effort: Effort) {
    let cases = random::cases(effort.cases);
    let config = Config {
        max_shrink_iters: effort.shrinks,
        max_global_rejects: 20 * cases.cases + 100,
        ..cases
    };
    let numbers = prop::collection::vec(any::<u16>(), effort.decisions.clone());
    random::check_cases(config, numbers, |numbers| {
        check(&class(&mut Tape::new(numbers)), engine, &effort)
    });
}

#[test]
fn the_built_in_engine_finds_what_running_everything_finds() {
    let effort = Effort {
        cases: 40,
        decisions: 60..300,
        edges: usize::MAX,
        doubts: false,
        shrinks: 200,
    };
    run("builtin", Class::of_numbers, effort);
}

#[test]
fn the_built_in_engine_finds_what_running_every_heap_finds() {
    let effort = Effort {
        cases: 12,
        decisions: 60..300,
        edges: usize::MAX,
        doubts: true,
        shrinks: 200,
    };
    run("builtin", Class::of_heaps, effort);
}

#[test]
fn the_built_in_engine_finds_what_running_every_store_finds() {
    let effort = Effort {
        cases: 8,
        decisions: 40..160,
        edges: usize::MAX,
        doubts: true,
        shrinks: 100,
    };
    run("builtin", Class::of_stores, effort);
}

#[test]
fn the_built_in_engine_finds_what_running_everything_finds_of_what_guards_do_not_look_at() {
    let effort = Effort {
        cases: 16,
        decisions: 60..300,
        edges: usize::MAX,
        doubts: true,
        shrinks: 100,
    };
    run("builtin", Class::of_watched, effort);
}

/// A question costs Boogie a third of a second or more.
#[test]
fn boogie_finds_what_running_everything_finds() {
    let effort = Effort {
        cases: 4,
        decisions: 40..120,
        edges: 6,
        doubts: true,
        shrinks: 10,
    };
    run("boogie", Class::of_numbers, effort);
}
