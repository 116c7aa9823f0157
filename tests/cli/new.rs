//! `tranquera new`: from nothing to a class with an EPA, and to a page that follows it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::program::{self, names_in, stderr, tranquera};
use crate::support::running::{On, Running};

/// The text that it makes of methods; the formatter has nothing to do.
fn text_of(methods: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = made(folder.path(), methods);
    tranquera(["fmt".as_ref(), "--check".as_ref(), file.as_os_str()])
        .assert()
        .success();
    std::fs::read_to_string(file).expect("there")
}

fn made(folder: &Path, methods: &[&str]) -> PathBuf {
    tranquera(["new", "turnstile"].iter().chain(methods))
        .current_dir(folder)
        .assert()
        .success();
    folder.join("turnstile.tq")
}

#[test]
fn a_class_in_which_all_depends_on_the_last_call() {
    insta::assert_snapshot!(text_of(&[
        "lift:new,lower",
        "pass(n: int):lift",
        "lower:lift,pass",
        "look"
    ]));
}

#[test]
fn a_class_in_which_each_call_can_always_be_made() {
    insta::assert_snapshot!(text_of(&["lift", "set_height(cm: nat, slowly: bool)"]));
}

/// Sets of methods, and which call leads from which to which.
type Moves = BTreeSet<(BTreeSet<String>, String, BTreeSet<String>)>;

/// What can be called when, where a call can be made right after those that it names: gone through call by call.
fn moves_by_hand(methods: &[(&str, &[&str])]) -> Moves {
    let tracked = |name: &str| {
        let is_named = |(_, after): &(&str, &[&str])| after.contains(&name);
        let own = methods.iter().find(|(own, _)| *own == name);
        own.is_some_and(|(_, after)| !after.is_empty()) || methods.iter().any(is_named)
    };
    let enabled = |last: &str| -> BTreeSet<String> {
        let can = methods
            .iter()
            .filter(|(_, after)| after.is_empty() || after.contains(&last));
        can.map(|(name, _)| (*name).to_owned()).collect()
    };
    let (mut open, mut seen, mut moves) = (vec!["new"], BTreeSet::new(), Moves::new());
    while let Some(last) = open.pop() {
        if !seen.insert(last) {
            continue;
        }
        for (name, _) in methods
            .iter()
            .filter(|(name, _)| enabled(last).contains(*name))
        {
            let next = if tracked(name) { name } else { last };
            moves.insert((enabled(last), (*name).to_owned(), enabled(next)));
            open.push(next);
        }
    }
    moves
}

fn moves_of(epa: &Value) -> Moves {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let list = |value: &Value| value.as_array().expect("a list").clone();
    let states: BTreeMap<String, BTreeSet<String>> = list(&epa["states"])
        .iter()
        .map(|state| {
            (
                text(&state["id"]),
                list(&state["enabled"]).iter().map(text).collect(),
            )
        })
        .collect();
    let moves = list(&epa["transitions"]);
    let moves = moves.iter().map(|edge| {
        assert_eq!(edge["verdict"], "reached", "{edge}");
        let state = |end: &str| states[&text(&edge[end])].clone();
        (state("source"), text(&edge["action"]), state("target"))
    });
    moves.collect()
}

#[test]
fn the_epa_is_the_order_that_was_named() {
    for methods in [
        &[
            ("lift", &["new", "lower"][..]),
            ("pass", &["lift"]),
            ("lower", &["lift", "pass"]),
            ("look", &[]),
        ][..],
        &[
            ("open", &["new", "close"]),
            ("read", &["open", "read"]),
            ("close", &["open", "read"]),
        ],
        &[("a", &["new"]), ("b", &["a"]), ("c", &["b", "c"])],
        &[("once", &["new"])],
        &[("start", &[]), ("stop", &["start"])],
        &[("x", &[]), ("y", &[])],
    ] {
        let words = methods.iter().map(|(name, after)| match after.is_empty() {
            true => (*name).to_owned(),
            false => format!("{name}:{}", after.join(",")),
        });
        let words: Vec<String> = words.collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let file = made(folder.path(), &words);
        let arguments = [
            "epa".as_ref(),
            file.as_os_str(),
            "--format".as_ref(),
            "json".as_ref(),
        ];
        let epa = program::json(arguments);
        assert_eq!(epa["class"], "Turnstile");
        assert_eq!(moves_of(&epa), moves_by_hand(methods), "{words:?}");
    }
}

