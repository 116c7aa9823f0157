//! `tranquera reproduce`: its verdict, and the document made with it.

use std::path::{Path, PathBuf};

use assert_cmd::assert::Assert;
use regex::Regex;
use serde_json::Value;

use crate::support::program::{root, stderr, stdout, tranquera};

fn reproduce(arguments: &[&str]) -> Assert {
    tranquera(["reproduce"]).args(arguments).assert()
}

/// A folder with the published figures of TSE 2012's WebFetcher and ATM, after a change, and with their classes.
fn folder(change: impl Fn(&mut Value)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let from = root().join("fixtures/tse-2012");
    let text = std::fs::read_to_string(from.join("published.json")).expect("there");
    let mut published: Value = serde_json::from_str(&text).expect("JSON");
    let subjects = published["subjects"].as_array_mut().expect("a list");
    subjects.retain(|s| s["name"] == "web_fetcher" || s["name"] == "atm");
    assert_eq!(subjects.len(), 2);
    for subject in subjects {
        change(subject);
        let file = format!("{}.tq", subject["name"].as_str().expect("a name"));
        if from.join(&file).exists() {
            std::fs::copy(from.join(&file), folder.path().join(&file)).expect("copied");
        }
    }
    let text = serde_json::to_string(&published).expect("plain data");
    std::fs::write(folder.path().join("published.json"), text).expect("written");
    folder
}

fn name(folder: &tempfile::TempDir) -> &str {
    folder.path().to_str().expect("UTF-8")
}

#[test]
fn what_is_as_published() {
    let folder = folder(|_| {});
    let run = reproduce(&[name(&folder), "--format", "json"])
        .success()
        .stderr("");
    let json: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(json["schema"], "tranquera/reproduction/1");
    assert_eq!(json["holds"], true);
    let rows = json["tables"][0]["rows"].as_array().expect("a list");
    let row = |row: &Value| {
        (
            row["name"].as_str().expect("a name").to_owned(),
            row["ours"]["states"].as_u64().expect("a number"),
            row["ours"]["transitions"].as_u64().expect("a number"),
            row["agreement"].as_str().expect("a word").to_owned(),
        )
    };
    // TSE 2012, Table 1.
    let expected = [("web_fetcher", 2, 4), ("atm", 8, 30)];
    let expected = expected.map(|(name, s, t)| (name.to_owned(), s, t, "equal".to_owned()));
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_not_fails() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 3] = [
        (
            |s| s["published"]["states"] = 9.into(),
            "states: 8, but 9 are published, and nothing explains it",
        ),
        (
            |s| s["expected"]["transitions"] = 31.into(),
            "transitions: 30, but 31 are expected",
        ),
        (
            |s| s["findings"][0]["present"] = false.into(),
            "not seen here: takeCard does not take the password back",
        ),
    ];
    for (change, sentence) in cases {
        let folder = folder(|subject| {
            if subject["name"] == "atm" {
                change(subject);
            }
        });
        let run = reproduce(&[name(&folder)]).code(1);
        assert_eq!(stderr(&run), format!("failed: ATM: {sentence}\n"));
        // The table is there all the same.
        let text = stdout(&run);
        assert!(
            text.contains("WebFetcher") && text.contains(sentence),
            "{text}"
        );
    }
}

/// JIST, Table 1: the paper's figures beside ours, and what becomes of figures that are not as they should be.
#[test]
fn the_table_of_interfaces() {
    let run = reproduce(&["fixtures/jist-2005", "--format", "json"]).success();
    let json: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(json["holds"], true);
    let rows = json["interfaces"][0]["rows"].as_array().expect("a list");
    // The paper's last two columns, which its way gives here too.
    let said = |row: &Value| {
        let paper = &row["by_the_paper"];
        (
            paper["one_step_further"].as_bool(),
            paper["most_permissive"] == true,
        )
    };
    let expected = [
        (None, true),
        (None, true),
        (Some(false), false),
        (None, true),
        (None, true),
        (Some(true), false),
    ];
    assert_eq!(rows.iter().map(said).collect::<Vec<_>>(), expected);
    assert!(
        rows.iter()
            .all(|row| row["exactly"]["most_permissive"] == true)
    );

    let folder = tempfile::tempdir().expect("a folder");
    let from = root().join("fixtures/jist-2005");
    let text = std::fs::read_to_string(from.join("published.json")).expect("there");
    let mut published: Value = serde_json::from_str(&text).expect("JSON");
    let subjects = published["subjects"].as_array_mut().expect("a list");
    subjects.truncate(1);
    subjects[0]["expected"]["states"] = 4.into();
    subjects[0]["published"]["most_permissive"] = false.into();
    std::fs::copy(
        from.join("signature.tq"),
        folder.path().join("signature.tq"),
    )
    .expect("copied");
    let text = serde_json::to_string(&published).expect("plain data");
    std::fs::write(folder.path().join("published.json"), text).expect("written");
    let said = stderr(&reproduce(&[name(&folder)]).code(1));
    assert!(said.contains("3 states, but 4 are expected"), "{said}");
    assert!(said.contains("not as published"), "{said}");
}

