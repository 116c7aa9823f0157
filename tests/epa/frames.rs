//! What calls leave as it is: which calls change nothing that tells states apart, worked out by hand; and of random classes,
//! that no run of such a call ends in another state.

use std::cell::Cell;
use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::analysis::Analysis;
use tranquera::engine::Choice;
use tranquera::epa::{ConstructOptions, Strategy, construct};
use tranquera::interp::oracle::{Domain, explore};
use tranquera::load::Input;
use tranquera::query::{ActionId, Frames, Mark, Subject};

use crate::graph::{self, Graph};
use crate::ignorant::{Asked, ignorant_of};
use crate::oracle::Class;
use crate::support::tape::Tape;
use crate::support::{class, random};

/// The actions of a class that leave the object in the state that they are called in.
fn keeping(text: &str) -> Vec<String> {
    kept_in(&class::subject(&class::parse(text)))
}

/// Whether each call of the action that ends at all ends in the state that it was made in.
fn keeps_state(subject: &Subject, frames: &Frames, action: ActionId) -> bool {
    subject.marks().all(|mark| frames.keep(action, mark))
}

fn kept_in(subject: &Subject) -> Vec<String> {
    let frames = Frames::of(subject);
    let kept = subject
        .action_ids()
        .filter(|id| keeps_state(subject, &frames, *id));
    kept.map(|id| subject[id].name.clone()).collect()
}

/// The actions of a class with these members that leave the object in its state, beside boxes and someone who opens them.
fn kept(members: &str) -> Vec<String> {
    keeping(&format!(
        "exception E;
         enum Side {{ Left, Right }}
         class Box {{
           var full: bool; var uses: int; var next: Box?;
           constructor() {{ full := false; uses := 0; next := null; }}
           constructor before(other: Box) {{ full := false; uses := 0; next := other; other.full := true; }}
           procedure fill() {{ full := true; }}
           procedure use() {{ uses := uses + 1; }}
           procedure outside() modifies full;
           procedure elsewhere() modifies uses;
         }}
         class Filler {{ procedure fill(b: Box) {{ b.fill(); }} }}
         class C {{ {members} }}"
    ))
}

#[test]
fn what_nothing_that_tells_states_apart_looks_at_may_change() {
    let text = "class Line {
      var open: bool;
      var count: int;
      var last: int;
      constructor() { open := true; count := 0; last := 0; }
      action close() requires open { open := false; }
      action read(n: int) requires open && n > 0 { count := count + n; }
      action peek() requires open { inside(); }
      action late() requires last > 3 { shut(); }
      procedure inside() { count := 1; }
      procedure shut() { open := false; }
      action never() requires false { last := 4; }
    }";
    assert_eq!(keeping(text), ["read", "peek"]);
}

/// The fields of boxes, whoever leads to them: which is the same as which is not looked at.
#[test]
fn what_is_written_in_another_object_may_be_what_is_read() {
    let kept = kept(
        "var mine: Box; var yours: Box;
         constructor(b: Box) { mine := b; yours := b; }
         action enter() requires mine.full { }
         action directly() { yours.full := true; }
         action given(b: Box) { b.full := false; }
         action called(b: Box) { b.fill(); }
         action called_far(f: Filler) { f.fill(yours); }
         action far() requires yours.next != null { yours.next.full := true; }
         action uses(b: Box) { b.uses := 3; b.use(); yours.use(); }
         action renamed() { var b: Box := mine; b.full := true; }
         action forgotten() { havoc yours.full; }
         action outside() { yours.outside(); }
         action elsewhere() { yours.elsewhere(); }
         action result() { yours.full := *; }
         action turned() { yours := mine; }",
    );
    // `turned` writes what `far` reads.
    assert_eq!(kept, ["enter", "uses", "elsewhere"]);
}

#[test]
fn another_object_of_the_class_may_be_this_one() {
    let kept = keeping(
        "class Teller {
           procedure tell(c: C) { c.on := true; }
           procedure note(c: C) { c.note(); }
         }
         class C {
         var on: bool; var twin: C?; var notes: int;
         constructor() { on := false; twin := null; notes := 0; }
         procedure note() { notes := notes + 1; }
         action enter() requires on { }
         action other(c: C) { c.on := true; }
         action twin_on() { if (twin != null) { twin.on := false; } }
         action tell(t: Teller) { t.tell(this); }
         action note_it(t: Teller) { t.note(this); }
         action note_of(c: C) { c.note(); }
         }",
    );
    assert_eq!(kept, ["enter", "note_it", "note_of"]);
}

