//! The command line, as a person or a script meets it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::assert::Assert;

const VENDING_MACHINE: &str = "fixtures/corral-2016/vending_machine.tq";
const LINEAR: &str = "fixtures/corral-2016/linear.tq";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program, in the project's folder.
fn tranquera(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("tranquera").expect("built");
    command
        .current_dir(root())
        .env_remove("NO_COLOR")
        .env("TRANQUERA_CACHE", "off")
        .timeout(Duration::from_secs(900))
        .args(arguments);
    command
}

fn stdout(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stdout.clone()).expect("UTF-8")
}

fn stderr(assert: &Assert) -> String {
    String::from_utf8(assert.get_output().stderr.clone()).expect("UTF-8")
}

/// What is printed with status 0 and nothing on standard error.
fn printed(arguments: &[&str]) -> String {
    stdout(&tranquera(arguments).assert().success().stderr(""))
}

/// The report of a failure with this status and nothing on standard output.
fn failed(arguments: &[&str], status: i32) -> String {
    stderr(&tranquera(arguments).assert().code(status).stdout(""))
}

/// A folder with a file in it.
fn with_file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, content).expect("written");
    (folder, file)
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}

#[test]
fn help() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("help", printed(&["--help"]));
        for command in subcommands() {
            let text = printed(&[&command, "--help"]);
            insta::assert_snapshot!(format!("help.{command}"), text);
        }
    });
    assert_eq!(
        printed(&["--version"]),
        concat!("tranquera ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn bad_usage() {
    for arguments in [
        &["epa"][..],
        &["no-such-command"],
        &["epa", LINEAR, "--format", "png"],
        &["epa", LINEAR, "--no-such-option"],
        &["epa", LINEAR, "--actions", "a0", "--without", "a1"],
        &["epa", LINEAR, "--jobs", "0"],
        &["epa", LINEAR, "--timeout", "nan"],
        &["epa", LINEAR, "--memory", "1"],
        &["epa", LINEAR, "--recursion-bound", "-1"],
        &["query", LINEAR],
        &["query", LINEAR, "--all"],
    ] {
        let said = failed(arguments, 2);
        assert!(said.starts_with("error: "), "{arguments:?}: {said}");
    }
}

/// Text to tree to text, and through JSON, by the program itself.
#[test]
fn parse_round_trips() {
    let folder = tempfile::tempdir().expect("a folder");
    let classes = std::fs::read_dir(root().join("fixtures/corral-2016")).expect("a folder");
    let classes = classes
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "tq"));
    for class in classes.chain([root().join("tests/queries/mailbox.tq")]) {
        let class = class.to_str().expect("UTF-8");
        let (text, json) = (folder.path().join("c.tq"), folder.path().join("c.json"));
        let (text, json) = (text.to_str().expect("UTF-8"), json.to_str().expect("UTF-8"));
        assert_eq!(printed(&["parse", class, "-o", text]), "");
        assert_eq!(
            printed(&["parse", class, "--format", "json", "-o", json]),
            ""
        );
        let first = std::fs::read_to_string(text).expect("written");
        assert_eq!(printed(&["parse", text]), first, "{class}");
        assert_eq!(printed(&["parse", json]), first, "{class}");
        let tree = std::fs::read_to_string(json).expect("written");
        assert_eq!(
            printed(&["parse", json, "--format", "json"]),
            tree,
            "{class}"
        );
        assert_eq!(printed(&["parse", class, "--check"]), "");
    }
}

#[test]
fn an_epa_of_json_is_that_of_the_text() {
    let (_folder, json) = with_file("c.json", printed(&["parse", LINEAR, "--format", "json"]));
    let json = json.to_str().expect("UTF-8");
    assert_eq!(
        printed(&["epa", json, "--format", "dot"]),
        printed(&["epa", LINEAR, "--format", "dot"])
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
            "syntax.tq:1:17",
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
            let said = failed(&[command, file], 2);
            assert!(said.contains(file) && said.contains(expected), "{said}");
        }
    }
}

