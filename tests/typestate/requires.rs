//! Contracts from bodies: the EPA with inferred requires clauses is the one with those written by hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tranquera::encode::Encoding;
use tranquera::engine::{Builtin, EngineConfig};
use tranquera::epa::{self, Epa, Exceptions, Strategy};
use tranquera::ir::backwards::{Refusing, Which};
use tranquera::ir::{ExceptionId, Program, expr_text};
use tranquera::query::Subject;
use tranquera::typestate::precondition::PreconditionOptions;
use tranquera::typestate::requires::{
    ClauseReading, Inferred, Proposed, invariants, requires, routines, written,
};

use crate::support::class;
use crate::support::program::root;

fn fixture(name: &str) -> PathBuf {
    let fixtures = root().join("fixtures");
    fixtures.join(format!("{name}.tq"))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a fixture")
}

/// The text without the requires clauses of the last class's actions, each of which is on lines of its own.
fn without_requires(text: &str) -> String {
    let at = text.rfind("\nclass ").expect("a class");
    let (before, last) = text.split_at(at);
    let mut in_action = false;
    let mut kept = String::from(before);
    for line in last.split_inclusive('\n') {
        let words = line.trim_start();
        if let Some(kind) = ["action", "procedure", "constructor"]
            .iter()
            .find(|k| words.starts_with(**k))
        {
            in_action = *kind == "action";
        }
        if !(in_action && words.starts_with("requires ")) {
            kept.push_str(line);
        }
    }
    kept
}

/// The text with what is inferred.
fn with_requires(text: &str) -> (String, Vec<Inferred>) {
    let loaded = class::parse(text);
    let class = class::last(&loaded.program);
    let wanted = routines(&loaded.program, class, &class::actions(&loaded.program));
    let options = PreconditionOptions::default();
    let found = requires(
        &loaded.program,
        class,
        &wanted,
        &ClauseReading::Safe,
        &options,
    )
    .expect("Z3");
    let text = written(&loaded.program, class, &loaded.source, &found, &[]);
    (text, found)
}

fn construct(encoding: &Encoding) -> Epa {
    let options = epa::ConstructOptions {
        strategy: Strategy::Guided,
        jobs: 2,
        pure_shortcut: true,
        exceptions: Exceptions::Declared,
        violations: true,
        ..epa::ConstructOptions::default()
    };
    let engine = Builtin::new(&EngineConfig::default());
    let constructed = epa::construct(encoding, &engine, &options).expect("an EPA");
    assert!(constructed.disagreements.is_empty());
    constructed.epa()
}

/// The EPA of the last class, without what is not compared.
fn epa_of(text: &str) -> Epa {
    let loaded = class::parse(text);
    Epa {
        findings: Vec::new(),
        notes: Vec::new(),
        stats: Default::default(),
        ..construct(&class::encode(&loaded))
    }
}

/// The fixtures whose bodies throw just what their requires clauses keep away.
const BOTH: [&str; 3] = [
    "tosem-2013/signature",
    "tosem-2013/list_itr",
    "corral-2016/list_itr",
];

#[test]
fn inferred_clauses_give_the_epa_of_those_written_by_hand() {
    for name in BOTH {
        let by_hand = text(&fixture(name));
        let without = without_requires(&by_hand);
        assert_ne!(by_hand, without, "{name} has requires clauses");
        let (inferred, _) = with_requires(&without);
        assert_ne!(
            epa_of(&without),
            epa_of(&by_hand),
            "{name}: the clauses matter"
        );
        assert_eq!(epa_of(&inferred), epa_of(&by_hand), "{name}");
    }
}