/// A new object has fields as well. That nobody has it yet is not looked at.
#[test]
fn what_is_made_is_written() {
    let kept = kept(
        "var mine: Box; var sizes: array<int>;
         constructor() { mine := new Box(); sizes := new int[2]; }
         action enter() requires mine.full { }
         action long() requires sizes.length > 2 { }
         action makes() { var b: Box := new Box(); }
         action links() { var b: Box := new Box.before(mine); }
         action array() { var a: array<int> := new int[3]; }
         action bools() { var a: array<bool> := new bool[3]; }",
    );
    assert_eq!(kept, ["enter", "long", "bools"]);
}

#[test]
fn elements_of_one_type_may_be_those_of_one_array() {
    let kept = kept(
        "var seats: array<int>; var others: array<int>; var names: array<bool>; var rows: array<array<int>>;
         constructor(a: array<int>) { seats := a; others := a; names := new bool[2]; rows := new array<int>[1](a); }
         function free(): bool { seats[0] == 0 }
         action sit() requires free() { }
         action others_of(i: int) requires 0 <= i < others.length { others[i] := 3; }
         action given(a: array<int>) requires a.length > 0 { a[0] := 1; }
         action row() requires rows.length > 0 && rows[0].length > 0 { rows[0][0] := 1; }
         action havoc_one() requires others.length > 0 { havoc others[0]; }
         action name() requires names.length > 0 { names[0] := true; }",
    );
    assert_eq!(kept, ["sit", "name"]);
}

/// `row` looks at the elements of arrays of arrays, which `turn` writes; what it finds there has a length, which stays.
#[test]
fn an_element_leads_on() {
    let kept = kept(
        "var rows: array<array<int>>; var ints: array<int>;
         constructor(a: array<array<int>>, b: array<int>) { rows := a; ints := b; }
         action row() requires rows.length > 0 && rows[0].length > 0 { }
         action turn(a: array<array<int>>) requires a.length > 0 { a[0] := ints; }
         action write() requires ints.length > 0 { ints[0] := 1; }",
    );
    assert_eq!(kept, ["row", "write"]);
}

#[test]
fn a_map_is_written_as_a_whole() {
    let kept = kept(
        "var paid: map<int, int>; var asked: map<int, int>;
         constructor() { paid := map<int, int>(0); asked := map<int, int>(0); }
         action enter() requires paid[3] > 0 { }
         action pay(n: int) { paid[n] := 1; }
         action ask(n: int) { asked[n] := 1; }",
    );
    assert_eq!(kept, ["enter", "ask"]);
}

/// However a call ends, and in whatever it is written.
#[test]
fn what_is_written_anywhere_counts() {
    let kept = kept(
        "var on: bool; var spare: bool;
         constructor() { on := false; spare := false; }
         action enter() requires on { }
         action fails() { on := true; throw E; }
         action caught() { try { throw E; } catch E { on := true; } }
         action looped() { while (*) { on := !on; } }
         action chosen() { if (*) { if (*) { on := true; } } }
         action labelled() { l: { if (spare) { break l; } on := true; } }
         action havocs() { havoc on; }
         action result() returns (r: bool) { r, on := both(); }
         action spare_result() returns (r: bool) { r, spare := both(); }
         action fails_spare() { spare := true; throw E; }
         procedure both() returns (a: bool, b: bool) { a := true; b := true; }
         action contract() ensures on;
         action other_contract() modifies spare ensures on;
         action deep(n: int) { down(n); }
         procedure down(n: int) { if (n > 0) { down(n - 1); } else { on := true; } }",
    );
    assert_eq!(
        kept,
        ["enter", "spare_result", "fails_spare", "other_contract"]
    );
}

