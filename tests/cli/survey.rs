//! `tranquera survey`: the lines of a folder, what is known from an earlier run, parts of a survey, and Ctrl-C.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::program::{PROGRAM, failed, root, stderr, stdout, tranquera};
use crate::support::running::{On, Running};

/// A folder with classes of all kinds: two that are done, one that takes longer than anybody waits, one that is broken, one
/// without a state, and some that nobody asked for.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    let given = |path: &str| std::fs::read_to_string(root().join(path)).expect("there");
    put(
        "shop/machine.tq",
        &given("fixtures/corral-2016/vending_machine.tq"),
    );
    put("shop/door.tq", &given("fixtures/corral-2016/door.tq"));
    put("fermat.tq", &given("tests/support/fermat.tq"));
    put(
        "broken.tq",
        "class Broken {\n  var x: int;\n  action a() requires y { }\n}\n",
    );
    put("plain.tq", "class Plain { action a() { } }");
    put("notes.txt", "class Note { }");
    put(".hidden/door.tq", "class Hidden {");
    // Rules of a repository hold inside of one.
    put(".git/HEAD", "ref: refs/heads/main\n");
    put(".gitignore", "built/\n");
    put("built/door.tq", "class Built {");
    folder
}

fn survey(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = tranquera(["survey"]);
    command.current_dir(folder).args(arguments);
    command
}

/// The lines, in the order of their classes, without their times and without how far what was not done went.
fn lines(text: &str) -> Vec<Value> {
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("a whole line of JSON");
            let ms = line.as_object_mut().and_then(|line| line.remove("ms"));
            assert!(ms.is_some_and(|ms| ms.is_u64()), "{line}");
            if let Some(reason) = line["reason"].as_object_mut() {
                reason.remove("progress");
            }
            line
        })
        .collect();
    lines.sort_by_key(|line| (line["file"].to_string(), line["class"].to_string()));
    lines
}

fn file_lines(path: &Path) -> Vec<Value> {
    lines(&std::fs::read_to_string(path).expect("there"))
}

/// `file class outcome`
fn outcomes(lines: &[Value]) -> Vec<String> {
    let words = |line: &Value| {
        ["file", "class", "outcome"].map(|key| line[key].as_str().unwrap_or("-").to_owned())
    };
    lines.iter().map(|line| words(line).join(" ")).collect()
}

fn path(folder: &TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let name = path.to_str().expect("UTF-8").to_owned();
    (path, name)
}

#[test]
fn what_was_not_asked_in_time_is_uncertain_where_that_is_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    // Which states there are is plain; whether `look` leads to the other one is Fermat's question.
    let text = "class Search {
        var a: int; var b: int; var c: int; var open: bool;
        constructor() { open := true; a := 1; b := 1; c := 1; }
        action set(x: int, y: int, z: int) requires open { a := x; b := y; c := z; }
        action look() requires open {
            if (a > 0 && b > 0 && c > 0 && a * a * a + b * b * b == c * c * c) { open := false; }
        }
        action again() requires !open { open := true; }
    }";
    std::fs::write(folder.path().join("search.tq"), text).expect("written");
    let outcome = |more: &[&str]| {
        let arguments = [&[".", "--each", "10s"], more].concat();
        let lines = lines(&stdout(
            &survey(folder.path(), &arguments).assert().success(),
        ));
        let [line] = lines.as_slice() else {
            panic!("{lines:?}")
        };
        line.clone()
    };
    assert_eq!(outcome(&[])["outcome"], "unfinished");
    let coarse = outcome(&["--coarse"]);
    assert_eq!(coarse["outcome"], "coarse");
    assert_eq!(coarse["sizes"]["states"], 2);
    assert_eq!(coarse["reason"]["message"], "not all was asked within 10 s");
    let edges = coarse["epa"]["transitions"].as_array().expect("edges");
    let look = edges.iter().filter(|edge| edge["action"] == "look");
    let certain: Vec<(&str, &str)> = look
        .map(|edge| (edge["target"].as_str(), edge["verdict"].as_str()))
        .map(|(target, verdict)| (target.expect("a state"), verdict.expect("a word")))
        .collect();
    assert_eq!(certain, [("S1", "maybe"), ("S2", "maybe")]);
    let others = edges.iter().filter(|edge| edge["action"] != "look");
    let others: Vec<&Value> = others.map(|edge| &edge["verdict"]).collect();
    assert_eq!(others, ["reached", "reached"], "what is easy is known");
}