#[test]
fn names_that_are_not_there() {
    for (more, expected) in [
        (
            &["--class", "Nobody"][..],
            "error: there is no class `Nobody` in fixtures/corral-2016/linear.tq (there are: Linear)\n",
        ),
        (
            &["--without", "a7"],
            "error: class `Linear` has no action `a7` (it has: a0, a1, a2, get_N)\n",
        ),
        (
            &["--actions", "a0,b"],
            "error: class `Linear` has no action `b` (it has: a0, a1, a2, get_N)\n",
        ),
        (
            &["--engine", "steam"],
            "error: there is no engine `steam` (there are: builtin, boogie, corral, all)\n",
        ),
    ] {
        let (folder, file) = with_file("kept", "what was there");
        let out = file.to_str().expect("UTF-8");
        assert_eq!(
            failed(&[&["epa", LINEAR, "-o", out], more].concat(), 2),
            expected
        );
        assert_eq!(
            std::fs::read_to_string(&file).expect("there"),
            "what was there"
        );
        assert_eq!(names_in(folder.path()), ["kept"]);
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let (folder, file) = with_file("out.dot", "old");
    let out = file.to_str().expect("UTF-8");
    assert_eq!(printed(&["epa", LINEAR, "--format", "dot", "-o", out]), "");
    assert_eq!(
        std::fs::read_to_string(&file).expect("written"),
        printed(&["epa", LINEAR, "--format", "dot"])
    );
    assert_eq!(names_in(folder.path()), ["out.dot"]);
    let nowhere = folder.path().join("no/such/folder/out");
    let said = failed(&["epa", LINEAR, "-o", nowhere.to_str().expect("UTF-8")], 2);
    assert!(said.starts_with("error: cannot write "), "{said}");
    assert_eq!(names_in(folder.path()), ["out.dot"]);
    let onto_a_folder = folder.path().to_str().expect("UTF-8");
    failed(&["epa", LINEAR, "-o", onto_a_folder], 2);
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
        let said = failed(&[command.as_slice(), &["-o", other]].concat(), 2);
        assert!(
            said.contains("would overwrite the input"),
            "{command:?}: {said}"
        );
    }
    assert_eq!(std::fs::read_to_string(file).expect("there"), class);
}

#[test]
fn what_is_asked_to_hold() {
    for (class, what, message) in [
        (VENDING_MACHINE, "deadlock", "failed: deadlock states: 1\n"),
        (LINEAR, "finding", "failed: findings: 1\n"),
        (
            VENDING_MACHINE,
            "maybe,deadlock",
            "failed: deadlock states: 1\n",
        ),
    ] {
        let run = tranquera(&["epa", class, "--fail-on", what])
            .assert()
            .code(1);
        assert_eq!(stderr(&run), message);
        // The result is there all the same.
        assert_eq!(
            stdout(&run).lines().next(),
            printed(&["epa", class]).lines().next()
        );
    }
    for what in ["maybe", "violation", "deadlock"] {
        tranquera(&["epa", LINEAR, "--fail-on", what])
            .assert()
            .success();
    }
    tranquera(&["epa", VENDING_MACHINE, "--fail-on", "maybe,violation"])
        .assert()
        .success();
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
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("tranquera"))
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

#[test]
fn questions_are_printed_and_saved_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().join("questions");
    let into = into.to_str().expect("UTF-8");
    for (more, file) in [
        (&["--kind", "program"][..], "VendingMachine.bpl"),
        (
            &["--kind", "initial-state", "--to", "DisplayPrice,Buy"],
            "initial_state.by_new.to_DisplayPrice_Buy.bpl",
        ),
        (
            &[
                "--kind",
                "transition",
                "--from",
                "{Buy, DisplayPrice}",
                "--action",
                "Buy",
                "--to",
                "",
            ],
            "transition.from_DisplayPrice_Buy.by_Buy.to_nothing.bpl",
        ),
        (
            &[
                "--kind",
                "necessarily-enabled",
                "--from",
                "ReturnItem",
                "--action",
                "ReturnItem",
                "--of",
                "Buy",
            ],
            "necessarily_enabled.from_ReturnItem.by_ReturnItem.of_Buy.bpl",
        ),
        (
            &["--kind", "invariant-violation", "--action", "Buy"],
            "invariant_violation.from_any_state.by_Buy.bpl",
        ),
    ] {
        let asked = [&["query", VENDING_MACHINE], more].concat();
        let text = printed(&asked);
        assert!(text.starts_with("// The class VendingMachine.\n"));
        assert_eq!(
            text.contains("assert {:reached} false;"),
            more[1] != "program"
        );
        assert_eq!(printed(&[&asked[..], &["--save", into]].concat()), "");
        let saved = std::fs::read_to_string(Path::new(into).join(file));
        assert_eq!(saved.expect("saved under its name"), text);
    }
    assert_eq!(names_in(Path::new(into)).len(), 5);
}

#[test]
fn questions_that_lack_something() {
    for (more, expected) in [
        (
            &["--kind", "transition"][..],
            "error: this kind of question needs --action (or --constructor)\n",
        ),
        (
            &["--kind", "transition", "--action", "Buy"],
            "error: this kind of question needs --from\n",
        ),
        (
            &["--kind", "initial-state"],
            "error: this kind of question needs one --to\n",
        ),
        (
            &["--kind", "initial-state", "--to", "Sell"],
            "error: there is no action `Sell` (there are: DisplayPrice, Buy, ReturnChange, ReturnItem)\n",
        ),
    ] {
        assert_eq!(
            failed(&[&["query", VENDING_MACHINE], more].concat(), 2),
            expected
        );
    }
}

