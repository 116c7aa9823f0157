//! What is read and what is written: texts, trees as JSON, broken files, and results that are whole or not there.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::support::program::{PROGRAM, failed, names_in, printed, root, with_file};

const LINEAR: &str = "fixtures/corral-2016/linear.tq";

/// Text to tree to text, and through JSON, by the program itself.
#[test]
fn parse_round_trips() {
    let folder = tempfile::tempdir().expect("a folder");
    let classes = std::fs::read_dir(root().join("fixtures/corral-2016")).expect("a folder");
    let classes = classes
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "tq"));
    for class in classes.chain([root().join("tests/support/mailbox.tq")]) {
        let class = class.to_str().expect("UTF-8");
        let (text, json) = (folder.path().join("c.tq"), folder.path().join("c.json"));
        let (text, json) = (text.to_str().expect("UTF-8"), json.to_str().expect("UTF-8"));
        assert_eq!(printed(["parse", class, "-o", text]), "");
        assert_eq!(
            printed(["parse", class, "--format", "json", "-o", json]),
            ""
        );
        let first = std::fs::read_to_string(text).expect("written");
        assert_eq!(printed(["parse", text]), first, "{class}");
        assert_eq!(printed(["parse", json]), first, "{class}");
        let tree = std::fs::read_to_string(json).expect("written");
        assert_eq!(
            printed(["parse", json, "--format", "json"]),
            tree,
            "{class}"
        );
        assert_eq!(printed(["parse", class, "--check"]), "");
    }
}

#[test]
fn an_epa_of_json_is_that_of_the_text() {
    let (_folder, json) = with_file("c.json", printed(["parse", LINEAR, "--format", "json"]));
    let json = json.to_str().expect("UTF-8");
    assert_eq!(
        printed(["epa", json, "--format", "dot"]),
        printed(["epa", LINEAR, "--format", "dot"])
    );
}

/// Whatever is wrong with the input: status 2, a report, nothing on standard output, and no file.
#[test]
fn bad_input() {
    let mut large = "// ".repeat(4 << 20);
    large.push('\n');
    let deep = format!(
        "class C {{ var x: int; invariant {}x > 0{}; }}",
        "(".repeat(200_000),
        ")".repeat(200_000)
    );
    let cases: &[(&str, &[u8], &str)] = &[
        (
            "syntax.tq",
            b"class C { var x int; action a() { x := ; } }",
            "syntax.tq:1:15",
        ),
        (
            "types.tq",
            b"class C { var x: int; invariant x; }",
            "types.tq:1:33",
        ),
        ("empty.tq", b"", "no class"),
        ("invalid.tq", b"class C { // \xff\xfe\n}", "UTF-8"),
        ("nul.tq", b"class C { \0 }", "nul.tq:1:11"),
        ("large.tq", large.as_bytes(), "MiB"),
        ("deep.tq", deep.as_bytes(), "deep"),
        ("broken.json", b"{ \"items\": [", "broken.json"),
        ("other.json", b"{ \"schema\": \"other\" }", "other.json"),
    ];
    for (name, content, expected) in cases {
        let (folder, file) = with_file(name, content);
        let out = folder.path().join("out");
        let (file, out) = (file.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
        for arguments in [
            &["epa", file, "-o", out][..],
            &["parse", file, "-o", out],
            &["query", file, "--kind", "program", "--save", out],
        ] {
            let said = failed(arguments, 2);
            assert!(said.starts_with("error"), "{name}: {said}");
            assert!(said.contains(expected), "{name}: {said}");
            assert!(said.len() < 20_000, "{name}: {} bytes", said.len());
        }
        assert_eq!(names_in(folder.path()), [*name]);
    }
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder_name = folder.path().to_str().expect("UTF-8");
    for (file, expected) in [
        ("no/such/file.tq", "No such file"),
        (folder_name, "directory"),
    ] {
        for command in ["epa", "parse"] {
            let said = failed([command, file], 2);
            assert!(said.contains(file) && said.contains(expected), "{said}");
        }
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let (folder, file) = with_file("out.dot", "old");
    let out = file.to_str().expect("UTF-8");
    assert_eq!(printed(["epa", LINEAR, "--format", "dot", "-o", out]), "");
    assert_eq!(
        std::fs::read_to_string(&file).expect("written"),
        printed(["epa", LINEAR, "--format", "dot"])
    );
    assert_eq!(names_in(folder.path()), ["out.dot"]);
    let nowhere = folder.path().join("no/such/folder/out");
    let said = failed(["epa", LINEAR, "-o", nowhere.to_str().expect("UTF-8")], 2);
    assert!(said.starts_with("error: cannot write "), "{said}");
    assert_eq!(names_in(folder.path()), ["out.dot"]);
    let onto_a_folder = folder.path().to_str().expect("UTF-8");
    failed(["epa", LINEAR, "-o", onto_a_folder], 2);
}

#[test]
fn a_result_does_not_take_the_place_of_its_class() {
    let class = std::fs::read_to_string(root().join(LINEAR)).expect("a fixture");
    let (folder, file) = with_file("class.tq", &class);
    let other = folder.path().join("./class.tq");
    let (file, other) = (
        file.to_str().expect("UTF-8"),
        other.to_str().expect("UTF-8"),
    );
    for command in [
        vec!["epa", file],
        vec!["confirm", file],
        vec!["explain", file, "--edge", "S1 -a-> S2"],
        vec!["interface", file, "-e", "NullDereference"],
        vec!["tests", file],
        vec!["typestate", file],
        vec!["parse", file],
        vec!["diff", LINEAR, file],
        vec!["verify", file, "--against", LINEAR],
    ] {
        let said = failed([command.as_slice(), &["-o", other]].concat(), 2);
        assert!(
            said.contains("would overwrite the input"),
            "{command:?}: {said}"
        );
    }
    assert_eq!(std::fs::read_to_string(file).expect("there"), class);
}

/// Somebody who has read enough (`| head -1`) is no failure.
#[test]
fn standard_output_closed_early() {
    let large = "fixtures/corral-2016/list_itr.tq";
    for arguments in [
        &["epa", "fixtures/corral-2016/door.tq", "--format", "svg"][..],
        &["parse", large, "--format", "json"],
        &["query", large, "--kind", "program"],
        &["--help"],
    ] {
        let mut child = Command::new(PROGRAM)
            .current_dir(root())
            .env("TRANQUERA_CACHE", "off")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("runs");
        let mut lines = BufReader::with_capacity(16, child.stdout.take().expect("a pipe"));
        let mut first = String::new();
        lines.read_line(&mut first).expect("a line");
        drop(lines);
        let run = child.wait_with_output().expect("ends");
        assert!(run.status.success(), "{arguments:?}: {:?}", run.status);
        assert_eq!(String::from_utf8_lossy(&run.stderr), "", "{arguments:?}");
    }
}
