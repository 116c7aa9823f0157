//! Classes that are run: runs of hundreds of calls, and proofs from all configurations there are.

use std::collections::BTreeSet;

use tranquera::epa::confirm::Status;

use super::pass::Pass;

/// The edges of each kind: confirmed with the length of the run, refuted.
pub fn decided(pass: &Pass) -> (Vec<(&str, u32)>, BTreeSet<&str>) {
    let (mut confirmed, mut refuted) = (Vec::new(), BTreeSet::new());
    for edge in &pass.found.edges {
        match &edge.status {
            Status::Confirmed { calls, .. } => confirmed.push((edge.edge.as_str(), *calls)),
            Status::Refuted { .. } => {
                refuted.insert(edge.edge.as_str());
            }
            Status::Unconfirmed { .. } => panic!("{} is open", edge.edge),
        }
    }
    let runs = pass.found.edges.iter().filter_map(|e| e.run.as_ref());
    assert!(runs.clone().all(|run| run.replayed));
    (confirmed, refuted)
}

/// All of 98 configurations: `pos` is 0 to 49, playing or not; and nothing loaded. What leads nowhere else is arithmetic.
#[test]
fn a_player_of_49_seconds_is_decided_whole() {
    let pass = Pass::of_text(
        "
class Player { var cap: int; var pos: int; var len: int; var playing: bool;
  constructor() { cap := 49; len := 0; pos := 0; playing := false; }
  action load() requires len == 0 { len := cap; pos := 0; }
  action play() requires len > 0 && !playing && pos < len { playing := true; }
  action tick() requires playing { pos := pos + 1; if (pos == len) { playing := false; } }
  action pause() requires playing { playing := false; }
  action eject() requires len > 0 && !playing { len := 0; pos := 0; }
}",
        64,
    );
    let (confirmed, refuted) = decided(&pass);
    // Only a tick ends at the end: after the constructor, load, play and 49 ticks.
    let (_, calls) = confirmed
        .iter()
        .find(|(e, _)| e.ends_with("tick-> S5"))
        .expect("the edge");
    assert_eq!(*calls, 52);
    assert_eq!((confirmed.len(), refuted.len()), (8, 5), "{refuted:?}");
}

/// What the class assumes of a state takes the other objects away: no run leads through them, and that is no error.
#[test]
fn no_run_leads_where_the_class_assumes_that_nothing_is() {
    let counter = "class Counter { var n: int;
        constructor() { n := 0; }
        action up() requires n < 300 { n := n + 1; }
        action stop() requires n == 5 { n := 0; }";
    // With 2 it still goes up, to 3: there is no such object, nor one with 5.
    let pass = Pass::of_text(&format!("{counter} state {{ up }} assumes n < 3; }}"), 300);
    let made = ("Counter() -> S1", 1);
    assert_eq!(
        decided(&pass),
        (vec![made, ("S1 -up-> S1", 2)], BTreeSet::new())
    );
    let pass = Pass::of_text(&format!("{counter} state {{ up }} assumes false; }}"), 300);
    assert_eq!(decided(&pass), (vec![], BTreeSet::new()));
}

#[test]
fn a_run_of_258_calls() {
    let pass = Pass::of_text(
        "
class Count { var n: int; var done: bool;
  constructor() { n := 0; done := false; }
  action inc() requires n < 256 { n := n + 1; }
  action finish() requires n == 256 && !done { done := true; }
}",
        300,
    );
    let (confirmed, refuted) = decided(&pass);
    let longest = confirmed.iter().max_by_key(|(_, calls)| *calls);
    assert_eq!(longest, Some(&("S3 -finish-> S2", 258)));
    assert_eq!(refuted, BTreeSet::from(["S1 -inc-> S2"]));
    assert_eq!(pass.invariant(), ["done ==> n == 256"]);
}

#[test]
fn an_unsigned_byte_that_stays_small() {
    let pass = Pass::of_text(
        "
class Lock { var holds: u8; var broken: bool;
  constructor() { holds := 0; broken := false; }
  action acquire() requires holds < 3 { holds := holds + 1; if (holds == 200) { broken := true; } }
  action release() requires holds > 0 { holds := holds - 1; }
  action repair() requires broken { broken := false; } }",
        64,
    );
    let (confirmed, _) = decided(&pass);
    assert!(confirmed.iter().all(|(edge, _)| !edge.contains("repair")));
    // From three holds one is released: after the constructor and three times acquire.
    assert!(
        confirmed
            .iter()
            .any(|(edge, calls)| edge.contains("release") && *calls == 5)
    );
}

