//! `enabled when e with p := f`: guards that the class splits itself (TOSEM 2013, §4.2.2). What is expected is
//! worked out by hand.

use std::collections::BTreeSet;

use tranquera::epa::{Epa, Strategy};
use tranquera::front::tq::parse_text;

use crate::text::construct;

/// A table that can be replaced by one with certain entries: no elimination of the map `m` is possible, because of the
/// product. `root` has a product of its parameter, too.
fn table(put: &str, root: &str) -> String {
    format!(
        "class Table {{
           var t: map<int, int>; var k: int; var open: bool; var n: int;
           invariant n >= 0;
           constructor(f: map<int, int>) {{ t := f; k := 0; open := false; n := 0; }}
           action put(m: map<int, int>) requires open && m[k] == n && m[k + 1] < 3 && m[k] * m[k] >= 0 {put} {{ t := m; n := 1; }}
           action root(p: int) requires p * p <= n {root} {{ n := n + 1; }}
           action flip() {{ open := !open; }}
         }}"
    )
}

const PUT: &str = "enabled when open with m := t[k := n][k + 1 := 0]";
const ROOT: &str = "enabled when true with p := 0";

fn edges(epa: &Epa) -> BTreeSet<String> {
    let enabled = |id: &str| epa.state(id).expect("listed").enabled.join(" ");
    let transitions = epa.transitions.iter();
    transitions
        .map(|t| {
            format!(
                "{{{}}} {} {{{}}}",
                enabled(&t.source),
                t.action,
                enabled(&t.target)
            )
        })
        .collect()
}

#[test]
fn an_exact_split_gives_the_exact_epa() {
    // A table with the entries can always be made, and zero is always a root: `put` can be called when open.
    let expected: BTreeSet<String> = [
        "{root flip} root {root flip}",
        "{root flip} flip {put root flip}",
        "{put root flip} put {put root flip}",
        "{put root flip} root {put root flip}",
        "{put root flip} flip {root flip}",
    ]
    .map(str::to_owned)
    .into();
    for strategy in [Strategy::Guided, Strategy::Enumerate] {
        let epa = construct(&table(PUT, ROOT), strategy).expect("constructed");
        assert_eq!(edges(&epa), expected);
        let answers = epa.stats.queries;
        assert_eq!(answers.unknown + answers.bound_hit, 0, "{answers:?}");
        assert_eq!(
            epa.notes,
            [
                "the guard of `put` is what its `enabled` says; that it is exact was checked",
                "the guard of `root` is what its `enabled` says; that it is exact was checked",
            ]
        );
        assert_eq!(epa.stats.queries_by_kind["split"].unreachable, 4);
    }
    // Without it, `put` may or may not be enabled in an open table, and both are said.
    let epa = construct(&table("", ROOT), Strategy::Guided).expect("constructed");
    assert!(edges(&epa).is_superset(&expected));
    assert!(edges(&epa).contains("{put root flip} root {root flip}"));
    assert!(
        epa.notes[0].contains("is over-approximated"),
        "{:?}",
        epa.notes
    );
}

#[test]
fn one_bound_alone_over_approximates() {
    let epa = construct(&table("enabled over open", ROOT), Strategy::Guided).expect("constructed");
    assert!(edges(&epa).contains("{put root flip} root {root flip}"));
    assert!(
        epa.notes[0].contains("there is no `enabled under`"),
        "{:?}",
        epa.notes
    );
    // Both, but apart: between them `put` may be enabled or not.
    let put = "enabled over open enabled under open && n > 3 with m := t[k := n][k + 1 := 0]";
    let epa = construct(&table(put, ROOT), Strategy::Guided).expect("constructed");
    assert!(edges(&epa).contains("{put root flip} root {root flip}"));
    assert!(epa.notes[0].contains("lies between"), "{:?}", epa.notes);
}

