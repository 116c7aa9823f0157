//! `tranquera check`: what is expected of classes, kept beside them; and the places from which it is run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::program::{self, PROGRAM, names_in, root};

const GATE: &str = "class Gate {
  var open: bool;
  constructor() { open := false; }
  action lift() requires !open { open := true; }
  action pass() requires open { }
  action lower() requires open { open := false; }
}
";

/// The same, but `lower` no longer lowers it.
fn broken() -> String {
    GATE.replace("requires open { open := false; }", "requires open { }")
}

const DOOR: &str = "class Door {
  var open: bool;
  constructor() { open := false; }
  action enter() requires !open { open := true; }
}
";

/// Two places, and nobody looks whether they are taken: the third book falls down. What is not there can be taken.
const SHELF: &str = include_str!("../support/shelf.tq");

/// A project's folder, with answers of its own.
struct Project(TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    /// A gate of which is expected what it does.
    fn gate() -> Project {
        let project = Project::new(&[("src/gate.tq", GATE)]);
        let (status, text, _) = project.check(&["--update", "src/gate.tq"]);
        assert_eq!(
            (status, text.as_str()),
            (
                0,
                "src/gate.tq: Gate: src/gate.Gate.epa.json written\nprotocols: 1 written\n"
            )
        );
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("there")
    }

    /// The status, and what is said to standard output and standard error.
    fn check(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = program::tranquera(["check"].iter().chain(arguments))
            .current_dir(self.0.path())
            .env("TRANQUERA_CACHE", self.path(".cache"))
            .output()
            .expect("it runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let status = output.status.code().expect("a status");
        (status, text(output.stdout), text(output.stderr))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.check(arguments).1).expect("JSON")
    }
}

#[test]
fn a_protocol_that_changed_is_told_in_words() {
    let project = Project::gate();
    assert_eq!(
        names_in(&project.path("src")),
        ["gate.Gate.epa.json", "gate.tq"]
    );
    let well = "src/gate.tq: Gate: as expected\nprotocols: 1 as expected\n";
    assert_eq!(project.check(&[]), (0, well.to_owned(), String::new()));

    project.write("src/gate.tq", &broken());
    let (status, text, said) = project.check(&[]);
    assert_eq!(status, 1);
    assert_eq!(
        text,
        "src/gate.tq: Gate: the protocol changed
  after `lower`, `pass` and `lower` can be called now
  after `lower`, `lift` can no longer be called
  (expected: src/gate.Gate.epa.json)
protocols: 1 changed
"
    );
    assert!(
        said.starts_with("failed: protocols that changed: 1\nhelp: "),
        "{said}"
    );
    // The same each time, from wherever it is asked.
    for paths in [
        &["src"][..],
        &["src/gate.tq"],
        &["./src/gate.Gate.epa.json", "src"],
    ] {
        assert_eq!(project.check(paths).1, text, "{paths:?}");
    }

    let before = project.read("src/gate.Gate.epa.json");
    assert_eq!(project.check(&["--update"]).0, 0);
    assert_ne!(project.read("src/gate.Gate.epa.json"), before);
    assert_eq!(project.check(&[]).1, well);
    let kept = project.check(&["--update"]);
    let text = "src/gate.tq: Gate: src/gate.Gate.epa.json is as it was\nprotocols: 1 written\n";
    assert_eq!(kept.1, text);
}

/// What is kept is what `diff` reads, and nothing that another run would say otherwise.
#[test]
fn what_is_kept_is_an_epa() {
    let project = Project::gate();
    let kept: Value = serde_json::from_str(&project.read("src/gate.Gate.epa.json")).expect("JSON");
    assert_eq!(kept["schema"], "tranquera/epa/1");
    assert_eq!(kept.get("stats"), None);
    let (kept, class) = (
        project.path("src/gate.Gate.epa.json"),
        project.path("src/gate.tq"),
    );
    program::tranquera(["diff".as_ref(), kept.as_os_str(), class.as_os_str()])
        .assert()
        .success();
}

