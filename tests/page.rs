//! The page of `tranquera epa --format html`, in a real Chromium: opened from a file, clicked, and read.

#[path = "support/chromium.rs"]
mod chromium;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use assert_cmd::Command;
use chromium::Browser;
use serde_json::json;
use tranquera::epa::Epa;
use tranquera::view::{Format, Options, render};

const VENDING_MACHINE: &str = "fixtures/corral-2016/vending_machine.tq";

/// The page of a class, open in a browser.
fn page_of(arguments: &[&str]) -> Browser {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    std::fs::write(&file, text_of(arguments)).expect("written");
    Browser::open(&file)
}

/// The text of such a page, each made once.
fn text_of(arguments: &[&str]) -> String {
    static MADE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().expect("no test ends while it makes a page");
    let text = made.entry(arguments.join(" ")).or_insert_with(|| {
        let output = Command::cargo_bin("tranquera")
            .expect("built")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .env("TRANQUERA_CACHE", "off")
            .timeout(Duration::from_secs(900))
            .args(["epa", "--format", "html"])
            .args(arguments)
            .assert()
            .success();
        String::from_utf8(output.get_output().stdout.clone()).expect("text")
    });
    text.clone()
}

fn contains_all(text: &str, wanted: &[&str]) {
    for part in wanted {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// The label of an action's edge between two states, as an expression.
fn label(source: &str, action: &str, target: &str) -> String {
    format!(
        "document.querySelector('.labels [data-source=\"{source}\"][data-target=\"{target}\"] [data-action=\"{action}\"]')"
    )
}

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

/// The contrast of every text that is shown with what is behind it (WCAG 2, success criterion 1.4.3): those below 4.5.
const CONTRAST: &str = include_str!("support/contrast.js");

#[test]
fn it_is_readable_at_every_size_in_light_and_dark() {
    let page = page_of(&[VENDING_MACHINE, "--confirm"]);
    let inside = |selector: &str| {
        page.value(&format!(
            "[...document.querySelectorAll({selector:?})].every((e) => {{
               const box = e.getBoundingClientRect();
               const all = document.querySelector('#picture').getBoundingClientRect();
               return box.width > 0 && box.left >= all.left && box.right <= all.right && box.top >= all.top && box.bottom <= all.bottom;
             }})"
        ))
    };
    for scheme in ["light", "dark"] {
        for (width, height) in [(1280, 800), (1920, 1080), (390, 844)] {
            page.look(width, height, scheme);
            page.press("0");
            assert_eq!(inside("[data-state], .labels text"), true, "{width}");
            assert_eq!(
                page.value("document.documentElement.scrollWidth <= innerWidth"),
                true,
                "{width}"
            );
        }
        for shown in [
            "#bar h1 button",
            "#panel [data-show-state=S2]",
            "#panel [data-show-edge]",
        ] {
            page.click(shown);
            page.value(
                "document.querySelectorAll('#panel details').forEach((box) => (box.open = true))",
            );
            assert_eq!(page.value(CONTRAST), json!([]), "{shown} in {scheme}");
        }
        // In a narrow window the details fold away, and come back for what is clicked.
        let half = page.value("document.querySelector('#picture').clientHeight");
        page.click("#fold");
        page.settle();
        assert!(!page.is_shown("#panel"));
        let whole = page.value("document.querySelector('#picture').clientHeight");
        assert!(
            whole.as_f64() > half.as_f64().map(|h| 1.5 * h),
            "{half} {whole}"
        );
        page.click("[data-state=S1]");
        assert!(page.is_shown("#panel"));
        page.click("#bar h1 button");
    }
    page.nothing_went_wrong();
}

