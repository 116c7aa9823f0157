//! A session of the built-in engine: many questions of one program, values and places, and solvers that misbehave.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tranquera::engine::{Builtin, Engine, EngineConfig, EngineError, Interrupt};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Reason, Verdict};

const PROGRAM: &str = "var C.money: int;
var C.selling: bool;
procedure C.put(amount: int) returns (exc: int)
  modifies C.money;
{ exc := 0; if (amount == 77) { exc := 1; return; } C.money := C.money + amount; }
procedure boogie_si_record_int(x: int);
procedure boogie_si_record_bool(x: bool);
procedure boogie_si_record_map(x: [int]int);
";

fn program() -> QuestionProgram {
    QuestionProgram::new("C", PROGRAM)
}

fn entry(body: &str) -> EntryProcedure {
    EntryProcedure {
        name: "q".into(),
        text: format!(
            "procedure {{:entrypoint}} q() modifies C.money, C.selling;\n{{ var p, e: int; var m: [int]int;\n{body}\n\
             assert {{:reached}} false; }}\n"
        ),
        limit: None,
    }
}

#[test]
fn values_and_places() {
    let engine = Builtin::new(&EngineConfig::default());
    let session = engine.open(&program()).expect("the program is right");
    let verdict = session.ask(&entry(
        "assume C.money == -3; call {:cexpr \"before\"} boogie_si_record_int(C.money);\n\
         call e := C.put(10);\n\
         assume e == 0; call {:cexpr \"after\"} boogie_si_record_int(C.money);\n\
         call boogie_si_record_bool(C.money > 6); m[2] := 5; call {:cexpr \"m\"} boogie_si_record_map(m);",
    ));
    let Verdict::Reached(trace) = verdict else {
        panic!("{verdict:?}")
    };
    let values: Vec<(Option<&str>, &str)> = trace
        .values
        .iter()
        .map(|v| (v.name.as_deref(), v.value.as_str()))
        .collect();
    assert_eq!(
        values.get(..3),
        Some(&[(Some("before"), "-3"), (Some("after"), "7"), (None, "true")][..])
    );
    assert!(
        values.get(3).is_some_and(|(_, v)| v.contains("\"2\":5")),
        "{values:?}"
    );
    let steps: Vec<(u32, &str, u32)> = trace
        .steps
        .iter()
        .map(|s| (s.line, s.event.as_str(), s.depth))
        .collect();
    // The entry's text begins at line 9.
    assert_eq!(
        steps,
        [
            (11, "anon0", 0),
            (12, "call C.put", 0),
            (5, "anon0", 1),
            (5, "anon3_Else", 1),
            (5, "anon2", 1),
            (0, "return C.put", 0)
        ]
    );
}

#[test]
fn many_questions_from_many_threads() {
    let engine = Builtin::new(&EngineConfig::default());
    let session = engine.open(&program()).expect("the program is right");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let session = &session;
            scope.spawn(move || {
                for n in 0..25 {
                    let target = thread * 100 + n;
                    let reached = session.ask(&entry(&format!(
                        "C.money := {target}; call e := C.put(1); assume C.money == {};",
                        target + 1
                    )));
                    assert!(matches!(reached, Verdict::Reached(_)), "{reached:?}");
                    let not = session.ask(&entry(&format!(
                        "C.money := {target}; call e := C.put(p); assume e == 1; assume C.money != {target};"
                    )));
                    assert_eq!(not, Verdict::Unreachable);
                }
            });
        }
    });
}

#[test]
fn a_wrong_entry_is_rejected_and_the_session_goes_on() {
    let engine = Builtin::new(&EngineConfig::default());
    let session = engine.open(&program()).expect("the program is right");
    let verdict = session.ask(&entry("nonsense := 1;"));
    let Verdict::Unknown(unknown) = verdict else {
        panic!("{verdict:?}")
    };
    assert_eq!(unknown.reason, Reason::Rejected);
    assert_eq!(unknown.detail, "11:1: undeclared identifier: nonsense");
    assert!(matches!(session.ask(&entry("")), Verdict::Reached(_)));
    let wrong = QuestionProgram::new("C", "var x: int\n");
    assert!(matches!(
        engine.open(&wrong),
        Err(EngineError::Rejected { .. })
    ));
}

/// A solver that is a shell script.
/// A solver that does this. (A script that was just written cannot always be run: another thread may be starting a
/// process, and hold it open.)
fn solver(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("z3");
    let fake = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/fake-z3.sh");
    std::os::unix::fs::symlink(fake, &path).expect("a link");
    std::fs::write(folder.join("behaviour"), format!("{script}\n")).expect("written");
    path
}

fn ask_with(script: &str, interrupt: &Interrupt) -> (Verdict, Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = EngineConfig {
        z3: Some(solver(folder.path(), script)),
        limits: Limits {
            timeout: Duration::from_secs(300),
            ..Limits::default()
        },
        interrupt: interrupt.clone(),
        ..EngineConfig::default()
    };
    let engine = Builtin::new(&config);
    let session = engine.open(&program()).expect("the program is right");
    let start = Instant::now();
    (session.ask(&entry("")), start.elapsed())
}

#[test]
fn a_solver_that_misbehaves_is_no_answer() {
    let cases = [
        ("exit 0", Reason::Crash),
        ("kill -9 $$", Reason::Crash),
        ("echo '(error \"out of memory\")'; exec cat", Reason::Memory),
        (
            "while read l; do case $l in *echo*) echo foo; echo \"$l\" | sed 's/(echo //; s/)//';; esac; done",
            Reason::NotUnderstood,
        ),
    ];
    for (script, wanted) in cases {
        let (verdict, _) = ask_with(script, &Interrupt::default());
        let Verdict::Unknown(unknown) = &verdict else {
            panic!("{script}: {verdict:?}")
        };
        assert_eq!(unknown.reason, wanted, "{script}: {unknown:?}");
    }
}

#[test]
fn a_question_can_be_interrupted() {
    let interrupt = Interrupt::default();
    let other = interrupt.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        other.set();
    });
    let (verdict, time) = ask_with("exec sleep 1000", &interrupt);
    setter.join().expect("it ends");
    assert!(
        matches!(&verdict, Verdict::Unknown(u) if u.reason == Reason::Interrupted),
        "{verdict:?}"
    );
    assert!(time < Duration::from_secs(100), "{time:?}");
}