#[test]
fn wrong_splits_are_refuted_by_a_counter_example() {
    let cases = [
        // Too narrow: an open table with n = 0 can be replaced as well.
        (
            "enabled over open && n > 0",
            "`enabled over open && n > 0`: with t = ",
            "open = true, n = 0, called with m = [_ := 0], it can be called, and the condition does not hold",
        ),
        // Too wide: a closed table cannot.
        (
            "enabled under true with m := t[k := n][k + 1 := 0]",
            "`enabled under true`: with t = ",
            "open = false",
        ),
        // The witness forgets the second entry.
        (
            "enabled under open with m := t[k := n]",
            "`enabled under open`: with t = ",
            "it cannot be called like this",
        ),
        // Not any table will do.
        (
            "enabled when open",
            "`enabled under open`: with t = ",
            "it cannot be called like this",
        ),
    ];
    for (put, clause, how) in cases {
        let failure = construct(&table(put, ROOT), Strategy::Guided).expect_err(put);
        let text = failure.to_string();
        assert!(
            text.starts_with("what `put` says of when it can be called is wrong"),
            "{text}"
        );
        assert!(text.contains(clause) && text.contains(how), "{text}");
    }
}

#[test]
fn parameters_without_a_value_may_be_any_that_what_is_required_of_them_allows() {
    // `q` is bounded by itself alone, so that it needs no value; `p` has one.
    let with = |requires: &str, enabled: &str| {
        format!(
            "class C {{
               var n: int; var on: bool;
               constructor() {{ n := 0; on := false; }}
               action a(p: int, q: int) requires {requires} {enabled} {{ on := !on; n := n + 1; }}
             }}"
        )
    };
    let requires = "on && p * p * n == 0 && q * q > 3";
    let epa = construct(
        &with(requires, "enabled when on with p := 0"),
        Strategy::Guided,
    );
    assert_eq!(epa.expect("constructed").states.len(), 1);
    // No square is negative: then there is nothing that `q` could be.
    let failure = construct(
        &with(
            "on && p * p * n == 0 && q * q < 0",
            "enabled under on with p := 0",
        ),
        Strategy::Guided,
    )
    .expect_err("infeasible");
    assert!(
        failure
            .to_string()
            .contains("no parameters meet what it requires of them alone"),
        "{failure}"
    );
}

#[test]
fn a_split_that_is_not_needed_is_checked_all_the_same() {
    let text = |enabled: &str| {
        format!(
            "class C {{ var n: int; constructor() {{ n := 0; }}
               action a(p: int) requires p < n {enabled} {{ n := p; }} action up() {{ n := n + 1; }} }}"
        )
    };
    let epa = construct(&text("enabled when true with p := n - 1"), Strategy::Guided)
        .expect("constructed");
    assert!(epa.notes[0].contains("is not needed"), "{:?}", epa.notes);
    assert!(construct(&text("enabled over n > 0"), Strategy::Guided).is_err());
}

#[test]
fn what_cannot_be_said() {
    let class = |clauses: &str| {
        format!(
            "class C {{ var n: int; constructor() {{ n := 0; }}
               action a(p: int) {clauses} {{ }} }}"
        )
    };
    for (clauses, expected) in [
        ("enabled when p > 0", "p"),
        (
            "enabled when n > 0 enabled over n > 0",
            "when the action is enabled is said twice",
        ),
        (
            "enabled over n > 0 with p := 1",
            "`enabled over` takes no values of parameters",
        ),
        (
            "enabled when n > 0 with q := 1",
            "there is no parameter `q`",
        ),
        (
            "enabled when n > 0 with p := 1, p := 2",
            "`p` is named twice",
        ),
        ("enabled when n > 0 with p := true", "bool"),
        ("enabled n > 0", "expected `when`, `over` or `under`"),
    ] {
        let errors = parse_text("class.tq", &class(clauses)).expect_err(clauses);
        let text = errors.render(false);
        assert!(text.contains(expected), "{clauses}: {text}");
    }
    let errors = parse_text(
        "class.tq",
        "class C { constructor() enabled when true { } }",
    );
    assert!(
        errors
            .expect_err("a constructor")
            .render(false)
            .contains("only an action is `enabled`")
    );
}
