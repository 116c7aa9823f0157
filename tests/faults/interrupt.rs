//! Ctrl-C: it ends at once, and what is printed is right as far as it goes.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tranquera::engine::{Engine, EngineError, Session};
use tranquera::ir::ClassId;
use tranquera::query::{
    EntryProcedure, Limits, QuestionProgram, Reason, Subject, Unknown, Verdict,
};

use crate::support::epa::{list, states, text};
use crate::support::program::{PROGRAM, root};
use crate::support::running::{On, Running};

const CLASS: &str = "fixtures/corral-2016/atm.tq";

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(root())
        .env("TRANQUERA_CACHE", "off")
        .args(arguments);
    command
}

/// Longer than anything takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A folder with a Boogie that notes each question it is asked, in the file `faults`, and answers as `plan` says
/// (`support/faulty-boogie.sh`).
fn boogie(plan: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let script = root().join("tests/support/faulty-boogie.sh");
    std::os::unix::fs::symlink(script, folder.path().join("boogie")).expect("a link");
    std::fs::create_dir(folder.path().join("answers")).expect("a folder");
    std::fs::write(folder.path().join("plan"), plan).expect("written");
    folder
}

/// Runs it until this Boogie has been asked so many questions, then sends it what Ctrl-C sends. How it ends, and how
/// long that takes.
fn interrupted(arguments: &[&str], boogie: &Path, questions: usize) -> (Output, Duration) {
    let mut command = command(arguments);
    command.args(["--engine", "boogie", "--boogie"]);
    command.arg(boogie.join("boogie"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it runs");
    wait_until("so many questions", || {
        let asked = std::fs::read_to_string(boogie.join("faults")).unwrap_or_default();
        asked.lines().count() >= questions
    });
    let start = Instant::now();
    let id = rustix::process::Pid::from_raw(child.id() as i32).expect("a process");
    rustix::process::kill_process(id, rustix::process::Signal::INT).expect("sent");
    let output = child.wait_with_output().expect("it ends");
    (output, start.elapsed())
}

/// The edges as (source, action, target), states by what is enabled in them; certain ones only, or all.
fn edges(epa: &Value, certain: bool) -> BTreeSet<String> {
    let states: BTreeMap<&str, Vec<&str>> = states(epa).collect();
    list(epa, "transitions")
        .filter(|t| !certain || t["verdict"] == "reached")
        .map(|t| {
            let end = |key| states[text(t, key)].join(",");
            format!("{} {} {}", end("source"), text(t, "action"), end("target"))
        })
        .collect()
}

#[test]
fn what_is_known_so_far_is_printed() {
    let arguments = ["epa", CLASS, "--format", "json"];
    let whole = command(&["epa", CLASS, "--format", "json"])
        .output()
        .expect("it runs");
    let whole: Value = serde_json::from_slice(&whole.stdout).expect("JSON");
    let known = edges(&whole, false);
    for questions in [1, 4, 12] {
        let boogie = boogie(&format!("0 {} none\n", i64::MAX));
        let (output, _) = interrupted(&arguments, boogie.path(), questions);
        assert_eq!(output.status.code(), Some(130));
        let part: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let notes = part["notes"].to_string();
        assert!(
            notes.contains("interrupted before all was asked"),
            "{notes}"
        );
        // What is certain is an edge of the class; of every edge between states that were found, nothing is lost.
        assert!(edges(&part, true).is_subset(&known));
        let found: BTreeSet<String> = (part["states"].as_array().expect("states").iter())
            .map(|s| s["enabled"].to_string())
            .collect();
        let between = known.iter().filter(|edge| {
            found.iter().any(|s| edge.starts_with(&format!("{s} ")))
                && found.iter().any(|s| edge.ends_with(&format!(" {s}")))
        });
        let drawn = edges(&part, false);
        for edge in between {
            assert!(
                drawn.contains(edge),
                "{edge} is lost after {questions} questions"
            );
        }
        assert_eq!(part["findings"], serde_json::json!([]));
    }
}

/// Of an engine that never answers, none waits for the answer.
#[test]
fn every_command_ends_at_once() {
    for arguments in [
        ["confirm", CLASS].as_slice(),
        &["tests", CLASS],
        &["diff", CLASS, CLASS],
        &["reproduce"],
    ] {
        let (output, took) = interrupted(arguments, boogie("1 1 hang\n").path(), 1);
        assert_eq!(output.status.code(), Some(130), "{arguments:?}");
        // A question may take a minute.
        assert!(took < Duration::from_secs(40), "{arguments:?}: {took:?}");
    }
}

/// Whoever sits at the terminal sees how far it is, and with Ctrl-C what is known; nobody else is told.
#[cfg(target_os = "linux")]
#[test]
fn progress_is_for_a_person_who_looks() {
    let asked = "questions asked, ";
    let start = |on, more: &[&str]| {
        let arguments = [&["epa", "tests/support/fermat.tq"], more].concat();
        let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
        Running::start(on, &arguments, Path::new("off"))
    };
    let mut seen = start(On::Terminal, &[]);
    seen.wait_until("progress", || seen.printed().contains(asked));
    let mut quiet = start(On::Terminal, &["--quiet"]);
    let mut piped = start(On::Pipes, &[]);
    // The others have had as long as this one by then.
    std::thread::sleep(Duration::from_millis(2500));
    seen.wait_until("answers", || {
        let told = seen.printed();
        told.split(asked)
            .skip(1)
            .any(|it| it.contains(" answered, "))
    });
    for program in [&mut seen, &mut quiet, &mut piped] {
        program.wait_until("a question", || program.runs("z3"));
        program.interrupt();
        assert_eq!(program.end().code(), Some(130));
        program.wait_until("a result", || {
            program
                .printed()
                .contains("interrupted before all was asked")
        });
    }
    for program in [quiet, piped] {
        assert!(!program.printed().contains(asked));
    }
}

/// Knows nothing, and after so many questions is interrupted.
struct Interrupted(AtomicUsize);

impl Engine for Interrupted {
    fn name(&self) -> &'static str {
        "interrupted"
    }

    fn version(&self) -> Result<String, EngineError> {
        Ok("0".into())
    }

    fn limits(&self) -> Limits {
        Limits::DEFAULT
    }

    fn open(&self, _: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(Interrupted(AtomicUsize::new(
            self.0.load(Ordering::Relaxed),
        ))))
    }
}