/// The papers' classes, with EPAs that were typed from the papers or found by an exploration of their own.
#[test]
fn the_fixtures_are_as_expected() {
    let text = program::printed(["check", "fixtures/corral-2016", "fixtures/tse-2012"]);
    let last = text.lines().last().expect("a line");
    assert!(
        last.ends_with(" as expected") && !last.contains(','),
        "{text}"
    );
}

#[test]
fn classes_are_named_or_all_of_a_source() {
    let both = format!("{GATE}\n{DOOR}\nclass Record {{ var n: int; }}\n");
    let project = Project::new(&[("two.tq", both.as_str())]);
    assert_eq!(
        project.check(&["--update", "two.tq", "--class", "Gate"]).0,
        0
    );
    assert_eq!(
        names_in(project.0.path()),
        [".cache", "two.Gate.epa.json", "two.tq"]
    );
    // A class without actions has no order of calls.
    let (_, text, _) = project.check(&["--update", "two.tq"]);
    assert_eq!(
        text,
        "two.tq: Gate: two.Gate.epa.json is as it was\ntwo.tq: Door: two.Door.epa.json written\nprotocols: 2 written\n"
    );
    let (_, text, _) = project.check(&["--class", "Door"]);
    assert_eq!(
        text,
        "two.tq: Door: as expected\nprotocols: 1 as expected\n"
    );
}

/// What cannot be checked is said with the way out, and the others are checked all the same.
#[test]
fn what_cannot_be_checked_is_said_and_the_others_are_done() {
    let project = Project::gate();
    project.write(
        "src/moved.Old.epa.json",
        &project.read("src/gate.Gate.epa.json"),
    );
    project.write("src/door.tq", DOOR);
    project.write(
        "src/door.Window.epa.json",
        &project.read("src/gate.Gate.epa.json"),
    );
    project.write("src/door.Door.epa.json", "{\"schema\": \"tranquera/epa/1\"");
    project.write("src/bad.tq", "class Bad { var x: nosuch; action a() { } }");
    project.write(
        "src/bad.Bad.epa.json",
        &project.read("src/gate.Gate.epa.json"),
    );
    let (status, text, said) = project.check(&[]);
    assert_eq!(status, 2);
    assert_eq!(
        text,
        "src/bad.tq: Bad: not checked
src/door.tq: Door: not checked
src/door.tq: Window: not checked
src/gate.tq: Gate: as expected
src/moved.Old.epa.json: not checked
protocols: 1 as expected, 4 not checked
"
    );
    for wanted in [
        "src/bad.tq:1:20",
        "error: src/door.Door.epa.json: EOF while parsing an object",
        "help: `tranquera check --update src/door.Door.epa.json` writes it anew",
        "error: there is no class `Window` in src/door.tq (there are: Door)",
        "if the class is gone, delete that file",
        "error: src/moved.Old.epa.json: there is no source beside it",
        "help: if the class is gone, delete this file",
        "error: protocols that could not be checked: 4",
    ] {
        assert!(said.contains(wanted), "{wanted}\n{said}");
    }
    // The way out is one.
    assert_eq!(project.check(&["--update", "src/door.Door.epa.json"]).0, 0);
    assert_eq!(project.check(&["src/door.Door.epa.json"]).0, 0);
}

