//! Whole constructions with an engine that fails at random: no edge of the full run is lost, every doubt says why,
//! nothing is left behind, and it comes to an end.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use assert_cmd::Command;
use serde_json::Value;
use tranquera::engine::Tool;
use tranquera::epa::Epa;
use tranquera::epa::wire::Certainty;

use crate::support::program::{root, stderr, tranquera};

/// The faults of `support/faulty-boogie.sh`, and what each is reported as.
const FAULTS: &[(&str, &str)] = &[
    ("killed", "crash"),
    ("killed-late", "crash"),
    ("family-killed", "crash"),
    ("hang", "timeout"),
    ("deaf-hang", "timeout"),
    ("garbage", "not-understood"),
    ("silence", "not-understood"),
    ("truncated", "not-understood"),
    ("flood", "not-understood"),
    ("flood-stderr", "not-understood"),
    ("memory", "memory"),
    ("fail", "crash"),
];

/// No run takes longer, however busy the machine is.
const LONGEST: Duration = Duration::from_secs(1200);

/// An edge by the enabled sets of its ends. Constructors leave no state.
type Edge = (Option<Vec<String>>, String, Vec<String>);

/// `tranquera epa` with the engine that is a process.
fn epa() -> Command {
    tranquera([
        "epa", "--engine", "boogie", "--format", "json", "--jobs", "4",
    ])
}

/// A folder with a faulty Boogie, and a folder for temporary files.
struct Faulty {
    folder: tempfile::TempDir,
    class: PathBuf,
}

/// What came of a construction.
struct Outcome {
    /// The reason for each edge that is not certain.
    edges: BTreeMap<Edge, Option<String>>,
    /// The faults that happened.
    faults: BTreeSet<String>,
}