impl Session for Interrupted {
    fn ask(&self, _: &EntryProcedure) -> Verdict {
        match self.0.fetch_sub(1, Ordering::Relaxed) {
            2.. => Verdict::BoundHit { bound: 3 },
            _ => {
                self.0.store(1, Ordering::Relaxed);
                Verdict::Unknown(Unknown {
                    reason: Reason::Interrupted,
                    detail: String::new(),
                    output: String::new(),
                })
            }
        }
    }
}

/// Twelve switches have 4,096 states. Where nothing is known of them, interrupted or not, they are not all drawn.
#[test]
fn candidates_that_were_not_asked_about_are_no_states() {
    let switch = |n: usize| {
        format!("  var s{n}: bool;\n  action a{n}() requires s{n} {{ s{n} := false; }}\n")
    };
    let switches: String = (0..12).map(switch).collect();
    let text = format!("class Board {{\n{switches}  constructor() {{ }}\n}}\n");
    let loaded = tranquera::front::tq::parse_text("board.tq", &text).expect("a class");
    let subject = Subject::of_class(loaded.program, ClassId(0));
    let encoding = tranquera::encode::Encoding::new(Arc::new(subject)).expect("encodable");
    // In the first question, in those about single actions, and in those about single candidates.
    for questions in [1, 10, 30, 40] {
        let engine = Interrupted(AtomicUsize::new(questions));
        let options = tranquera::epa::ConstructOptions::default();
        let epa = tranquera::epa::construct(&encoding, &engine, &options)
            .expect("a partial result")
            .epa();
        assert!(epa.states.is_empty(), "{questions}: {}", epa.states.len());
    }
}