/// Where a guard speaks of all objects, or all arrays, a new one may decide it.
#[test]
fn one_more_may_be_the_one_that_was_missing() {
    let members = |guard: &str| {
        format!(
            "var on: bool;
             constructor() {{ on := false; }}
             action enter() requires {guard} {{ }}
             action makes() {{ var b: Filler := new Filler(); }}
             action array() {{ var a: array<Filler?> := new Filler?[3]; }}
             action sets() {{ on := true; }}"
        )
    };
    let kept_where = |guard: &str| kept(&members(guard));
    assert_eq!(
        kept_where("exists f: Filler :: f != null"),
        ["enter", "array", "sets"]
    );
    assert_eq!(
        kept_where("forall f: Filler? :: f == null"),
        ["enter", "array", "sets"]
    );
    assert_eq!(
        kept_where("exists a: array<Filler?> :: a != null"),
        ["enter", "makes", "sets"]
    );
    assert_eq!(
        kept_where("exists n: int :: n * n * n == n + 24"),
        ["enter", "makes", "array", "sets"]
    );
    assert_eq!(
        kept_where("exists n: int :: n * n * n == n + 24 && on"),
        ["enter", "makes", "array"]
    );
}

/// Where it is not known exactly when an action can be called, its clauses say what that depends on.
#[test]
fn a_guard_that_is_not_exact_is_kept_as_its_clauses_are() {
    let over = "var on: bool; var count: int;
         constructor() { on := false; count := 0; }
         action enter(m: map<int, int>) requires on && (forall i: int :: m[i] > m[i + 1]) { }
         action counts() { count := count + 1; }
         action turn() { on := !on; }";
    let text = format!("class C {{ {over} }}");
    let subject = class::subject(&class::parse(&text));
    let guard = |name| &subject[subject.action_named(name).expect("there")].guard;
    assert!(!guard("enter").is_exact(), "{:?}", guard("enter"));
    assert_eq!(kept_in(&subject), ["enter", "counts"]);
    let frames = Frames::of(&subject);
    let [enter, counts, turn] =
        ["enter", "counts", "turn"].map(|name| subject.action_named(name).expect("there"));
    assert!(frames.keep(counts, Mark::Enabled(enter)));
    assert!(!frames.keep(turn, Mark::Enabled(enter)));
    assert!(frames.keep(turn, Mark::Enabled(counts)));
}

/// What the outside answers is no part of the object.
#[test]
fn hidden_parameters_are_no_part_of_the_object() {
    let kept = kept(
        "var limit: int; var count: int;
         constructor() { limit := 3; count := 0; }
         action enter(hidden now: int) requires now < limit { }
         action counts(hidden now: int) requires now >= 0 { count := now; }
         action moves(hidden now: int) requires now > 5 { limit := now; }",
    );
    // Whatever the limit is, there is a time before it: `enter` looks at nothing.
    assert_eq!(kept, ["enter", "counts", "moves"]);
}

#[test]
fn predicates_tell_states_apart_as_well() {
    let text = "class Line {
      var open: bool; var count: int; var seen: bool;
      constructor() { open := true; count := 0; seen := false; }
      action read() requires open { count := count + 1; }
      action look() requires open { seen := true; }
    }";
    let kept = |marks: &[&str]| {
        let marks: Vec<String> = marks.iter().map(ToString::to_string).collect();
        let input = Input::last(class::parse(text)).expect("a class");
        let input = input.told_apart_by(&marks).expect("predicates");
        let analysis = Analysis::new(input, Choice::default()).expect("a class");
        kept_in(analysis.subject())
    };
    assert_eq!(kept(&[]), ["read", "look"]);
    assert_eq!(kept(&["count > 1"]), ["look"]);
    assert_eq!(kept(&["seen"]), ["read"]);
    assert!(kept(&["seen || count > 1"]).is_empty());
}

fn edges(text: &str) -> Graph {
    graph::by_engine(&class::parse(text), "builtin", Strategy::Guided)
}

fn lines(graph: &Graph) -> Vec<&str> {
    graph.edges.iter().map(String::as_str).collect()
}

