//! The runs that confirm, deep ones too.

use tranquera::epa::confirm::Status;

use super::pass::{Pass, folder, second_pass};
use crate::support::class;

#[test]
fn a_run_is_shown_with_its_values() {
    let loaded = class::load(&folder().join("vending_machine.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    let edge = pass
        .found
        .edges
        .iter()
        .find(|e| e.edge == "S3 -ReturnChange-> S4")
        .expect("the edge");
    let run = edge.run.as_ref().expect("a run");
    assert!(run.replayed);
    let names: Vec<&str> = run.calls.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["VendingMachine()", "Buy", "ReturnChange"]);
    // Buy with money leaves change of 5, and that is what ReturnChange takes away.
    let shown = |call: usize, name: &str| {
        let values = run.calls[call]
            .arguments
            .iter()
            .chain(&run.calls[call].fields);
        values
            .filter(|v| v.name == name)
            .map(|v| v.value.clone())
            .collect::<Vec<_>>()
            .concat()
    };
    assert!(shown(1, "money").parse::<i64>().expect("a number") > 0);
    assert_eq!(
        (shown(1, "change").as_str(), shown(2, "change").as_str()),
        ("5", "0")
    );
    assert_eq!(shown(2, "selling"), "true");
    assert!(!run.calls[1].path.is_empty());
}

const DEEP: &str = "
class Counter {
  var n: int;
  invariant 0 <= n <= 51;
  constructor() { n := 0; }
  action up() requires n < 51 { n := n + 1; }
  action down() requires n > 0 { n := n - 1; }
}";

#[test]
fn an_edge_that_needs_52_calls_is_confirmed_and_not_refuted() {
    let pass = Pass::of_text(DEEP, 64);
    let calls = |edge: &str| match pass.status(edge) {
        Status::Confirmed { calls, shortest } => (*calls, *shortest),
        other => panic!("{edge}: {other:?}"),
    };
    assert_eq!(calls("S2 -up-> S3"), (52, true));
    assert_eq!(calls("S3 -down-> S2"), (53, true));
    assert!(
        pass.found
            .edges
            .iter()
            .all(|e| matches!(e.status, Status::Confirmed { .. }))
    );
    // With fewer calls it is neither.
    let short = Pass::of_text(DEEP, 20);
    assert_eq!(
        short.status("S2 -up-> S3"),
        &Status::Unconfirmed { bound: 20 }
    );
    assert_eq!(
        short.status("S3 -down-> S2"),
        &Status::Unconfirmed { bound: 20 }
    );
    assert!(short.found.stopped.is_some());
}

/// Two phases, and a way back in the second one: what bounds the one counter depends on the other.
#[test]
fn a_deep_edge_behind_two_phases_is_confirmed() {
    let pass = Pass::of_text(
        "
enum Phase { Filling, Draining, Done }
class Tank {
  var a: int;
  var b: int;
  var phase: Phase;
  constructor() { a := 0; b := 0; phase := Phase.Filling; }
  action fill(k: int)
    requires phase == Phase.Filling && 0 <= k <= 1
  { a := a + k; if (a == 12) { phase := Phase.Draining; } }
  action drain()
    requires phase == Phase.Draining
  { b := b + 1; if (b == 11) { phase := Phase.Done; } }
  action undo()
    requires b > 0 && phase != Phase.Done
  { b := b - 1; }
  action finish()
    requires phase == Phase.Done
  { }
}",
        40,
    );
    let finish = pass
        .found
        .edges
        .iter()
        .find(|e| e.action == "finish")
        .expect("the edge");
    // The constructor, 12 times fill, 11 times drain, finish.
    assert_eq!(
        finish.status,
        Status::Confirmed {
            calls: 25,
            shortest: true
        }
    );
    assert!(
        pass.found
            .edges
            .iter()
            .all(|e| !matches!(e.status, Status::Unconfirmed { .. }))
    );
}

fn are_all_replayed(pass: &Pass) -> bool {
    let edges = pass.found.edges.iter();
    edges.clone().count() > 0
        && edges
            .clone()
            .all(|e| e.run.as_ref().is_some_and(|r| r.replayed))
}

/// What `open` makes of the sockets, which are no part of the object, is on the trace as well.
#[test]
fn what_a_contract_changes_in_others_is_replayed() {
    let pass = Pass::of_text(
        "
class Socket { var state: int; }
class User { var socket: Socket?;
  initially socket == null;
  action open() requires socket == null ensures socket != null && socket.state == 7
  action send() returns (n: int) requires socket != null && socket.state == 7 { n := socket.state; }
  action close() requires socket != null ensures socket == null }",
        8,
    );
    assert!(are_all_replayed(&pass), "{:#?}", pass.found.edges);
    let sends = pass.found.edges.iter().find(|e| e.action == "send");
    let run = sends.and_then(|e| e.run.as_ref()).expect("a run");
    let last = run.calls.last().expect("a call");
    assert_eq!(last.results[0].value, "7");
}

/// A solver takes any length for the array of the list; a run is shown, and made, with a short one.
#[test]
fn runs_over_a_list_are_replayed() {
    let loaded = class::load(&folder().join("list_itr.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 3);
    assert!(are_all_replayed(&pass));
}

#[test]
fn arrays_that_are_too_large_are_said_to_be() {
    let pass = Pass::of_text(
        "
class Table { var rows: array<int>;
  constructor(a: array<int>) requires a.length > 60000 { rows := a; }
  action get() returns (n: int) { n := rows[7]; } }",
        2,
    );
    for edge in &pass.found.edges {
        let run = edge.run.as_ref().expect("a run");
        let why = run.not_replayed.as_deref();
        assert_eq!(
            (run.replayed, why),
            (false, Some("its arrays are too large"))
        );
    }
}