#[test]
fn what_is_made_is_told_with_what_comes_next() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("src")).expect("made");
    let run = tranquera([
        "new",
        "src/ticket-gate.tq",
        "lift:new",
        "--class",
        "Barrier",
    ])
    .current_dir(folder.path())
    .assert()
    .success()
    .stdout("src/ticket-gate.tq: the class Barrier, 1 action\n");
    assert_eq!(
        stderr(&run),
        "help: `tranquera epa src/ticket-gate.tq --watch --format html --output src/ticket-gate.html` draws a page, again on every save\n"
    );
    assert_eq!(names_in(&folder.path().join("src")), ["ticket-gate.tq"]);
}

#[test]
fn what_makes_no_class_is_said_and_nothing_is_written() {
    for (arguments, wanted) in [
        (&["gate"][..], "error: which methods?\nhelp: "),
        (
            &["gate", "lift", "lift"],
            "error: the method `lift` is named twice",
        ),
        (
            &["gate", "lift:lower"],
            "error: `lift` cannot come after `lower`: there is no such method, nor is it `new`",
        ),
        (
            &["gate", "li-ft"],
            "error: `li-ft` cannot be the name of a method",
        ),
        (
            &["gate", "while"],
            "error: `while` cannot be the name of a method",
        ),
        (&["gate", ""], "error: `` cannot be the name of a method"),
        (&["gate", "put(x"], "error: `put(x` has a `(` without a `)`"),
        (
            &["gate", "put(x: int)!"],
            "error: `!` behind the method `put`",
        ),
        (&["gate", "put(x: Egg)"], "there is no type `Egg`"),
        (
            &["gate", "do_it:new", "doIt:new"],
            "`DoIt` is declared twice",
        ),
        (
            &["3d", "turn"],
            "error: no class can be called `3d`\nhelp: `--class NAME`",
        ),
        (&["no/such/gate", "lift"], "there is no folder no/such"),
        (
            &["taken", "lift"],
            "error: taken.tq is there already\nhelp: ",
        ),
        (
            &["taken.tq", "lift"],
            "error: taken.tq is there already\nhelp: ",
        ),
    ] {
        let (folder, _) = program::with_file("taken.tq", "class Mine { }");
        let run = tranquera(["new"].iter().chain(arguments))
            .current_dir(folder.path())
            .assert()
            .code(2)
            .stdout("");
        let said = stderr(&run);
        assert!(said.contains(wanted), "{arguments:?}: {said}");
        assert_eq!(names_in(folder.path()), ["taken.tq"]);
        let kept = std::fs::read_to_string(folder.path().join("taken.tq"));
        assert_eq!(kept.expect("there"), "class Mine { }");
    }
}

/// In a terminal, from nothing to a page that follows the file.
#[test]
#[cfg(target_os = "linux")]
fn questions_are_asked_and_the_page_is_drawn_on_every_save() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gate.tq");
    let arguments = ["new", &file.display().to_string(), "--watch"].map(str::to_owned);
    let mut program = Running::start(On::Terminal, &arguments, &folder.path().join("answers"));
    for (question, answer) in [
        ("What can be called?", "lift lower\n"),
        (
            "Right after which calls can `lift` be made?",
            "new, lower\n",
        ),
        ("Right after which calls can `lower` be made?", "lift\n"),
    ] {
        program.wait_until(question, || program.printed().contains(question));
        program.type_in(answer);
    }
    let page = folder.path().join("gate.html");
    let shows =
        |wanted: &str| std::fs::read_to_string(&page).is_ok_and(|page| page.contains(wanted));
    program.wait_until("a page", || shows("action lower"));
    let text = std::fs::read_to_string(&file).expect("there");
    std::fs::write(&file, text.replace("lower", "let_down")).expect("saved");
    program.wait_until("another page", || shows("action let_down"));
    program.interrupt();
    assert_eq!(program.end().code(), Some(130));
}

/// A question is no trap: Ctrl-C ends it, and nothing is left behind.
#[test]
#[cfg(target_os = "linux")]
fn a_question_need_not_be_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gate.tq");
    let arguments = ["new".to_owned(), file.display().to_string()];
    let mut program = Running::start(On::Terminal, &arguments, &folder.path().join("answers"));
    program.wait_until("a question", || {
        program.printed().contains("What can be called?")
    });
    program.interrupt();
    assert_eq!(program.end().code(), Some(130));
    assert!(!file.exists());
}
