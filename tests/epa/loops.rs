//! The invariants of loops: proved before they are relied on, and what they make known.

use proptest::prelude::*;
use tranquera::analysis::{Analysis, AnalysisError};
use tranquera::encode::Encoding;
use tranquera::engine::{Choice, EngineConfig};
use tranquera::epa::{ConstructError, ConstructOptions, Strategy as Targets, prove};
use tranquera::front::tq;
use tranquera::interp::oracle::explore;
use tranquera::ir::loops;
use tranquera::load::Input;
use tranquera::query::Limits;

use crate::graph;
use crate::oracle::{Class, expected};
use crate::support::tape::Tape;
use crate::support::{class, random, real};

/// A class whose EPA takes more rounds than any bound, and is certain all the same: `head` and `len` are related by what every
/// round keeps.
const RING: &str = "
class Ring { var head: int; var len: int; var open: bool;
  invariant len > 0; invariant 0 <= head < len;
  constructor(n: int) requires n >= 1 { len := n; head := 0; open := true; }
  action skip(k: int) requires open && k >= 0 {
    var i: int := 0;
    while (i < k) invariant 0 <= head < len { head := (head + 1) mod len; i := i + 1; }
  }
  action close() requires open { open := false; }
  action bad() requires head >= len { } }";

/// An array of any length, filled by a loop.
const FILL: &str = "
class Fill { var a: array<bool>;
  constructor(n: int) requires n >= 1 {
    a := new bool[n];
    var i: int := 0;
    while (i < n)
      invariant 0 <= i <= n && a.length == n
      invariant forall j: int :: 0 <= j < i ==> !a[j]
    { a[i] := false; i := i + 1; }
  }
  action put(i: int) requires 0 <= i && i < a.length && !a[i] { a[i] := true; }
  action take(i: int) requires 0 <= i && i < a.length && a[i] { a[i] := false; } }";

/// A class whose constructor's loop has no invariant: that there is something in the end is what each round adds to.
const TOTAL: &str = "
class Total { var total: int;
  constructor(n: int, amounts: map<int, int>) requires n >= 1 {
    total := 0;
    var i: int := 0;
    while (i < n) { assume amounts[i] > 0; total := total + amounts[i]; i := i + 1; }
  }
  action pay() requires total > 0 { total := 0; }
  action rest() requires total <= 0 { } }";

fn analysis(text: &str, engine: &str) -> Analysis {
    let input = Input::last(tq::parse_text("loops.tq", text).expect("a class")).expect("a class");
    let choice = Choice::named(engine, EngineConfig::default()).expect("an engine");
    Analysis::new(input, choice).expect("an analysis")
}

/// The edges of an EPA in which nothing is uncertain, and that no call can break the invariant.
fn certain(text: &str, engine: &str) -> Vec<String> {
    let made = analysis(text, engine).epa(&ConstructOptions::default());
    let graph = graph::of_constructed(&made.expect("an EPA"));
    assert_eq!(graph.doubts, Vec::<String>::new());
    assert!(graph.violations.is_empty());
    graph.edges.into_iter().collect()
}

#[test]
fn what_every_round_keeps_is_known_behind_the_loop() {
    let edges = [
        "I Ring(int) -> {close,skip}",
        "{close,skip} close -> {}",
        "{close,skip} skip -> {close,skip}",
    ];
    assert_eq!(certain(RING, "builtin"), edges);
    assert_eq!(certain(RING, "boogie"), edges);
    let without = RING.replace("invariant 0 <= head < len {", "{");
    let made = analysis(&without, "builtin").epa(&ConstructOptions::default());
    assert!(
        !graph::of_constructed(&made.expect("an EPA"))
            .doubts
            .is_empty()
    );
}

/// By hand: all elements are false where it is made; one is as good as another.
#[test]
fn an_array_filled_by_a_loop() {
    assert_eq!(
        certain(FILL, "builtin"),
        [
            "I Fill(int) -> {put}",
            "{put,take} put -> {put,take}",
            "{put,take} put -> {take}",
            "{put,take} take -> {put,take}",
            "{put,take} take -> {put}",
            "{put} put -> {put,take}",
            "{put} put -> {take}",
            "{take} take -> {put,take}",
            "{take} take -> {put}",
        ]
    );
}