#[test]
fn every_class_of_a_folder_has_a_line_whatever_comes_of_it() {
    let (code, results) = (folder(), tempfile::tempdir().expect("a folder"));
    let (page_file, page) = path(&results, "page.html");
    let run = survey(
        code.path(),
        &[".", "--each", "10s", "--jobs", "2", "--page", &page],
    )
    .assert()
    .success();
    let lines = lines(&stdout(&run));
    let expected = [
        "./broken.tq - refused",
        "./fermat.tq Fermat unfinished",
        "./shop/door.tq Door done",
        "./shop/machine.tq VendingMachine done",
    ];
    assert_eq!(outcomes(&lines), expected);
    assert!(
        lines
            .iter()
            .all(|line| line["schema"] == "tranquera/survey/1" && line["language"] == "tq")
    );
    let broken = &lines[0]["reason"];
    assert_eq!(broken["kind"], "unreadable");
    assert_eq!(broken["place"], "./broken.tq:3:23");
    assert_eq!(lines[1]["reason"]["kind"], "time");
    let all = stdout(&run);
    let open = all
        .lines()
        .find(|line| line.contains("Fermat"))
        .expect("there");
    let open: Value = serde_json::from_str(open).expect("JSON");
    // Whether `fermat` can be called after the constructor, or after `step`, is what takes for ever.
    let progress = open["reason"]["progress"].as_str().expect("how far");
    assert!(
        progress.contains("with an open question: can `") && progress.contains("(./fermat.tq:"),
        "{progress}"
    );
    // As the published table has them: four states, and one of them a deadlock.
    let machine = &lines[3];
    assert_eq!(
        (&machine["sizes"]["states"], &machine["sizes"]["actions"]),
        (&4.into(), &4.into())
    );
    assert_eq!(machine["epa"]["states"].as_array().map(Vec::len), Some(4));
    let kinds = machine["findings"].as_array().expect("findings").iter();
    assert!(
        kinds
            .map(|finding| &finding["kind"])
            .any(|kind| kind == "deadlock-state")
    );
    insta::assert_snapshot!("survey_summary", stderr(&run));
    let page = std::fs::read_to_string(page_file).expect("a page");
    assert_eq!(page.matches("<tr data-kinds").count(), 4);
}

#[test]
fn more_classes_at_once_give_the_same_lines() {
    let code = folder();
    std::fs::remove_file(code.path().join("fermat.tq")).expect("there");
    let with = |jobs: &str| {
        let run = survey(code.path(), &[".", "--confirm", "--jobs", jobs])
            .assert()
            .success();
        lines(&stdout(&run))
    };
    let one = with("1");
    assert_eq!(one, with("2"));
    // No object reaches the deadlock.
    assert_eq!(one[2]["sizes"]["states"], 3);
    assert!(
        one[2]["sizes"]["refuted"].as_u64() > Some(0),
        "{}",
        one[2]["sizes"]
    );
}

#[test]
fn a_later_run_asks_only_what_changed() {
    let (code, results) = (folder(), tempfile::tempdir().expect("a folder"));
    let (file, name) = path(&results, "lines.jsonl");
    let again = |each: &str| {
        let run = survey(
            code.path(),
            &[".", "--each", each, "--resume", &name, "--output", &name],
        )
        .assert();
        (stderr(&run.success()), file_lines(&file))
    };
    let run = survey(code.path(), &[".", "--each", "10s", "--output", &name])
        .assert()
        .success();
    assert_eq!(stdout(&run), "");
    let first = file_lines(&file);
    let (said, second) = again("10s");
    assert!(said.contains("; 3 from an earlier run"), "{said}");
    assert_eq!(first, second);
    // More time: what was done holds, and what was not is asked again.
    let (said, third) = again("11s");
    assert!(said.contains("; 2 from an earlier run"), "{said}");
    assert_eq!(third[1]["limits"], "class 11 s, question 60 s, 4096 MiB");
    // Another content.
    let door = code.path().join("shop/door.tq");
    let text = std::fs::read_to_string(&door).expect("there");
    std::fs::write(&door, format!("{text}\n// changed\n")).expect("written");
    let (said, fourth) = again("11s");
    assert!(said.contains("; 2 from an earlier run"), "{said}");
    assert_ne!(fourth[2]["fingerprint"], third[2]["fingerprint"]);
    assert_eq!(fourth[2]["epa"], third[2]["epa"]);
    // A line that is cut off is none.
    let text = std::fs::read_to_string(&file).expect("there");
    std::fs::write(&file, &text[..text.len() - 5]).expect("written");
    assert_eq!(again("11s").1, fourth);
    // Other options.
    std::fs::remove_file(code.path().join("fermat.tq")).expect("there");
    let run = survey(
        code.path(),
        &[
            ".",
            "--each",
            "11s",
            "--exceptions",
            "all",
            "--resume",
            &name,
        ],
    )
    .assert();
    let said = stderr(&run.success());
    assert!(!said.contains("earlier run"), "{said}");
}

