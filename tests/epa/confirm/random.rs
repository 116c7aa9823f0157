//! Random classes: what the second pass says of an edge is what running everything shows. Nothing is confirmed that
//! no object takes, nothing is refuted that one does, and the lengths are the shortest.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::engine::EngineConfig;
use tranquera::epa::confirm::{self, Status};
use tranquera::epa::{self, Exceptions, Strategy as Targets};
use tranquera::interp::{Configuration, Interpreter, Outcome, Replay, Value};
use tranquera::ir::RoutineKind;
use tranquera::ir::RoutineRef;
use tranquera::query::{Extent, Limits, Subject};

use crate::support::tape::Tape;
use crate::support::{class, random, real};

/// Runs of more calls are not looked for.
const MOST_CALLS: u32 = 14;

/// The values a parameter may have; every parameter is required to be one of them.
const PARAMETERS: std::ops::RangeInclusive<i64> = 0..=2;

/// The state before (none for a constructor), what is called, the state after.
type Edge = (Option<BTreeSet<String>>, String, BTreeSet<String>);

/// A class whose objects have values of 0 to 4, as arithmetic is modulo 5; its invariant may say less, or what not
/// every call keeps.
fn random_class(tape: &mut Tape) -> String {
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

/// Runs everything, breadth first.
struct Explorer<'a> {
    subject: &'a Subject,
    interpreter: Interpreter<'a>,
}

impl Explorer<'_> {
    fn arguments(&self, routine: RoutineRef) -> Vec<Vec<Value>> {
        if self.subject.program.routine(routine).params.is_empty() {
            vec![vec![]]
        } else {
            PARAMETERS.map(|n| vec![Value::int(n)]).collect()
        }
    }

    fn may_call(&self, now: &Configuration, routine: RoutineRef, arguments: &[Value]) -> bool {
        self.interpreter
            .may_call(now, now.this, routine, arguments)
            .expect("a clause can be decided")
    }

    fn state(&self, now: &Configuration) -> BTreeSet<String> {
        let enabled = self.subject.actions.iter().filter(|action| {
            let mut all = self.arguments(action.routine).into_iter();
            all.any(|arguments| self.may_call(now, action.routine, &arguments))
        });
        enabled.map(|action| action.name.clone()).collect()
    }

    /// The length of the shortest run that takes each edge.
    fn lengths(&self) -> BTreeMap<Edge, u32> {
        let (program, class) = (&self.subject.program, self.subject.class);
        let mut lengths = BTreeMap::new();
        let mut seen = HashSet::new();
        let mut frontier = Vec::new();
        for constructor in &self.subject.constructors {
            let routine = constructor.routine.expect("a constructor");
            assert_eq!(program.routine(routine).kind, RoutineKind::Constructor);
            for arguments in self.arguments(routine) {
                let empty = Configuration::empty();
                let made = self.interpreter.construct(
                    &empty,
                    class,
                    Some(routine),
                    arguments,
                    &mut Replay::default(),
                );
                if let Some(end) = self.end(made.outcome, made.configuration) {
                    lengths
                        .entry((None, constructor.display.clone(), self.state(&end)))
                        .or_insert(1);
                    frontier.push(end);
                }
            }
        }
        let mut calls = 1;
        while !frontier.is_empty() {
            calls += 1;
            let mut next = Vec::new();
            for now in frontier {
                if !seen.insert(now.clone()) {
                    continue;
                }
                let source = self.state(&now);
                for action in &self.subject.actions {
                    for arguments in self.arguments(action.routine) {
                        if !self.may_call(&now, action.routine, &arguments) {
                            continue;
                        }
                        let this = now.this.expect("an object");
                        let run = self.interpreter.call(
                            &now,
                            this,
                            action.routine,
                            arguments,
                            &mut Replay::default(),
                        );
                        if let Some(end) = self.end(run.outcome, run.configuration) {
                            let edge =
                                (Some(source.clone()), action.name.clone(), self.state(&end));
                            lengths.entry(edge).or_insert(calls);
                            next.push(end);
                        }
                    }
                }
            }
            frontier = next;
        }
        lengths
    }

    /// The configuration where a call ends, if the invariant holds there.
    fn end(&self, outcome: Outcome, end: Configuration) -> Option<Configuration> {
        assert!(matches!(outcome, Outcome::Normal(_)), "{outcome:?}");
        let holds = self.interpreter.invariant_holds(&end, self.subject.class);
        holds
            .expect("a clause can be decided")
            .then(|| end.canonical())
    }
}