#[test]
fn it_can_be_used_by_keys_alone() {
    let page = page_of(&[VENDING_MACHINE]);
    contains_all(
        &page.text("#panel"),
        &["nothing can be called", "There was no second pass"],
    );
    // Search, and what is found has the focus in the picture.
    page.press("/");
    for letter in ["s", "3"] {
        page.press(letter);
    }
    page.wait_for("document.querySelectorAll('#found [role=option]').length > 0");
    page.press("Enter");
    contains_all(&page.text("#panel"), &["State S3"]);
    assert_eq!(page.value("document.activeElement.dataset.state"), "S3");
    // Up to the state above it.
    page.press("ArrowUp");
    assert_eq!(page.value("document.activeElement.dataset.state"), "S1");
    page.press("Enter");
    contains_all(&page.text("#panel"), &["State S1", "initial"]);
    page.press("Escape");
    contains_all(&page.text("#panel h2"), &["VendingMachine"]);
    // Behind a state come the edges that leave it, each with a name; Enter shows one, the arrows lead to its ends.
    let focused = "document.activeElement.getAttribute('aria-label')";
    let mut passed = Vec::new();
    for _ in 0..4 {
        page.press("Tab");
        passed.push(page.value(focused).as_str().unwrap_or_default().to_owned());
    }
    passed.sort();
    assert_eq!(
        passed,
        [
            "Buy, from S1 to S2",
            "Buy, from S1 to S3",
            "Buy, from S1 to S4",
            "DisplayPrice, from S1 to S1",
        ]
    );
    page.press("Tab");
    assert_eq!(
        page.value("document.querySelector('#panel').contains(document.activeElement)"),
        true,
        "no trap"
    );
    page.press("d");
    assert_eq!(page.value("document.activeElement.dataset.state"), "S1");
    page.press("Tab");
    let edge = page.value(focused);
    let outline = "getComputedStyle(document.activeElement).outlineStyle";
    assert_eq!(page.value(outline), "solid", "the focus is seen");
    page.press("Enter");
    let (name, _) = edge
        .as_str()
        .and_then(|edge| edge.split_once(", "))
        .expect("an edge");
    assert_eq!(page.text("#panel h2"), name);
    let target = edge
        .as_str()
        .and_then(|edge| edge.rsplit(' ').next())
        .expect("a state")
        .to_owned();
    page.press("ArrowRight");
    assert_eq!(
        page.value("document.activeElement.dataset.state"),
        target.as_str()
    );
    // All nodes in turn, the constructor's too.
    page.press("Home");
    let mut met = Vec::new();
    for _ in 0..5 {
        met.push(page.value(focused).as_str().unwrap_or_default().to_owned());
        page.press("PageDown");
    }
    assert_eq!(
        met,
        [
            "State S1, initial: DisplayPrice, Buy can be called",
            "State S2: nothing can be called",
            "State S3: ReturnChange can be called",
            "State S4: ReturnItem can be called",
            "Constructor VendingMachine()",
        ]
    );
    page.press("Enter");
    contains_all(&page.text("#panel h2"), &["VendingMachine()"]);
    page.press("Escape");
    // The list of keys: Escape closes it, and nothing else.
    page.press("?");
    contains_all(
        &page.text("#keys"),
        &["Keys", "search for states and actions", "walk, and back"],
    );
    page.press("Escape");
    assert!(!page.is_shown("#keys"));
    assert_eq!(page.value(focused), "Constructor VendingMachine()");
    // Every stop of the tab key can be seen, and has a name; in the end they come round.
    let (mut stops, mut rounds) = (0, 0);
    while stops < 80 && rounds < 2 {
        page.press("Tab");
        if page.value("document.activeElement === document.body") == json!(true) {
            rounds += 1;
            continue;
        }
        stops += 1;
        let named = "(({ activeElement: e }) => e.checkVisibility({ opacityProperty: true }) && Boolean(e.getAttribute('aria-label') ?? e.innerText.trim()))(document)";
        assert_eq!(
            page.value(named),
            true,
            "{}",
            page.value("document.activeElement.outerHTML")
        );
    }
    assert!(rounds == 2 && stops > 10, "{rounds} rounds, {stops} stops");
    // A walk.
    page.press("w");
    page.press("Enter");
    page.press("Enter");
    assert_eq!(
        page.value("document.querySelectorAll('#panel .path li').length"),
        2
    );
    page.nothing_went_wrong();
}

