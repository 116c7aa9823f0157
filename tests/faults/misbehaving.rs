//! An engine that misbehaves in every way we could think of: the verdict is right, or unknown for the right
//! reason; it comes in time; and nothing is left behind, neither a process nor a file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tranquera::engine::{EngineConfig, Interrupt, kind};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Reason, Verdict};

use crate::support::program::root;

/// A folder with a fake engine in it.
struct Fake {
    folder: tempfile::TempDir,
    config: EngineConfig,
}

/// What came of a question.
struct Outcome {
    verdict: Verdict,
    took: Duration,
}

impl Fake {
    fn new(behaviour: &str) -> Fake {
        let folder = tempfile::Builder::new()
            .prefix("fake ")
            .tempdir()
            .expect("a folder");
        let script = root().join("tests/support/fake-engine.sh");
        let engine = folder.path().join("engine");
        std::os::unix::fs::symlink(script, &engine).expect("a link");
        std::fs::write(folder.path().join("behaviour"), format!("{behaviour}\n")).expect("written");
        let config = EngineConfig {
            limits: Limits {
                timeout: Duration::from_secs(300),
                memory_mib: 200,
                ..Limits::default()
            },
            boogie: Some(engine.clone()),
            corral: Some(engine),
            z3: Some(PathBuf::from("/bin/sh")),
            ..EngineConfig::default()
        };
        Fake { folder, config }
    }

    fn within(mut self, timeout: Duration) -> Fake {
        self.config.limits.timeout = timeout;
        self
    }

    fn ask(&self) -> Outcome {
        self.ask_as("boogie")
    }

    /// Asks a question as this engine does.
    fn ask_as(&self, engine: &str) -> Outcome {
        let engine = (kind(engine).expect("known").make)(&self.config);
        let program = QuestionProgram::new("C", "procedure {:entrypoint} q() {\n  var x: int;\n");
        let entry = EntryProcedure {
            name: "q".into(),
            limit: None,
            text: "  assume x > 0;\n  assert {:reached} false;\n}\n".into(),
        };
        let session = engine.open(&program).expect("found");
        let start = Instant::now();
        let verdict = session.ask(&entry);
        let took = start.elapsed();
        self.nothing_is_left();
        Outcome { verdict, took }
    }

    fn noted(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).expect("the engine ran")
    }

    /// How many processes it has noted by now.
    fn started(&self) -> usize {
        let noted = std::fs::read_to_string(self.folder.path().join("pids"));
        noted.map_or(0, |pids| pids.lines().count())
    }

    /// No process it started lives, and the folder it ran in is gone.
    fn nothing_is_left(&self) {
        for pid in self.noted("pids").lines() {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let state = stat
                .rsplit_once(") ")
                .and_then(|(_, fields)| fields.chars().next());
            // A grandchild may be a zombie until the init process reaps it.
            assert!(
                matches!(state, None | Some('Z' | 'X')),
                "process {pid} is left: {stat}"
            );
        }
        let folder = self.noted("folder");
        assert!(!Path::new(folder.trim_end()).exists(), "{folder} is left");
    }
}

fn reason(verdict: &Verdict) -> Option<Reason> {
    match verdict {
        Verdict::Unknown(unknown) => Some(unknown.reason),
        _ => None,
    }
}

fn is_reached(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Reached(trace) if trace.values.iter().map(|it| it.value.as_str()).eq(["7"]))
}

/// Before any limit, and before what hangs would end by itself: a busy machine needs its time too.
const SOON: Duration = Duration::from_secs(100);

#[test]
fn a_good_engine_is_believed() {
    assert!(is_reached(&Fake::new("reached").ask().verdict));
    assert_eq!(Fake::new("unreachable").ask().verdict, Verdict::Unreachable);
    assert!(is_reached(&Fake::new("litter").ask().verdict));
}

#[test]
fn one_that_hangs_is_out_of_time() {
    // Long enough for it to note what it started.
    let limit = Duration::from_secs(2);
    let hangs = |behaviour: &str| {
        let outcome = Fake::new(behaviour).within(limit).ask();
        assert_eq!(
            reason(&outcome.verdict),
            Some(Reason::Timeout),
            "{behaviour}"
        );
        assert!(
            (limit..SOON).contains(&outcome.took),
            "{behaviour}: {:?}",
            outcome.took
        );
    };
    std::thread::scope(|scope| {
        for behaviour in ["hang", "deaf-hang", "family-hang"] {
            scope.spawn(move || hangs(behaviour));
        }
    });
}

#[test]
fn one_that_hangs_after_its_output_is_believed() {
    for behaviour in ["lingering", "family"] {
        let outcome = Fake::new(behaviour).ask();
        assert!(
            is_reached(&outcome.verdict),
            "{behaviour}: {:?}",
            outcome.verdict
        );
        assert!(outcome.took < SOON, "{behaviour}: {:?}", outcome.took);
    }
}

#[test]
fn nonsense_is_not_understood() {
    for behaviour in [
        "garbage",
        "truncated 0",
        "truncated 100",
        "truncated 300",
        "warn",
    ] {
        let outcome = Fake::new(behaviour).ask();
        assert_eq!(
            reason(&outcome.verdict),
            Some(Reason::NotUnderstood),
            "{behaviour}: {:?}",
            outcome.verdict
        );
    }
}

