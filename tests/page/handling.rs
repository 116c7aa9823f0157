//! How the page is read and handled: sizes, colours, keys, what is hidden.

use serde_json::json;

use crate::opened::{VENDING_MACHINE, contains_all, page_of};

/// The contrast of every text that is shown with what is behind it (WCAG 2, success criterion 1.4.3): those below 4.5.
const CONTRAST: &str = include_str!("../support/contrast.js");

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
