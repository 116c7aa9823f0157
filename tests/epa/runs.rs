//! Runs keep their values, whatever these are: each run of the second pass is run by the interpreter, and shows what each call
//! was given.

use serde_json::Value;

use crate::support::program::{json, tranquera, with_file};

/// Each edge is confirmed by a run that was run again, in which every call has its arguments: so many in all.
fn all_are_run_again(text: &str, edges: usize) -> Value {
    let (_folder, path) = with_file("class.tq", text);
    let path = path.to_str().expect("UTF-8");
    let mut run = tranquera(["confirm", path, "--format", "json", "--no-cache"]);
    let told = run.assert().success().get_output().stdout.clone();
    let told: Value = serde_json::from_slice(&told).expect("JSON");
    let found = told["edges"].as_array().expect("edges");
    assert_eq!(found.len(), edges, "{told:#}");
    for edge in found {
        assert_eq!(edge["status"], "confirmed", "{edge:#}");
        assert_eq!(edge["run"]["replayed"], true, "{edge:#}");
    }
    told
}

const DOCUMENT: &str = "type Doc;
    class File { var doc: Doc; var open: bool; var seen: map<int, int>;
      constructor(first: Doc) { doc := first; open := false; }
      action Open(next: Doc) requires !open && next != doc { doc := next; open := true; }
      action Put(k: int) requires open && seen[k] == 0 { seen[k] := 1; }
      action Close() requires open { open := false; } }";

#[test]
fn maps_and_opaque_values() {
    // By hand: closed; open with a key that is free; open without one (where all keys were taken from the start).
    all_are_run_again(DOCUMENT, 7);
}

#[test]
fn objects_and_arrays() {
    let text = "class Account { var closed: bool; var n: nat; constructor() { closed := false; n := 0; } }
        class Bank { var cur: Account?; var log: array<int>; var used: int; var sum: map<Account, int>;
          invariant 0 <= used <= log.length;
          constructor(size: nat) { cur := null; log := new int[size]; used := 0; }
          action open(a: Account) requires cur == null && !a.closed { cur := a; }
          action put(x: int) requires cur != null && used < log.length
            { log[used] := x; used := used + 1; sum[cur] := sum[cur] + x; cur.n := cur.n + 1; }
          action close() requires cur != null && cur.n > 0 { cur.closed := true; cur := null; }
          action make() requires cur == null { var b: Account := new Account(); b.n := 3; cur := b; } }";
    // By hand: without an account; with one in which nothing was put, with room or not; with one in which something was put,
    // with room or not. `open` leads to the four with an account, `make` to the two in which something was put.
    let told = all_are_run_again(text, 13);
    let calls = told["edges"].as_array().expect("edges").iter();
    let calls = calls.filter_map(|edge| edge["run"]["calls"].as_array());
    let opened = calls.flatten().filter(|call| call["name"] == "open");
    for call in opened {
        let (given, kept) = (&call["arguments"][0]["value"], &call["fields"][0]["value"]);
        assert_eq!(
            given, kept,
            "the account that was opened is the one that is kept: {call:#}"
        );
    }
}

#[test]
fn what_was_never_assigned_has_any_value() {
    let text = "class C { var x: int; var on: bool;
          constructor() { on := false; }
          action get() returns (r: int) requires on { }
          action set(y: int) requires !on && y == x + 1 { on := true; } }";
    // A second state is that of an object that is on.
    all_are_run_again(text, 3);
}

#[test]
fn arrays_and_maps_with_one_value_everywhere() {
    let text = "class Book { var taken: array<bool>; var times: map<int, int>; var others: array<bool>;
          invariant taken.length == 2 && times[9] == 0;
          constructor() { taken := new bool[2](false); times := map<int, int>(0); others := new bool[1]; }
          action take() requires !taken[1] { taken[1] := true; times[1] := times[9] + 1; }
          action back() requires taken[1] { taken[1] := false; }
          action clear() requires taken[1] && times[1] > times[9] { taken := new bool[2](false); } }";
    // By hand: nobody sits there; somebody does, who was counted; somebody does, who was not (with no run).
    all_are_run_again(text, 4);
}

#[test]
fn tests_are_made_of_opaque_values() {
    let (_folder, path) = with_file("class.tq", DOCUMENT);
    let path = path.to_str().expect("UTF-8");
    let suite = json(["tests", path, "--format", "json", "--no-cache"]);
    assert_eq!(suite["uncovered"], Value::Array(vec![]), "{suite:#}");
}

/// A test cannot choose what the outside answers.
#[test]
fn no_test_answers_for_the_outside() {
    let text = "exception Lost; class Post { var sent: bool;
          constructor() { sent := false; }
          action send(hidden ok: bool) requires !sent { if (!ok) { throw Lost; } sent := true; }
          action take() requires sent { sent := false; } }";
    let told = all_are_run_again(text, 4);
    let calls = told["edges"].as_array().expect("edges").iter();
    let calls = calls.filter_map(|edge| edge["run"]["calls"].as_array());
    let sent = calls.flatten().filter(|call| call["name"] == "send");
    for call in sent {
        let ended = call["exception"].is_null();
        assert_eq!(call["arguments"][0]["value"], ended.to_string(), "{call:#}");
    }
    let (_folder, path) = with_file("class.tq", text);
    let path = path.to_str().expect("UTF-8");
    let suite = json(["tests", path, "--format", "json", "--no-cache"]);
    let tests = suite["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 1, "{suite:#}");
    let calls = tests[0]["calls"].as_array().expect("calls");
    assert!(calls.iter().all(|call| call["name"] != "send"), "{suite:#}");
    let uncovered = suite["uncovered"].as_array().expect("what is not covered");
    for item in uncovered {
        let why = item["why"].as_str().expect("a reason");
        assert!(why.contains("for the outside to answer"), "{suite:#}");
    }
}