/// As the reference's section 5.4 says of `connect`, `write`, `flush`, `close` with the sink's flag and what holds
/// of the flag of a stream that is not connected: the 3 states and 8 transitions of the enabledness paper.
#[test]
fn the_inferred_epa_of_piped_output_stream_is_that_of_the_enabledness_paper() {
    let source = text(&fixture("typestate-2012/piped_output_stream_closed"));
    let stream = "class PipedInputStream {";
    let fresh = format!("{stream}\n  invariant !connected ==> !closed_by_writer;");
    let (inferred, _) = with_requires(&source.replace(stream, &fresh));
    let program = class::parse(&inferred).program;
    let four = ["connect", "write", "flush", "close"];
    let mut actions = class::actions(&program);
    actions.retain(|action| four.contains(&program.routine(*action).name.as_str()));
    let subject = Subject::new(Arc::clone(&program), class::last(&program), &actions);
    let encoding = Encoding::new(Arc::new(subject));
    let found = construct(&encoding.expect("a text"));
    assert_eq!((found.states.len(), found.transitions.len()), (3, 8));
}

#[test]
fn nothing_is_inferred_twice() {
    for name in BOTH.iter().chain(&[
        "typestate-2012/signature",
        "typestate-2012/piped_output_stream_closed",
    ]) {
        let (once, _) = with_requires(&without_requires(&text(&fixture(name))));
        let (twice, found) = with_requires(&once);
        assert_eq!(once, twice, "{name}");
        assert!(found.iter().all(|f| f.clauses.is_empty()), "{name}");
    }
}

/// Comments, layout, everything: the old text is what is left when the new lines are taken out.
#[test]
fn nothing_of_the_text_is_lost() {
    for name in [
        "signature",
        "piped_output_stream_closed",
        "bounded_stack",
        "stream",
    ] {
        let before = text(&fixture(&format!("typestate-2012/{name}")));
        let (after, _) = with_requires(&before);
        let old = after
            .lines()
            .filter(|l| !l.trim_start().starts_with("requires "));
        assert_eq!(
            old.collect::<Vec<_>>(),
            before.lines().collect::<Vec<_>>(),
            "{name}"
        );
    }
}

#[test]
fn a_field_is_told_apart_from_a_parameter_of_its_name() {
    let class = "exception Bad; class C { var n: bool; var k: int;
        action f(n: bool, k: int) { if (this.n || k < this.k) { throw Bad; } this.k := k; this.n := n; } }";
    let (text, _) = with_requires(class);
    assert!(text.contains("requires !this.n\n"), "{text}");
    assert!(text.contains("requires k >= this.k\n"), "{text}");
}

#[test]
fn a_call_that_may_be_legal_is_not_forbidden() {
    let class = "exception Bad; class C { var s: int;
        action count() { while (s > 0) { s := s - 2; } if (s < 0) { throw Bad; } } }";
    let (text, found) = with_requires(class);
    assert!(text.contains("requires s >= 0"), "{text}");
    assert!(
        found[0].note.is_some(),
        "beyond three rounds, nothing is known"
    );
    // Of three rounds: from 1, 3 and 5 it comes to -1.
    let program = class::parse(class).program;
    let clauses = found[0].texts(&program);
    assert_eq!(clauses.len(), 4, "{clauses:?}");
}

/// A clause stands in the routine's header, where a result may be called like a field.
#[test]
fn a_field_that_is_called_like_a_result_is_told_apart() {
    let class = "exception Bad; class C { var result: int; constructor() { result := 0; }
        action get() returns (result: int) { if (this.result == 0) { throw Bad; } result := 1; }
        action set() { result := 1; } }";
    let (text, _) = with_requires(class);
    assert!(text.contains("requires this.result != 0"), "{text}");
    class::parse(&text);
}

fn invariants_of(text: &str) -> Vec<String> {
    let program = class::parse(text).program;
    let actions = class::actions(&program);
    let last = class::last(&program);
    let options = PreconditionOptions::default();
    let found = invariants(&program, last, &actions, &Proposed::All, &options).expect("Z3");
    let texts = found.iter().map(|e| expr_text(&program, last, e));
    texts.collect()
}

