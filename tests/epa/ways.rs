//! Calls that may end in several ways: what is asked of all of them at once, and of each by itself where nothing is known of them all.

use std::collections::BTreeMap;

use tranquera::engine::{Builtin, Engine};
use tranquera::epa::{ConstructOptions, Constructed, construct};

use crate::graph;
use crate::ignorant::{Asked, ignorant_of};
use crate::support::class;

/// A tray that takes two things, and jams.
const TRAY: &str = "exception Full;
    exception Jammed;
    class Tray {
      var size: int; var open: bool;
      constructor() { size := 0; open := true; }
      action put(hard: bool) requires open {
        if (size >= 2) { throw Full; }
        if (hard) { open := false; throw Jammed; }
        size := size + 1;
      }
      action take() requires open && size > 0 { size := size - 1; }
      action mend() requires !open { open := true; }
    }";

/// By hand, of trays of any size: where `take` cannot be called there is nothing on the tray, so that it is not full.
const EDGES: [&str; 11] = [
    "I Tray() -> {put}",
    "{mend} mend -> {put,take}",
    "{mend} mend -> {put}",
    "{put,take} put -> {put,take}",
    "{put,take} put!Full -> {put,take}",
    "{put,take} put!Jammed -> {mend}",
    "{put,take} take -> {put,take}",
    "{put,take} take -> {put}",
    "{put} put -> {put,take}",
    "{put} put -> {put}",
    "{put} put!Jammed -> {mend}",
];

fn found(engine: &dyn Engine) -> Constructed {
    let encoding = class::encode(&class::parse(TRAY));
    construct(&encoding, engine, &ConstructOptions::default()).expect("constructed")
}

fn assert_edges(found: &Constructed) {
    let found = graph::of_constructed(found);
    let edges: Vec<&str> = found.edges.iter().map(String::as_str).collect();
    assert_eq!(edges, EDGES);
    assert!(found.doubts.is_empty(), "{:?}", found.doubts);
}

/// By hand: what `put` does raise takes a question each, and nothing is left that it could; from each of its two states there are three
/// ends, and one question whether there are others. Of all else, each state is asked for, and whether there are others.
#[test]
fn that_there_is_no_other_way_is_asked_once() {
    let found = found(&Builtin::default());
    assert_edges(&found);
    let asked = found.epa().stats.queries_by_kind;
    let asked = asked.into_iter().map(|(kind, asked)| {
        let (reached, unreachable) = (asked.reached, asked.unreachable);
        assert_eq!(asked.total, reached + unreachable, "{kind}");
        (kind, (reached, unreachable))
    });
    let expected = [
        ("any-other-exit", (2, 0)),
        ("any-other-target", (5, 3)),
        ("any-other-way", (6, 2)),
    ];
    let expected = expected.map(|(kind, counts)| (kind.to_owned(), counts));
    assert_eq!(asked.collect::<BTreeMap<_, _>>(), BTreeMap::from(expected));
}

/// Each way is asked about by itself, and the same comes of it.
#[test]
fn where_nothing_is_known_of_all_ways_each_is_asked_about() {
    for words in [
        &["any_other_way"][..],
        &["any_other_exit"],
        &["any_other_way", "any_other_exit"],
        // Of `Full` it is not known whether it is ever raised: then it is looked for apart from all else.
        &["any_other_exit", "exit.from_any_state.by_put.raising_Full"],
    ] {
        let asked = Asked::default();
        let engine = ignorant_of(words, &asked);
        assert_edges(&found(&engine));
        let asked = asked.lock().expect("nobody panics");
        assert!(
            words
                .iter()
                .all(|word| asked.iter().any(|name| name.contains(word))),
            "{words:?}: {asked:?}"
        );
    }
}