/// That a call can end in no other state does not say that it ends.
#[test]
fn a_call_that_never_ends_so_has_no_edge() {
    let found = edges(
        "exception E;
         class C {
           var on: bool; var count: int;
           invariant count >= 0;
           state { on_it, always, never, turns, breaks, splits } assumes count < 9;
           constructor() { on := true; count := 0; }
           action on_it() requires on { }
           action always() requires on { count := 1; throw E; }
           action never() requires on { count := 2; assume false; }
           action turns() requires on { count := 9; }
           action breaks() requires on { count := 0 - 1; }
           action splits() returns (ok: bool) outcomes ok requires on { count := 3; ok := true; }
         }",
    );
    let all = "{always,breaks,never,on_it,splits,turns}";
    let expected = [
        format!("I C() -> {all}"),
        format!("{all} always!E -> {all}"),
        format!("{all} on_it -> {all}"),
        format!("{all} splits[ok] -> {all}"),
    ];
    assert_eq!(lines(&found), expected);
    assert_eq!(
        found.violations,
        BTreeSet::from([format!("{all} breaks *")])
    );
    assert!(found.doubts.is_empty(), "{:?}", found.doubts);
}

/// It may still end where it began, for all that is known, and nowhere else.
#[test]
fn a_call_of_which_nothing_is_known_has_one_edge() {
    let text = "class Line {
      var open: bool; var count: int;
      constructor() { open := true; count := 0; }
      action close() requires open { open := false; }
      action read() requires open { count := count + 1; }
      action reopen() requires !open { open := true; }
    }";
    let asked = Asked::default();
    let engine = ignorant_of(&["by_read"], &asked);
    let encoding = class::encode(&class::parse(text));
    let found = construct(&encoding, &engine, &ConstructOptions::default()).expect("constructed");
    let found = graph::of_constructed(&found);
    let expected = [
        "I Line() -> {close,read}",
        "{close,read} close -> {reopen}",
        "{close,read} read -> {close,read}",
        "{reopen} reopen -> {close,read}",
    ];
    assert_eq!(lines(&found), expected);
    let doubt = "{close,read} read -> {close,read}: bound-hit: the recursion bound of 3 was hit";
    assert_eq!(found.doubts, [doubt]);
    let asked = asked.lock().expect("nobody panics");
    assert!(
        matches!(&asked[..], [one] if one.starts_with("transition.")),
        "{asked:?}"
    );
}

/// How often a call that changes something, but nothing that tells states apart, was seen to end where it began.
#[derive(Default)]
struct Seen {
    kept: Cell<usize>,
    calls: Cell<usize>,
}

/// What is kept of a mark is kept by all that running everything finds.
fn check(class: &Class, seen: &Seen) -> Result<(), TestCaseError> {
    let loaded = class::parse(&class.text);
    let subject = class::subject(&loaded);
    let frames = Frames::of(&subject);
    let Ok(oracle) = explore(&subject.program, subject.class, &class.domain) else {
        return Err(TestCaseError::reject(
            "it is too large, or a guard is not decided",
        ));
    };
    for transition in &oracle.transitions {
        let action = subject.action_named(&transition.action).expect("an action");
        seen.calls.set(seen.calls.get() + 1);
        for mark in subject.marks().filter(|mark| frames.keep(action, *mark)) {
            let name = subject.mark_name(mark);
            let [before, after] =
                [&transition.source, &transition.target].map(|s| s.contains(name));
            prop_assert_eq!(
                before,
                after,
                "{} of {:?}\n{}",
                name,
                transition,
                class.text
            );
        }
        if keeps_state(&subject, &frames, action) {
            prop_assert_eq!(&transition.source, &transition.target);
            let changes = subject.changes_something(subject[action].routine);
            seen.kept.set(seen.kept.get() + usize::from(changes));
        }
    }
    Ok(())
}

fn run(classes: fn(&mut Tape) -> Class, count: u32) -> Seen {
    let cases = random::cases(count);
    let config = Config {
        max_global_rejects: 20 * cases.cases + 100,
        ..cases
    };
    let seen = Seen::default();
    let numbers = prop::collection::vec(any::<u16>(), 60..300);
    random::check_cases(config, numbers, |numbers| {
        check(&classes(&mut Tape::new(numbers)), &seen)
    });
    seen
}

#[test]
fn no_run_leaves_the_state_that_is_kept() {
    // Nothing has to be whole here: two boxes and two arrays are the same, or they are not.
    let small = |tape: &mut Tape| {
        let class = Class::of_watched(tape);
        let domain = Domain {
            objects: 2,
            ..class.domain
        };
        Class { domain, ..class }
    };
    let seen = run(small, 30);
    let (kept, calls) = (seen.kept.get(), seen.calls.get());
    assert!(4 * kept > calls && kept < calls, "{kept} of {calls}");
}
