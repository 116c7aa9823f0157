//! What edges tell when they are pointed at.

use serde_json::json;

use crate::opened::{VENDING_MACHINE, contains_all, epa, label, page_of, page_of_epa, transition};

#[test]
fn the_vending_machine_with_its_second_pass() {
    let page = page_of(&[VENDING_MACHINE, "--confirm"]);

    // The whole: the deadlock that a one-step view shows is there, and refuted.
    contains_all(
        &page.text("#panel"),
        &[
            "VendingMachine",
            "3 states, 5 transitions, 4 actions",
            "6 confirmed, 1 refuted",
            "change >= 0",
        ],
    );

    // A state: its predicate, how an object gets there, and what such an object is like.
    page.click("[data-state=S3]");
    contains_all(
        &page.text("#panel"),
        &[
            "State S3",
            "✓ ReturnChange",
            "✗ ReturnItem",
            "change > 0 ==> selling",
            "How an object gets here",
        ],
    );
    assert!(
        page.text("#panel .predicate .disabled code")
            .starts_with("selling"),
        "DisplayPrice needs `!selling`"
    );
    contains_all(
        &page.text("#panel .fields"),
        &["selling: bool", "change: int", "true", "5"],
    );

    // An edge, by its label: the run with values, the lines it runs through, and the question.
    page.click_where(&label("S3", "ReturnChange", "S4"));
    let panel = page.text("#panel");
    contains_all(
        &panel,
        &[
            "ReturnChange",
            "confirmed by a run of 3 calls",
            "VendingMachine()",
            "selling = true, change = 0",
        ],
    );
    assert_eq!(
        page.value("document.querySelectorAll('#panel .step').length"),
        3
    );
    assert_eq!(page.text("#panel .line.marked").trim(), "{ change := 0; }");
    contains_all(
        &panel,
        &["can ReturnChange, called in {ReturnChange}, end in a state not known yet?"],
    );
    assert!(!page.is_shown("#panel pre.boogie"));
    page.click("#panel .question > summary");
    page.wait_for("document.querySelector('#panel pre.boogie') !== null");
    contains_all(
        &page.text("#panel pre.boogie"),
        &["procedure", "{:entrypoint}"],
    );

    // Another step of the run has other lines.
    page.click("#panel .step");
    assert_eq!(page.text("#panel .line.marked").trim(), "selling := false;");

    // What the engine said to it, in the words of its own.
    contains_all(
        &panel,
        &[
            "The engine's answer",
            "reached, in S4; in ",
            "builtin: tranquera",
            ", z3 ",
        ],
    );
    page.click("#panel .said > summary");
    page.wait_for("document.querySelector('#panel .said pre') !== null");
    contains_all(
        &page.text("#panel .said pre"),
        &["selling = true", "\nline "],
    );
    contains_all(
        &page.text("#panel .command"),
        &[
            "tranquera explain fixtures/corral-2016/vending_machine.tq --edge 'S3 -ReturnChange-> S4'",
        ],
    );

    // The deadlock: how it comes about, that no object is there, and the way out.
    page.click("[data-state=S2]");
    contains_all(
        &page.text("#panel .reason"),
        &[
            "Why is this state here?",
            "leads here from S1",
            "nothing can be called",
            "ReturnChange needs selling && change > 0",
            "No object is ever really here: every object keeps change >= 0",
            "the invariant does not say so",
            "The way out: add invariant change >= 0;",
            "every call keeps it already",
            "tranquera explain fixtures/corral-2016/vending_machine.tq --edge 'S1 -Buy-> S2'",
        ],
    );
    // The object that gets there has a change below 0: nothing else can be called by none of the actions.
    let change = page.text("#panel .examples td:last-child");
    assert!(change.parse::<i64>().expect("a number") < 0, "{change}");

    // The refuted edge, told apart and explained.
    page.click_where(&label("S1", "Buy", "S2"));
    contains_all(
        &page.text("#panel"),
        &[
            "refuted",
            "no object takes it: every object keeps change >= 0",
        ],
    );

    // A constructor's edge has no label: its line can be clicked.
    page.click(".edges [data-source='VendingMachine()'] .wide");
    contains_all(
        &page.text("#panel"),
        &[
            "VendingMachine()",
            "a new object → S1",
            "confirmed by a run of 1 call",
        ],
    );
    page.nothing_went_wrong();
}