/// What is expected of some of the actions is no news when the others change, and no later run has to be told which.
#[test]
fn what_is_left_out_is_not_expected() {
    let project = Project::gate();
    let file = "src/gate.Gate.epa.json";
    let kept = || -> Value { serde_json::from_str(&project.read(file)).expect("JSON") };
    assert_eq!(kept().get("kept_with"), None);
    for (flags, with) in [
        (
            ["--without", "pass"],
            serde_json::json!({ "without": ["pass"] }),
        ),
        (
            ["--actions", "lower,lift"],
            serde_json::json!({ "actions": ["lower", "lift"] }),
        ),
    ] {
        project.write("src/gate.tq", GATE);
        let update = ["--update", "src/gate.tq", flags[0], flags[1]];
        assert_eq!(project.check(&update).0, 0, "{flags:?}");
        assert_eq!(kept()["kept_with"], with);
        assert_eq!(kept()["actions"], serde_json::json!(["lift", "lower"]));
        assert_eq!(project.check(&[]).0, 0, "{flags:?}");
        project.write(
            "src/gate.tq",
            &GATE.replace("pass() requires open", "pass()"),
        );
        assert_eq!(project.check(&[]).0, 0, "{flags:?}");
        // To write it anew is to write the same.
        let (status, text, _) = project.check(&["--update"]);
        assert_eq!(status, 0);
        assert!(text.contains("is as it was"), "{text}");
        // What is not left out is seen.
        project.write("src/gate.tq", &broken());
        let (status, text, _) = project.check(&[]);
        assert_eq!(status, 1);
        assert!(
            text.contains("after `lower`, `lift` can no longer be called"),
            "{text}"
        );
    }
    // An action that is gone: there is a way out.
    project.write("src/gate.tq", &GATE.replace("lower", "let_down"));
    let (status, _, said) = project.check(&[]);
    assert_eq!(status, 2);
    for wanted in [
        "class `Gate` has no action `lower`",
        "if an action is gone that it names, say with `--update` which there are",
    ] {
        assert!(said.contains(wanted), "{wanted}\n{said}");
    }
    let update = ["--update", "src/gate.tq", "--actions", "lift,let_down"];
    assert_eq!(project.check(&update).0, 0);
    assert_eq!(project.check(&[]).0, 0);
    // It is said when it is written, not from run to run.
    for flags in [
        &["--without", "pass"][..],
        &["--actions", "pass"],
        &["--confirm"],
    ] {
        assert_eq!(project.check(flags).0, 2, "{flags:?}");
    }
    // A file of which not all is understood is not taken for another one.
    let odd = project
        .read(file)
        .replace("\"kept_with\": {", "\"kept_with\": { \"sometimes\": true,");
    project.write(file, &odd);
    let (status, _, said) = project.check(&[]);
    assert_eq!(status, 2);
    assert!(said.contains("unknown field `sometimes`"), "{said}");
}

/// That states are told apart by more is kept, and looked at: a gate that is never passed still counts who could have.
#[test]
fn states_that_are_told_apart_by_more_are_expected() {
    let counted = |count: &str| {
        let text = GATE.replace("var open: bool;", "var open: bool; var passed: int := 0;");
        text.replace(
            "pass() requires open { }",
            &format!("pass() requires open {{ {count} }}"),
        )
    };
    let project = Project::new(&[("gate.tq", counted("passed := 1;").as_str())]);
    let update = ["--update", "gate.tq", "--states", "passed > 0"];
    let (status, _, said) = project.check(&update);
    assert_eq!((status, said.as_str()), (0, ""));
    let kept: Value = serde_json::from_str(&project.read("gate.Gate.epa.json")).expect("JSON");
    assert_eq!(
        kept["kept_with"],
        serde_json::json!({ "states": ["passed > 0"] })
    );
    assert_eq!(kept["predicates"], serde_json::json!(["passed > 0"]));
    let enabled = serde_json::json!(["pass", "lower", "passed > 0"]);
    let states = kept["states"].as_array().expect("a list");
    assert_eq!(states.len(), 4);
    assert!(
        states.iter().any(|state| state["enabled"] == enabled),
        "{states:?}"
    );
    assert_eq!(project.check(&[]).0, 0);
    assert_eq!(project.check(&["--update"]).0, 0);
    assert_eq!(project.check(&[]).0, 0);
    // Nobody is counted any more: without the predicate, that is no other protocol.
    project.write("gate.tq", &counted(""));
    let (status, text, _) = project.check(&[]);
    assert_eq!(status, 1);
    assert!(text.contains("passed > 0"), "{text}");
}

