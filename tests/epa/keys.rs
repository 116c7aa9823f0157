//! Maps with more keys than anybody uses: whether a call is possible depends on whether there is some key that it can be made with.

use tranquera::engine::Builtin;
use tranquera::epa::{ConstructOptions, construct};

use crate::graph;
use crate::support::class;

fn assert_edges(text: &str, edges: &[&str]) {
    let encoding = class::encode(&class::parse(text));
    let options = ConstructOptions::default();
    let found = construct(&encoding, &Builtin::default(), &options).expect("constructed");
    let found = graph::of_constructed(&found);
    assert_eq!(
        found.edges.iter().map(String::as_str).collect::<Vec<_>>(),
        edges
    );
    assert!(found.doubts.is_empty(), "{:?}", found.doubts);
}

/// By hand: of what nobody has done yet either more is left afterwards, or nothing, which is true of all maps that are
/// the same everywhere else. A solver that looks for such a map key by key never ends.
#[test]
fn what_is_done_once_for_each_key() {
    let text = "class Once {
      var seen: map<nat, bool>;
      constructor() { seen := map<nat, bool>(false); }
      action once(id: nat) requires !seen[id] { seen[id] := true; }
      action other() { }
    }";
    let edges = [
        "I Once() -> {once,other}",
        "{once,other} once -> {once,other}",
        "{once,other} once -> {other}",
        "{once,other} other -> {once,other}",
        "{other} other -> {other}",
    ];
    assert_edges(text, &edges);
}

/// The same, for two keys.
#[test]
fn what_is_done_once_for_each_two_keys() {
    let text = "class Grants {
      var granted: map<nat, map<nat, bool>>;
      constructor() { granted := map<nat, map<nat, bool>>(map<nat, bool>(false)); }
      action grant(a: nat, b: nat) requires !granted[a][b] { granted[a][b] := true; }
      action other() { }
    }";
    let edges = [
        "I Grants() -> {grant,other}",
        "{grant,other} grant -> {grant,other}",
        "{grant,other} grant -> {other}",
        "{grant,other} other -> {grant,other}",
        "{other} other -> {other}",
    ];
    assert_edges(text, &edges);
}

/// By hand: tickets are new, bought and used. There may be any of the first two, and a call takes the last one away or does not.
/// In the state where there are both, one is the usual value of the map, and the other one that of some key.
#[test]
fn what_each_key_goes_through() {
    let text = "class Tickets {
      var state: map<nat, int>;
      invariant forall id: nat :: 0 <= state[id] <= 2;
      constructor() { state := map<nat, int>(0); }
      action buy(id: nat) requires state[id] == 0 { state[id] := 1; }
      action use(id: nat) requires state[id] == 1 { state[id] := 2; }
    }";
    let edges = [
        "I Tickets() -> {buy}",
        "{buy,use} buy -> {buy,use}",
        "{buy,use} buy -> {use}",
        "{buy,use} use -> {buy,use}",
        "{buy,use} use -> {buy}",
        "{buy} buy -> {buy,use}",
        "{buy} buy -> {use}",
        "{use} use -> {use}",
        "{use} use -> {}",
    ];
    assert_edges(text, &edges);
}
