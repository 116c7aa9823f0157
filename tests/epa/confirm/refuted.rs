//! What a refuted edge takes with it, and the invariant that refutes it.

use tranquera::epa::Epa;
use tranquera::epa::confirm::Status;
use tranquera::epa::wire::Confirmation;

use super::pass::{Pass, folder, second_pass};
use crate::support::class;

#[test]
fn a_refuted_edge_leaves_the_epa_with_what_only_it_reached() {
    let loaded = class::load(&folder().join("vending_machine.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    assert_eq!(pass.invariant(), ["change >= 0"]);
    let epa = &pass.left;
    assert!(
        epa.states.iter().all(|s| !s.enabled.is_empty()),
        "the deadlock is gone"
    );
    assert_eq!(epa.states.len(), 3);
    assert!(epa.findings.iter().all(|f| f.kind != "deadlock-state"));
    assert!(
        epa.transitions
            .iter()
            .all(|t| matches!(t.confirmation, Some(Confirmation::Confirmed { .. })))
    );
    let refuted = epa.refuted.as_ref().expect("what was refuted");
    assert_eq!(refuted.invariant, ["change >= 0"]);
    assert_eq!(refuted.transitions.len(), 1);
    assert_eq!(refuted.states.len(), 1);
    assert_eq!(refuted.states[0].enabled, Vec::<String>::new());
}

/// In `test2`, the end of `m2` in the deadlock is refuted; that of `m3` is real. The finding must name only that.
#[test]
fn findings_are_those_of_the_epa_that_is_left() {
    let loaded = class::load(&folder().join("test2.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    let deadlock = |epa: &Epa| {
        let found = epa.findings.iter().find(|f| f.kind == "deadlock-state");
        found.expect("the deadlock is real").message.clone()
    };
    assert!(deadlock(&pass.epa).contains("`m2`"));
    let left = deadlock(&pass.left);
    assert!(left.contains("`m3`") && !left.contains("`m2`"), "{left}");
}

/// A person can paste the invariant into the class, and the EPA then lacks the edge from the beginning.
#[test]
fn the_invariant_found_can_be_pasted_into_the_class() {
    for (name, edges_before) in [("test2", 4), ("vending_machine", 6)] {
        let text = std::fs::read_to_string(folder().join(format!("{name}.tq"))).expect("a class");
        let pass = Pass::of_text(&text, 8);
        assert_eq!(pass.epa.transitions.len(), edges_before);
        let clauses: Vec<String> = pass
            .invariant()
            .iter()
            .map(|c| format!("  invariant {c};\n"))
            .collect();
        let (head, tail) = text.split_once("  constructor").expect("a constructor");
        let pasted = Pass::of_text(&format!("{head}{}  constructor{tail}", clauses.concat()), 8);
        assert_eq!(pasted.epa.transitions.len(), edges_before - 1, "{name}");
        assert!(pasted.found.proof.is_none());
    }
}

/// As printed, `add` fails on every list that an object can have: what is known of the header, which the list alone knows,
/// shows it.
#[test]
fn what_the_object_alone_knows_is_a_part_of_the_proof() {
    let fixtures = folder().join("../tosem-2013");
    let loaded = class::load(&fixtures.join("list_as_printed.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    let invariant = pass.invariant();
    assert!(
        invariant
            .iter()
            .any(|c| c == "l != null ==> l.first == null"),
        "{invariant:?}"
    );
    let left: Vec<_> = pass
        .left
        .transitions
        .iter()
        .map(|t| t.action.as_str())
        .collect();
    assert_eq!(
        left,
        ["destroy"],
        "no run leaves {{add, destroy}} but by `destroy`"
    );
}

/// A box that somebody else has may be full at any time.
#[test]
fn what_another_one_knows_is_no_part_of_a_proof() {
    let edges = |made: &str| {
        let text = format!(
            "class Box {{ var full: bool; constructor() {{ full := false; }} }}
             class C {{ var b: Box; var seen: bool;
               constructor{made} seen := false; }}
               action look() {{ seen := b.full; }}
               action take() requires seen {{ }} }}"
        );
        let pass = Pass::of_text(&text, 8);
        let refuted = |status: &Status| matches!(status, Status::Refuted { .. });
        let edges = pass.found.edges.iter();
        edges.filter(|edge| refuted(&edge.status)).count()
    };
    assert_eq!(edges("(x: Box) requires !x.full { b := x;"), 0);
    assert_ne!(edges("() { b := new Box();"), 0);
}

/// What is left and what is raised add up to all there is, once there is something: with 500 raised, something is left.
#[test]
fn what_numbers_have_in_common_is_a_part_of_the_proof() {
    let pass = Pass::of_text(
        "
class Sale { var left: int; var raised: int; var open: bool;
  invariant left >= 0 && raised >= 0;
  constructor() { left := 0; raised := 0; open := false; }
  action setUp() requires !open && raised == 0 { left := 1000; open := true; }
  action buy(k: int) requires open && 0 < k <= left { left := left - k; raised := raised + k; }
  action refund(k: int) requires open && 0 < k <= raised { left := left + k; raised := raised - k; }
  action finish() requires open && left == 0 && raised == 1000 { open := false; } }",
        8,
    );
    let odd: Vec<&str> = pass
        .epa
        .states
        .iter()
        .filter(|s| s.enabled == ["refund"])
        .map(|s| s.id.as_str())
        .collect();
    let [odd] = odd.as_slice() else {
        panic!("{odd:?}")
    };
    let state = pass
        .found
        .states
        .iter()
        .find(|s| s.id == *odd)
        .expect("the state");
    assert!(matches!(state.status, Status::Refuted { .. }), "{state:?}");
    assert!(
        pass.found
            .edges
            .iter()
            .all(|e| !matches!(e.status, Status::Unconfirmed { .. }))
    );
    let equality = pass
        .invariant()
        .iter()
        .find(|clause| clause.contains("left + raised == 1000"));
    assert!(equality.is_some(), "{:?}", pass.invariant());
    // Before, in all five states that are left, objects are as the numbers say.
    assert_eq!(pass.left.states.len(), 5);
}

/// What is raised before there is a wallet would not be made up for by what is left: the sum needs the implication.
#[test]
fn sums_and_implications_are_kept_together() {
    let pass = Pass::of_text(
        "
class Sale { var wallet: int; var left: int; var raised: int;
  invariant left >= 0 && raised >= 0;
  constructor() { wallet := 0; left := 0; raised := 0; }
  action setUp(w: int) requires wallet == 0 && w != 0 { wallet := w; left := 1000; }
  action buy(k: int) requires wallet != 0 && 0 < k <= left { left := left - k; raised := raised + k; }
  action finish() requires wallet != 0 && left == 0 { wallet := -1; }
  action short() requires left == 0 && 0 < raised < 400 { raised := 400; } }",
        8,
    );
    assert_eq!(states_left(&pass), ["setUp", "buy", "finish"]);
}

/// The callers have the array, too, and may write into it; but none can make it longer. Where `drop` was called there is nothing
/// to look at.
#[test]
fn lengths_are_the_objects_own_whoever_has_the_array() {
    let pass = Pass::of_text(
        "
class Slot { var kept: array<bool>; var n: int;
  constructor(a: array<bool>) requires a.length <= 2 { kept := a; n := 0; }
  action drop() requires n == 0 { kept := new bool[0]; n := 1; }
  action wait() requires n == 1 { n := 2; }
  action look() requires n == 2 && !kept[0] { }
  action end() requires n == 2 { } }",
        8,
    );
    assert_eq!(states_left(&pass), ["drop", "wait", "end"]);
}

/// Lots are numbered as they are offered, and each that was offered has a seller.
const LOTS: &str = "enum Phase { None, Open, Sold }
    class Lots {
      var phase: map<int, Phase>; var seller: map<int, int>; var count: int;
      fact exists unused: int :: phase[unused] == Phase.None;
      invariant count >= 0;
      constructor() { phase := map<int, Phase>(Phase.None); seller := map<int, int>(0); count := 0; }
      action offer(who: int) requires who != 0 {
        phase[count] := Phase.Open; seller[count] := who; count := count + 1;
      }
      action buy(id: int) requires phase[id] == Phase.Open { phase[id] := Phase.Sold; }
      action take(id: int, who: int) requires phase[id] == Phase.Open && seller[id] == who && who != 0 {
        phase[id] := Phase.Sold;
      }
    }";

/// That a lot is open which nobody has offered is excluded by what maps have at every key. Whoever writes the clause into the class has
/// the EPA without these edges at once.
#[test]
fn what_maps_have_at_every_key_is_a_part_of_the_proof() {
    let pass = Pass::of_text(LOTS, 8);
    assert_eq!(pass.epa.states.len(), 3);
    assert_eq!(
        pass.invariant(),
        ["forall id: int :: phase[id] != Phase.None ==> seller[id] != 0"]
    );
    assert_eq!(states_left(&pass), ["offer", "offer buy take"]);
    assert_eq!(pass.left.transitions.len(), 6);
    let clause = format!("invariant {};\n constructor", pass.invariant()[0]);
    let pasted = Pass::of_text(&LOTS.replace("constructor", &clause), 8);
    assert_eq!(pasted.epa.transitions.len(), 6);
    assert!(pasted.found.proof.is_none());
}

/// No element is more than its index: the clause compares what a map has with the key.
#[test]
fn what_a_map_has_is_compared_with_the_key() {
    let text = "class Stack {
      var at: map<nat, nat>; var size: nat; var top: nat;
      constructor() { at := map<nat, nat>(0); size := 0; top := 0; }
      action push(n: nat) requires n <= size { at[size] := n; size := size + 1; }
      action look(i: nat) requires i < size { top := at[i]; }
      action none() requires size > 0 && top >= size { }
    }";
    let pass = Pass::of_text(text, 8);
    let invariant = pass.invariant();
    assert!(
        invariant
            .iter()
            .any(|clause| clause == "forall n: nat :: at[n] <= n"),
        "{invariant:?}"
    );
    assert_eq!(states_left(&pass), ["push", "push look"]);
}

/// What is enabled in the states that are left, where all edges are decided.
fn states_left(pass: &Pass) -> Vec<String> {
    let mut edges = pass.found.edges.iter();
    let is_open = |status: &Status| matches!(status, Status::Unconfirmed { .. });
    assert!(edges.all(|edge| !is_open(&edge.status)));
    let states = pass.left.states.iter();
    states.map(|state| state.enabled.join(" ")).collect()
}