/// The state of the vending machine in which a customer is stuck is one that no object reaches: the second pass proves it.
#[test]
fn what_the_second_pass_refutes_is_not_expected() {
    let machine = root().join("fixtures/corral-2016/vending_machine.tq");
    let machine = std::fs::read_to_string(machine).expect("there");
    let project = Project::new(&[("machine.tq", machine.as_str())]);
    let stuck = || {
        let kept: Value =
            serde_json::from_str(&project.read("machine.VendingMachine.epa.json")).expect("JSON");
        let edges = kept["transitions"].as_array().expect("a list");
        // How a run was found is not kept: it may be another one the next time.
        assert!(edges.iter().all(|edge| edge["confirmation"].is_null()));
        let states = kept["states"].as_array().expect("a list");
        states
            .iter()
            .filter(|state| state["enabled"] == serde_json::json!([]))
            .count()
    };
    assert_eq!(project.check(&["--update", "machine.tq"]).0, 0);
    assert_eq!(stuck(), 1);
    let confirmed = ["--update", "machine.tq", "--confirm"];
    let (status, _, said) = project.check(&confirmed);
    assert_eq!((status, said.as_str(), stuck()), (0, "", 0));
    // No later run needs to be told.
    let (status, text, said) = project.check(&[]);
    let well = "machine.tq: VendingMachine: as expected\nprotocols: 1 as expected\n";
    assert_eq!((status, text.as_str(), said.as_str()), (0, well, ""));
    assert_eq!(project.check(&["--update"]).0, 0);
    assert_eq!(stuck(), 0);
    // A class in which nothing is left to refute does the same.
    let mended = machine.replace(
        "invariant change > 0 ==> selling;",
        "invariant change > 0 ==> selling; invariant change >= 0;",
    );
    assert_ne!(machine, mended);
    project.write("machine.tq", &mended);
    assert_eq!(project.check(&[]).1, well);
}

/// A class of Java, as `javac` makes it.
#[test]
fn a_java_class_has_a_protocol_too() {
    let source = "package yard;
        public class Barrier {
          private boolean open;
          public void lift() { if (open) throw new IllegalStateException(); open = true; }
          public void lower() { if (!open) throw new IllegalStateException(); open = false; }
        }";
    let project = Project::new(&[]);
    let compiled = |text: &str| {
        project.write("Barrier.java", text);
        let output = sh(&project, "javac -g Barrier.java && rm Barrier.java", &[]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    compiled(source);
    let (status, text, said) = project.check(&["--update", "Barrier.class"]);
    assert_eq!(status, 0, "{said}");
    assert!(text.ends_with("protocols: 1 written\n"), "{text}");
    let (status, text, _) = project.check(&[]);
    assert_eq!(
        (status, text.as_str()),
        (
            0,
            "Barrier.class: yard.Barrier: as expected\nprotocols: 1 as expected\n"
        )
    );
    compiled(&source.replace("open = false;", ""));
    let (status, text, _) = project.check(&[]);
    assert_eq!(status, 1);
    for change in [
        "Barrier.class: yard.Barrier: the protocol changed",
        "after `lower`, `lower` can be called now",
        "after `lower`, `lift` can no longer be called",
    ] {
        assert!(text.contains(change), "{change}\n{text}");
    }
    let log = project.json(&["--format", "sarif"]);
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "Barrier.class");
}

/// A contract, from what the compiler made of it.
#[test]
fn a_contract_has_a_protocol_too() {
    let tree = std::fs::read_to_string(root().join("fixtures/solidity/ether.json")).expect("there");
    let project = Project::new(&[("ether.json", tree.as_str())]);
    let update = [
        "--update",
        "ether.json",
        "--contract",
        "Ether",
        "--without",
        "pay",
    ];
    let (status, text, said) = project.check(&update);
    assert_eq!(status, 0, "{said}");
    assert_eq!(
        text,
        "ether.json: Ether: ether.Ether.epa.json written\nprotocols: 1 written\n"
    );
    let (status, text, _) = project.check(&[]);
    assert_eq!(
        (status, text.as_str()),
        (
            0,
            "ether.json: Ether: as expected\nprotocols: 1 as expected\n"
        )
    );
    // Without the word that it is left out, `pay` is news.
    let file = "ether.Ether.epa.json";
    let mut kept: Value = serde_json::from_str(&project.read(file)).expect("JSON");
    kept.as_object_mut().expect("an object").remove("kept_with");
    project.write(file, &kept.to_string());
    let (status, text, _) = project.check(&[]);
    assert_eq!(status, 1);
    assert!(text.contains("`pay`"), "{text}");
    let log = project.json(&["--format", "sarif"]);
    // A tree without the source knows no lines.
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "ether.json");
}