impl Faulty {
    fn new(class: &str) -> Faulty {
        for tool in [Tool::Boogie, Tool::Z3] {
            if let Err(error) = tool.locate("boogie", None) {
                panic!("{error}: this test needs the real one. {}", tool.hint());
            }
        }
        let folder = tempfile::Builder::new()
            .prefix("faulty 'engine' é ")
            .tempdir()
            .expect("a folder");
        let script = root().join("tests/support/faulty-boogie.sh");
        std::os::unix::fs::symlink(script, folder.path().join("boogie")).expect("a link");
        for name in ["answers", "tmp \"quoted\""] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Faulty {
            folder,
            class: root().join(class),
        }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Constructs the EPA. One question in `rate` ends in one of the faults.
    fn run(&self, seed: u64, rate: u64, faults: &[&str]) -> Outcome {
        let plan = format!("{seed} {rate} {}\n", faults.join(","));
        std::fs::write(self.file("plan"), plan).expect("written");
        for name in ["pids", "folders", "faults"] {
            std::fs::write(self.file(name), "").expect("written");
        }
        let slow = ["hang", "deaf-hang"].iter().any(|f| faults.contains(f));
        // A process that is to answer has to have the time for it.
        let timeout = match (slow, rate) {
            (false, _) => "120",
            (true, 1) => "0.3",
            (true, _) => "5",
        };
        let start = Instant::now();
        let run = epa()
            .env("TMPDIR", self.file("tmp \"quoted\""))
            .args(["--memory", "400", "--timeout", timeout])
            .arg("--boogie")
            .arg(self.file("boogie"))
            .arg(&self.class)
            .timeout(LONGEST)
            .assert();
        let took = start.elapsed();
        assert!(took < LONGEST, "{took:?}");
        // Exit status 0: an engine that fails is no failure of ours.
        let run = run.success();
        self.nothing_is_left();
        let epa: Epa = serde_json::from_slice(&run.get_output().stdout).expect("an EPA");
        let happened = std::fs::read_to_string(self.file("faults")).expect("noted");
        Outcome {
            edges: edges(&epa),
            faults: happened
                .lines()
                .filter(|fault| *fault != "none")
                .map(str::to_owned)
                .collect(),
        }
    }

    /// No process lives, and no file is there that was not before.
    fn nothing_is_left(&self) {
        for pid in std::fs::read_to_string(self.file("pids"))
            .expect("noted")
            .lines()
        {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            let state = stat
                .rsplit_once(") ")
                .and_then(|(_, rest)| rest.chars().next());
            let ours =
                stat.contains("(boogie)") || stat.contains("(sleep)") || stat.contains("(sh)");
            assert!(
                !ours || matches!(state, None | Some('Z' | 'X')),
                "process {pid} is left: {stat}"
            );
        }
        let folders = std::fs::read_to_string(self.file("folders")).expect("noted");
        assert!(!folders.is_empty());
        for folder in folders.lines() {
            assert!(!Path::new(folder).exists(), "{folder} is left");
        }
        let temporary = self.file("tmp \"quoted\"");
        let left: Vec<_> = std::fs::read_dir(temporary).expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn edges(epa: &Epa) -> BTreeMap<Edge, Option<String>> {
    let enabled = |id: &String| {
        epa.state(id)
            .expect("a state that is listed")
            .enabled
            .clone()
    };
    let of_constructors = epa.constructors.iter().map(|c| {
        let target = c.target.as_ref().map(enabled).unwrap_or_default();
        ((None, c.name.clone(), target), c.verdict, &c.reason)
    });
    let of_calls = epa.transitions.iter().map(|t| {
        let edge = (
            Some(enabled(&t.source)),
            t.action.clone(),
            enabled(&t.target),
        );
        (edge, t.verdict, &t.reason)
    });
    of_constructors
        .chain(of_calls)
        .map(|(edge, verdict, reason)| {
            assert_eq!(reason.is_some(), verdict == Certainty::Maybe, "{edge:?}");
            (edge, reason.clone())
        })
        .collect()
}

/// The reason for a doubt that each of these faults gives.
fn reasons(faults: &BTreeSet<String>) -> BTreeSet<&'static str> {
    let named = FAULTS.iter().filter(|(fault, _)| faults.contains(*fault));
    named.map(|(_, reason)| *reason).collect()
}

/// Compares a run with the full one.
fn check(full: &Outcome, outcome: &Outcome, what: &str) {
    for edge in full.edges.keys() {
        assert!(outcome.edges.contains_key(edge), "{what}: lost {edge:?}");
    }
    let mut reasons = reasons(&outcome.faults);
    // The real engine too may be out of time, on a busy machine.
    reasons.insert("timeout");
    for (edge, reason) in &outcome.edges {
        match reason {
            None => assert!(full.edges.contains_key(edge), "{what}: invented {edge:?}"),
            Some(reason) => {
                let kind = reason.split(':').next().unwrap_or_default();
                assert!(
                    reasons.contains(kind),
                    "{what}: {edge:?} because of {reason}"
                );
            }
        }
    }
}

fn full(faulty: &Faulty, edges: usize) -> Outcome {
    let outcome = faulty.run(0, u64::MAX >> 1, &["killed"]);
    assert!(outcome.edges.values().all(Option::is_none));
    assert_eq!(outcome.edges.len(), edges);
    assert_eq!(outcome.faults, BTreeSet::new());
    outcome
}

#[test]
fn faults_at_random_lose_nothing() {
    let faults: Vec<&str> = FAULTS.iter().map(|(fault, _)| *fault).collect();
    let happened = Mutex::new(BTreeSet::new());
    let fails = |class: &str, size: usize, runs: &[(u64, u64)]| {
        let faulty = Faulty::new(class);
        let full = full(&faulty, size);
        for (seed, rate) in runs {
            let outcome = faulty.run(*seed, *rate, &faults);
            check(
                &full,
                &outcome,
                &format!("{class}, seed {seed}, one in {rate}"),
            );
            happened.lock().expect("no panic").extend(outcome.faults);
        }
    };
    // Six transitions of the vending machine and five of the lamp, and one edge of each constructor. What hangs in one of
    // them leaves its time to the other.
    std::thread::scope(|scope| {
        scope.spawn(|| fails("fixtures/corral-2016/vending_machine.tq", 7, &[(1, 8)]));
        scope.spawn(|| {
            let runs = [(2, 3), (3, 2), (4, 2), (5, 2)];
            fails("tests/support/lamp.tq", 6, &runs);
        });
    });
    let happened = happened.into_inner().expect("no panic");
    assert!(happened.len() > FAULTS.len() / 2, "{happened:?}");
}

/// Where nothing is known, everything may be.
#[test]
fn an_engine_that_always_fails_leaves_every_edge() {
    let faulty = Faulty::new("tests/support/lamp.tq");
    // Off; on; on and broken: it starts off, is pressed (on, broken or off), and looked at.
    let full = full(&faulty, 6);
    for (fault, reason) in FAULTS {
        let outcome = faulty.run(1, 1, &[fault]);
        check(&full, &outcome, fault);
        // `press` from two states to each of the four, and the constructor; `look` from two states to the two in which it can be
        // called: it leaves alone what that depends on.
        let all = 2 * 4 + 2 * 2 + 4;
        assert_eq!(outcome.edges.len(), all, "{fault}");
        for doubt in outcome.edges.values() {
            let kind = doubt.as_deref().and_then(|doubt| doubt.split(':').next());
            assert_eq!(kind, Some(*reason), "{fault}");
        }
    }
}

#[test]
fn a_missing_engine_is_said_with_what_to_install() {
    for (engine, option, package) in [
        ("boogie", "--boogie", "apt-get install boogie"),
        ("boogie", "--z3", "apt-get install z3"),
        ("builtin", "--z3", "apt-get install z3"),
        ("corral", "--corral", "corral"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let run = tranquera(["epa", "tests/support/lamp.tq", "--engine", engine])
            .args([option, "/no/such/program"])
            .arg("-o")
            .arg(folder.path().join("out"))
            .assert()
            .code(3)
            .stdout("");
        let said = stderr(&run);
        assert!(said.contains("/no/such/program"), "{said}");
        assert!(said.contains(package), "{said}");
        assert!(!folder.path().join("out").exists());
    }
}

/// Nothing goes through a shell, and no name is taken for an option.
#[test]
fn odd_paths() {
    let faulty = Faulty::new("tests/support/lamp.tq");
    let plain = full(&faulty, 6);
    for name in [
        "with space.tq",
        "it's.tq",
        "\"quoted\".tq",
        "ñandú €.tq",
        "-o.tq",
        "--help.tq",
        "$(touch x);`touch y`.tq",
        "a\nb.tq",
        "*.tq",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::copy(
            root().join("tests/support/lamp.tq"),
            folder.path().join(name),
        )
        .expect("copied");
        let mut keep = OsString::from("kept ");
        keep.push(name);
        let run = epa()
            .current_dir(folder.path())
            .arg("--boogie")
            .arg(faulty.file("boogie"))
            .arg("--keep")
            .arg(&keep)
            .args(["--", name])
            .assert()
            .success();
        let epa: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
        let epa: Epa = serde_json::from_value(epa).expect("an EPA");
        assert_eq!(edges(&epa), plain.edges, "{name}");
        let mut entries: Vec<OsString> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        entries.sort();
        let mut expected = vec![OsString::from(name), keep];
        expected.sort();
        assert_eq!(entries, expected);
    }
}
