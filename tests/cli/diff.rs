//! `tranquera diff` and the XML from the command line: what is read, what is printed, and the exit status.

use std::path::Path;

use assert_cmd::assert::Assert;

use crate::support::program::{self, root, stderr, stdout};

fn tranquera(arguments: &[&str]) -> Assert {
    program::tranquera(arguments).assert()
}

fn fixture(name: &str) -> String {
    format!("{}/fixtures/corral-2016/{name}", root().display())
}

/// A file in a folder that goes away with the test.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

const GATE: &str = "class Gate {
  var open: bool;
  constructor() { open := false; }
  action lift() requires !open { open := true; }
  action lower() requires open { open := false; }
}
";

#[test]
fn a_class_is_as_its_recorded_epa() {
    for name in ["door", "finite_stack", "list_itr"] {
        let (old, new) = (
            fixture(&format!("{name}.epa.json")),
            fixture(&format!("{name}.tq")),
        );
        let assert = tranquera(&["diff", &old, &new, "--engine", "builtin"]).success();
        assert!(stdout(&assert).contains("no difference"), "{name}");
    }
}

/// The reference (§3.2): an unsigned `change` removes the state {} and the edge to it, and nothing else.
#[test]
fn two_classes() {
    let (old, new) = (
        fixture("vending_machine.tq"),
        fixture("vending_machine_unsigned.tq"),
    );
    let assert = tranquera(&["diff", &old, &new, "--engine", "builtin"]).code(1);
    let text = stdout(&assert);
    for wanted in [
        "  - S2 {}",
        "    - Buy → -S2",
        "states: 1 removed, 3 the same",
        "transitions: 1 removed, 5 the same",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    assert_eq!(stderr(&assert), "the EPAs differ\n");
}

#[test]
fn every_format_ends_with_status_1_where_there_is_a_difference() {
    let (old, new) = (
        fixture("vending_machine.epa.json"),
        fixture("vending_machine_unsigned.epa.json"),
    );
    for (format, wanted) in [
        ("text", "Buy"),
        ("json", "\"schema\": \"tranquera/diff/1\""),
        ("dot", "digraph"),
        ("svg", "<svg"),
        ("mermaid", "stateDiagram-v2"),
    ] {
        let assert = tranquera(&["diff", &old, &new, "--format", format]).code(1);
        assert!(stdout(&assert).contains(wanted), "{format}");
    }
    let json = stdout(&tranquera(&["diff", &old, &new, "--format", "json"]).code(1));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["different"], true);
    let removed: Vec<_> = json["transitions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|t| t["change"] == "removed")
        .map(|t| {
            (
                t["action"].as_str(),
                t["target"]["old"].as_str(),
                t["target"]["new"].as_str(),
            )
        })
        .collect();
    assert_eq!(removed, [(Some("Buy"), Some("S2"), None)]);
}

#[test]
fn the_output_goes_to_a_file() {
    let files = Files::new();
    let (old, new) = (fixture("door.epa.json"), fixture("linear.epa.json"));
    let svg = files.path("d.svg");
    let assert = tranquera(&["diff", &old, &new, "-f", "svg", "-o", &svg]).code(1);
    assert_eq!(stdout(&assert), "");
    assert!(
        std::fs::read_to_string(Path::new(&svg))
            .unwrap()
            .starts_with("<svg")
    );
}

#[test]
fn xml_is_written_and_compared() {
    let files = Files::new();
    for name in ["linear", "atm", "vending_machine"] {
        let class = fixture(&format!("{name}.tq"));
        let xml = files.path(&format!("{name}.xml"));
        tranquera(&[
            "epa", &class, "--engine", "builtin", "--format", "xml", "-o", &xml,
        ])
        .success();
        let json = fixture(&format!("{name}.epa.json"));
        tranquera(&["diff", &json, &xml]).success();
    }
    let (old, new) = (files.path("linear.xml"), files.path("atm.xml"));
    tranquera(&["diff", &old, &new]).code(1);
}

#[test]
fn renamings() {
    let files = Files::new();
    let old = files.write("old.tq", GATE);
    let new = files.write(
        "new.tq",
        &GATE.replace("lift", "raise").replace("Gate", "Barrier"),
    );
    let engine = ["--engine", "builtin"];
    let run = |renamed: &[&str]| {
        let mut arguments = vec!["diff", &old, &new];
        arguments.extend(engine);
        for renamed in renamed {
            arguments.extend(["--rename", renamed]);
        }
        tranquera(&arguments)
    };
    run(&[]).code(1);
    let assert = run(&["lift=raise", "Gate()=Barrier()"]).success();
    assert!(stdout(&assert).contains("lift → raise"));
    for (wrong, wanted) in [
        ("up=raise", "the old EPA has no action or constructor `up`"),
        ("lift=up", "the new EPA has no action or constructor `up`"),
        ("lift", "a renaming is written OLD=NEW"),
        (
            "lift=lower",
            "the old EPA has an action or constructor `lower` already",
        ),
    ] {
        let assert = run(&[wrong]).code(2);
        assert!(stderr(&assert).contains(wanted), "{}", stderr(&assert));
        assert_eq!(stdout(&assert), "");
    }
}

#[test]
fn bad_input_is_status_2() {
    let files = Files::new();
    let good = fixture("linear.epa.json");
    for (name, text, wanted) in [
        (
            "a.xml",
            "<abstraction>",
            "a.xml:1:1: the element `abstraction` has no attribute `initial_state`",
        ),
        (
            "b.xml",
            "<?xml version='1.0'?>\n<abstraction initial_state='i'>\n  <state/>\n</abstraction>",
            "b.xml:3:3: the element `state` has no attribute `name`",
        ),
        (
            "c.json",
            r#"{"schema": "tranquera/epa/9"}"#,
            "this is of the schema `tranquera/epa/9`",
        ),
        (
            "d.json",
            r#"{"schema": "tranquera/epa/1"}"#,
            "missing field",
        ),
        ("e.json", "{}", "error"),
        ("f.tq", "class {", "error"),
        ("g.tq", "", "there is no class"),
    ] {
        let bad = files.write(name, text);
        for (old, new) in [(&good, &bad), (&bad, &good)] {
            let assert = tranquera(&["diff", old, new]).code(2);
            assert!(
                stderr(&assert).contains(wanted),
                "{name}: {}",
                stderr(&assert)
            );
            assert_eq!(stdout(&assert), "");
        }
    }
    let missing = files.path("missing.tq");
    tranquera(&["diff", &good, &missing]).code(2);
    tranquera(&["diff", &good]).code(2);
    let twice = std::fs::read_to_string(&good)
        .unwrap()
        .replacen("\"S2\"", "\"S1\"", 1);
    let twice = files.write("twice.json", &twice);
    let assert = tranquera(&["diff", &good, &twice]).code(2);
    assert!(
        stderr(&assert).contains("there are two states `S1`"),
        "{}",
        stderr(&assert)
    );
}

#[test]
fn an_engine_that_is_missing_is_status_3() {
    let assert = tranquera(&[
        "diff",
        &fixture("linear.epa.json"),
        &fixture("linear.tq"),
        "--engine",
        "corral",
        "--corral",
        "/no/such/corral",
    ]);
    assert.code(3);
}

/// Findings reach the output: actions that are marked as the program's and as its environment's.
#[test]
fn findings_of_a_class() {
    let files = Files::new();
    let class = files.write(
        "link.tq",
        "class Link {
  var up: bool;
  constructor() { up := false; }
  controllable action send() requires up { }
  monitored action lost() requires up { up := false; }
  controllable action dial() requires !up { up := true; }
  action never() requires up && !up { }
}
",
    );
    let assert = tranquera(&["epa", &class, "--engine", "builtin", "--format", "json"]).success();
    let json: serde_json::Value = serde_json::from_str(&stdout(&assert)).unwrap();
    let kinds: Vec<_> = json["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| {
            (
                f["kind"].as_str(),
                f["state"].as_str(),
                f["action"].as_str(),
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [
            (Some("mixed-control"), Some("S2"), None),
            (Some("missing-action"), None, Some("never"))
        ]
    );
}
