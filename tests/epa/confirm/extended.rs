//! Runs that go on from where other runs have been, and proofs that learn from what no run does.

use std::collections::BTreeMap;

use tranquera::epa::confirm::Status;

use super::explored::decided;
use super::pass::{Pass, second_pass};
use crate::support::class;
use crate::support::program::root;

/// Each leg needs what others have left in the maps, and contracts alone say what a call does. The lengths are the legs', counted by
/// hand. That `fourth` is not enabled behind `third` if the times do not fit is a deadlock of one call more.
#[test]
fn a_contract_of_maps_is_followed_to_its_end() {
    let pass = Pass::of_text(
        "
enum Leg { First, Second, Third, Fourth, Fifth, Sixth, Seventh }
class Relay {
  var leg: Leg; var passed: map<Leg, bool>; var times: map<Leg, int>;
  initially leg == Leg.First && forall l: Leg :: !passed[l];
  action second(t: int) requires leg == Leg.First
    ensures leg == Leg.Second && passed == old(passed[Leg.First := true]) && times == old(times[Leg.First := t])
  action third(t: map<Leg, int>) requires leg == Leg.Second && passed[Leg.First]
    ensures leg == Leg.Third && passed == old(passed[Leg.Second := true]) && times == t
    ensures forall l: Leg :: t[l] > old(times)[l]
  action fourth() requires leg == Leg.Third && times[Leg.Third] > times[Leg.Second]
    ensures leg == Leg.Fourth && passed == old(passed[Leg.Third := true])
  action fifth() requires leg == Leg.Fourth && passed[Leg.Third]
    ensures leg == Leg.Fifth && passed == old(passed[Leg.Fourth := true])
  action sixth() requires leg == Leg.Fifth && passed[Leg.Second]
    ensures leg == Leg.Sixth && passed == old(passed[Leg.Fifth := true])
  action finish() requires leg == Leg.Sixth && passed[Leg.First] && passed[Leg.Fifth]
    ensures leg == Leg.Seventh
}",
        16,
    );
    let (confirmed, _) = decided(&pass);
    let mut shortest = BTreeMap::new();
    for edge in &pass.found.edges {
        if let Status::Confirmed { calls, .. } = edge.status {
            let known = shortest.entry(edge.action.as_str()).or_insert(calls);
            *known = calls.min(*known);
        }
    }
    let expected = [
        ("second", 2),
        ("third", 3),
        ("fourth", 4),
        ("fifth", 5),
        ("sixth", 6),
        ("finish", 7),
    ];
    for (action, calls) in expected {
        assert_eq!(
            shortest.get(action),
            Some(&calls),
            "{action} in {confirmed:?}"
        );
    }
}

/// Only `!on && keep ==> mode != Mode.Busy` refutes `start` into the alarm: any two of the three go together in some run.
#[test]
fn what_three_values_never_have_together_is_learned() {
    let pass = Pass::of_text(
        "
enum Mode { Idle, Busy, Done }
class Round {
  var mode: Mode; var on: bool; var keep: bool; var alarm: bool; var rounds: int;
  constructor() { mode := Mode.Idle; on := false; keep := false; alarm := false; rounds := 0; }
  action prepare() requires !on && !keep && !alarm { mode := Mode.Busy; }
  action start() requires !on && !alarm {
    if (keep && mode == Mode.Busy) { alarm := true; }
    on := true; mode := Mode.Busy; rounds := rounds + 1;
  }
  action stay() requires on && !alarm { keep := true; }
  action stop() requires on && !alarm { on := false; mode := Mode.Done; }
  action ring() requires alarm { }
}",
        16,
    );
    let (confirmed, refuted) = decided(&pass);
    assert_eq!(refuted.len(), 2, "{refuted:?} of {confirmed:?}");
    let invariant = pass.invariant();
    let learned = invariant.iter().find(|clause| clause.contains("&&"));
    assert!(learned.is_some(), "{invariant:?}");
}

/// A run makes an object to which nothing leads, and no call of it tells others of it: no `Link` leads to it, though the EPA, which
/// looks at one call, has to allow for one.
#[test]
fn a_run_does_not_go_on_with_objects_that_know_the_new_one() {
    let pass = Pass::of_text(
        "
class Link { var to: C?; constructor() { to := null; } }
class C {
  var n: int;
  constructor() { n := 0; }
  action up() requires n < 2 { n := n + 1; }
  action linked(by: Link?) requires by != null && by.to == this && n == 2 { n := 5; }
}",
        6,
    );
    let linked = pass.found.edges.iter().find(|edge| edge.action == "linked");
    let linked = linked.expect("an edge of `linked`");
    assert!(
        matches!(linked.status, Status::Unconfirmed { .. }),
        "{linked:?}"
    );
}

/// 33 actions over maps of two partners and two owners.
#[test]
#[ignore = "minutes"]
fn the_name_servers_are_decided_whole() {
    for version in ["initial", "second", "final"] {
        let loaded = class::load(&root().join(format!("fixtures/tse-2012/winsra_{version}.tq")));
        let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 64);
        let (confirmed, refuted) = decided(&pass);
        println!(
            "{version}: {} confirmed, {} refuted",
            confirmed.len(),
            refuted.len()
        );
    }
}