#[test]
fn what_is_not_wanted_is_hidden() {
    let page = page_of(&[VENDING_MACHINE, "--confirm", "--hide-loops"]);
    let label_shown = |action: &str| page.is_shown(&format!(".labels [data-action={action}]"));
    assert!(
        !label_shown("DisplayPrice"),
        "a pure loop, hidden on request"
    );
    assert!(label_shown("Buy"));
    page.click("#hiding > summary");
    page.click("[data-hide='kind idle']");
    assert!(label_shown("DisplayPrice"));
    page.click("[data-hide='action Buy']");
    assert!(!label_shown("Buy"));
    assert!(label_shown("ReturnItem"));
    page.click("[data-hide='action Buy']");
    let refuted = ".labels .refuted text";
    assert!(page.is_shown(refuted));
    page.click("[data-hide='kind refuted']");
    assert!(!page.is_shown(refuted));
    assert!(label_shown("Buy"), "the others of that name stay");
    page.press("Escape");
    assert!(!page.is_shown("#hiding .sheet"));
    page.click("#legend > summary");
    contains_all(
        &page.text("#legend"),
        &["confirmed: a run", "refuted: no object"],
    );
    page.nothing_went_wrong();
}

/// The page of an EPA alone, without the class behind it.
fn page_of_epa(epa: &serde_json::Value) -> Browser {
    let epa: Epa = serde_json::from_value(epa.clone()).expect("an EPA");
    let text = render(&epa, Format::Html, &Options::default()).expect("a page");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    std::fs::write(&file, text).expect("written");
    Browser::open(&file)
}

fn transition(source: &str, action: &str, target: &str) -> serde_json::Value {
    json!({
        "source": source, "action": action, "target": target, "outcome": null, "exception": null,
        "verdict": "reached", "reason": null, "violates_invariant": false, "confirmation": null,
    })
}

fn epa(
    states: Vec<serde_json::Value>,
    actions: &[&str],
    transitions: Vec<serde_json::Value>,
) -> serde_json::Value {
    json!({
        "schema": "tranquera/epa/1", "class": "</script><b>Class</b>", "actions": actions, "states": states,
        "constructors": [{ "name": "Class(int, int)", "target": "S1", "verdict": "reached", "reason": null }],
        "transitions": transitions,
    })
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

#[test]
fn a_hundred_states_and_a_thousand_edges() {
    let id = |n: usize| format!("S{}", n + 1);
    let actions: Vec<String> = (0..10).map(|n| format!("act{n}")).collect();
    let names: Vec<&str> = actions.iter().map(String::as_str).collect();
    let states = (0..100).map(|n| json!({ "id": id(n), "enabled": names, "initial": n == 0 }));
    // Ten edges from every state: to the next ones, back, and far away; some are drawn as one.
    let edges = (0..100_usize).flat_map(|n| {
        let targets = [1, 1, 2, 2, 3, 0, 99, 99, 10, 50].map(|step| (n + step) % 100);
        let taken = targets.into_iter().zip(&names);
        taken
            .map(move |(target, action)| transition(&id(n), action, &id(target)))
            .collect::<Vec<_>>()
    });
    let page = page_of_epa(&epa(states.collect(), &names, edges.collect()));
    contains_all(&page.text("#panel"), &["100 states, 1000 transitions"]);
    page.press("/");
    for letter in ["s", "7", "7"] {
        page.press(letter);
    }
    page.press("Enter");
    contains_all(&page.text("#panel h2"), &["State S77"]);
    assert_eq!(
        page.value("document.querySelectorAll('#panel [data-show-edge]').length"),
        19
    );
    let place = "document.querySelector('[data-state=S77]').getBoundingClientRect()";
    assert_eq!(
        page.value(&format!(
            "{place}.width > 30 && {place}.x > 0 && {place}.right < innerWidth"
        )),
        true
    );
    page.nothing_went_wrong();
}