#[test]
fn one_killed_at_any_time_has_crashed() {
    // The output is about 400 bytes long; what is asked for beyond that is all of it.
    for length in (0..500).step_by(23) {
        let outcome = Fake::new(&format!("killed {length}")).ask();
        assert_eq!(
            reason(&outcome.verdict),
            Some(Reason::Crash),
            "{length}: {:?}",
            outcome.verdict
        );
    }
    let outcome = Fake::new("family-killed").ask();
    assert_eq!(reason(&outcome.verdict), Some(Reason::Crash));
    assert!(outcome.took < SOON, "{:?}", outcome.took);
}

#[test]
fn one_that_fails_has_crashed_and_says_why() {
    let Verdict::Unknown(unknown) = Fake::new("fail").ask().verdict else {
        panic!("believed");
    };
    assert_eq!(unknown.reason, Reason::Crash);
    assert_eq!(unknown.detail, "exit status 1: something broke");
    assert_eq!(unknown.output, "something broke\n");
    assert_eq!(
        reason(&Fake::new("fail-after").ask().verdict),
        Some(Reason::Crash)
    );
}

#[test]
fn a_flood_is_stopped() {
    for behaviour in ["flood", "flood-stderr", "flood-line", "flood-after"] {
        let outcome = Fake::new(behaviour).ask();
        let Verdict::Unknown(unknown) = &outcome.verdict else {
            panic!("{behaviour} believed: {:?}", outcome.verdict);
        };
        assert_eq!(unknown.reason, Reason::NotUnderstood, "{behaviour}");
        assert!(
            unknown.output.len() < 20_000,
            "{behaviour}: {}",
            unknown.output.len()
        );
        assert!(outcome.took < SOON, "{behaviour}: {:?}", outcome.took);
    }
}

#[test]
fn one_that_eats_memory_is_stopped() {
    let outcome = Fake::new("eat").ask();
    assert_eq!(
        reason(&outcome.verdict),
        Some(Reason::Memory),
        "{:?}",
        outcome.verdict
    );
    assert!(outcome.took < SOON, "{:?}", outcome.took);
}

#[test]
fn an_interrupt_ends_a_question_at_once() {
    let fake = Fake::new("family-hang");
    let interrupt: Interrupt = fake.config.interrupt.clone();
    let outcome = std::thread::scope(|scope| {
        let asking = scope.spawn(|| fake.ask());
        // Itself and three children.
        while fake.started() < 4 {
            assert!(!asking.is_finished(), "it does not hang");
            std::thread::sleep(Duration::from_millis(10));
        }
        interrupt.set();
        asking.join().expect("no panic")
    });
    assert_eq!(reason(&outcome.verdict), Some(Reason::Interrupted));
    assert!(outcome.took < SOON, "{:?}", outcome.took);
}

#[test]
fn an_engine_that_cannot_start_is_a_verdict_too() {
    let fake = Fake::new("reached");
    let engine = (kind("boogie").expect("known").make)(&fake.config);
    let program = QuestionProgram::new("C", String::new());
    let entry = EntryProcedure {
        name: "q".into(),
        text: String::new(),
        limit: None,
    };
    let session = engine.open(&program).expect("found");
    std::fs::remove_file(fake.folder.path().join("engine")).expect("removed");
    let Verdict::Unknown(unknown) = session.ask(&entry) else {
        panic!("believed");
    };
    assert_eq!(unknown.reason, Reason::Crash);
    assert!(
        unknown.detail.starts_with("cannot run boogie: "),
        "{}",
        unknown.detail
    );
}

#[test]
fn corral_is_run_and_understood() {
    let fake = Fake::new("print");
    let output = "\
Corral program verifier version 1.0.0.0
Single threaded program detected
Verifying program while tracking: {assertsPassed, g}
Program has a potential bug: True bug
q.bpl(4,1): error PF5001: This assertion can fail

Execution trace:
Format: (tid,k)  filename(line,col): blockName   (extra info)
(1,0)    q.bpl(3,3): anon0  (x = 7)
(1,0)    q.bpl(4,3): anon0  (ASSERTION FAILS assert {:reached} false;
 )
(1,0)    q.bpl(4,3): anon0  (Done)

Total Time: 0.656703 s
Total User CPU time: 0.29 s
";
    std::fs::write(fake.folder.path().join("output"), output).expect("written");
    let outcome = fake.ask_as("corral");
    assert!(is_reached(&outcome.verdict), "{:?}", outcome.verdict);
    let arguments = fake.noted("arguments");
    let arguments: Vec<&str> = arguments.lines().collect();
    let expected = ["q.bpl", "/main:q", "/recursionBound:3", "/trackAllVars"];
    assert!(arguments.starts_with(&expected), "{arguments:?}");
    assert!(
        arguments.contains(&"/bopt:proverOpt:PROVER_PATH=/bin/sh"),
        "{arguments:?}"
    );
}

#[test]
fn corral_fails_as_boogie_does() {
    for (behaviour, expected) in [
        ("garbage", Reason::NotUnderstood),
        ("killed 100", Reason::Crash),
        ("flood", Reason::NotUnderstood),
        ("eat", Reason::Memory),
        ("family-killed", Reason::Crash),
    ] {
        let outcome = Fake::new(behaviour).ask_as("corral");
        assert_eq!(
            reason(&outcome.verdict),
            Some(expected),
            "{behaviour}: {:?}",
            outcome.verdict
        );
        assert!(outcome.took < SOON, "{behaviour}: {:?}", outcome.took);
    }
}
