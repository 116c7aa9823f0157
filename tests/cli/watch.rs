//! `tranquera epa --watch`: a real terminal, real saves, a real Ctrl-C, and a real browser with the page open.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::chromium;
use crate::support::program::{root, tranquera};
use crate::support::running::{On, Running};

/// What clears a terminal.
const CLEAR: &str = "\x1b[2J";
/// The invariant of the vending machine, which allows negative change.
const WEAK: &str = "invariant change > 0 ==> selling;";
/// What its author forgot.
const MENDED: &str = "invariant change > 0 ==> selling; invariant change >= 0;";

fn class(file: &str) -> String {
    fs::read_to_string(root().join(file)).expect("a class")
}

/// A program that watches a class in a folder of its own.
struct Watching {
    folder: tempfile::TempDir,
    program: Running,
}

impl Watching {
    /// Watches this class. `{}` in the arguments is the folder.
    fn start(on: On, text: &str, arguments: &[&str]) -> Watching {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("class.tq"), text).expect("written");
        let path = folder.path().display().to_string();
        let arguments: Vec<String> = (["epa", "--watch", "{}/class.tq"].iter())
            .chain(arguments)
            .map(|argument| argument.replace("{}", &path))
            .collect();
        let program = Running::start(on, &arguments, &folder.path().join("answers"));
        Watching { folder, program }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("class.tq")
    }

    /// Saves as vim and VS Code can: another file is written and moved there.
    fn save_by_rename(&self, text: &str) {
        let new = self.folder.path().join("class.tq~");
        fs::write(&new, text).expect("written");
        fs::rename(new, self.file()).expect("moved");
    }

    fn save(&self, text: &str) {
        fs::write(self.file(), text).expect("written");
    }

    /// What is on the screen.
    fn screen(&self) -> String {
        let printed = self.program.printed();
        printed.rsplit(CLEAR).next().unwrap_or_default().to_owned()
    }

    /// Waits for a screen that says all of this, and nothing of that, to its last line.
    fn shows(&self, wanted: &[&str], unwanted: &[&str]) {
        self.program.wait_until(&format!("{wanted:?}"), || {
            let screen = self.screen();
            screen.contains("Watching")
                && wanted.iter().all(|part| screen.contains(part))
                && !unwanted.iter().any(|part| screen.contains(part))
        });
    }

    fn redraws(&self) -> usize {
        self.program.printed().matches(CLEAR).count()
    }

    /// Ctrl-C, which ends it; what it leaves in its folder is whole.
    fn interrupt(mut self) {
        self.program.interrupt();
        assert_eq!(self.program.end().code(), Some(130));
        // A temporary file would be one of a result that was never whole.
        let names = fs::read_dir(self.folder.path()).expect("a folder");
        let names = names.map(|entry| entry.expect("an entry").file_name());
        let odd: Vec<_> = names
            .filter(|name| name.as_encoded_bytes().starts_with(b"."))
            .collect();
        assert!(odd.is_empty(), "{odd:?}");
    }
}

#[test]
fn a_terminal_shows_the_class_as_it_was_last_saved() {
    let machine = class("fixtures/corral-2016/vending_machine.tq");
    let mended = machine.replace(WEAK, MENDED);
    assert_ne!(machine, mended);
    let watching = Watching::start(On::Terminal, &machine, &["--color", "never"]);
    // The reference has four states and six transitions for this class.
    watching.shows(
        &["4 states", "6 transitions", "deadlock-state"],
        &["last picture"],
    );

    // The deadlock and the edge to it are gone.
    watching.save(&mended);
    watching.shows(
        &[
            "3 states",
            "5 transitions",
            "states: 1 removed, 3 the same; edges: 1 removed, 6 the same",
            "the old S2 {}",
            "S1 Buy → the old S2",
        ],
        &["deadlock-state"],
    );

    // What is no save changes nothing.
    let before = watching.redraws();
    let file = watching.file();
    fs::read(&file).expect("read");
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
    fs::write(watching.folder.path().join("other.tq"), "x").expect("written");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(watching.redraws(), before);

    // An error, with its place; a second one of another kind; and the file is gone for a while.
    watching.save_by_rename(&machine.replace("class VendingMachine", "class"));
    watching.shows(&["class.tq:", "expected the name of a class"], &["states"]);
    watching.save_by_rename(&machine.replace("change := 5", "change := six"));
    watching.shows(&["class.tq:", "six"], &["3 states"]);
    fs::remove_file(&file).expect("removed");
    watching.shows(&["cannot read"], &["six"]);

    // Mended, in several saves one after the other. What is told is the difference to the last picture, not to the
    // errors.
    for length in [10, 100, 300, machine.len()] {
        watching.save(&machine[..length]);
    }
    watching.shows(
        &["4 states", "states: 1 added, 3 the same", "+ S2 {}"],
        &["error"],
    );
    watching.save(&machine);
    watching.shows(&["4 states", "No difference to the last picture"], &[]);

    watching.interrupt();
}