#[test]
fn nothing_to_check_is_no_success() {
    let project = Project::new(&[("gate.tq", GATE)]);
    for paths in [&[][..], &["gate.tq"]] {
        let (status, text, said) = project.check(paths);
        assert_eq!((status, text.as_str()), (2, ""));
        assert!(
            said.contains("help: `tranquera check --update FILE`"),
            "{said}"
        );
    }
    let (status, _, said) = project.check(&["nowhere"]);
    assert_eq!(status, 2);
    assert!(said.starts_with("error: cannot read nowhere: "), "{said}");
}

#[test]
fn an_engine_that_is_missing_is_status_3() {
    let project = Project::gate();
    let (status, _, said) = project.check(&["--engine", "corral", "--corral", "/no/such/corral"]);
    assert_eq!(status, 3, "{said}");
}

/// Call by call, from the constructor on, where the second pass is made.
#[test]
fn what_an_object_does_has_its_run_in_sarif() {
    let project = Project::new(&[("shelf.tq", SHELF)]);
    let (status, _, said) = project.check(&["--update", "shelf.tq", "--confirm"]);
    assert_eq!(status, 0, "{said}");
    let (status, text, _) = project.check(&["--format", "sarif"]);
    assert_eq!(status, 0);
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let run_of = |rule: &str| -> Vec<(String, u64)> {
        let result = results.iter().find(|result| result["ruleId"] == rule);
        let flow = &result.expect(rule)["codeFlows"][0]["threadFlows"][0];
        let steps = flow["locations"].as_array().expect("steps").iter();
        let steps = steps.map(|step| {
            let said = step["location"]["message"]["text"].as_str();
            let call = said.and_then(|said| said.split_once('('));
            let line = &step["location"]["physicalLocation"]["region"]["startLine"];
            let (name, _) = call.expect("a call");
            (name.to_owned(), line.as_u64().expect("a line"))
        });
        steps.collect()
    };
    let call = |name: &str, line: u64| (name.to_owned(), line);
    let puts = [
        call("Shelf", 5),
        call("put", 6),
        call("put", 6),
        call("put", 6),
    ];
    assert_eq!(run_of("runtime-error"), puts);
    assert_eq!(
        run_of("broken-invariant"),
        [call("Shelf", 5), call("take", 7)]
    );
}

/// SARIF 2.1.0 (OASIS): what a log, a run, a result and a place must have, and that rules and places are those meant. The
/// schema itself is asked in `sarif_is_as_its_schema_says`.
#[test]
fn sarif_has_its_places() {
    let project = Project::gate();
    project.write("src/gate.tq", &broken());
    let log = project.json(&["--format", "sarif"]);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "tranquera");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    let mut found = Vec::new();
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("a number") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        let message = result["message"]["text"].as_str().expect("a text");
        assert!(!message.is_empty());
        assert_eq!(place["artifactLocation"]["uri"], "src/gate.tq");
        found.push((
            result["ruleId"].as_str().expect("an id"),
            result["level"].as_str().expect("a level"),
            place["region"]["startLine"].as_u64().expect("a line"),
        ));
    }
    // `lower` is on line 6; that the gate, once open, stays so, is said of the class, on line 1.
    assert_eq!(
        found,
        [
            ("edge-removed", "error", 6),
            ("edge-added", "error", 6),
            ("sink-state", "warning", 1),
        ]
    );
    let message = results[0]["message"]["text"].as_str().expect("a text");
    assert!(
        message.starts_with("after `lower`, `pass` and `lower` can be called now; after"),
        "{message}"
    );
}