#[test]
fn the_parts_together_are_the_whole() {
    let (results, answers) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    // A class that has no time left on a busy machine has another line.
    let code = ["fixtures/corral-2016", "--each", "600s"];
    // What is known of one run need not be asked in the next: the lines are the same.
    let survey = |arguments: &[&str]| {
        let mut command = survey(root(), arguments);
        command
            .env("TRANQUERA_CACHE", answers.path())
            .assert()
            .success()
    };
    let (whole_file, whole) = path(&results, "whole.jsonl");
    survey(&[&code[..], &["--output", &whole]].concat());
    for times in [None, Some(&whole)] {
        let parts: Vec<String> = (1..=3)
            .map(|part| path(&results, &format!("{part}.jsonl")).1)
            .collect();
        for (number, part) in (1..).zip(&parts) {
            let shard = format!("{number}/3");
            let mut arguments = [&code[..], &["--shard", &shard, "--output", part]].concat();
            if let Some(times) = times {
                arguments.extend(["--times", times]);
            }
            survey(&arguments);
        }
        let counts: Vec<usize> = parts
            .iter()
            .map(|part| file_lines(Path::new(part)).len())
            .collect();
        let all = file_lines(&whole_file);
        assert_eq!(counts.iter().sum::<usize>(), all.len());
        assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
        // In any order, and one of them twice.
        let (merged_file, merged) = path(&results, "merged.jsonl");
        let files = [&parts[2], &parts[0], &parts[1], &parts[0]].map(String::as_str);
        survey(&[&["merge"], &files[..], &["--output", &merged]].concat());
        assert_eq!(file_lines(&merged_file), all);
        let text = std::fs::read_to_string(&merged_file).expect("there");
        let places: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let places: Vec<(&str, Option<u64>)> = (places.iter())
            .map(|line| {
                (
                    line["file"].as_str().expect("a file"),
                    line["line"].as_u64(),
                )
            })
            .collect();
        assert!(places.is_sorted(), "{places:?}");
    }
}

#[test]
fn ctrl_c_leaves_what_is_done_in_whole_lines() {
    let (code, results) = (folder(), tempfile::tempdir().expect("a folder"));
    let (file, name) = path(&results, "lines.jsonl");
    let arguments = [
        "survey",
        code.path().to_str().expect("UTF-8"),
        "--each",
        "1h",
        "--jobs",
        "2",
        "--output",
        &name,
    ];
    let arguments = arguments.map(str::to_owned);
    let answers = tempfile::tempdir().expect("a folder");
    let mut running = Running::start(On::Pipes, &arguments, answers.path());
    let text = || std::fs::read_to_string(&file).unwrap_or_default();
    running.wait_until("three lines", || text().matches('\n').count() == 3);
    running.wait_until("a solver at work", || running.runs("z3"));
    running.interrupt();
    assert_eq!(running.end().code(), Some(130));
    assert!(!running.runs("z3"));
    assert_eq!(file_lines(&file).len(), 3);
    running.wait_until("a summary", || {
        running
            .printed()
            .contains("interrupted: 1 class not examined")
    });
}

#[test]
fn what_cannot_be_surveyed_is_said() {
    let code = folder();
    let file = |name: &str| code.path().join(name).to_str().expect("UTF-8").to_owned();
    let (plain, notes, nowhere) = (file("plain.tq"), file("notes.txt"), file("nowhere"));
    let door = file("shop/door.tq");
    let said = [
        failed(["survey", &plain], 2),
        failed(["survey", &nowhere], 2),
        failed(["survey", &door, "--output", &door], 2),
        failed(["survey", &door, "--resume", &notes], 2),
        failed(["survey", "merge", &notes], 2),
        failed(["survey", &door, "--shard", "3/2"], 2),
        failed(["survey", &door, "--each", "soon"], 2),
    ];
    let folder = code.path().to_str().expect("UTF-8");
    insta::assert_snapshot!("survey_refused", said.join("\n").replace(folder, "FOLDER"));
}

