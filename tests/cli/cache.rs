//! Answers that are kept from one run to the next: what is asked again, what is not, and what no accident changes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::program::{PROGRAM, root};

/// A folder for answers, and the programs that use it.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk {
            folder: tempfile::tempdir().expect("a folder"),
        }
    }

    fn answers(&self) -> PathBuf {
        self.folder.path().join("answers")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .current_dir(root())
            .env("TRANQUERA_CACHE", self.answers())
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// The EPA of a class, without the time it took.
    fn epa(&self, file: &str, options: &[&str]) -> serde_json::Value {
        let arguments = [["epa", file, "--format", "json"].as_slice(), options].concat();
        let mut epa: serde_json::Value = serde_json::from_str(&self.run(&arguments)).expect("JSON");
        epa["stats"]["wall_ms"] = serde_json::Value::Null;
        epa
    }

    fn files(&self) -> Vec<PathBuf> {
        let inside = |folder: PathBuf| -> Vec<PathBuf> {
            let entries = fs::read_dir(folder).into_iter().flatten();
            entries.map(|e| e.expect("an entry").path()).collect()
        };
        inside(self.answers())
            .into_iter()
            .flat_map(inside)
            .collect()
    }
}

const MACHINE: &str = "fixtures/corral-2016/vending_machine.tq";

#[test]
fn a_second_run_asks_nothing_and_says_the_same() {
    let desk = Desk::new();
    let first = desk.epa(MACHINE, &[]);
    let kept = desk.files().len();
    // The reference: 16 questions for this class, all of them with a definite answer. One of them is not asked here:
    // `DisplayPrice` changes nothing, so that it is known that there is no other state where it ends.
    assert_eq!(first["stats"]["queries"]["total"], 15);
    assert_eq!(kept, 15);
    // The real solver, and a list of how it is started.
    let starts = desk.folder.path().join("starts");
    let solver = desk.folder.path().join("z3");
    let script = root().join("tests/support/fake-z3.sh");
    std::os::unix::fs::symlink(script, &solver).expect("a link");
    let behaviour = format!("echo \"$*\" >> {}\nexec z3 \"$@\"\n", starts.display());
    fs::write(desk.folder.path().join("behaviour"), behaviour).expect("written");
    let z3 = solver.display().to_string();
    let started = || {
        let list = fs::read_to_string(&starts).expect("starts");
        list.lines().filter(|line| line.contains("-in")).count()
    };
    assert_eq!(desk.epa(MACHINE, &["--z3", &z3]), first);
    assert_eq!(started(), 0);
    // Nor does the second pass. However many engines it makes, the solver says its version once.
    let confirmed = desk.run(&["confirm", MACHINE]);
    fs::write(&starts, "").expect("emptied");
    assert_eq!(desk.run(&["confirm", MACHINE, "--z3", &z3]), confirmed);
    assert_eq!(fs::read_to_string(&starts).expect("starts"), "--version\n");
    assert_eq!(desk.epa(MACHINE, &["--z3", &z3, "--no-cache"]), first);
    assert!(started() > 0);
}

#[test]
fn a_changed_method_asks_only_what_depends_on_it() {
    let desk = Desk::new();
    let text = fs::read_to_string(root().join(MACHINE)).expect("the class");
    let file = desk.folder.path().join("machine.tq");
    let class = file.display().to_string();
    fs::write(&file, &text).expect("written");
    desk.epa(&class, &[]);
    let before = desk.files().len();
    // ReturnItem, once more in other words.
    let changed = text.replace("{ selling := false; }", "{ selling := !true; }");
    assert_ne!(changed, text);
    fs::write(&file, changed).expect("written");
    desk.epa(&class, &[]);
    let new = desk.files().len() - before;
    assert!(
        0 < new && new < before,
        "{new} of {before} were asked again"
    );
}

#[test]
fn other_bounds_are_other_questions_and_bounds_that_were_hit_are_not_kept() {
    let desk = Desk::new();
    let file = "fixtures/corral-2016/loop5.tq";
    desk.epa(file, &["--recursion-bound", "1"]);
    let one = desk.files().len();
    desk.epa(file, &["--recursion-bound", "2"]);
    assert!(desk.files().len() > one);
}

#[test]
fn no_answers_are_kept_on_request() {
    let desk = Desk::new();
    desk.epa(MACHINE, &["--no-cache"]);
    assert_eq!(desk.files().len(), 0);
    let keep = desk.folder.path().join("questions").display().to_string();
    desk.epa(MACHINE, &["--keep", &keep]);
    assert_eq!(desk.files().len(), 0);
}

#[test]
fn what_is_broken_is_asked_again() {
    let desk = Desk::new();
    let first = desk.epa(MACHINE, &[]);
    for (index, file) in desk.files().iter().enumerate() {
        let mut bytes = fs::read(file).expect("an answer");
        match index % 3 {
            0 => bytes.truncate(index * 7 % bytes.len()),
            1 => {
                let place = bytes.len() / 2;
                bytes[place] ^= 0x20;
            }
            _ => bytes.clear(),
        }
        fs::write(file, bytes).expect("written");
    }
    assert_eq!(desk.epa(MACHINE, &[]), first);
    assert_eq!(desk.files().len(), 15);
}

#[test]
fn the_command_shows_and_clears() {
    let desk = Desk::new();
    desk.epa(MACHINE, &[]);
    let shown = desk.run(&["cache", "show"]);
    let wanted = format!("{}\n15 answers, ", desk.answers().display());
    assert!(shown.starts_with(&wanted), "{shown}");
    assert_eq!(desk.run(&["cache", "clear"]), "15 answers forgotten\n");
    assert_eq!(desk.files().len(), 0);
    let mut off = desk.command(&["cache", "show"]);
    let output = off.env("TRANQUERA_CACHE", "off").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}