/// Runs something in a project's folder, with the program on the path.
fn sh(project: &Project, script: &str, variables: &[(&str, &Path)]) -> Output {
    let program = Path::new(PROGRAM).parent().expect("a folder");
    let path = std::env::var("PATH").expect("PATH");
    Command::new("bash")
        .args(["-c", script])
        .current_dir(project.0.path())
        .env("PATH", format!("{}:{path}", program.display()))
        .env("TRANQUERA_CACHE", project.path(".cache"))
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .output()
        .expect("a shell")
}

/// What a line of YAML with this key says, everywhere in a file.
fn said_by<'a>(yaml: &'a str, key: &str) -> Vec<&'a str> {
    let lines = yaml.lines().map(|line| line.trim_start_matches([' ', '-']));
    lines
        .filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "))
        .collect()
}

/// The steps of the action, in their order, as the runner runs them.
#[test]
fn the_action_does_what_it_says() {
    let action = root().join(".github/actions/check");
    let yaml = std::fs::read_to_string(action.join("action.yml")).expect("there");
    let steps = said_by(&yaml, "run");
    assert_eq!(steps.len(), 2);
    let project = Project::gate();
    let run = |script: &str| {
        let (output, summary) = (project.path("outputs"), project.path("summary"));
        let variables = [
            ("GITHUB_ACTION_PATH", action.as_path()),
            ("GITHUB_OUTPUT", &output),
            ("GITHUB_STEP_SUMMARY", &summary),
            ("RUNNER_TEMP", project.0.path()),
            ("TRANQUERA_PATHS", Path::new("src")),
            ("TRANQUERA_ARGUMENTS", Path::new("--exceptions none")),
        ];
        sh(&project, script, &variables)
    };
    for (text, status) in [(GATE.to_owned(), 0), (broken(), 1)] {
        project.write("src/gate.tq", &text);
        let done: Vec<i32> = steps
            .iter()
            .map(|step| run(step).status.code().expect("a status"))
            .collect();
        assert_eq!(done, [0, status]);
    }
    let outputs = project.read("outputs");
    for format in ["sarif", "markdown", "junit"] {
        let line = outputs.lines().rfind(|line| line.starts_with(format));
        let (_, file) = line.expect("told").split_once('=').expect("a file");
        let report = std::fs::read_to_string(file).expect("there");
        assert!(report.contains("can no longer be called"), "{report}");
        assert!(yaml.contains(&format!("steps.check.outputs.{format}")));
    }
    assert!(
        project
            .read("summary")
            .contains("- after `lower`, `lift` can no longer be called")
    );
    // A report of an earlier run is not handed on.
    project.write("src/gate.Gate.epa.json", "");
    std::fs::remove_file(project.path("src/gate.Gate.epa.json")).expect("there");
    std::fs::remove_file(project.path("outputs")).expect("there");
    assert_eq!(run(steps[1]).status.code(), Some(2));
    assert!(!project.path("outputs").exists());
}

/// The hooks of pre-commit, as it runs them.
#[test]
fn the_hooks_do_what_they_say() {
    let yaml = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).expect("there");
    let entries = said_by(&yaml, "entry");
    assert_eq!(entries, ["tranquera check", "tranquera fmt"]);
    let project = Project::gate();
    assert_eq!(sh(&project, entries[0], &[]).status.code(), Some(0));
    project.write("src/gate.tq", &broken());
    assert_eq!(sh(&project, entries[0], &[]).status.code(), Some(1));
    let ugly = broken().replace("  action", "action");
    project.write("src/gate.tq", &ugly);
    let format = format!("{} src/gate.tq", entries[1]);
    assert_eq!(sh(&project, &format, &[]).status.code(), Some(0));
    // pre-commit fails where a file is another one than before.
    assert_eq!(project.read("src/gate.tq"), broken());
}