#[test]
fn parallel_edges_are_one_arrow_or_one_each() {
    let page = page_of(&["tests/classes/parallel.tq"]);
    let arrows = "document.querySelectorAll('.edges [data-source=S2][data-target=S1]').length";
    let labels =
        "document.querySelectorAll('.labels [data-source=S2][data-target=S1] text').length";
    assert_eq!(
        (page.value(arrows), page.value(labels)),
        (json!(1), json!(3))
    );
    page.click("[data-state=S2]");
    page.click("#hiding > summary");
    page.click("[data-hide='action close']");
    page.click("#splitting");
    assert_eq!(
        (page.value(arrows), page.value(labels)),
        (json!(3), json!(3))
    );
    // What was chosen, marked and hidden still is.
    assert!(!page.is_shown(".labels [data-action=close]"));
    assert!(page.is_shown(".labels [data-action=slam]"));
    assert_eq!(
        page.value("document.querySelector('[data-state=S2]').classList.contains('chosen')"),
        true
    );
    page.press("Escape");
    page.click_where(&label("S2", "slam", "S1"));
    contains_all(&page.text("#panel h2"), &["slam"]);
    page.press("s");
    assert_eq!(page.value(arrows), 1);
    assert_eq!(
        page.value("document.querySelector('#splitting').checked"),
        false
    );
    // Nothing was asked about a pure action.
    page.click_where(&label("S2", "peek", "S2"));
    contains_all(
        &page.text("#panel"),
        &["It was not asked: the action cannot change anything"],
    );
    page.nothing_went_wrong();
}

#[test]
fn every_kind_of_edge_tells_what_it_is_without_a_class_too() {
    let mut maybe = transition("S1", "send", "S2");
    maybe["verdict"] = json!("maybe");
    maybe["reason"] = json!("timeout: 60 s & <b>more</b>");
    maybe["violates_invariant"] = json!(true);
    let mut raises = transition("S1", "send", "S1");
    raises["exception"] = json!("Full");
    let mut open = transition("S2", "send", "S2");
    open["outcome"] = json!("!ok");
    open["confirmation"] = json!({ "status": "unconfirmed", "bound": 7 });
    let states = vec![
        json!({ "id": "S1", "enabled": ["send"], "initial": true }),
        json!({ "id": "S2", "enabled": ["send"], "initial": false }),
    ];
    let page = page_of_epa(&epa(states, &["send"], vec![maybe, raises, open]));
    assert_eq!(page.text("#panel h2"), "</script><b>Class</b>");
    assert_eq!(page.value("document.querySelectorAll('b').length"), 0);

    page.click(".labels .maybe text");
    contains_all(
        &page.text("#panel"),
        &[
            "uncertain",
            "not certain, so the edge stays: timeout: 60 s & <b>more</b>",
            "the invariant does not hold",
        ],
    );
    assert!(
        !page.is_shown("#panel pre"),
        "neither source nor question is known"
    );

    page.click(".labels .unconfirmed text");
    contains_all(
        &page.text("#panel"),
        &["send[!ok]", "no run of up to 7 calls", "unconfirmed"],
    );

    // Hidden unless asked for, on the command line or here.
    assert!(!page.is_shown(".labels .exceptional text"));
    page.click("#hiding > summary");
    page.click("[data-hide='kind exceptional']");
    page.press("Escape");
    page.click(".labels .exceptional text");
    contains_all(&page.text("#panel"), &["send ! Full", "the exception Full"]);
    page.click(".edges [data-source='Class(int, int)'] .wide");
    contains_all(&page.text("#panel"), &["Class(int, int)", "a new object"]);
    page.nothing_went_wrong();
}

/// What is behind the references that calls are given.
#[test]
fn a_run_tells_the_objects_that_its_calls_are_given() {
    let class = "
class Box { var full: bool; constructor() { full := false; } }
class Holder { var held: Box?;
  constructor() { held := null; }
  action take(b: Box) requires held == null && !b.full { held := b; }
  action drop() requires held != null { held := null; } }";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("holder.tq");
    std::fs::write(&file, class).expect("written");
    let file = file.to_str().expect("a name in Unicode");
    let page = page_of(&[file, "--class", "Holder", "--confirm"]);
    page.click_where(&label("S1", "take", "S2"));
    contains_all(
        &page.text("#panel .run"),
        &["take(b = #1)", "#1 is Box [full = false]"],
    );
    page.nothing_went_wrong();
}
