//! Random classes: what both passes say of an edge is what running everything shows. No edge is missing that an object takes;
//! nothing is confirmed that no object takes, nothing is refuted that one does, and the lengths are the shortest. And so of
//! what calls do that no edge tells.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::engine::EngineConfig;
use tranquera::epa::confirm::{self, Confirmations, EdgeResult, MishapResult, Status};
use tranquera::epa::{self, Epa, Exceptions, Strategy as Targets};
use tranquera::interp::oracle::{Domain, OracleError, OracleRuns, RoutineRun, runs};
use tranquera::ir::BuiltinException;
use tranquera::query::{Extent, Limits};

use crate::graph;
use crate::oracle::Class;
use crate::support::tape::Tape;
use crate::support::{class, random, real};

/// Runs of more calls are not looked for.
const MOST_CALLS: u32 = 14;

/// So long the second pass may take.
const TIME: Duration = Duration::from_secs(120);

/// A class whose objects have values of 0 to 4, as arithmetic is modulo 5; its invariant may say less, or what not
/// every call keeps.
pub(super) fn of_remainders(tape: &mut Tape) -> Class {
    Class {
        text: remainders(tape),
        // Every parameter is required to be one of 0 to 2.
        domain: Domain {
            parameters: 0..=2,
            limit: 300_000,
            ..Domain::integers(0..=4)
        },
    }
}

fn remainders(tape: &mut Tape) -> String {
    let mut text = String::from(
        "class Random {\n  var a: int := 0;\n  var b: int := 0;\n  var c: bool := false;\n",
    );
    if tape.chance(40) {
        let _ = writeln!(text, "  invariant {};", atom(tape, false));
    }
    let _ = writeln!(
        text,
        "  constructor(k: int) requires 0 <= k <= 2 {{ a := {}; b := {}; c := {}; }}",
        number(tape, true),
        tape.number(0, 4),
        tape.chance(50)
    );
    for index in 0..2 + tape.below(3) {
        let parameter = tape.chance(40);
        let (params, fact) = if parameter {
            ("k: int", " requires 0 <= k <= 2")
        } else {
            ("", "")
        };
        let _ = write!(text, "  action m{index}({params}){fact}");
        for _ in 0..1 + tape.below(2) {
            let _ = write!(text, " requires {}", atom(tape, parameter));
        }
        text.push_str(" {");
        for _ in 0..1 + tape.below(2) {
            if tape.chance(35) {
                let (condition, then) = (atom(tape, parameter), statement(tape, parameter));
                let _ = write!(
                    text,
                    " if ({condition}) {{ {then} }} else {{ {} }}",
                    statement(tape, parameter)
                );
            } else {
                let _ = write!(text, " {}", statement(tape, parameter));
            }
        }
        text.push_str(" }\n");
    }
    text + "}\n"
}

fn atom(tape: &mut Tape, parameter: bool) -> String {
    let op = *tape.pick(&["==", "!=", "<", "<=", ">", ">="]);
    match tape.below(if parameter { 6 } else { 5 }) {
        0 => "c".into(),
        1 => "!c".into(),
        2 => format!("a {op} {}", tape.number(0, 4)),
        3 => format!("b {op} {}", tape.number(0, 4)),
        4 => format!("a {op} b"),
        _ => format!("k {op} {}", tape.pick(&["a", "b"])),
    }
}

fn number(tape: &mut Tape, parameter: bool) -> String {
    match tape.below(if parameter { 6 } else { 4 }) {
        0 => tape.number(0, 4).to_string(),
        1 => tape.pick(&["a", "b"]).to_string(),
        2 => format!("(a + {}) mod 5", tape.number(1, 4)),
        3 => "(a + b) mod 5".into(),
        4 => "k".into(),
        _ => "(b + k) mod 5".into(),
    }
}