/// Compares; says how many edges were refuted, and how many were left open though no object takes them.
fn check(text: &str) -> Result<(usize, usize), TestCaseError> {
    let loaded = class::parse(text);
    let encoding = class::encode(&loaded);
    let explorer = Explorer {
        subject: &encoding.subject,
        interpreter: Interpreter::new(&loaded.program),
    };
    let lengths = explorer.lengths();
    let config = EngineConfig {
        limits: Limits {
            timeout: Duration::from_secs(10),
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = real::engine("builtin", &config);
    let options = epa::ConstructOptions {
        strategy: Targets::Guided,
        jobs: 1,
        pure_shortcut: true,
        exceptions: Exceptions::Ignored,
        violations: false,
    };
    let made = epa::construct(&encoding, engine.as_ref(), &options).expect("an EPA");
    let epa = made.epa();
    let options = confirm::ConfirmOptions {
        engine: engine.as_ref(),
        searcher: engine.as_ref(),
        source: &loaded.source,
        extent: Extent {
            max_calls: MOST_CALLS,
            time: Duration::from_secs(120),
            ..Extent::DEFAULT
        },
    };
    let found = confirm::confirm(&encoding, &made.abstraction, &options).expect("a second pass");
    prop_assert!(found.errors.is_empty(), "{:?}\n{text}", found.errors);
    let enabled = |id: &str| -> BTreeSet<String> {
        let state = epa.state(id).expect("a state");
        state.enabled.iter().cloned().collect()
    };
    let mut left = lengths.clone();
    let (mut refuted, mut open) = (0, 0);
    for edge in &found.confirmations().edges {
        let target = edge.target.as_deref().expect("a target");
        let key = (
            edge.source.as_deref().map(enabled),
            edge.action.clone(),
            enabled(target),
        );
        let length = left.remove(&key);
        let expected = match (&edge.status, length) {
            (Status::Confirmed { calls, shortest }, Some(length)) => *calls == length && *shortest,
            (Status::Unconfirmed { bound }, Some(length)) => {
                *bound == MOST_CALLS && length > MOST_CALLS
            }
            (Status::Refuted { .. }, None) => {
                refuted += 1;
                true
            }
            (Status::Unconfirmed { bound }, None) => {
                open += 1;
                *bound == MOST_CALLS
            }
            (Status::Confirmed { .. }, None) | (Status::Refuted { .. }, Some(_)) => false,
        };
        prop_assert!(
            expected,
            "{}: {:?}, but the length is {length:?}\n{text}",
            edge.edge,
            edge.status
        );
    }
    prop_assert!(left.is_empty(), "not in the EPA: {left:?}\n{text}");
    Ok((refuted, open))
}

#[test]
fn the_second_pass_says_what_running_everything_shows() {
    let config = Config {
        max_shrink_iters: 60,
        ..random::cases(20)
    };
    let numbers = prop::collection::vec(any::<u16>(), 60..200);
    random::check_cases(config, numbers, |numbers| {
        let text = random_class(&mut Tape::new(numbers));
        let begun = std::time::Instant::now();
        println!("{text}");
        let (refuted, open) = check(&text)?;
        println!(
            "// refuted {refuted}, left open {open}, {:?}",
            begun.elapsed()
        );
        Ok(())
    });
}

/// Classes of fifty configurations at most, for which the second pass once took over a minute, or found no end.
#[test]
fn a_class_of_few_configurations_is_explored_whole() {
    for text in FEW_CONFIGURATIONS {
        let (_, open) = check(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(open, 0, "{text}");
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
