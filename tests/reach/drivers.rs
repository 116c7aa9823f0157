//! The search of programs that are too large to inline all of: what it does where its solver gets nowhere.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A binary tree of calls with more procedures than are inlined at once; the leaves count, and whether the count is right is
/// asked in the end.
fn tree(claim: &str) -> String {
    let mut text = String::from("var count: int;\n");
    let depth = 10;
    for level in 0..depth {
        let body = match level + 1 == depth {
            true => "count := count + 1;".to_string(),
            false => format!("call p{0}(); call p{0}();", level + 1),
        };
        let _ = writeln!(
            text,
            "procedure p{level}() modifies count; {{ if (count < 0) {{ return; }} {body} }}"
        );
    }
    let _ = writeln!(
        text,
        "procedure {{:entrypoint}} main() modifies count; {{ count := 0; call p0(); assert {claim}; }}"
    );
    text
}

/// What `tranquera reach` prints about a program, both on the two channels.
fn said(folder: &Path, text: &str, flags: &[&str]) -> String {
    let file = folder.join("p.bpl");
    std::fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .arg(file)
        .args(["/recursionBound:3", "/noTrace"])
        .args(flags)
        .output()
        .expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("text")
}

/// A solver that is told what `sed` makes of what it is told.
#[cfg(unix)]
fn solver_behind(folder: &Path, sed: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("z3");
    let script = format!("#!/bin/sh\nsed -u '{sed}' | z3 \"$@\"\n");
    std::fs::write(&path, script).expect("a file");
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, executable).expect("it is ours");
    path
}

/// Z3 4.8.12 crashed with some of the options that make it look along paths.
#[test]
#[cfg(unix)]
fn where_the_solver_breaks_down_the_other_one_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let z3 = solver_behind(folder.path(), "/case_split 3/q");
    let z3 = format!("/z3:{}", z3.display());
    let said = |claim: &str| said(folder.path(), &tree(claim), &[&z3]);
    let bug = said("count != 512");
    assert!(bug.contains("Program has a potential bug"), "{bug}");
    let none = said("count >= 0");
    assert!(none.contains("Program has no bugs"), "{none}");
}

/// One search has no answer to its first check, as it has none to some checks of the drivers: another has. (Other systems' `sed` runs
/// no commands.)
#[test]
#[cfg(target_os = "linux")]
fn where_one_search_gets_nowhere_another_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let z3 = solver_behind(folder.path(), "/case_split 3/e sleep 1000");
    let z3 = format!("/z3:{}", z3.display());
    let flags = [z3.as_str(), "/timeLimit:500"];
    let bug = said(folder.path(), &tree("count != 512"), &flags);
    assert!(bug.contains("Program has a potential bug"), "{bug}");
}

#[test]
fn no_answer_in_time_is_no_bug_of_ours() {
    let folder = tempfile::tempdir().expect("a folder");
    let cubes = "procedure {:entrypoint} main(x: int, y: int, z: int) { assert x*x*x + y*y*y + z*z*z != 42; }";
    let text = said(folder.path(), cubes, &["/timeLimit:1"]);
    assert!(text.contains("Error, no answer: z3 timed out"), "{text}");
    assert!(!text.contains("internal bug"), "{text}");
}
