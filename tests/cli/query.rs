//! `tranquera query` and `--keep`: questions as files.

use std::path::Path;

use crate::support::program::{failed, names_in, printed, stdout, tranquera, with_file};

const VENDING_MACHINE: &str = "fixtures/corral-2016/vending_machine.tq";

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
        (
            &[
                "--kind",
                "stays",
                "--from",
                "ReturnItem",
                "--action",
                "ReturnItem",
            ],
            "stays.from_ReturnItem.by_ReturnItem.bpl",
        ),
    ] {
        let asked = [&["query", VENDING_MACHINE], more].concat();
        let text = printed(&asked);
        assert!(text.starts_with("// The class VendingMachine.\n"));
        assert_eq!(
            text.contains("assert {:reached} false;"),
            more[1] != "program"
        );
        assert_eq!(printed([&asked[..], &["--save", into]].concat()), "");
        let saved = std::fs::read_to_string(Path::new(into).join(file));
        assert_eq!(saved.expect("saved under its name"), text);
    }
    assert_eq!(names_in(Path::new(into)).len(), 6);
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
            failed([&["query", VENDING_MACHINE], more].concat(), 2),
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
    let said = printed(["query", VENDING_MACHINE, "--all", "--save", into]);
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
        tranquera(arguments).arg(&questions).assert().success();
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
    let assert = tranquera(arguments).arg(&kept).assert().success();
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