#[test]
fn only_invariants_that_every_call_keeps_are_kept() {
    let (stack, _) = with_requires(&text(&fixture("typestate-2012/bounded_stack")));
    assert_eq!(invariants_of(&stack), ["size >= 0", "size <= 3"]);
    // What is left behind by an exception counts too.
    let class = "exception Bad; class C { var s: int; constructor() { s := 0; }
        action m(p: int) { s := -1; if (p > 0) { throw Bad; } s := 1; } }";
    assert_eq!(invariants_of(class), ["s >= -1", "s <= 1"]);
    assert_eq!(
        invariants_of(&class.replace("throw Bad;", "")),
        ["s >= 0", "s <= 1"]
    );
}

/// A list in an array, with an action that is put into it.
fn list(action: &str) -> String {
    format!(
        "type Element; exception Failed;
        class List {{
          var data: array<Element>;
          var size: int;
          constructor() {{ data := new Element[10]; size := 0; }}
          action add() {{
            if (size == data.length) {{ data := new Element[2 * size + 1]; }}
            size := size + 1;
          }}
          {action}
          procedure take(es: array<Element>, at: int) {{
            if (size - 1 > at && at < 0) {{ throw IndexOutOfRange; }}
            size := size - 1;
            havoc es[size];
          }}
          procedure close(es: array<Element>, low: int, high: int) {{
            var tail: int := size - high;
            if (!(high >= 0 && low >= 0 && tail >= 0 && high + tail <= es.length && low + tail <= es.length)) {{
              throw IndexOutOfRange;
            }}
            var to: int := size;
            size := size - (high - low);
            var i: int := size;
            while (i < to) {{ havoc es[i]; i := i + 1; }}
          }}
        }}"
    )
}

/// By hand: an element is taken out only at a place from 0 to before `size`, and what `close` leaves is as long as what is
/// behind the gap and before it. None of that is seen where a loop is taken to do what it does on its way out, where the array
/// and the field that it came from are two things, or where integers are not known to be in an order.
#[test]
fn invariants_outlast_loops_that_end_in_calls() {
    let searched = "action search() returns (found: bool) {
        var es: array<Element> := data;
        var count: int := size;
        var i: int := 0;
        while (true) {
          if (i >= count) { return false; }
          var e: Element := es[i];
          if (*) { take(es, i); return true; }
          i := i + 1;
        }
      }";
    let kept = "action keep(from: int, end: int) {
        var es: array<Element> := data;
        var r: int := from;
        var w: int := from;
        while (true) {
          if (r >= end) { close(es, w, end); return; }
          var failed: bool := false;
          try {
            var e: Element := es[r];
            if (*) { throw Failed; }
            if (*) { var at: int := w; w := w + 1; havoc es[at]; }
          } catch Failed, IndexOutOfRange { failed := true; }
          if (failed) { break; }
          r := r + 1;
        }
        close(es, w, end);
        throw Failed;
      }";
    let twice = "action twice(from: int, end: int) {
        var es: array<Element> := data;
        var i: int := from;
        while (i < end) { var e: Element := es[i]; if (*) { break; } i := i + 1; }
        if (i >= end) { return; }
        var first: int := i;
        i := first + 1;
        while (i < end) { var e: Element := es[i]; i := i + 1; }
        var w: int := first;
        i := first;
        while (true) {
          if (i >= end) { close(es, w, end); return; }
          if (*) { var at: int := w; w := w + 1; var e: Element := es[i]; havoc es[at]; }
          i := i + 1;
        }
      }";
    for action in [searched, kept, twice] {
        let found = invariants_of(&list(action));
        for wanted in ["size <= data.length", "size >= 0"] {
            assert!(found.contains(&wanted.to_owned()), "{wanted}: {found:?}");
        }
    }
    // Where the gap may be wider than what there is, both are broken.
    let wrong = "action wrong(low: int, high: int) { size := size - (high - low); }";
    let found = invariants_of(&list(wrong));
    assert!(
        !found.iter().any(|clause| clause.contains("size")),
        "{found:?}"
    );
}

