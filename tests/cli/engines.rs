//! `tranquera engines`: what it finds here, and what it says of solvers that are broken in one way or another.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::program::{PROGRAM, root};

/// What was printed, what was complained of, and the exit status.
struct Said {
    out: String,
    err: String,
    status: Option<i32>,
}

fn engines(arguments: &[&str], environment: &[(&str, &Path)]) -> Said {
    said(&[&["engines"], arguments].concat(), environment)
}

fn said(arguments: &[&str], environment: &[(&str, &Path)]) -> Said {
    let mut command = Command::new(PROGRAM);
    command.args(arguments);
    // Whatever the tests themselves are run with.
    for variable in ["BOOGIE", "CORRAL", "Z3"] {
        command.env_remove(format!("TRANQUERA_{variable}"));
    }
    command.env("TRANQUERA_CACHE", "off");
    command.envs(environment.iter().copied());
    let output = command.output().expect("it runs");
    Said {
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
        status: output.status.code(),
    }
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.out).expect("JSON")
}

/// The entry of an engine.
fn entry<'a>(report: &'a Value, name: &str) -> &'a Value {
    let mut engines = report["engines"].as_array().expect("engines").iter();
    engines.find(|e| e["engine"] == name).expect("listed")
}

/// A folder with a Z3 that does this.
fn fake(behaviour: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let script = root().join("tests/support/fake-z3.sh");
    let path = folder.path().join("z3");
    std::os::unix::fs::symlink(script, &path).expect("a link");
    fs::write(folder.path().join("behaviour"), behaviour).expect("written");
    (folder, path)
}

/// A folder with a Z3 that is no program at all.
fn no_program(mode: u32) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("z3");
    fs::write(&path, "this is no program\n").expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("set");
    (folder, path)
}

/// What is said with this Z3.
fn with_z3((_folder, path): (tempfile::TempDir, PathBuf), timeout: &str) -> Said {
    // Boogie need not be asked here.
    let nowhere = Path::new("/no/such/engine");
    let path = path.display().to_string();
    let arguments = ["--z3", &path, "--timeout", timeout];
    engines(&arguments, &[("TRANQUERA_BOOGIE", nowhere)])
}

/// The part of a text that is about the engine `builtin`.
fn builtin(said: &Said) -> &str {
    said.out.split("\n\n").next().expect("a part")
}

