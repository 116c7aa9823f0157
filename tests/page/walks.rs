//! Walks along the edges, and objects that take them.

use crate::opened::{VENDING_MACHINE, contains_all, label, page_of};

#[test]
fn a_walk_tells_whether_an_object_follows() {
    let page = page_of(&[VENDING_MACHINE, "--confirm"]);
    page.click("#walk");
    contains_all(
        &page.text("#panel"),
        &["Walk", "Make an object", "VendingMachine()"],
    );
    page.click("#panel .choices button");
    contains_all(
        &page.text("#panel"),
        &["In S1. Call:", "An object follows", "false"],
    );
    // In the picture, an edge that leaves the state is a call; one that does not is none.
    page.click_where(&label("S4", "ReturnItem", "S1"));
    contains_all(&page.text("#panel"), &["In S1. Call:"]);
    page.click_where(&label("S1", "Buy", "S3"));
    contains_all(
        &page.text("#panel"),
        &["In S3. Call:", "An object follows", "selling: bool"],
    );
    assert_eq!(page.text("#panel .object td:last-child"), "5");
    // Twice the same loop: no run of the second pass does that, but the class can be run.
    page.click("#panel .restart");
    page.click("#panel .choices button");
    for _ in 0..2 {
        page.click_where("[...document.querySelectorAll('#panel .choices button')].find((b) => b.innerText.startsWith('DisplayPrice'))");
    }
    contains_all(&page.text("#panel"), &["In S1. Call:", "An object follows"]);
    assert_eq!(
        page.value("document.querySelectorAll('#panel .path li').length"),
        3
    );
    page.click("#panel .back");
    contains_all(&page.text("#panel"), &["An object follows"]);
    page.nothing_went_wrong();
}

#[test]
fn without_a_second_pass_there_are_objects_too() {
    let page = page_of(&[VENDING_MACHINE]);
    // Made by running the class, so `change` is what `Buy` makes it.
    page.click("[data-state=S3]");
    contains_all(
        &page.text("#panel .examples"),
        &["Made by a constructor and calls", "true\t5"],
    );
    contains_all(
        &page.text("#panel"),
        &["How an object gets here", "VendingMachine()", "Buy(item = "],
    );
    // An edge has the call with which the engine answered, and its lines.
    page.click_where(&label("S3", "ReturnChange", "S4"));
    contains_all(
        &page.text("#panel .answer-call"),
        &[
            "selling = true, change = ",
            "ReturnChange()",
            "selling = true, change = 0",
            "The interpreter made the same call",
        ],
    );
    assert_eq!(page.text("#panel .line.marked").trim(), "{ change := 0; }");
    // Of the deadlock only what keeps the invariant is known; that is said.
    page.click("[data-state=S2]");
    contains_all(
        &page.text("#panel"),
        &[
            "was not asked: run again with --confirm",
            "With these the engine answered",
            "The way out: add invariant change >= 0;",
        ],
    );
    assert!(
        !page
            .text("#panel .examples")
            .contains("Made by a constructor")
    );
    // A walk: the same loop any number of times, and an object follows.
    page.click("#walk");
    page.click("#panel .choices button");
    for _ in 0..2 {
        page.click("#panel .choices [data-take='1']");
    }
    contains_all(&page.text("#panel"), &["In S1. Call:", "An object follows"]);
    // Into the deadlock none does: the engine's own example is shown instead.
    contains_all(&page.text("#panel .choices"), &["no object known"]);
    page.click("#panel .choices [data-take='2']");
    contains_all(
        &page.text("#panel"),
        &[
            "In S2: nothing can be called",
            "Only the abstraction is walked",
            "made by some object that keeps the invariant",
        ],
    );
    page.nothing_went_wrong();
}

/// A shelf with two places, that does not look whether it is full or empty. Only the third book in a row, and only the first
/// taking, do what no edge tells.
#[test]
fn what_no_edge_tells_has_its_run() {
    let page = page_of(&["tests/support/shelf.tq", "--confirm"]);
    let run_of = |kind: &str| {
        let finding = format!(
            "[...document.querySelectorAll('#panel .findings li')].find((li) => li.innerText.includes('{kind}'))"
        );
        page.click_where(&format!("{finding}.querySelector('summary')"));
        page.wait_for(&format!("{finding}.querySelector('.step') !== null"));
        let steps = format!(
            "[...{finding}.querySelectorAll('.step')].map((step) => step.innerText.replace(/\\s+/g, ' ')).join('\\n')"
        );
        let marked = format!("{finding}.querySelector('.line.marked').innerText");
        let text = |what: &str| page.value(what).as_str().map(str::to_owned);
        let steps = text(&steps).expect("a text");
        let steps: Vec<String> = steps.lines().map(str::to_owned).collect();
        (steps, text(&marked).expect("a text"))
    };
    let (steps, marked) = run_of("runtime-error");
    let names: Vec<&str> = steps.iter().filter_map(|s| s.split('(').next()).collect();
    assert_eq!(names, ["Shelf", "put", "put", "put"], "{steps:?}");
    assert!(steps[3].contains("! IndexOutOfRange"), "{steps:?}");
    assert!(!steps[3].contains('→'), "{steps:?}");
    assert!(marked.contains("action put"), "{marked}");
    let (steps, marked) = run_of("broken-invariant");
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert!(
        steps[1].starts_with("take() → where the invariant does not hold"),
        "{steps:?}"
    );
    assert!(steps[1].contains("used = -1"), "{steps:?}");
    assert!(marked.contains("action take"), "{marked}");
    page.nothing_went_wrong();
}
