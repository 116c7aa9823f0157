//! Clients of the 2012 thesis, and what else clients do.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::program::{root, tranquera};

fn fixtures() -> PathBuf {
    root().join("fixtures/typestate-2012")
}

/// What `verify` says of a client, as JSON, and its exit status.
fn verify(client: &Path, more: &[&Path]) -> (Value, Option<i32>) {
    let mut command = tranquera(["verify"]);
    command.arg(client).args(["--format", "json", "--against"]);
    let [against, with @ ..] = more else {
        panic!("against what?");
    };
    command.arg(against);
    for file in with {
        command.arg("--with").arg(file);
    }
    let output = command.output().expect("the program");
    let text = String::from_utf8_lossy(&output.stderr).to_string();
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {text}"));
    (report, output.status.code())
}

/// The findings: the line of the call, the exception, whether it always fails.
fn findings(report: &Value) -> Vec<(u64, String, bool)> {
    let all = report["findings"].as_array().expect("findings");
    let shape = |f: &Value| {
        let line = f["call"]["line"].as_u64().unwrap_or(0);
        let exception = f["exception"].as_str().expect("a name").to_string();
        (line, exception, f["always"].as_bool().expect("a boolean"))
    };
    all.iter().map(shape).collect()
}

fn of_fixture(client: &str, class: &str) -> (Value, Option<i32>) {
    let client = fixtures().join("clients").join(format!("{client}.tq"));
    verify(&client, &[&fixtures().join(format!("{class}.tq"))])
}

fn fails(line: u64, exception: &str, always: bool) -> (u64, String, bool) {
    (line, exception.to_string(), always)
}

#[test]
fn the_clients_of_the_thesis_are_found_and_the_corrected_ones_pass() {
    let closed = "piped_output_stream_closed";
    for (client, line) in [
        ("not_connected", 11),
        ("multiple_connect", 14),
        ("closed_write", 13),
    ] {
        let (report, status) = of_fixture(client, closed);
        assert_eq!(
            findings(&report),
            [fails(line, "IOException", true)],
            "{client}"
        );
        assert_eq!(
            (report["verified"].as_bool(), status),
            (Some(false), Some(1)),
            "{client}"
        );
        let path = report["findings"][0]["path"].as_array().expect("a path");
        let last = path.last().expect("a call");
        assert_eq!(last["line"], line, "{client}");
        let (report, status) = of_fixture(&format!("{client}_corrected"), closed);
        assert_eq!(findings(&report), [], "{client}");
        assert_eq!(
            (report["verified"].as_bool(), status),
            (Some(true), Some(0)),
            "{client}"
        );
    }
}

/// The thesis skips the sink's methods, and so do we in that class: the write after `close` is not seen, and the
/// report says what it does not know.
#[test]
fn what_is_skipped_is_not_seen_and_said() {
    for (client, found) in [
        ("not_connected", 1),
        ("multiple_connect", 1),
        ("closed_write", 0),
    ] {
        let (report, _) = of_fixture(client, "piped_output_stream");
        assert_eq!(findings(&report).len(), found, "{client}");
        let note = report["notes"][0].as_str().expect("a note");
        assert!(note.contains("`PipedInputStream.receivedLast`"), "{note}");
    }
}

