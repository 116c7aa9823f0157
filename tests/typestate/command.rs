//! What `typestate`, `verify` and `epa --infer-requires` print, and what they write.

use std::process::Output;

use crate::support::program::{self, root};

const FIXTURES: &str = "fixtures/typestate-2012";

fn tranquera(arguments: &[&str]) -> Output {
    let mut command = program::tranquera(arguments);
    command.output().expect("the program")
}

/// What is printed, without the time it took.
fn printed(arguments: &[&str]) -> String {
    let output = tranquera(arguments);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let timeless = text.lines().map(|line| match line.trim_start() {
        l if l.starts_with("time ") => "  time",
        l if l.starts_with("\"wall_ms\"") => "    \"wall_ms\": 0",
        _ => line,
    });
    timeless.map(|line| format!("{line}\n")).collect()
}

#[test]
fn automata() {
    let class = |name: &str| format!("{FIXTURES}/{name}.tq");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        let simplified = class("piped_output_stream_simplified");
        for format in ["text", "json", "dot", "mermaid"] {
            let text = printed(&["typestate", &simplified, "--format", format]);
            insta::assert_snapshot!(format!("typestate.{format}"), text);
        }
        let closed = class("piped_output_stream_closed");
        insta::assert_snapshot!("typestate.closed", printed(&["typestate", &closed]));
        let stack = class("bounded_stack");
        let partial = printed(&["typestate", &stack, "--max-states", "6"]);
        insta::assert_snapshot!("typestate.partial", partial);
        let counted = ["typestate", &stack, "--invariant", "0 <= size <= 3"];
        insta::assert_snapshot!("typestate.invariant", printed(&counted));
        let svg = printed(&["typestate", &closed, "--format", "svg"]);
        assert!(svg.starts_with("<svg") && svg.contains("sink.closed_by_writer"));
    });
}

#[test]
fn clients() {
    let class = format!("{FIXTURES}/piped_output_stream_closed.tq");
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        for client in ["branches", "multiple_connect", "closed_write_corrected"] {
            let file = format!("{FIXTURES}/clients/{client}.tq");
            let text = printed(&["verify", &file, "--against", &class, "--procedure", match client {
                "branches" => "Branches.maybe_connected,caught",
                _ => "main",
            }]);
            insta::assert_snapshot!(format!("verify.{client}"), text);
        }
    });
}

#[test]
fn clauses_are_written_into_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("class.tq");
    let before = std::fs::read_to_string(root().join(FIXTURES).join("bounded_stack.tq"));
    let before = before.expect("a fixture");
    std::fs::write(&file, &before).expect("a file");
    let name = file.to_str().expect("UTF-8");
    let inferred = tranquera(&["epa", name, "--infer-requires", "--infer-invariants"]);
    assert!(inferred.status.success());
    let untouched = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(untouched, before, "not without --write");
    let written = tranquera(&[
        "epa",
        name,
        "--infer-requires",
        "--infer-invariants",
        "--write",
    ]);
    assert!(written.status.success());
    let after = std::fs::read_to_string(&file).expect("the file");
    let expected = before
        .replace(
            "  var size: int;\n",
            "  var size: int;\n  invariant size >= 0;\n  invariant size <= 3;\n",
        )
        .replace(
            "  action push()\n",
            "  action push()\n    requires size != 3\n",
        )
        .replace(
            "  action pop()\n",
            "  action pop()\n    requires size != 0\n",
        );
    assert_eq!(after, expected);
    let said = |output: &Output| String::from_utf8_lossy(&output.stdout).to_string();
    assert!(said(&inferred).contains("inferred: `push` requires size != 3"));
    assert!(!said(&tranquera(&["epa", name])).contains("inferred"));
}

/// What is found of references and arrays, worked out by hand; the engine is asked whether each call keeps it.
#[test]
fn invariants_speak_of_null_and_of_lengths() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("class.tq");
    let text = "exception Closed;
        class Buffer {
          var bytes: array<int>?; var spare: array<int>?; var pos: int; var closed: bool;
          constructor() { bytes := new int[8]; spare := null; pos := 0; closed := false; }
          action read() returns (result: int) {
            if (closed) { throw Closed; }
            if (pos < bytes.length) { result := bytes[pos]; pos := pos + 1; }
          }
          action reserve(n: int) { if (n > 0) { spare := new int[n]; } }
          action release() { if (closed) { spare := null; } }
          action close() { closed := true; }
        }";
    std::fs::write(&file, text).expect("a file");
    let name = file.to_str().expect("UTF-8");
    let found = tranquera(&["epa", name, "--infer-requires", "--infer-invariants"]);
    let said = String::from_utf8_lossy(&found.stdout).to_string();
    let clauses = said.lines();
    let clauses = clauses.filter_map(|line| line.trim().strip_prefix("inferred: invariant "));
    assert_eq!(
        clauses.collect::<Vec<_>>(),
        [
            "bytes != null",
            "bytes.length == 8",
            "pos <= bytes.length",
            "spare == null || spare.length > 0",
            "pos >= 0",
        ],
        "{said}"
    );
    assert!(
        said.contains("invariant-violation  5: 5 unreachable"),
        "{said}"
    );
}

#[test]
fn bad_usage() {
    let class = format!("{FIXTURES}/stream.tq");
    for arguments in [
        &["epa", &class, "--write"][..],
        &["typestate", &class, "--invariant", "sink =="],
        &["typestate", &class, "--invariant", "snk == null"],
        &["typestate", &class, "--max-states", "0"],
        &["verify", &class],
        &["verify", &class, "--against", "no-such-file.tq"],
        &[
            "verify",
            &class,
            "--against",
            "fixtures/tosem-2013/published.json",
        ],
    ] {
        let output = tranquera(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}