#[test]
fn the_real_ones_answer_rightly() {
    let said = engines(&["--json"], &[]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let report = json(&said);
    assert_eq!(report["schema"], "tranquera/engines/1");
    assert_eq!(report["default"], "builtin");
    for name in ["builtin", "boogie"] {
        let engine = entry(&report, name);
        assert_eq!(engine["state"], "works", "{engine}");
        assert_eq!(engine["remarks"], serde_json::json!([]));
        let answers = engine["answers"].as_array().expect("answers").iter();
        let answered: Vec<&Value> = answers.map(|a| &a["answered"]).collect();
        assert_eq!(answered, ["reached", "unreachable"]);
        for tool in engine["tools"].as_array().expect("tools") {
            assert_eq!(tool["supported"], true, "{tool}");
            assert!(Path::new(tool["path"].as_str().expect("a path")).is_absolute());
        }
    }
    // No answers are kept in these tests.
    assert_eq!(report["cache"]["folder"], Value::Null);
    let variables = report["environment"].as_array().expect("variables").iter();
    let names: Vec<&Value> = variables.map(|v| &v["name"]).collect();
    let wanted = ["BOOGIE", "CORRAL", "Z3", "CACHE"].map(|name| format!("TRANQUERA_{name}"));
    assert_eq!(names, wanted.iter().collect::<Vec<_>>());
}

#[test]
fn what_is_missing_is_said_with_how_to_get_it() {
    let said = engines(&[], &[("PATH", Path::new("")), ("HOME", Path::new("/no"))]);
    assert_eq!(said.status, Some(3));
    assert!(said.err.contains("`builtin`"), "{}", said.err);
    for wanted in [
        "cannot find `z3`",
        "apt-get install z3",
        "brew install z3",
        "cannot find `boogie`",
        "apt-get install boogie z3",
        "cannot find `corral`",
        "dotnet tool install --global Corral",
        "no engine works",
        "TRANQUERA_CACHE: off",
    ] {
        assert!(said.out.contains(wanted), "{wanted}: {}", said.out);
    }
}

/// Says this version, and goes on if something else was asked.
fn version(number: &str) -> String {
    format!("[ \"$1\" = --version ] && echo 'Z3 version {number} - 64 bit' && exit\n")
}

#[test]
fn a_broken_solver_gets_a_plain_word_each() {
    let dies = version("4.8.12") + "exit 1\n";
    // It is understood, and wrong.
    let lies = version("4.8.12")
        + "while read -r line; do case $line in\n\
           '(echo '*) line=${line#'(echo \"'}; echo \"${line%'\")'}\" ;;\n\
           '(check-sat'*) echo unsat ;;\n\
           '(get-unsat-core)'*) echo '()' ;;\n\
           esac; done\n";
    for (z3, timeout, state, wanted) in [
        (no_program(0o644), "300", "not found", "chmod +x"),
        (no_program(0o755), "300", "does not work", "cannot run"),
        (
            fake("exec head -c 3000 /dev/urandom\n"),
            "300",
            "does not work",
            "does not say which version it is",
        ),
        (
            fake("exec sleep 1000\n"),
            "2",
            "does not work",
            "it does not end within 2 s",
        ),
        (fake(&dies), "300", "does not work", "crash"),
        (
            fake(&lies),
            "300",
            "does not work",
            "where the answer is `reached`, it answered `unreachable`",
        ),
    ] {
        let said = with_z3(z3, timeout);
        assert_eq!(said.status, Some(3), "{wanted}: {}", said.out);
        let text = builtin(&said);
        let start = format!("builtin  {state}");
        assert!(text.starts_with(&start), "{wanted}: {text}");
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
}

/// The version of the program is one line, and in full with those of what its engines are made of; what is missing is no failure.
#[test]
fn the_version_names_the_engines() {
    let line = concat!("tranquera ", env!("CARGO_PKG_VERSION"), "\n");
    let nowhere = [("PATH", Path::new("")), ("HOME", Path::new("/no"))];
    let (_folder, z3) = fake(&version("4.8.12"));
    let (_other, silent) = fake("exit 1\n");
    let with = |z3| {
        let no = Path::new("/no/such/engine");
        vec![
            ("TRANQUERA_Z3", z3),
            ("TRANQUERA_BOOGIE", no),
            ("TRANQUERA_CORRAL", no),
        ]
    };
    for (environment, z3) in [
        (nowhere.to_vec(), "not found"),
        (with(&z3), "4.8.12"),
        (with(&silent), "of unknown version"),
    ] {
        let said_long = said(&["--version"], &environment);
        let engines = format!(
            "builtin  z3 {z3}\nboogie   boogie not found, z3 {z3}\ncorral   corral not found, z3 {z3}\n"
        );
        assert_eq!(
            said_long.out,
            format!("{line}{engines}"),
            "{}",
            said_long.err
        );
        assert_eq!(said_long.status, Some(0));
        let short = said(&["-V"], &environment);
        assert_eq!((short.out.as_str(), short.status), (line, Some(0)));
    }
}

#[test]
fn an_old_solver_is_named_and_tried() {
    let said = with_z3(fake(&(version("4.5.0") + "exec z3 \"$@\"\n")), "300");
    assert_eq!(said.status, Some(0), "{}", said.err);
    let text = builtin(&said);
    assert!(
        text.contains("is z3 4.5.0; supported are 4.8.12 and later versions"),
        "{text}"
    );
    assert!(text.contains("answered rightly: reached in "), "{text}");
}

#[test]
fn where_answers_are_kept_is_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = Path::new("/no/such/engine");
    let cache = |at: &Path| {
        let around = [("TRANQUERA_CACHE", at), ("TRANQUERA_BOOGIE", nowhere)];
        json(&engines(&["--format", "json"], &around))["cache"].clone()
    };
    let answers = folder.path().join("answers");
    let health = cache(&answers);
    assert_eq!(health["writable"], true);
    assert_eq!(health["answers"], 0);
    assert!(!answers.exists(), "to look at it makes none");
    // Not even root can make a folder in a file.
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    assert_eq!(cache(&file.join("answers"))["writable"], false);
}