fn statement(tape: &mut Tape, parameter: bool) -> String {
    match tape.below(5) {
        0 => format!("c := {};", atom(tape, parameter)),
        1 | 2 => format!("a := {};", number(tape, parameter)),
        _ => format!("b := {};", number(tape, parameter)),
    }
}

/// What was found out about a class: of its edges, and of what its calls do besides.
#[derive(Debug, Default)]
struct Tally {
    edges: Judged,
    mishaps: Judged,
}

#[derive(Debug, Default)]
struct Judged {
    confirmed: usize,
    refuted: usize,
    /// Neither: of what objects do, and of what none does.
    open: (usize, usize),
}

impl Judged {
    /// Counts what is said of something that objects do, or do not. Whether it is so.
    fn is_so(&mut self, status: &Status, done: bool) -> bool {
        match (status, done) {
            (Status::Confirmed { .. }, _) => self.confirmed += 1,
            (Status::Refuted { .. }, _) => self.refuted += 1,
            (Status::Unconfirmed { .. }, true) => self.open.0 += 1,
            (Status::Unconfirmed { .. }, false) => self.open.1 += 1,
        }
        match status {
            Status::Confirmed { .. } => done,
            Status::Refuted { .. } => !done,
            Status::Unconfirmed { .. } => true,
        }
    }
}

/// The class with what both passes find, and what running everything shows.
struct Passes {
    runs: OracleRuns,
    epa: Epa,
    found: Confirmations,
}