/// The guards ask whether there is an index: the interpreter decides that, in whatever order the clauses stand.
#[test]
fn arrays_that_guards_look_into_are_run() {
    let pass = Pass::of_text(
        "
class Slots { var a: array<bool>;
  constructor() { a := new bool[2]; a[0] := false; a[1] := false; }
  action put(i: int) requires 0 <= i && i < 2 && !a[i] { a[i] := true; }
  action take(i: int) requires 0 <= i && i < 2 && a[i] { a[i] := false; } }",
        8,
    );
    let runs: Vec<_> = pass
        .found
        .edges
        .iter()
        .filter_map(|e| e.run.as_ref())
        .collect();
    assert!(!runs.is_empty());
    assert!(runs.iter().all(|run| run.replayed), "{runs:?}");
}

/// Arrays as long as the class mentions are no reason to fill the memory with them.
#[test]
fn long_arrays_are_not_kept() {
    let pass = Pass::of_text(
        "
class Buffer { var data: array<int>; var sealed: bool;
  constructor() { data := new int[1]; sealed := false; }
  action grow(n: int) requires n >= 0 && !sealed { data := new int[n]; }
  action seal() requires data.length == 100000 && !sealed { sealed := true; } }",
        4,
    );
    let runs = pass.found.edges.iter().filter_map(|e| e.run.as_ref());
    assert!(runs.clone().count() > 0);
}

/// A number that counts what a map has: no clause about the number alone says so.
#[test]
fn a_map_with_few_keys_is_decided_whole() {
    let pass = Pass::of_text(
        "
enum Seat { Left, Right }
class Bench { var taken: map<Seat, bool>; var n: int;
  constructor() { taken := map<Seat, bool>(false); n := 0; }
  action sit(s: Seat) requires !taken[s] { taken[s] := true; n := n + 1; }
  action rise(s: Seat) requires taken[s] { taken[s] := false; n := n - 1; }
  action full() requires n == 2 { } }",
        8,
    );
    let (confirmed, refuted) = decided(&pass);
    // By hand: nobody, one, both; sit and rise between them, and full where both sit.
    assert_eq!(confirmed.len(), 6, "{confirmed:?}");
    assert!(!refuted.is_empty());
}

/// Two fields with the same array, which nobody else has.
#[test]
fn what_two_fields_share_is_decided_whole() {
    let pass = Pass::of_text(
        "
class Twice { var a: array<bool>; var b: array<bool>;
  constructor() { a := new bool[2](false); b := a; }
  action set(i: int) requires 0 <= i < 2 && !a[i] { a[i] := true; }
  action fresh() requires a[0] && a[1] { b := new bool[2](false); a := b; }
  action differ() requires a[0] != b[0] { } }",
        8,
    );
    let (confirmed, refuted) = decided(&pass);
    // By hand: none set, or one; both. Nothing else is enabled, as the two are the same.
    let edges: Vec<&str> = confirmed.iter().map(|(edge, _)| *edge).collect();
    assert_eq!(edges.len(), 4, "{edges:?}");
    assert!(!refuted.is_empty());
}

/// Whether `twice` is enabled is arithmetic of remainders: the edges that it decides are taken with a few of the 30 capacities only,
/// which no number in the class suggests. Exploring all 525 configurations gives 29 edges.
#[test]
fn what_an_odd_object_holds_is_worth_a_try() {
    let pass = Pass::of_text(
        "
class Lock { var holds: int; var max: int; var closed: bool;
  constructor(m: int) requires 0 < m < 31 { holds := 0; max := m; closed := false; }
  action acquire() requires !closed && holds < max { holds := (holds + 1) mod 32; }
  action release() requires holds > 0 { holds := holds - 1; }
  action twice() requires !closed && (holds * 2) mod 32 < max { holds := (holds * 2) mod 32; }
  action close() requires !closed && holds == 0 { closed := true; }
}",
        64,
    );
    let (confirmed, refuted) = decided(&pass);
    assert_eq!(confirmed.len(), 29, "{refuted:?}");
}