/// Classes of which one or another has a finding of each kind that there is.
const FOUND: [(&str, &str); 8] = [
    (
        "contradiction.tq",
        "class Contradiction { var x: int; invariant x > 3; invariant x < 2; constructor() { x := 1; } action a() { } }",
    ),
    (
        "start.tq",
        "class Start { var x: int; initially x > 2; initially x < 1; action a() { } }",
    ),
    (
        "nothing.tq",
        "class Nothing { var x: int; constructor(n: int) requires n > 3 && n < 2 { x := n; } action a() { } }",
    ),
    (
        "assumed.tq",
        "class Assumed { var on: bool; var n: int;
          state { start } assumes n == 0;
          constructor() { on := false; n := 0; }
          constructor(k: int) { on := false; n := k; }
          action start() requires !on { on := true; n := 1; }
          action stop() requires on { on := false; n := 0; }
          action skip() requires on { on := false; }
        }",
    ),
    (
        "keys.tq",
        "class Keys { var at: map<int, int>;
          action schedule(id: int) requires at[id] == 0 { at[id] := 2; }
          action cancel(id: int) requires at[id] > 1 { at[id] := 0; }
        }",
    ),
    // The caller of `open` is told that it failed, and yet it is open.
    (
        "line.tq",
        "exception Failed;
        class Line { var on: bool;
          constructor() { on := false; }
          action open() requires !on { on := true; if (*) { throw Failed; } }
          action read() requires on { }
          action close() requires on { on := false; }
        }",
    ),
    // What `put` is refused by is what `take` may end in, whatever its caller does.
    (
        "queue.tq",
        "exception Closed;
        class Queue { var n: int;
          constructor() { n := 0; }
          action take() { if (*) { throw Closed; } }
          action put() { if (n > 3) { throw Closed; } n := n + 1; }
        }",
    ),
    // Behind loops that no bound ends.
    (
        "doubt.tq",
        "class Doubt { var x: int; invariant x >= 0;
          constructor() { x := 0; }
          action count(n: int) requires n >= 0 {
            var i: int := n; var s: int := 0;
            while (i != 0) { i := i - 1; s := s + i * i - 2 * i + 1; }
            x := s;
          }
          action divide(n: int) requires n > 0 {
            var i: int := n; var s: int := 1;
            while (i != 0) { i := i - 1; s := s * 3 + i; }
            x := 7 div s;
          }
        }",
    ),
];

/// Files with the other kinds.
const FOUND_IN: [&str; 9] = [
    "fixtures/tse-2012/ms_nss.tq",
    "fixtures/tse-2012/winsra_second.tq",
    "fixtures/corral-2016/linear.tq",
    "fixtures/corral-2016/test2.tq",
    "tests/classes/array_of_nat.tq",
    "tests/classes/arrays.tq",
    "tests/classes/fact.tq",
    "tests/classes/parallel.tq",
    "tests/classes/states.tq",
];

/// All that a result can be about: the findings of `docs/findings.md` but those of `tranquera roles`, and what becomes of a
/// protocol.
const RULES: [&str; 30] = [
    "action-added",
    "action-removed",
    "always-violates",
    "blocked-environment",
    "broken-invariant",
    "contradictory-assumption",
    "contradictory-invariant",
    "contradictory-start",
    "deadlock-state",
    "edge-added",
    "edge-changed",
    "edge-removed",
    "false-assumption",
    "forgotten-call",
    "high-fan-in",
    "left-open",
    "mirrored-actions",
    "missing-action",
    "mixed-control",
    "no-object",
    "no-transition",
    "nondeterministic-action",
    "not-checked",
    "per-key",
    "possible-runtime-error",
    "possible-violation",
    "runtime-error",
    "sink-state",
    "unforeseen-refusal",
    "unproved-assumption",
];

