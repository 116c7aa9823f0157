//! Tests of the page as a text. What it does in a browser is tested in `tests/page`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::encode::Encoding;
use crate::epa::read::read;
use crate::front::tq::parse_text;
use crate::ir::ClassId;
use crate::query::{self, EdgeId};
use crate::view::samples::{self, HOSTILE};
use crate::view::{EpaFormat, render};

/// What stands in the element of the data.
fn data_of(page: &str) -> serde_json::Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_data_is_the_epa() {
    for (name, epa) in samples::all() {
        let page = render(&epa, EpaFormat::Html, &ViewOptions::default()).unwrap();
        let back: Epa = serde_json::from_value(data_of(&page)["epa"].clone()).unwrap();
        assert_eq!(back, epa, "{name}");
    }
}

#[test]
fn no_text_ends_an_element() {
    let page = render(
        &samples::hostile(),
        EpaFormat::Html,
        &ViewOptions::default(),
    )
    .unwrap();
    let count = |what: &str| page.matches(what).count();
    // The data and the script: no more begin, no more end.
    assert_eq!(count("<script"), 2, "{HOSTILE:?}");
    assert_eq!(count("</script"), 2);
    assert_eq!(count("<svg"), 1);
    assert_eq!(count("</svg>"), 1);
    let plain = render(&samples::door(), EpaFormat::Html, &ViewOptions::default()).unwrap();
    assert_eq!(count("<!--"), plain.matches("<!--").count());
}

#[test]
fn a_source_text_cannot_end_the_data() {
    let background = Background {
        source: "// </script><script>alert(1)</script><!-- \u{2028}".to_owned(),
        ..Background::default()
    };
    let epa = samples::door();
    let subject = ViewSubject {
        epa: &epa,
        background: Some(&background),
    };
    let page = render(subject, EpaFormat::Html, &ViewOptions::default()).unwrap();
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(data_of(&page)["background"]["source"], background.source);
}

#[test]
fn the_page_asks_for_nothing_else() {
    let page = render(&samples::door(), EpaFormat::Html, &ViewOptions::default()).unwrap();
    assert!(page.contains("default-src 'none'"));
    for what in [" src=", "<link", "@import", "url("] {
        assert!(!page.contains(what), "{what}");
    }
}

/// FNV-1a with 64 bits, as `web/build.mjs` has it.
fn fingerprint(texts: impl IntoIterator<Item = Vec<u8>>) -> String {
    let hash = texts
        .into_iter()
        .flatten()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}")
}

#[test]
fn the_bundle_is_that_of_the_sources() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    let mut names: Vec<_> = fs::read_dir(web.join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    names.sort();
    names.insert(0, web.join("package-lock.json"));
    let found = fingerprint(names.iter().map(|name| fs::read(name).unwrap()));
    assert!(
        SCRIPT.contains(&format!("Sources: {found}")),
        "run `npm ci && npm run build` in web/"
    );
}

#[test]
fn the_background_tells_of_the_class_and_of_every_edge() {
    let text = "class Gate {
  const LIMIT: int := 3;
  var n: nat;
  invariant n <= LIMIT;
  constructor() { n := 0; }
  action pass(by: int)
    requires by > n || by == 7
    requires by < LIMIT
  { n := n + 1; }
  action reset() { n := 0; }
}";
    let loaded = parse_text("gate.tq", text).unwrap();
    let subject = query::Subject::of_class(Arc::clone(&loaded.program), ClassId(0));
    let encoding = Encoding::new(Arc::new(subject)).unwrap();
    let epa = samples::table(
        "Gate",
        "pass,reset",
        "S1={pass,reset} S2={reset}",
        "Gate()->S1",
        "S1: pass->S1 S2; reset->S1\nS2: reset->S2",
    );
    let mut epa = read(&epa).unwrap();
    epa.gone.edges.insert(EdgeId(4));
    let background = Background::of(&encoding, &loaded.source, &epa).unwrap();
    assert_eq!(background.source, text);
    assert_eq!(background.invariant, ["n <= 3"]);
    let field = FieldView {
        name: "n".to_owned(),
        ty: "nat".to_owned(),
    };
    assert_eq!(background.fields, [field]);
    let pass = &background.actions[0];
    assert_eq!((pass.name.as_str(), pass.line), ("pass", 6));
    assert_eq!(pass.parameters, ["by: int"]);
    assert_eq!(pass.requires, ["by > n || by == 7", "by < 3"]);
    assert_eq!(pass.condition, "(by > n || by == 7) && by < 3");
    // Some `by` lies strictly between `n` and 3 exactly where `n` is at most 1.
    assert!(
        pass.enabled.as_deref().is_some_and(|e| !e.contains("by")),
        "{pass:?}"
    );
    let asked: Vec<&str> = background
        .questions
        .iter()
        .map(|q| q.sentence.as_str())
        .collect();
    assert_eq!(
        asked,
        [
            "can `Gate()` end in {pass, reset}?",
            "can `pass`, called in {pass, reset}, end in {pass, reset}?",
            "can `pass`, called in {pass, reset}, end in {reset}?",
            "can `reset`, called in {pass, reset}, end in {pass, reset}?",
            "can `reset`, called in {reset}, end in {reset}?",
        ]
    );
}