fn passes(Class { text, domain }: &Class, exceptions: Exceptions) -> Result<Passes, TestCaseError> {
    let loaded = class::parse(text);
    let encoding = class::encode(&loaded);
    let runs = match runs(&loaded.program, encoding.subject.class, domain) {
        Ok(runs) if !runs.is_cut => runs,
        Ok(_) | Err(OracleError::TooLarge | OracleError::Undetermined(_)) => {
            return Err(TestCaseError::reject("the oracle does not say it all"));
        }
    };
    let config = EngineConfig {
        limits: Limits {
            timeout: Duration::from_secs(10),
            // Two rounds of a loop that is left early.
            recursion_bound: 5,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = real::engine("builtin", &config);
    let options = epa::ConstructOptions {
        strategy: Targets::Guided,
        jobs: 1,
        pure_shortcut: true,
        exceptions,
        violations: true,
        // What is found first is run as well.
        large: 0,
        ..epa::ConstructOptions::default()
    };
    let made = epa::construct(&encoding, engine.as_ref(), &options).expect("an EPA");
    let options = confirm::ConfirmOptions {
        engine: engine.as_ref(),
        searcher: engine.as_ref(),
        several: engine.as_ref(),
        source: &loaded.source,
        extent: Extent {
            max_calls: MOST_CALLS,
            time: TIME,
            ..Extent::DEFAULT
        },
    };
    let found = confirm::confirm(&encoding, &made.abstraction, &options).expect("a second pass");
    prop_assert!(found.errors.is_empty(), "{:?}\n{text}", found.errors);
    Ok(Passes {
        runs,
        epa: made.epa(),
        found: found.confirmations(),
    })
}

fn enabled(epa: &Epa, id: &str) -> BTreeSet<String> {
    let state = epa.state(id).expect("a state");
    state.enabled.iter().cloned().collect()
}

/// Compares.
fn check(class: &Class) -> Result<Tally, TestCaseError> {
    let Passes { runs, epa, found } = passes(class, Exceptions::All)?;
    let text = &class.text;
    let enabled = |id: &str| enabled(&epa, id);
    let line = |edge: &EdgeResult| {
        let label = graph::label(&edge.action, edge.outcome.as_ref(), edge.exception.as_ref());
        let source = edge
            .source
            .as_deref()
            .map_or("I".into(), |s| graph::state(&enabled(s)));
        let target = edge.target.as_deref().map(|t| graph::state(&enabled(t)));
        match target {
            Some(target) => format!("{source} {label} -> {target}"),
            None => format!("{source} {label}"),
        }
    };
    let mut left = graph::lengths(&runs);
    let mut tally = Tally::default();
    for edge in &found.edges {
        let line = line(edge);
        let length = left.remove(&line);
        let expected = match (&edge.status, length) {
            (Status::Confirmed { calls, shortest }, Some(length)) => {
                *calls == length || (*calls > length && !shortest)
            }
            (Status::Unconfirmed { bound }, Some(length)) => length > *bound,
            _ => true,
        };
        prop_assert!(
            tally.edges.is_so(&edge.status, length.is_some()) && expected,
            "{line}: {:?}, but the length is {length:?}\n{text}",
            edge.status
        );
    }
    prop_assert!(left.is_empty(), "not in the EPA: {left:?}\n{text}");
    let breaks = |violation: &RoutineRun, mishap: &MishapResult| {
        let source = mishap.source.as_deref().map(enabled);
        let is_here = source.is_none() || source == violation.source;
        is_here
            && mishap.breaks_invariant
            && mishap.action == violation.routine
            && (mishap.outcome.is_none() || mishap.outcome == violation.outcome)
            && mishap.exception == violation.exception
    };
    for mishap in &found.mishaps {
        let done = runs.violations.iter().any(|v| breaks(v, mishap));
        prop_assert!(
            tally.mishaps.is_so(&mishap.status, done),
            "{}: {:?}, but that is {done}\n{text}",
            mishap.mishap,
            mishap.status
        );
    }
    for violation in &runs.violations {
        let is_told = found.mishaps.iter().any(|m| breaks(violation, m));
        prop_assert!(is_told, "not told: {violation:?}\n{text}");
    }
    Ok(tally)
}

/// Compares the errors of operations alone.
fn check_errors(class: &Class) -> Result<Tally, TestCaseError> {
    let Passes { runs, found, .. } = passes(class, Exceptions::Declared)?;
    let ends = runs.transitions.keys().map(|t| (&t.action, &t.exception));
    let breaks = (runs.violations.iter()).filter(|v| v.source.is_some());
    let ends: BTreeSet<_> = ends
        .chain(breaks.map(|v| (&v.routine, &v.exception)))
        .collect();
    let mut tally = Tally::default();
    for mishap in found.mishaps.iter().filter(|m| !m.breaks_invariant) {
        let done = ends.contains(&(&mishap.action, &mishap.exception));
        prop_assert!(
            tally.mishaps.is_so(&mishap.status, done),
            "{}: {:?}, but that is {done}\n{}",
            mishap.mishap,
            mishap.status,
            class.text
        );
    }
    let is_error = |exception: &str| {
        let all = BuiltinException::ALL.iter();
        all.clone().any(|builtin| builtin.name() == exception)
    };
    for (action, exception) in ends {
        let told = |m: &MishapResult| m.action == *action && m.exception == *exception;
        let is_told = exception.as_deref().is_none_or(|e| !is_error(e));
        let is_told = is_told || found.mishaps.iter().any(told);
        prop_assert!(
            is_told,
            "not told: {action} ! {exception:?}\n{}",
            class.text
        );
    }
    Ok(tally)
}

fn both_passes(class: fn(&mut Tape) -> Class, cases: u32, decisions: Range<usize>) {
    compare(class, cases, decisions, check);
}

fn compare(
    class: fn(&mut Tape) -> Class,
    cases: u32,
    decisions: Range<usize>,
    check: fn(&Class) -> Result<Tally, TestCaseError>,
) {
    let cases = random::cases(cases);
    let config = Config {
        max_shrink_iters: 60,
        max_global_rejects: 20 * cases.cases + 100,
        ..cases
    };
    let numbers = prop::collection::vec(any::<u16>(), decisions);
    random::check_cases(config, numbers, |numbers| {
        let class = class(&mut Tape::new(numbers));
        let begun = Instant::now();
        let tally = check(&class)?;
        println!("{}// {tally:?}, {:?}\n", class.text, begun.elapsed());
        Ok(())
    });
}

#[test]
fn both_passes_say_what_running_remainders_shows() {
    both_passes(of_remainders, 20, 60..200);
}

#[test]
fn both_passes_say_what_running_numbers_shows() {
    both_passes(Class::of_numbers, 20, 60..300);
}

#[test]
fn both_passes_say_what_running_heaps_shows() {
    both_passes(Class::of_heaps, 8, 60..300);
}

#[test]
fn both_passes_say_what_running_stores_shows() {
    both_passes(Class::of_stores, 8, 40..160);
}

#[test]
fn the_errors_of_operations_are_what_running_heaps_shows() {
    compare(Class::of_heaps, 6, 60..300, check_errors);
}

#[test]
fn the_errors_of_operations_are_what_running_stores_shows() {
    compare(Class::of_stores, 6, 40..160, check_errors);
}

#[test]
fn the_errors_of_operations_are_what_running_numbers_shows() {
    compare(Class::of_numbers, 10, 60..300, check_errors);
}

/// Classes of fifty configurations at most, for which the second pass once took over a minute, or found no end.
#[test]
fn a_class_of_few_configurations_is_explored_whole() {
    for text in FEW_CONFIGURATIONS {
        let class = Class {
            text: text.into(),
            ..of_remainders(&mut Tape::new(Vec::new()))
        };
        let tally = check(&class).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(tally.edges.open, (0, 0), "{text}");
    }
}

const FEW_CONFIGURATIONS: [&str; 3] = [
    "class Random {
  var a: int := 0;
  var b: int := 0;
  var c: bool := false;
  constructor(k: int) requires 0 <= k <= 2 { a := k; b := 0; c := false; }
  action m0(k: int) requires 0 <= k <= 2 requires k != b { a := (a + b) mod 5; if (k >= a) { a := 4; } else { c := !c; } }
  action m1() requires c { a := (a + 4) mod 5; c := b == 3; }
  action m2(k: int) requires 0 <= k <= 2 requires a > 2 requires k != b { if (!c) { a := k; } else { b := (a + 4) mod 5; } b := a; }
  action m3() requires a >= b requires c { if (a <= 1) { b := a; } else { b := 2; } if (a <= b) { a := (a + b) mod 5; } else { a := (a + b) mod 5; } }
}
",
    "class Random {
  var a: int := 0;
  var b: int := 0;
  var c: bool := false;
  constructor(k: int) requires 0 <= k <= 2 { a := k; b := 0; c := false; }
  action m0() requires a >= b requires c { if (b == 2) { b := a; } else { b := (a + b) mod 5; } if (b != 0) { c := a <= b; } else { a := 3; } }
  action m1() requires a < 3 requires !c { if (a < 2) { b := b; } else { a := (a + b) mod 5; } a := (a + 3) mod 5; }
  action m2() requires b != 2 requires a > b { if (!c) { c := a <= b; } else { b := (a + b) mod 5; } b := a; }
  action m3(k: int) requires 0 <= k <= 2 requires b <= 2 { b := (a + b) mod 5; if (a < 2) { a := (b + k) mod 5; } else { a := 0; } }
}
",
    "class Random {
  var a: int := 0;
  var b: int := 0;
  var c: bool := false;
  constructor(k: int) requires 0 <= k <= 2 { a := 3; b := 0; c := false; }
  action m0() requires a != b { if (a <= 3) { a := (a + 1) mod 5; } else { c := a >= 2; } if (b <= 1) { b := a; } else { b := (a + 4) mod 5; } }
  action m1(k: int) requires 0 <= k <= 2 requires !c requires a > 2 { a := (b + k) mod 5; c := a == b; }
  action m2(k: int) requires 0 <= k <= 2 requires b != 3 requires c { if (c) { a := k; } else { b := 3; } b := k; }
  action m3() requires a > 0 { if (a < 1) { a := b; } else { a := (a + b) mod 5; } if (a >= 4) { c := b <= 2; } else { c := a < b; } }
}
",
];
