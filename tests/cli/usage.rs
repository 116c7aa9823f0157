//! What can be asked, and what is said of what cannot: help, options, names, messages, the exit status.

use crate::support::program::{failed, names_in, printed, stderr, stdout, tranquera, with_file};

const VENDING_MACHINE: &str = "fixtures/corral-2016/vending_machine.tq";
const LINEAR: &str = "fixtures/corral-2016/linear.tq";

#[test]
fn help() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("help", printed(["--help"]));
        for command in subcommands() {
            let text = printed([&command, "--help"]);
            insta::assert_snapshot!(format!("help.{command}"), text);
        }
    });
    assert_eq!(
        printed(["-V"]),
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
            &["--states", "M"],
            "error: there is no variable, field or constant `M`\n --> --states:1:1\n  |\n1 | M\n  | ^\n",
        ),
        (
            &["--engine", "steam"],
            "error: there is no engine `steam` (there are: builtin, boogie, corral, all)\n",
        ),
    ] {
        let (folder, file) = with_file("kept", "what was there");
        let out = file.to_str().expect("UTF-8");
        assert_eq!(
            failed([&["epa", LINEAR, "-o", out], more].concat(), 2),
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
        let run = tranquera(["epa", class, "--fail-on", what])
            .assert()
            .code(1);
        assert_eq!(stderr(&run), message);
        // The result is there all the same.
        assert_eq!(
            stdout(&run).lines().next(),
            printed(["epa", class]).lines().next()
        );
    }
    for what in ["maybe", "violation", "deadlock"] {
        tranquera(["epa", LINEAR, "--fail-on", what])
            .assert()
            .success();
    }
    tranquera(["epa", VENDING_MACHINE, "--fail-on", "maybe,violation"])
        .assert()
        .success();
}

#[test]
fn engines_are_listed() {
    let text = printed(["engines"]);
    for engine in ["builtin", "boogie", "corral"] {
        assert!(text.lines().any(|line| line.starts_with(engine)), "{text}");
    }
    assert!(text.contains("Z3"), "{text}");
}

fn subcommands() -> Vec<String> {
    let help = printed(["--help"]);
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
        let script = printed(["completions", shell]);
        for command in subcommands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man pages");
    let path = pages.display().to_string();
    assert_eq!(printed(["man", &path]), "");
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