/// 20 + 20 + 8 questions, as published, and one on the invariant for each action that changes something and for the
/// constructor.
#[test]
fn all_questions_of_a_class() {
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().to_str().expect("UTF-8");
    let said = printed(&["query", VENDING_MACHINE, "--all", "--save", into]);
    assert_eq!(said, format!("saved 52 questions in {into}\n"));
    let names = names_in(folder.path());
    let of = |kind: &str| names.iter().filter(|name| name.starts_with(kind)).count();
    assert_eq!(names.len(), 52);
    assert_eq!(of("necessarily_enabled."), 20);
    assert_eq!(of("necessarily_disabled."), 20);
    assert_eq!(of("transition.") + of("initial_state."), 8);
    assert_eq!(of("invariant_violation."), 4);
    for name in names {
        let text = std::fs::read_to_string(folder.path().join(&name)).expect("saved");
        let parsed = tranquera::boogie::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        tranquera::boogie::check(&parsed).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(text.contains(name.trim_end_matches(".bpl")), "{name}");
    }
}

/// Two actions whose sets of enabled ones would be written alike with one underscore between the names, and a saved
/// file for each question.
#[test]
fn states_that_read_alike_have_different_names() {
    let text = "class C { var x: int; constructor(n: int) { x := n; }
        action get() requires x == 0 { havoc x; }
        action next() requires x == 0 { havoc x; }
        action get_next() requires x == 1 { havoc x; } }";
    let (folder, file) = with_file("c.tq", text);
    let file = file.to_str().expect("a path");
    let questions = folder.path().join("questions");
    let save = |state: &str| {
        let arguments = [
            "query",
            file,
            "--kind",
            "initial-state",
            "--to",
            state,
            "--save",
        ];
        tranquera(&arguments).arg(&questions).assert().success();
    };
    save("get,next");
    save("get_next");
    assert_eq!(names_in(&questions).len(), 2, "{:?}", names_in(&questions));
}

#[test]
fn the_built_in_engine_keeps_its_questions_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("new/kept");
    let class = "fixtures/corral-2016/test2.tq";
    let arguments = ["epa", class, "--format", "json", "--keep"];
    let assert = tranquera(&arguments).arg(&kept).assert().success();
    let epa: serde_json::Value = serde_json::from_str(&stdout(&assert)).expect("JSON");
    let names = names_in(&kept);
    let ending = |end: &str| names.iter().filter(|n| n.ends_with(end)).count() as u64;
    assert_eq!(
        Some(ending(".bpl")),
        epa["stats"]["queries"]["total"].as_u64()
    );
    assert_eq!(ending(".bpl"), ending(".builtin.txt"));
    let one = names
        .iter()
        .find(|n| n.ends_with(".txt"))
        .expect("a report");
    let report = std::fs::read_to_string(kept.join(one)).expect("text");
    assert!(report.contains("\nengine: builtin\nverdict: "), "{report}");
}

#[test]
fn engines_are_listed() {
    let text = printed(&["engines"]);
    for engine in ["builtin", "boogie", "corral"] {
        assert!(text.lines().any(|line| line.starts_with(engine)), "{text}");
    }
    assert!(text.contains("Z3"), "{text}");
}

fn subcommands() -> Vec<String> {
    let help = printed(&["--help"]);
    let listed = help
        .split("Commands:\n")
        .nth(1)
        .and_then(|rest| rest.split("\n\n").next());
    let listed = listed.expect("a list").lines();
    listed
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn shells_and_man_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = printed(&["completions", shell]);
        for command in subcommands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man pages");
    let path = pages.display().to_string();
    assert_eq!(printed(&["man", &path]), "");
    for command in subcommands() {
        let page = std::fs::read_to_string(pages.join(format!("tranquera-{command}.1")));
        assert!(page.expect("a page").contains(".SH SYNOPSIS"), "{command}");
    }
}

#[test]
fn messages_are_told_on_request() {
    let class = "fixtures/corral-2016/test2.tq";
    let told = |options: &[&str]| {
        let arguments = [["epa", class].as_slice(), options].concat();
        let output = tranquera(&arguments).output().expect("it runs");
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("text")
    };
    // Standard error is no terminal here.
    assert_eq!(told(&[]), "");
    assert_eq!(told(&["--quiet"]), "");
    assert!(told(&["-v"]).contains("states found states=4"));
    assert!(told(&["-vv"]).contains("question=any_other_target.by_new.outside_no_state"));
    // The reference: nine questions for this class.
    let answers = told(&["--log-json"]);
    let answers = answers
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"))
        .filter(|message| message["verdict"].is_string());
    assert_eq!(answers.count(), 9);
}