/// By hand: a round reads a number and may fill the buffer anew, so that after any number of rounds `pos` is between 0 and `count`,
/// and the mark is before it, or there is none. With two rounds of a loop more is not seen: the proof is that each round keeps it.
#[test]
fn invariants_outlast_loops_of_any_number_of_rounds() {
    let reader = |back: &str| {
        format!(
            "exception Bad; exception Shut;
            class Reader {{
              var pos: int := 0; var count: int := 0; var mark: int := -1;
              constructor() {{ }}
              action read(len: int) {{
                var n: int := 0;
                while (n < len) {{
                  var k: int := step();
                  if (k <= 0) {{ return; }}
                  n := n + k;
                }}
              }}
              action skip(len: int) {{
                var left: int := len;
                outer: while (left > 0) {{
                  var tries: int := 0;
                  while (tries < left) {{
                    tries := tries + 1;
                    var k: int := step();
                    if (k < 0) {{ continue outer; }}
                    {back}
                  }}
                  left := left - tries;
                }}
              }}
              action setmark() {{ mark := pos; }}
              action rewind() {{ if (mark < 0) {{ throw Bad; }} pos := mark; }}
              procedure fill() {{
                var n: int;
                if (mark < 0) {{ pos := 0; }} else if (mark > 0) {{ pos := pos - mark; mark := 0; }}
                count := pos;
                if (*) {{ throw Shut; }}
                havoc n;
                if (n > 0) {{ count := pos + n; }}
              }}
              procedure step() returns (r: int) {{
                if (pos >= count) {{ fill(); }}
                if (pos >= count) {{ r := -1; return; }}
                pos := pos + 1;
                r := 1;
              }}
            }}"
        )
    };
    let found = invariants_of(&reader(""));
    assert_eq!(
        found,
        ["pos >= 0", "pos <= count", "mark >= -1", "mark <= pos"]
    );
    // A round that leaves less than was read.
    let found = invariants_of(&reader("count := pos - 1;"));
    assert_eq!(
        found,
        ["pos >= 0", "count >= 0", "mark >= -1", "mark <= pos"]
    );
}

/// By hand: a routine without a body changes what it says in every round, and so does what a round makes anew.
#[test]
fn what_others_change_in_rounds_is_not_kept() {
    let class = |round: &str| {
        format!(
            "class Part {{ var n: int := 0; constructor() {{ }} }}
            class C {{
              var n: int := 0; var m: int := 0; var part: Part?;
              constructor() {{ part := null; }}
              action all(times: int) {{ var i: int := 0; while (i < times) {{ {round} i := i + 1; }} }}
              procedure anything() modifies n
            }}"
        )
    };
    let found = invariants_of(&class("n := n + 1;"));
    assert_eq!(found, ["n >= 0", "m == 0"]);
    let found = invariants_of(&class("anything();"));
    assert_eq!(found, ["m == 0"]);
    let found = invariants_of(&class("part := new Part(); part.n := 1; m := m - part.n;"));
    // `m <= 0` holds as well. Objects with fields that rounds make are more than any that was there: such loops are not cut.
    assert_eq!(found, ["n == 0"]);
}