fn refused(text: &str, engine: &str) -> String {
    match analysis(text, engine).epa(&ConstructOptions::default()) {
        Ok(_) => panic!("an EPA"),
        Err(failure @ AnalysisError::Load(_)) => failure.to_string(),
        Err(failure) => panic!("{failure}"),
    }
}

/// It holds where the loop begins, and not in the round before it ends.
#[test]
fn an_invariant_that_some_round_breaks_is_an_error_with_the_call() {
    let wrong = RING.replace("0 <= head < len {", "head == 0 || i < k {");
    insta::assert_snapshot!(refused(&wrong, "builtin"));
    assert!(refused(&wrong, "boogie").contains("this loop invariant does not hold"));
}

/// It holds in every execution, as running it shows: from 27 there are 111 rounds. But one round does not show it.
#[test]
fn an_invariant_that_no_round_proves_is_not_relied_on() {
    let text = "
class Steps { var s: int; var done: bool;
  constructor() { s := 27; done := false; }
  action run() requires !done {
    s := 27;
    while (s != 1) invariant s != 7777777 { s := if s mod 2 == 0 then s div 2 else 3 * s + 1; }
  }
  action end() requires !done { done := true; } }";
    let made = analysis(text, "builtin").epa(&ConstructOptions::default());
    let notes = made.expect("an EPA").abstraction.notes;
    assert!(
        notes
            .iter()
            .any(|note| note.contains("`s != 7777777`") && note.contains("is not relied on")),
        "{notes:?}"
    );
}

/// What is proved is so, what is said to be wrong is so, and what is relied on changes nothing.
fn check(class: &Class) -> Result<(), TestCaseError> {
    let Some(expected) = expected(&class.text, &class.domain) else {
        return Err(TestCaseError::reject("the oracle does not say it all"));
    };
    let loaded = class::parse(&class.text);
    let encoding = class::encode(&loaded);
    let all = (0..loops::invariants(&loaded.program).len()).collect();
    let (checked, _) = loops::checked(&loaded.program, &all);
    let run = explore(&checked, encoding.subject.class, &class.domain).expect("it was run before");
    let mut exceptions = run
        .transitions
        .iter()
        .filter_map(|t| t.exception.as_deref());
    let is_wrong = exceptions.any(|name| name.starts_with("LoopInvariant"));
    match proved(&encoding) {
        Err(ConstructError::Loop(wrong)) => prop_assert!(is_wrong, "{wrong}\n{}", class.text),
        Err(failure) => panic!("{failure}"),
        Ok(relied_on) => {
            prop_assert!(!is_wrong, "{}", class.text);
            let found = graph::of_encoding(&relied_on, "builtin", Targets::Guided);
            let differences = expected.differences(&found);
            prop_assert!(
                differences.is_empty(),
                "{}\n{}",
                differences.join("\n"),
                class.text
            );
        }
    }
    Ok(())
}

fn proved(encoding: &Encoding) -> Result<Encoding, ConstructError> {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: 5,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = real::engine("builtin", &config);
    let proved = prove(encoding, engine.as_ref(), (engine.as_ref(), 1))?;
    Ok(proved.map_or_else(|| encoding.clone(), |proved| proved.encoding))
}

#[test]
fn random_invariants_are_right_or_wrong_as_running_everything_shows() {
    let numbers = prop::collection::vec(any::<u16>(), 40..160);
    random::check_cases(random::cases(8), numbers, |numbers| {
        check(&Class::of_loops(&mut Tape::new(numbers)))
    });
}

/// Nobody has written that `total >= i`, and it is proved all the same.
#[test]
fn a_constructor_whose_loop_has_no_invariant() {
    let expected = [
        "I Total(int, map<int, int>) -> {pay}",
        "{pay} pay -> {rest}",
        "{rest} rest -> {rest}",
    ];
    assert_eq!(certain(TOTAL, "builtin"), expected);
}

/// What is tried and does not hold is no error, and is not relied on: the last amount may be any.
#[test]
fn what_is_guessed_of_a_loop_need_not_hold() {
    let text = TOTAL.replace("assume amounts[i] > 0; total := total +", "total :=");
    let expected = [
        "I Total(int, map<int, int>) -> {pay}",
        "I Total(int, map<int, int>) -> {rest}",
        "{pay} pay -> {rest}",
        "{rest} rest -> {rest}",
    ];
    assert_eq!(certain(&text, "builtin"), expected);
}