/// The schema of OASIS, as npm's `@microsoft/jest-sarif` carries it, asked by the `ajv` that it depends on, of results of every
/// kind.
#[test]
#[ignore = "installs the schema from npm"]
fn sarif_is_as_its_schema_says() {
    let project = Project::new(&FOUND);
    for path in FOUND_IN {
        let text = std::fs::read_to_string(root().join(path)).expect("there");
        let name = path.rsplit('/').next().expect("a name");
        project.write(name, &text);
    }
    project.write("src/gate.tq", GATE);
    project.write("src/a door.tq", DOOR);
    let mut files: Vec<&str> = FOUND.iter().map(|(name, _)| *name).collect();
    files.extend(FOUND_IN.iter().filter_map(|path| path.rsplit('/').next()));
    files.extend(["src/gate.tq", "src/a door.tq"]);
    for file in files {
        let read: &[&str] = match file {
            // Which exceptions refuse is known where the order of calls is taken from bodies.
            "queue.tq" => &["--infer-requires"],
            _ => &[],
        };
        let (status, _, said) = project.check(&[&["--update", file], read].concat());
        assert_eq!(status, 0, "{file}: {said}");
    }
    // With the second pass, what is found has its run.
    project.write("shelf.tq", SHELF);
    let (status, _, said) = project.check(&["--update", "shelf.tq", "--confirm"]);
    assert_eq!(status, 0, "{said}");
    // Other arrows; an action that comes and one that goes; one that is not certain any more; and a class that is gone.
    project.write("src/gate.tq", &broken());
    project.write("src/a door.tq", &DOOR.replace("enter", "come_in"));
    let kept = "test2.Test2.epa.json";
    let uncertain = project.read(kept).replacen("\"reached\"", "\"maybe\"", 1);
    project.write(kept, &uncertain);
    project.write("src/old.Old.epa.json", "{}");
    let log = |arguments: &[&str], expected: i32| -> Value {
        let (status, text, said) = project.check(&[&["--format", "sarif"], arguments].concat());
        assert_eq!(status, expected, "{said}");
        serde_json::from_str(&text).expect("JSON")
    };
    let logs = [log(&[], 2), log(&["--infer-requires", "queue.tq"], 0)];
    let results = logs
        .iter()
        .flat_map(|log| log["runs"][0]["results"].as_array());
    let results: Vec<&Value> = results.flatten().collect();
    assert!(results.iter().any(|result| result["codeFlows"].is_array()));
    let rules = results
        .iter()
        .filter_map(|result| result["ruleId"].as_str());
    let rules: BTreeSet<&str> = rules.collect();
    assert!(rules.iter().eq(&RULES), "{rules:?}");
    for (log, name) in logs.iter().zip(["log.sarif", "other.sarif"]) {
        project.write(name, &log.to_string());
    }
    let script = "npm install --no-audit --no-fund --silent @microsoft/jest-sarif >&2 && node -e '
        const fs = require(\"fs\"), Ajv = require(\"ajv\");
        const read = file => JSON.parse(fs.readFileSync(file));
        const folder = \"node_modules/@microsoft/jest-sarif/lib/schemas/\";
        const ajv = new Ajv({ schemaId: \"auto\", unknownFormats: \"ignore\" });
        const draft = \"node_modules/ajv/lib/refs/json-schema-draft-04.json\";
        ajv.addMetaSchema(read(draft));
        const valid = ajv.compile(read(folder + \"sarif-2.1.0-rtm.5.json\"));
        for (const log of [\"log.sarif\", \"other.sarif\"])
          if (!valid(read(log))) { console.error(valid.errors); process.exit(1); }
        const bad = read(\"log.sarif\"); bad.runs[0].results[0].level = \"bad\";
        if (valid(bad)) { console.error(\"everything is valid\"); process.exit(1); }'";
    let output = sh(&project, script, &[]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
