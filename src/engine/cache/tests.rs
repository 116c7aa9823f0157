use std::sync::atomic::{AtomicU64, Ordering};

use super::slice::Sliced;
use super::*;
use crate::query::{Limits, PathStep, Recorded, Trace};

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("verdicts"));
    (folder, store)
}

fn reached() -> Verdict {
    Verdict::Reached(Trace {
        values: vec![Recorded {
            name: Some("n".into()),
            value: "-5".into(),
        }],
        ..Trace::default()
    })
}

#[test]
fn what_a_killed_process_left_half_written_is_no_verdict_and_is_cleared_away() {
    let (_folder, store) = store();
    store.put(&AnswerKey::of(&["a"]), &reached());
    let mut folders = std::fs::read_dir(store.folder()).unwrap();
    let left = folders.next().unwrap().unwrap().path().join(".newAbCdEf");
    std::fs::write(&left, "tranquera-verdict-1 ").unwrap();
    assert_eq!(store.size().unwrap().verdicts, 1);
    store.clear().unwrap();
    assert!(!left.exists());
}

#[test]
fn what_is_put_in_is_got_out() {
    let (_folder, store) = store();
    let (one, two) = (AnswerKey::of(&["a"]), AnswerKey::of(&["b"]));
    assert_eq!(store.get(&one), None);
    store.put(&one, &reached());
    store.put(&two, &Verdict::Unreachable);
    assert_eq!(store.get(&one), Some(reached()));
    assert_eq!(store.get(&two), Some(Verdict::Unreachable));
    assert_eq!(store.size().unwrap().verdicts, 2);
    store.clear().unwrap();
    assert_eq!(store.get(&one), None);
    assert_eq!(store.size().unwrap().verdicts, 0);
}

#[test]
fn keys_tell_how_the_parts_are_cut() {
    assert_ne!(AnswerKey::of(&["ab", "c"]), AnswerKey::of(&["a", "bc"]));
    assert_ne!(AnswerKey::of(&["a"]), AnswerKey::of(&["a", ""]));
    assert_eq!(AnswerKey::of(&["a", "b"]), AnswerKey::of(&["a", "b"]));
}

#[test]
fn a_file_with_any_byte_changed_or_lost_is_dropped() {
    let (_folder, store) = store();
    let key = AnswerKey::of(&["a"]);
    store.put(&key, &reached());
    let folder = std::fs::read_dir(store.folder())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let file = std::fs::read_dir(folder.path())
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let whole = std::fs::read(&file).unwrap();
    for position in 0..whole.len() {
        let mut changed = whole.clone();
        changed[position] ^= 1;
        for broken in [changed.as_slice(), &whole[..position]] {
            std::fs::write(&file, broken).unwrap();
            assert_eq!(store.get(&key), None, "{position}");
            assert!(!file.exists(), "{position}");
        }
    }
    std::fs::write(&file, &whole).unwrap();
    assert_eq!(store.get(&key), Some(reached()));
}

#[test]
fn a_folder_that_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let photo = folder.path().join("photo.jpg");
    std::fs::write(&photo, "x").unwrap();
    let store = Store::new(folder.path().to_path_buf());
    store.put(&AnswerKey::of(&["a"]), &Verdict::Unreachable);
    store.clear().unwrap();
    assert!(photo.exists());
}

const PROGRAM: &str = "var x: int;
function f(i: int): int { i + 1 }
procedure P() modifies x; { call Q(); }
procedure Q(); modifies x; ensures x == f(0);
implementation Q() { x := 1; }
procedure R() modifies x; { x := 2; }
";

#[test]
fn an_entry_depends_on_what_it_can_execute() {
    let sliced = Sliced::new(PROGRAM);
    let part = sliced.of("procedure {:entrypoint} q() { call P(); }");
    for wanted in [
        "var x",
        "function f",
        "procedure P",
        "procedure Q",
        "implementation Q",
    ] {
        assert!(part.contains(wanted), "{wanted} is not in {part}");
    }
    assert!(!part.contains("procedure R"), "{part}");
    let other = PROGRAM.replace("x := 2", "x := 3");
    let entry = "procedure {:entrypoint} q() { call P(); }";
    assert_eq!(Sliced::new(&other).of(entry), part);
    let other = PROGRAM.replace("x := 1", "x := 3");
    assert_ne!(Sliced::new(&other).of(entry), part);
}

#[test]
fn a_program_that_cannot_be_read_stays_whole() {
    assert_eq!(Sliced::new("procedure").of("anything"), "procedure");
}

/// An engine that counts what it is asked.
struct Counting(std::sync::Arc<AtomicU64>, Verdict);