/// By hand: each class breaks `bad == false` after some rounds. Of another object of the class, of values that their types do not
/// promise, of what a round makes, and of elements that a function tells apart, more than one round is not to be left out.
#[test]
fn what_rounds_do_to_other_things_is_not_left_out() {
    let others = "class C { var v: int := 0; var bad: bool := false; constructor() { }
        action m(o: C) requires o != this
        { o.v := 0; while (o.v < 2) { o.v := o.v + 1; } if (o.v != 0) { bad := true; } } }";
    let listed = "class Node { var next: Node?; var closed: bool := false; constructor() { next := null; }
          procedure shut() { var n: Node? := this; while (n != null) { n.closed := true; n := n.next; } } }
        class C { var bad: bool := false; constructor() { }
        action m(a: Node, b: Node) requires a != b
        { b.closed := false; a.shut(); if (b.closed) { bad := true; } } }";
    let promised = "class C { var n: nat; var bad: bool := false; constructor() { n := 0; }
        action m() { while (*) { n := n - 1; } if (n < -1) { bad := true; } n := 0; } }";
    let local = "class C { var bad: bool := false; constructor() { }
        action m() { var n: nat := 0; while (*) { n := n - 1; bad := false; } if (n < -1) { bad := true; } } }";
    let made = "class Box { var n: int := 0; constructor() { } }
        class C { var bad: bool := false; constructor() { }
        action m(k: int) { var o: Box := new Box(); var a: array<Box>? := null; var i: int := 0;
          while (i < k) { a := new Box[1](o); bad := false; i := i + 1; }
          if (a != null && a.length > 0) { if (a[0] == o) { bad := true; } } } }";
    let compared = "type T; class C { var a: array<T>; var bad: bool; constructor(d: array<T>) { a := d; bad := false; }
        function eq(p: T, q: T): bool { p == q }
        action m(x: T, y: T, k: int) requires a.length > 0
        { a[0] := x; var i: int := 0; while (i < k) { a[0] := y; bad := false; i := i + 1; }
          if (!eq(a[0], x)) { bad := true; } } }";
    for class in [others, listed, promised, local, made, compared] {
        let found = invariants_of(class);
        assert!(!found.contains(&"!bad".to_owned()), "{found:?}\n{class}");
    }
}

/// By hand: `copy` is set from `whole` alone, which is set once.
#[test]
fn two_references_may_always_be_the_same() {
    let class = "class Part { } class C {
        var whole: Part?; var copy: Part?; var other: Part?;
        constructor(p: Part) { whole := p; copy := null; other := null; copy := whole; }
        action set(q: Part) { other := q; }
    }";
    let found = invariants_of(class);
    assert!(found.contains(&"whole == copy".to_owned()), "{found:?}");
    assert!(
        !found.iter().any(|clause| clause.contains("other")),
        "{found:?}"
    );
}

/// By hand: what `*` decides counts against a call where it must not fail, and for it where it can end normally.
#[test]
fn the_two_readings_differ_where_something_is_left_open() {
    let text = "exception Failed;
        class Door {
          var open: bool;
          constructor() { open := false; }
          action enter() {
            if (open) { throw Failed; }
            if (*) { throw Failed; }
            open := true;
          }
          action fail() { throw Failed; }
          action leave(key: int) {
            if (!open && key != 7) { throw Failed; }
            open := false;
          }
        }";
    let loaded = class::parse(text);
    let class = class::last(&loaded.program);
    let wanted = routines(&loaded.program, class, &class::actions(&loaded.program));
    let options = PreconditionOptions::default();
    let clauses = |reading: ClauseReading| -> Vec<String> {
        let found = requires(&loaded.program, class, &wanted, &reading, &options).expect("Z3");
        joined(&loaded.program, &found)
    };
    let leave = "open || key == 7";
    assert_eq!(clauses(ClauseReading::Safe), ["", "false", "false", leave]);
    let possible = clauses(ClauseReading::Possible(Which::All.into()));
    assert_eq!(possible, ["", "!open", "false", leave]);
}

fn joined(program: &Program, found: &[Inferred]) -> Vec<String> {
    let of = |inferred: &Inferred| inferred.texts(program).join(" and ");
    found.iter().map(of).collect()
}

/// The clauses of the last class's actions, in the reading that is the default.
fn possible(text: &str, which: &[&str]) -> Vec<String> {
    let program = class::parse(text).program;
    let last = class::last(&program);
    let named = |name: &&str| {
        let position = program.exceptions.iter().position(|e| e == name);
        ExceptionId(position.expect("an exception"))
    };
    let which = match which {
        [] => Which::All,
        names => Which::These(names.iter().map(named).collect()),
    };
    let reading = ClauseReading::Possible(which.into());
    let actions = class::actions(&program);
    let found = requires(
        &program,
        last,
        &actions,
        &reading,
        &PreconditionOptions::default(),
    )
    .expect("Z3");
    joined(&program, &found)
}