#[test]
fn what_may_fail_is_told_from_what_must() {
    let (report, _) = of_fixture("branches", "piped_output_stream_closed");
    assert_eq!(
        findings(&report),
        [
            fails(11, "IOException", false),
            fails(22, "IOException", false),
            fails(31, "IOException", true),
        ]
    );
    let inputs = |n: usize| &report["findings"][n]["inputs"];
    assert_eq!(inputs(0), &serde_json::json!([["connect", "false"]]));
    // The second round of the loop is the first that fails.
    let rounds: i64 = inputs(1)[0][1]
        .as_str()
        .expect("a number")
        .parse()
        .expect("a number");
    assert!(rounds >= 2);
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

/// A loop that the engine cannot see the end of is never verified.
#[test]
fn what_is_not_decided_is_not_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let class = "exception Bad; class Hash { var s: int; constructor() { s := 1; }
        action mix(p: int) { s := (s * s * p + 7) mod 1000003; }
        action check() { if (s == 424242) { throw Bad; } } }";
    let client = "class Client { procedure main(n: int) { var h: Hash? := null; var i: int := 0;
        h := new Hash(); while (i < n) { h.mix(i * i); i := i + 1; } h.check(); } }";
    let class = written(folder.path(), "hash.tq", class);
    let client = written(folder.path(), "client.tq", client);
    let mut command = tranquera(["verify"]);
    command.arg(&client).arg("--against").arg(&class);
    let output = command
        .args(["--timeout", "2"])
        .output()
        .expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.starts_with("not verified"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

/// An EPA in which a stream that is closed is connected no more, as data: the fixture of the 2013 paper, which has
/// the very class.
#[test]
fn a_client_is_checked_against_an_epa() {
    let tosem = fixtures().join("../tosem-2013");
    let epa = tosem.join("piped_output_stream.epa.json");
    let class = tosem.join("piped_output_stream.tq");
    let folder = tempfile::tempdir().expect("a folder");
    let mut clients = Vec::new();
    for (name, calls) in [
        (
            "good",
            "o.connect(i); while (n > k) { o.write(b); k := k + 1; } o.close(); o.flush();",
        ),
        ("early", "o.write(b); o.connect(i);"),
        ("late", "o.connect(i); o.close(); o.write(b);"),
        ("maybe", "if (n > 0) { o.connect(i); } o.write(b);"),
        ("null", "o.connect(null);"),
    ] {
        let text = format!(
            "class Client {{ procedure main(n: int, b: u8, i: PipedInputStream)\n{{ var k: int := 0;
            var o: PipedOutputStream? := null; o := new PipedOutputStream();\n{calls} }} }}"
        );
        clients.push((name, written(folder.path(), &format!("{name}.tq"), &text)));
    }
    let expected = [
        vec![],
        vec![fails(4, "NotAllowed", true)],
        vec![fails(4, "NotAllowed", true)],
        vec![fails(4, "NotAllowed", false)],
        vec![fails(4, "RequiresViolation", true)],
    ];
    for ((name, client), expected) in clients.iter().zip(expected) {
        let (report, status) = verify(client, &[&epa, &class]);
        assert_eq!(findings(&report), expected, "{name}");
        assert_eq!(status, Some(i32::from(!expected.is_empty())), "{name}");
        let note = report["notes"][0].as_str().expect("a note");
        assert!(note.contains("not with which arguments"), "{note}");
    }
}

/// An interface (`tranquera/interface/1`): the states and transitions are what is read.
#[test]
fn a_client_is_checked_against_an_interface() {
    let folder = tempfile::tempdir().expect("a folder");
    let interface = r#"{ "schema": "tranquera/interface/1", "class": "BoundedStack", "actions": ["push", "pop"],
        "constructors": ["BoundedStack()"],
        "states": [ { "id": "Q1", "legal": ["push"] }, { "id": "Q2", "legal": ["push", "pop"] } ],
        "transitions": [ { "source": "Q1", "action": "push", "seen": null, "target": "Q2" },
                         { "source": "Q2", "action": "push", "seen": null, "target": "Q2" },
                         { "source": "Q2", "action": "pop", "seen": null, "target": "Q1" } ] }"#;
    let interface = written(folder.path(), "stack.json", interface);
    let class = fixtures().join("bounded_stack.tq");
    for (calls, expected) in [
        ("s.push(); s.pop(); s.push();", vec![]),
        (
            "s.push();\ns.pop();\ns.pop();",
            vec![fails(3, "NotAllowed", true)],
        ),
    ] {
        let text = format!(
            "class Client {{ procedure main() {{ var s: BoundedStack? := null; s := new BoundedStack(); {calls} }} }}"
        );
        let client = written(folder.path(), "client.tq", &text);
        let (report, _) = verify(&client, &[&interface, &class]);
        assert_eq!(findings(&report), expected);
    }
}

/// A class without a constructor starts where its EPA says.
#[test]
fn an_object_without_a_constructor_starts_where_the_epa_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let class = "class Door { var open: bool; initially !open;
        action enter() requires open { } action unlock() requires !open { open := true; } }";
    let class = written(folder.path(), "door.tq", class);
    let epa = folder.path().join("door.json");
    tranquera(["epa", "-f", "json", "-o"])
        .args([&epa, &class])
        .assert()
        .success();
    for (calls, expected) in [
        ("d.unlock(); d.enter();", vec![]),
        ("\nd.enter();", vec![fails(2, "NotAllowed", true)]),
    ] {
        let text = format!(
            "class Client {{ procedure main() {{ var d: Door? := null; d := new Door(); {calls} }} }}"
        );
        let client = written(folder.path(), "client.tq", &text);
        assert_eq!(
            findings(&verify(&client, &[&epa, &class]).0),
            expected,
            "{calls}"
        );
        assert_eq!(
            findings(&verify(&client, &[&class]).0).len(),
            expected.len(),
            "{calls}"
        );
    }
}

#[test]
fn bad_input_is_said_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let client = "class Client {\n  procedure main() {\n    var s: BoundedStack? := null;\n    s.shove();\n  }\n}\n";
    let client = written(folder.path(), "client.tq", client);
    let mut command = tranquera(["verify"]);
    command
        .arg(&client)
        .arg("--against")
        .arg(fixtures().join("bounded_stack.tq"));
    let output = command.output().expect("the program");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("client.tq:4:7"), "{text}");
    assert!(output.stdout.is_empty());
}
