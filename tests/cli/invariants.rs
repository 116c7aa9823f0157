//! `tranquera invariants`

use std::collections::BTreeSet;
use std::fs;

use crate::support::program::{failed, json, printed, with_file};

/// A stream: what is known of it depends on what was called.
const STREAM: &str = "\
exception Broken;

class Sink {
  var full: bool;
  constructor() { full := false; }
}

class Stream {
  var sink: Sink?;
  var closed: bool;
  var written: int;
  var buffer: array<int>?;

  constructor() { sink := null; closed := false; written := 0; buffer := null; }

  action connect(to: Sink)
    requires sink == null && !closed
  {
    sink := to;
    buffer := new int[8];
  }

  action write(n: int)
    requires sink != null && !closed
    requires written < buffer.length
  {
    written := written + 1;
  }

  action close()
    requires !closed
  { closed := true; }
}
";

#[test]
fn what_holds_is_told_state_by_state() {
    let (_folder, file) = with_file("stream.tq", STREAM);
    let file = file.to_str().expect("UTF-8");
    let told = |format: &str| printed(["invariants", file, "--format", format]);
    insta::assert_snapshot!("what_holds_as_text", told("text"));
    insta::assert_snapshot!("what_holds_as_markdown", told("markdown"));
    insta::assert_snapshot!("what_holds_as_tq", told("tq"));
    let found = json(["invariants", file, "--format", "json"]);
    assert_eq!(found["schema"], "tranquera/invariants/1");
    assert_eq!(found["states"][0]["enabled"][0], "connect");
}

#[test]
fn what_holds_is_written_into_the_class() {
    let (_folder, file) = with_file("stream.tq", STREAM);
    let path = file.to_str().expect("UTF-8");
    let members = printed(["invariants", path, "--format", "tq"]);
    assert_eq!(printed(["invariants", path, "--write"]), "");
    let written = fs::read_to_string(&file).expect("a file");
    for member in members.lines() {
        let start = member.split(" assumes").next().expect("a state");
        assert!(written.contains(start), "{start}\n{written}");
    }
    let epa = json(["epa", path, "--format", "json"]);
    let notes = epa["notes"].as_array().expect("notes").iter();
    let proved = notes.filter(|note| note.as_str().is_some_and(|note| note.contains("is proved")));
    assert_eq!(proved.count(), members.lines().count());
    // What is known already is found again. An edge less may lead to the states in another order.
    let again = printed(["invariants", path, "--format", "tq"]);
    let sorted = |members: &str| members.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    assert_eq!(sorted(&again), sorted(&members));
}

/// An object that nobody goes on with is not spoken of, and that is said.
#[test]
fn what_is_not_followed_is_said() {
    let text = "class C {
      var n: int;
      constructor() { n := 0; }
      action up(by: int) { n := n + 1; assert by > 0; n := n - 1; }
    }";
    let (_folder, file) = with_file("c.tq", text);
    let file = file.to_str().expect("UTF-8");
    let told = printed(["invariants", file]);
    assert!(told.contains("after AssertionFailure"), "{told}");
    assert!(told.contains("n == 0"), "{told}");
    let all = printed(["invariants", file, "--exceptions", "all"]);
    assert!(
        !all.contains("n == 0") && !all.contains("AssertionFailure"),
        "{all}"
    );
}

#[test]
fn json_is_not_written_into() {
    let (folder, file) = with_file("stream.tq", STREAM);
    let tree = folder.path().join("stream.json");
    let [file, tree] = [&file, &tree].map(|path| path.to_str().expect("UTF-8"));
    fs::write(tree, printed(["parse", file, "--format", "json"])).expect("written");
    let said = failed(["invariants", tree, "--write"], 2);
    assert!(said.contains("--write changes .tq text only"), "{said}");
}
