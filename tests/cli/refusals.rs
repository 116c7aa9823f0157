//! Classes without contracts: their actions can be called where their bodies do not refuse it. What is expected is recorded by
//! others (`fixtures/openjdk-17/*.tq` say what), or follows from the few lines shown.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::epa::{list, states, text};
use crate::support::program::{failed, json, stderr, stdout, tranquera, with_file};

/// The edges that are left after the second pass, as `{enabled} action {enabled}`; a state is its actions' first letters, or
/// what is given for them.
fn edges(arguments: &[&str]) -> BTreeSet<String> {
    let epa = json(arguments);
    let states: BTreeMap<&str, String> = states(&epa)
        .map(|(id, enabled)| (id, format!("{{{}}}", enabled.join(","))))
        .collect();
    let left = list(&epa, "transitions").map(|edge| {
        assert_eq!(edge["confirmation"]["status"], "confirmed", "{edge}");
        let (source, target) = (&states[text(edge, "source")], &states[text(edge, "target")]);
        format!("{source} {} {target}", text(edge, "action"))
    });
    left.collect()
}

/// Actions, each with where it leads.
type Calls<'t> = &'t [(&'t str, &'t [&'t str])];

fn expected(lines: &[(&str, Calls<'_>)]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (source, calls) in lines {
        for (action, targets) in *calls {
            for target in *targets {
                all.insert(format!("{{{source}}} {action} {{{target}}}"));
            }
        }
    }
    all
}

fn both_passes(name: &str, more: &[&str]) -> BTreeSet<String> {
    let file = format!("fixtures/openjdk-17/{name}.tq");
    let mut arguments = vec![
        "epa",
        &file,
        "--infer-requires",
        "--confirm",
        "--exceptions",
        "none",
    ];
    arguments.extend(["--format", "json"]);
    arguments.extend(more);
    edges(&arguments)
}

/// Recorded: 6 states, 17 transitions.
#[test]
fn a_socket_whose_every_library_call_may_fail() {
    let (start, bound, closed) = ("connect,bind,close", "connect,close", "close");
    let both = "getInputStream,getOutputStream,shutdownInput,shutdownOutput,close";
    let output = "getOutputStream,shutdownOutput,close";
    let input = "getInputStream,shutdownInput,close";
    let found = both_passes("socket", &[]);
    let edges = expected(&[
        (
            start,
            &[
                ("bind", &[bound]),
                ("connect", &[both]),
                ("close", &[closed]),
            ],
        ),
        (bound, &[("connect", &[both]), ("close", &[closed])]),
        (
            both,
            &[
                ("getInputStream", &[both]),
                ("getOutputStream", &[both]),
                ("shutdownInput", &[output]),
                ("shutdownOutput", &[input]),
                ("close", &[closed]),
            ],
        ),
        (
            output,
            &[
                ("getOutputStream", &[output]),
                ("shutdownOutput", &[closed]),
                ("close", &[closed]),
            ],
        ),
        (
            input,
            &[
                ("getInputStream", &[input]),
                ("shutdownInput", &[closed]),
                ("close", &[closed]),
            ],
        ),
        (closed, &[("close", &[closed])]),
    ]);
    assert_eq!(edges.len(), 17);
    assert_eq!(found, edges);
}

/// Recorded: 3 states, 8 transitions.
#[test]
fn a_zip_stream_with_whole_bodies() {
    let (outside, closed) = ("putNextEntry,closeEntry,close", "close");
    let inside = "putNextEntry,closeEntry,write,close";
    let edges = expected(&[
        (
            outside,
            &[
                ("putNextEntry", &[inside]),
                ("closeEntry", &[outside]),
                ("close", &[closed]),
            ],
        ),
        (
            inside,
            &[
                ("putNextEntry", &[inside]),
                ("write", &[inside]),
                ("closeEntry", &[outside]),
                ("close", &[closed]),
            ],
        ),
        (closed, &[("close", &[closed])]),
    ]);
    assert_eq!(edges.len(), 8);
    assert_eq!(both_passes("zip_output_stream", &[]), edges);
}

/// A call inside a body does what it did before: what it raises is caught there, and no clause is in its way. By hand:
/// `both` passes in any state, and leads to the other one from the first only.
#[test]
fn a_clause_that_was_found_is_none_for_calls_inside() {
    let text = "exception Open;
        class Door {
          var open: bool := false;
          constructor() { }
          action enter() { if (open) { throw Open; } open := true; }
          action leave() { open := false; }
          action both() { try { enter(); } catch Open { open := true; } }
        }";
    let (_folder, file) = with_file("door.tq", text);
    let file = file.to_str().expect("UTF-8");
    let arguments = [
        "epa",
        file,
        "--infer-requires",
        "--confirm",
        "--format",
        "json",
    ];
    let (closed, open) = ("enter,leave,both", "leave,both");
    let edges = expected(&[
        (
            closed,
            &[("enter", &[open]), ("leave", &[closed]), ("both", &[open])],
        ),
        (open, &[("leave", &[closed]), ("both", &[open])]),
    ]);
    assert_eq!(self::edges(&arguments), edges);
    // In the text a clause would be in the way, and is not written.
    let written = tranquera(["epa", file, "--infer-requires", "--write"])
        .assert()
        .success();
    assert!(
        stderr(&written).contains("`enter` are not written"),
        "{}",
        stderr(&written)
    );
    assert_eq!(std::fs::read_to_string(file).expect("a text"), text);
}

/// Where the body goes on beyond the bound, the action may be enabled, and may be not: its states and edges are `maybe`.
#[test]
fn what_could_not_be_followed_is_maybe() {
    let text = "exception Odd;
        class C {
          var n: int;
          constructor(n0: int) { n := n0; }
          action halve() { var k: int := n; while (k > 0) { k := k - 2; } if (k < 0) { throw Odd; } }
          action more() { n := n + 1; }
        }";
    let (_folder, file) = with_file("c.tq", text);
    let file = file.to_str().expect("UTF-8");
    let run = tranquera(["epa", file, "--infer-requires"])
        .assert()
        .success();
    let text = stdout(&run);
    assert!(
        text.contains("whether `halve` can be called is not known everywhere"),
        "{text}"
    );
    assert!(text.contains('?'), "{text}");
}

/// Going through a body follows no more than three rounds. Whether each call ends normally is seen by how the loop is made: here, by
/// hand, for all `n`.
#[test]
fn each_call_can_be_made_where_loops_end_and_nothing_refuses_it() {
    let bodies = [
        // Counts up, and is never above.
        (
            "var i: int := 0; while (i < n) { i := i + 1; if (i > n) { throw Odd; } }",
            true,
        ),
        // Counts down, in steps that are not constant.
        (
            "var k: int := n; while (k > 0) { k := k - (1 + k div 2); if (k > n) { throw Odd; } }",
            true,
        ),
        // Others answer yes or no: that it is always no is enough; or that it is always yes.
        (
            "var k: int := n; var b: bool; while (k > 0) { havoc b; if (b) { throw Odd; } k := k - (1 + k div 2); if (k > n) { throw Odd; } }",
            true,
        ),
        (
            "var k: int := n; var b: bool; while (k > 0) { havoc b; if (!b) { throw Odd; } k := k - (1 + k div 2); if (k > n) { throw Odd; } }",
            true,
        ),
        // It is nobody's choice.
        (
            "var i: int := 0; var b: bool; while (i < n) { havoc? b; if (b) { throw Odd; } i := i + 1; }",
            false,
        ),
        // Other code need not change the object, nor raise anything.
        (
            "var k: int := n; var l: int := m; while (k > 0) { havoc m; if (*) { throw Odd; } if (m != l) { throw Odd; } k := k - (1 + k div 2); if (k > n) { throw Odd; } }",
            true,
        ),
        // It goes past 0 where `n` is odd, and never ends.
        (
            "var k: int := n; while (k != 0) { k := k - 2; if (k > n) { throw Odd; } }",
            false,
        ),
        // The outer one begins the inner one anew.
        (
            "var i: int := 0; while (i < n) { var j: int := 0; while (j < i) { j := j + 1; } i := i + 1; if (j >= i) { throw Odd; } }",
            true,
        ),
        // Nothing goes on from there.
        (
            "var k: int := n; while (k > 0) { k := k - (1 + k div 2); if (k > n) { throw Odd; } } assume n < 7;",
            false,
        ),
        // It stays at 1.
        (
            "var k: int := n; while (k > 0) { k := k - k div 2; if (k > n) { throw Odd; } }",
            false,
        ),
        // What a quantifier binds is nothing to count by.
        (
            "var k: int := n; while (exists j: int :: 0 <= j < k) { k := k - 1; if (k > n) { throw Odd; } }",
            false,
        ),
        // What a call takes for granted of others is no choice.
        (
            "var k: int := n; while (k > 0) { k := k - (1 + k div 2); ask(k); }",
            false,
        ),
        // A call within the call ends some time, which is not looked at.
        ("deeper(n);", false),
    ];
    for (body, is_known) in bodies {
        let text = format!(
            "exception Odd; exception Stuck;
             class C {{
               var n: nat;
               var m: int;
               constructor(n0: nat) {{ n := n0; m := n0; }}
               action run() {{ {body} }}
               procedure ask(k: int, hidden ok: bool) requires ok {{ if (k < 5) {{ throw Odd; }} }}
               procedure deeper(k: int) {{ if (k > n) {{ throw Odd; }} if (k > 0) {{ deeper(k - 1); }} }}
             }}"
        );
        let (_folder, file) = with_file("c.tq", &text);
        let file = file.to_str().expect("UTF-8");
        let epa = json(["epa", file, "--infer-requires", "--format", "json"]);
        let notes = epa["notes"].to_string();
        assert_eq!(
            !notes.contains("not known everywhere"),
            is_known,
            "{body}\n{epa}"
        );
    }
}

#[test]
fn an_exception_that_is_not_there_is_an_error() {
    let text = failed(
        [
            "epa",
            "fixtures/openjdk-17/socket.tq",
            "--infer-requires",
            "--refusals",
            "Closed",
        ],
        2,
    );
    assert!(text.contains("there is no exception `Closed`"), "{text}");
}

/// The options of `epa` are those of the other commands, too.
#[test]
fn other_commands_find_clauses_too() {
    let file = "fixtures/openjdk-17/socket.tq";
    let run = tranquera(["query", file, "--infer-requires", "--kind", "program"])
        .assert()
        .success();
    assert!(
        stderr(&run).contains("inferred: `bind` requires !bound"),
        "{}",
        stderr(&run)
    );
    let edge = "{connect, bind, close} -close-> {close}";
    let run = tranquera(["explain", file, "--infer-requires", "--edge", edge])
        .assert()
        .success();
    assert!(stdout(&run).contains("close"), "{}", stdout(&run));
    let run = tranquera(["diff", file, file, "--infer-requires"])
        .assert()
        .success();
    assert!(
        stderr(&run).contains("inferred: `bind` requires !bound"),
        "{}",
        stderr(&run)
    );
}
