//! Ended at any moment, in whatever way: no process is left, and the answers that were kept are whole and right.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::program::{PROGRAM, root};

/// Marks a process and all its descendants.
const MARK: &str = "TRANQUERA_TEST_KILL";

/// How long what was left behind may take to be gone: a moment, and more on a busy machine, but less than a solver
/// would be busy.
const SOON: Duration = Duration::from_secs(20);

/// What is run, and the longest time that it is left alone, in milliseconds. The solver would be busy with the second one
/// for a minute.
const RUNS: &[(&[&str], u64)] = &[
    (&["epa", "fixtures/corral-2016/loops_all.tq"], 300),
    (&["epa", "tests/support/fermat.tq"], 300),
    (&["confirm", "fixtures/corral-2016/vending_machine.tq"], 500),
    (&["epa", "fixtures/corral-2016/atm.tq"], 300),
    (
        &["epa", "fixtures/corral-2016/atm.tq", "--engine", "boogie"],
        800,
    ),
];

/// How often all of them are run: ended a hundred times.
const BATCHES: u32 = 20;

/// Whole runs after all of it.
const CLASSES: &[&str] = &[
    "fixtures/corral-2016/loops_all.tq",
    "fixtures/corral-2016/atm.tq",
    "fixtures/corral-2016/vending_machine.tq",
];

/// Numbers that depend on the seed alone (xorshift, 64 bits).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        for shift in [13, -7, 17] {
            self.0 ^= if shift > 0 {
                self.0 << shift
            } else {
                self.0 >> -shift
            };
        }
        self.0 % bound
    }
}

/// A folder for answers, for temporary files, and a mark of its own.
struct Yard {
    folder: tempfile::TempDir,
    mark: String,
}

impl Yard {
    fn new() -> Yard {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("tmp")).expect("a folder");
        let mark = format!("{MARK}={}", folder.path().display());
        Yard { folder, mark }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .current_dir(root())
            .env("TRANQUERA_CACHE", self.folder.path().join("answers"))
            .env("TMPDIR", self.folder.path().join("tmp"))
            .env(MARK, self.folder.path())
            .args(arguments);
        command
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.args(["--jobs", "2"]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("it runs")
    }

    /// The processes with our mark: what they are called, and their ids.
    fn alive(&self) -> Vec<String> {
        let processes = fs::read_dir("/proc").expect("processes");
        let marked = processes.filter_map(|entry| {
            let path = entry.ok()?.path();
            // A zombie has no environment, and needs none.
            let environment = fs::read(path.join("environ")).ok()?;
            let mut variables = environment.split(|byte| *byte == 0);
            variables.find(|variable| *variable == self.mark.as_bytes())?;
            let line = fs::read(path.join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            Some(format!("{}: {line}", path.display()))
        });
        marked.collect()
    }

    /// Waits until no process is left.
    fn nothing_is_left(&self, what: &str) {
        let start = Instant::now();
        while start.elapsed() < SOON {
            if self.alive().is_empty() {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{what}: these are left: {:#?}", self.alive());
    }

    /// The EPA of a class, without what differs from run to run.
    fn epa(&self, file: &str, options: &[&str]) -> Value {
        let mut command = self.command(&["epa", file, "--format", "json"]);
        let output = command.args(options).output().expect("it runs");
        assert!(output.status.success(), "{file}: {output:?}");
        let mut epa: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        // Where the machine is busy, the unbounded search may be out of time, and another question settles it.
        epa["stats"] = Value::Null;
        epa
    }

    /// The answers that are kept, each with its file. What a killed process left half written has another name.
    fn answers(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let inside = |folder: PathBuf| {
            let entries = fs::read_dir(folder).into_iter().flatten();
            entries.map(|entry| entry.expect("an entry").path())
        };
        let files = inside(self.folder.path().join("answers")).flat_map(inside);
        let whole = files.filter(|file| {
            let name = file.file_name().unwrap_or_default();
            !name.as_encoded_bytes().starts_with(b".new")
        });
        whole
            .map(|file| (file.clone(), fs::read(file).expect("an answer")))
            .collect()
    }
}

#[test]
fn killed_at_a_hundred_random_moments_it_leaves_nothing_wrong() {
    let yard = Yard::new();
    let seed = match std::env::var("PROPTEST_RNG_SEED") {
        Ok(seed) => seed.parse().expect("a number"),
        Err(_) => 0,
    };
    // Zero would give zeros.
    let mut dice = Dice(seed << 1 | 1);
    let what = format!("PROPTEST_RNG_SEED={seed}");
    // Those of a batch share the folder of answers at the same time. Where the machine is so busy that none has been kept
    // yet, it goes on with later and later moments.
    for batch in 0.. {
        let late = batch / BATCHES;
        if late > 0 && !yard.answers().is_empty() {
            break;
        }
        assert!(late < 20, "no answer is kept");
        let start = Instant::now();
        let mut running: Vec<_> = (RUNS.iter())
            .map(|(arguments, longest)| {
                let moment = Duration::from_millis(dice.below(*longest << late));
                let signal = match dice.below(5) {
                    0 => Signal::INT,
                    1 => Signal::TERM,
                    _ => Signal::KILL,
                };
                (moment, signal, yard.start(arguments), arguments)
            })
            .collect();
        running.sort_by_key(|(moment, ..)| *moment);
        for (moment, signal, child, _) in &running {
            std::thread::sleep(moment.saturating_sub(start.elapsed()));
            let id = Pid::from_raw(child.id() as i32).expect("a process");
            // It is our child, so its id is its own until it is waited for, even if it has ended by itself.
            kill_process(id, *signal).expect("sent");
        }
        for (_, signal, mut child, arguments) in running {
            let status = child.wait().expect("waited for");
            let asked = signal != Signal::KILL;
            // 0: it was done before; no status: there was no time to say that we want to hear of signals.
            let well = matches!(status.code(), None | Some(0 | 130));
            assert!(!asked || well, "{what}: {arguments:?} ended with {status}");
        }
        yard.nothing_is_left(&format!("{what}, batch {batch}"));
    }

    let kept = yard.answers();
    for (file, answer) in &kept {
        let text = String::from_utf8_lossy(answer);
        let lines: Vec<&str> = text.split('\n').collect();
        let whole = matches!(lines[..], [head, body, ""]
            if head.starts_with("tranquera-verdict-") && serde_json::from_str::<Value>(body).is_ok());
        assert!(whole, "{what}: {} holds {text:?}", file.display());
    }
    for class in CLASSES {
        let known = yard.epa(class, &[]);
        assert_eq!(known, yard.epa(class, &["--no-cache"]), "{what}: {class}");
    }
    // A broken answer would have been dropped, or replaced.
    let after = yard.answers();
    for (file, answer) in &kept {
        assert_eq!(after.get(file), Some(answer), "{what}");
    }
}

/// The case that a solver's end of input does not end: it is in the midst of a long check, or its parent is another
/// engine.
#[test]
fn a_busy_solver_ends_with_us() {
    for engine in ["builtin", "boogie"] {
        let yard = Yard::new();
        let mut child = yard.start(&["epa", "tests/support/fermat.tq", "--engine", engine]);
        let start = Instant::now();
        while !yard.alive().iter().any(|process| process.contains("z3")) {
            assert!(start.elapsed() < Duration::from_secs(300), "no solver runs");
            std::thread::sleep(Duration::from_millis(20));
        }
        // The first questions are easy; by then it is at the others.
        std::thread::sleep(Duration::from_secs(1));
        child.kill().expect("killed");
        child.wait().expect("waited for");
        yard.nothing_is_left(engine);
    }
}