impl Engine for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn version(&self) -> Result<String, EngineError> {
        Ok("1".into())
    }

    fn limits(&self) -> Limits {
        Limits::DEFAULT
    }

    fn open(&self, _: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(CountingSession(self)))
    }
}

struct CountingSession<'e>(&'e Counting);

impl Session for CountingSession<'_> {
    fn ask(&self, _: &EntryProcedure) -> Verdict {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        self.0.1.clone()
    }
}

/// How often the engine is asked when the question is put twice.
fn asked_of_two(verdict: Verdict) -> u64 {
    let (_folder, store) = store();
    let count = std::sync::Arc::new(AtomicU64::new(0));
    let program = QuestionProgram::new("P", PROGRAM);
    let entry = EntryProcedure {
        name: "q".into(),
        text: "procedure {:entrypoint} q() { call P(); }".into(),
        limit: None,
    };
    for again in [false, true] {
        let engine = Counting(count.clone(), verdict.clone());
        let cached = Cached::new(Box::new(engine), store.clone());
        let mut answer = cached.open(&program).unwrap().ask(&entry);
        if let Verdict::Reached(trace) = &mut answer {
            assert_eq!(std::mem::take(&mut trace.kept), again);
        }
        assert_eq!(answer, verdict);
    }
    count.load(Ordering::Relaxed)
}

#[test]
fn only_definite_answers_are_kept() {
    assert_eq!(asked_of_two(reached()), 1);
    assert_eq!(asked_of_two(Verdict::Unreachable), 1);
    assert_eq!(asked_of_two(Verdict::BoundHit { bound: 3 }), 2);
    let unknown = Verdict::Unknown(Unknown {
        reason: Reason::Timeout,
        detail: String::new(),
        output: String::new(),
    });
    assert_eq!(asked_of_two(unknown), 2);
}

/// An engine that presumes, and says no if it is asked.
struct Presuming(std::sync::Arc<AtomicU64>);

impl Engine for Presuming {
    fn name(&self) -> &'static str {
        "presuming"
    }

    fn version(&self) -> Result<String, EngineError> {
        Ok("0".into())
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }

    fn open(&self, _: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(PresumingSession(self)))
    }
}

struct PresumingSession<'e>(&'e Presuming);

impl Session for PresumingSession<'_> {
    fn ask(&self, _: &EntryProcedure) -> Verdict {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        Verdict::Unreachable
    }

    fn presume(&self, _: &EntryProcedure) -> Verdict {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        match reached() {
            Verdict::Reached(trace) => Verdict::Presumed(trace),
            other => other,
        }
    }
}

#[test]
fn what_is_presumed_is_kept_and_is_no_answer() {
    let (_folder, store) = store();
    let count = std::sync::Arc::new(AtomicU64::new(0));
    let program = QuestionProgram::new("P", PROGRAM);
    let entry = EntryProcedure {
        name: "q".into(),
        text: "procedure {:entrypoint} q() { call P(); }".into(),
        limit: None,
    };
    let engine = Cached::new(Box::new(Presuming(count.clone())), store);
    let session = engine.open(&program).unwrap();
    let is_presumed = |verdict: &Verdict| matches!(verdict, Verdict::Presumed(_));
    assert!(is_presumed(&session.presume(&entry)));
    assert!(is_presumed(&session.presume(&entry)));
    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert_eq!(session.ask(&entry), Verdict::Unreachable);
    assert_eq!(count.load(Ordering::Relaxed), 2);
    // The answer is there from then on.
    assert_eq!(session.presume(&entry), Verdict::Unreachable);
    assert_eq!(count.load(Ordering::Relaxed), 2);
}

#[test]
fn the_steps_of_a_trace_are_not_kept() {
    let (_folder, store) = store();
    let key = AnswerKey::of(&["a"]);
    let Verdict::Reached(mut trace) = reached() else {
        unreachable!("it is reached")
    };
    trace.steps.push(PathStep {
        line: 7,
        event: "anon0".into(),
        depth: 0,
    });
    store.put(&key, &Verdict::Reached(trace));
    assert_eq!(store.get(&key), Some(reached()));
}

#[test]
fn odd_names_are_found() {
    let program = "procedure a.b#c(); procedure a.b(); procedure x'~$^_?`();";
    let sliced = Sliced::new(program);
    let part = sliced.of("procedure q() { call \\a.b#c(); call x'~$^_?`(); }");
    assert!(part.contains("procedure a.b#c("), "{part}");
    assert!(part.contains("procedure x'~$^_?`("), "{part}");
    assert!(!part.contains("procedure a.b("), "{part}");
}