/// By hand. An exception that stands for what other code raises says nothing: a call that ends in it, or in a loop of which no end is
/// known, is not refused; one that the body refuses otherwise is.
#[test]
fn an_exception_of_other_code_says_neither_that_a_call_is_refused_nor_that_it_is_made() {
    let text = "exception Closed; exception Other;
        class C {
          var closed: bool; var left: int;
          action copy() {
            while (true) {
              if (closed) { throw Closed; }
              if (left <= 0) { return; }
              left := left - 1;
              if (*) { throw Other; }
            }
          }
          action hand() { if (*) { throw Other; } if (closed) { throw Closed; } }
        }";
    let program = class::parse(text).program;
    let named = |name: &str| {
        let position = program.exceptions.iter().position(|e| e == name);
        ExceptionId(position.expect("an exception"))
    };
    let found = |neither: &[&str]| {
        let refusing = Refusing {
            exceptions: Which::All,
            neither: neither.iter().map(|name| named(name)).collect(),
        };
        let (class, actions) = (class::last(&program), class::actions(&program));
        let reading = ClauseReading::Possible(refusing);
        let options = PreconditionOptions::default();
        requires(&program, class, &actions, &reading, &options).expect("Z3")
    };
    let open = |found: &[Inferred]| -> Vec<bool> {
        found
            .iter()
            .map(|inferred| inferred.certain.is_some())
            .collect()
    };
    let with = found(&["Other"]);
    assert_eq!(joined(&program, &with), ["!closed", "!closed"]);
    assert_eq!(open(&with), [false, false]);
    let without = found(&[]);
    assert_eq!(joined(&program, &without), ["!closed", "!closed"]);
    assert_eq!(open(&without), [true, false]);
}

/// By hand. What a library raises forbids nothing: neither does it refuse a call, nor does it make possible what the body
/// would refuse otherwise. It enters handlers.
#[test]
fn what_a_library_raises_forbids_nothing() {
    let text = "exception Closed; exception Failed;
        class C {
          var closed: bool;
          procedure library() returns (n: int) throws Failed;
          procedure broken() throws Failed ensures false;
          action first() { var n: int; n := library(); if (closed) { throw Closed; } }
          action last() { if (closed) { throw Closed; } var n: int; n := library(); }
          action result() { var n: int; n := library(); if (n < 0) { throw Closed; } }
          action caught() { var n: int; try { n := library(); throw Closed; } catch Failed { } }
          action raised() { var n: int; try { n := library(); } catch Failed { if (closed) { throw Closed; } throw Failed; } }
          action always() { if (closed) { broken(); } }
        }";
    assert_eq!(possible(text, &[]), ["!closed", "!closed", "", "", "", ""]);
}

/// By hand: which exceptions are refusals is the user's to say. A call that ends in one that is none is not refused.
#[test]
fn refusals_can_be_named() {
    let text = "exception Closed; exception Bad;
        class C {
          var closed: bool;
          action both(p: int) { if (p < 0) { throw Bad; } if (closed) { throw Closed; } }
          action one() { if (closed) { throw Bad; } }
          action other(p: int) { if (closed && p == 3) { throw Closed; } if (p < 0) { throw Bad; } }
        }";
    let closed = "closed ==> p != 3";
    let all = [
        "p >= 0 and !closed",
        "!closed",
        &format!("{closed} and p >= 0"),
    ];
    assert_eq!(possible(text, &[]), all);
    assert_eq!(
        possible(text, &["Closed"]),
        ["closed ==> p < 0", "", closed]
    );
    assert_eq!(possible(text, &["Bad"]), ["p >= 0", "!closed", "p >= 0"]);
}