/// An engine that knows nothing within its time: the size may be right, the row is not.
#[test]
fn uncertain_answers_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let class = "class C { var x: int; constructor() { x := 0; } action a() { x := x + 1; } }";
    std::fs::write(folder.path().join("c.tq"), class).expect("written");
    let published = r#"{
        "schema": "tranquera/fixture-published/1", "source": "", "machine": "",
        "subjects": [{
            "name": "c", "subject": "C", "difference": null, "findings": [],
            "published": {"actions": 1, "states": 1, "transitions": 1,
                          "questions": null, "certainty": null, "seconds": null},
            "expected": {"actions": 1, "states": 1, "transitions": 1, "exceptional": 0}
        }]
    }"#;
    std::fs::write(folder.path().join("published.json"), published).expect("written");
    reproduce(&[name(&folder)]).success();
    let run = reproduce(&[name(&folder), "--timeout", "0.000001"]).code(1);
    let said = stderr(&run);
    assert!(said.contains("uncertain answers: "), "{said}");
}

#[test]
fn folders_that_are_not_there() {
    let empty = tempfile::tempdir().expect("a folder");
    let run = reproduce(&[name(&empty)]).code(2).stdout("");
    assert!(stderr(&run).starts_with("error: there is no "), "{run}");
    assert!(stderr(&run).contains("published.json\nhelp: "), "{run}");
    // Before anything is computed.
    let run = reproduce(&["fixtures/tosem-2013", "no/such/folder"]);
    let run = run.code(2).stdout("");
    let expected = Path::new("no/such/folder").join("published.json");
    let expected = format!("error: there is no {}\n", expected.display());
    assert!(stderr(&run).starts_with(&expected), "{run}");
    // A class that is not beside its figures.
    let lost = folder(|subject| subject["name"] = "lost".into());
    let run = reproduce(&[name(&lost)]).code(2).stdout("");
    assert!(stderr(&run).contains("lost.tq"), "{run}");
    // Figures in another format.
    let file: PathBuf = empty.path().join("published.json");
    for (content, expected) in [
        ("{", "EOF"),
        ("[1]", "invalid type"),
        (
            r#"{"schema": "x", "source": "", "machine": "", "subjects": []}"#,
            "the schema is `x`",
        ),
    ] {
        std::fs::write(&file, content).expect("written");
        let run = reproduce(&[name(&empty)]).code(2).stdout("");
        assert!(stderr(&run).contains(expected), "{run}");
    }
}

/// The command's output as it is in the document: our times are those of some run, on some day and machine.
fn without_times(text: &str) -> String {
    let time = Regex::new(r"/ (\d+ min )?[0-9.]+ s \|").expect("an expression");
    let total = Regex::new(r"took [0-9a-z. ]+ s with").expect("an expression");
    let made = Regex::new(r"Made on \d{4}-\d{2}-\d{2} by (`[^`]+`); machine: .+, \d+ cores?\.")
        .expect("an expression");
    let text = time.replace_all(text, "/ T |");
    let text = made.replace_all(&text, "Made on D by $1; machine: M.");
    total.replace_all(&text, "took T with").into_owned()
}

#[test]
fn the_document_has_what_the_command_gives() {
    let run = reproduce(&["--format", "markdown"]).success().stderr("");
    let given = without_times(&stdout(&run));
    assert_eq!(given.matches("/ T |").count(), 28);
    let made = "Made on D by `tranquera reproduce --format markdown`; machine: M.\n";
    assert!(given.ends_with(made), "{given}");
    let document = std::fs::read_to_string(root().join("docs/reproduction.md")).expect("there");
    let document = without_times(&document);
    let missing: Vec<&str> = given
        .lines()
        .filter(|line| !document.lines().any(|other| other == *line))
        .collect();
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
    assert!(document.ends_with(&given), "in another order");
}