#[test]
fn classes_of_java_are_found_below_their_root() {
    let run = survey(root(), &["fixtures/java"])
        .env_remove("JAVA_HOME")
        .env("PATH", "/usr/bin:/bin")
        .assert();
    let mut lines = lines(&stdout(&run.success()));
    assert!(lines.iter().all(|line| line["language"] == "java"));
    // There are two roots. Of the classes of which others have recorded EPAs, thirteen have a protocol, and three of
    // which it is written down.
    let goldens = lines.extract_if(.., |line| line["file"] == "fixtures/java/goldens/classes");
    assert_eq!(goldens.count(), 16);
    assert!(
        lines
            .iter()
            .all(|line| line["file"] == "fixtures/java/classes")
    );
    // `tranquera java` lists thirty-four with a protocol.
    assert_eq!(lines.len(), 34, "{:?}", outcomes(&lines));
    let arguments = ["fixtures/java", "--package", "protocols", "--each", "60s"];
    let run = survey(root(), &arguments).assert();
    let inside = outcomes(&self::lines(&stdout(&run.success())));
    let expected = [
        "Barrier", "Beacon", "Funnel", "Gate", "Line", "Session", "Tape", "Written",
    ];
    let expected = expected.map(|class| format!("fixtures/java/classes protocols.{class} done"));
    assert_eq!(inside, expected);
}

/// A class, as often as this in files of their own, and a line of each that takes forty kilobytes.
fn many(folder: &Path, count: usize) {
    let class = "class Gate { var open: bool; constructor() { open := false; } action lift() requires !open { open := true; } }";
    let path = |number: usize| format!("code/{number:03}.tq");
    std::fs::create_dir_all(folder.join("code")).expect("made");
    std::fs::write(folder.join(path(0)), class).expect("written");
    let run = survey(folder, &["code"]).assert().success();
    let mut line: Value = serde_json::from_str(&stdout(&run)).expect("a line");
    let finding = serde_json::json!({
        "kind": "sink-state", "state": "S1", "action": null, "message": "m".repeat(100),
    });
    line["findings"] = vec![finding; 250].into();
    let mut lines = String::new();
    for number in 0..count {
        std::fs::write(folder.join(path(number)), class).expect("written");
        line["file"] = path(number).into();
        lines.push_str(&format!("{line}\n"));
    }
    std::fs::write(folder.join("lines"), lines).expect("written");
}

/// The most memory that a run takes whose standard output is read slowly, in KiB: it waits while it is looked at.
fn most_memory(folder: &Path, arguments: &[&str]) -> u64 {
    let mut child = std::process::Command::new(PROGRAM)
        .current_dir(folder)
        .env("TRANQUERA_CACHE", "off")
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut out = child.stdout.take().expect("piped");
    let (mut most, mut buffer) = (0, vec![0; 1 << 16]);
    while let Ok(1..) = out.read(&mut buffer) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let status = status.unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.split_whitespace().next()?.parse().ok());
        most = peak.unwrap_or(0).max(most);
    }
    assert!(child.wait().expect("it ends").success(), "{arguments:?}");
    assert!(most > 0, "{arguments:?}: it was never looked at");
    most
}

/// No line is held, wherever lines go: those of a page are read again when it is written.
#[test]
fn memory_does_not_grow_with_the_lines() {
    let [few, more] = [10, 400].map(|count| {
        let folder = tempfile::tempdir().expect("a folder");
        many(folder.path(), count);
        folder
    });
    for arguments in [
        &["survey", "code", "--resume", "lines"][..],
        &["survey", "merge", "lines", "lines"],
        &[
            "survey",
            "merge",
            "lines",
            "--output",
            "merged",
            "--page",
            "/dev/stdout",
        ],
        &[
            "survey",
            "code",
            "--resume",
            "lines",
            "--output",
            "again",
            "--page",
            "/dev/stdout",
        ],
    ] {
        let [few, more] = [&few, &more].map(|folder| most_memory(folder.path(), arguments));
        // 16 MB of text, and three times as much where they are read.
        assert!(
            more < few + 8 * 1024,
            "{arguments:?}: {few} KiB, {more} KiB"
        );
    }
}