/// What takes over a second says how far it is, the second time as the first; a result takes that away.
#[test]
fn a_long_run_says_how_far_it_is() {
    let slow = class("tests/support/fermat.tq");
    let watching = Watching::start(On::Terminal, &slow, &["--color", "never"]);
    let is_at_work = || watching.screen().contains("questions asked");
    watching.program.wait_until("a line", is_at_work);
    watching.save(&class("tests/support/lamp.tq"));
    watching.shows(&["Lamp", "3 states"], &["questions asked"]);
    watching.save(&slow);
    watching.program.wait_until("a line again", is_at_work);
    watching.interrupt();
}

#[test]
fn a_save_ends_what_is_being_computed_and_the_file_is_whole_at_any_time() {
    let slow = class("tests/support/fermat.tq");
    let arguments = ["--format", "json", "--output", "{}/epa.json"];
    let watching = Watching::start(On::Pipes, &slow, &arguments);
    let output = watching.folder.path().join("epa.json");
    let drawn = || {
        let text = fs::read(&output).ok()?;
        let epa: Value = serde_json::from_slice(&text).expect("whole");
        Some((
            epa["class"].as_str()?.to_owned(),
            epa["states"].as_array()?.len(),
        ))
    };
    // It would be busy with this class for minutes.
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(drawn(), None);
    let lamp = class("tests/support/lamp.tq");
    watching.save_by_rename(&lamp);
    // Off; on; on and broken. It breaks when it is switched on, and stays on then.
    let lamp_is_drawn = Some(("Lamp".to_owned(), 3));
    let start = Instant::now();
    watching
        .program
        .wait_until("the lamp", || drawn().is_some());
    assert!(start.elapsed() < Duration::from_secs(50));
    assert_eq!(drawn(), lamp_is_drawn);
    // An error leaves the last picture. A picture does not go to standard output.
    watching.save("class {");
    watching
        .program
        .wait_until("an error", || watching.program.printed().contains("error"));
    assert_eq!(drawn(), lamp_is_drawn);
    assert!(!watching.program.printed().contains("\"class\""));
    assert!(!watching.program.printed().contains(CLEAR));
    // Back to the slow one, and Ctrl-C in the midst of it: it is not drawn.
    watching.save(&slow);
    std::thread::sleep(Duration::from_millis(700));
    watching.interrupt();
}

#[test]
fn an_open_page_reloads_itself() {
    let machine = class("fixtures/corral-2016/vending_machine.tq");
    let arguments = ["--format", "html", "--output", "{}/epa.html"];
    let watching = Watching::start(On::Pipes, &machine, &arguments);
    let page = watching.folder.path().join("epa.html");
    watching.program.wait_until("a page", || page.exists());
    let browser = chromium::Browser::open(&page);
    browser.click("[data-state=S4]");
    browser.wait_for("document.querySelector('#panel').innerText.includes('State S4')");
    let states = "document.querySelectorAll('#picture [data-state]').length";
    browser.wait_for(&format!("{states} === 4"));
    browser.value("window.untouched = true");
    watching.save_by_rename(&machine.replace(WEAK, MENDED));
    browser.wait_for(&format!("window.untouched === undefined && {states} === 3"));
    // Once is enough: the page that is shown is the one in the file.
    browser.value("window.untouched = true");
    std::thread::sleep(Duration::from_millis(2500));
    browser.wait_for("window.untouched");
    browser.nothing_went_wrong();
    watching.interrupt();
}

#[test]
fn what_cannot_be_watched_is_said() {
    let run = |arguments: &[&str]| {
        let mut command = tranquera(["epa", "--watch"]);
        let output = command.args(arguments).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (status, said) = run(&["no/such.tq"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("cannot watch `no/such.tq`"), "{said}");
    let (status, said) = run(&["tests/support/lamp.tq", "--format", "html"]);
    assert_eq!(status, Some(2));
    assert!(said.contains("--output FILE"), "{said}");
    // No other text in the file would bring a solver.
    let (status, said) = run(&["tests/support/lamp.tq", "--z3", "/no/such/z3"]);
    assert_eq!(status, Some(3));
    assert!(said.contains("/no/such/z3"), "{said}");
}
