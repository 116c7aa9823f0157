//! The report in each format, of a class of which the order of calls changed, one as expected, and one that is gone.

use super::{CheckFormat, render};
use crate::ask::{Run, RunCall};
use crate::check::{CheckReport, Checked, CheckedClass, Outcome};
use crate::epa::diff::EpaDiff;
use crate::epa::wire::{Epa, EpaFinding};
use crate::load::{Places, UserPlace};
use crate::view::samples::table;

/// A file that can be written to once it is open, and then for ever: `close` forgets to say that it is closed.
fn file(closed: &str) -> Epa {
    let edges = format!("S1: open->S2\nS2: write->S2\nS2: close->{closed}");
    table(
        "File",
        "open,write,close",
        "S1={open} S2={write,close}",
        "File()->S1",
        &edges,
    )
}

fn report() -> CheckReport {
    let (was, is) = (file("S1"), file("S2"));
    let diff = EpaDiff::of(&was, &is, &[]).expect("no renaming");
    let close = UserPlace {
        file: "src/a file.tq".to_owned(),
        start: (7, 3),
        end: (7, 24),
    };
    let found = EpaFinding {
        kind: "sink-state".to_owned(),
        state: Some("S2".to_owned()),
        action: None,
        message: "state S2 is never left".to_owned(),
        run: None,
    };
    let call = |name: &str, exception: Option<&str>| RunCall {
        name: name.to_owned(),
        exception: exception.map(str::to_owned),
        ..RunCall::default()
    };
    let failing = EpaFinding {
        kind: "runtime-error".to_owned(),
        state: None,
        action: Some("close".to_owned()),
        message: "`close` can end in DivisionByZero".to_owned(),
        run: Some(Run {
            calls: vec![
                RunCall {
                    edge: Some(0),
                    target: Some("S1".to_owned()),
                    ..call("File()", None)
                },
                call("close", Some("DivisionByZero")),
            ],
            replayed: true,
            not_replayed: None,
        }),
    };
    let class = CheckedClass {
        findings: vec![found, failing],
        places: Places {
            class: Some(UserPlace {
                start: (1, 7),
                end: (1, 11),
                ..close.clone()
            }),
            routines: [("close".to_owned(), close)].into(),
        },
    };
    let check = |name: &str, class: &str, outcome| Checked {
        expected: format!("src/{name}.{class}.epa.json"),
        source: Some(format!("src/{name}.tq")),
        class: Some(class.to_owned()),
        outcome,
    };
    let gone = Checked {
        source: None,
        ..check(
            "old",
            "<Old>",
            Outcome::NotChecked {
                message: "error: there is no `source`\nhelp: delete it".to_owned(),
            },
        )
    };
    let changed = Outcome::Changed {
        order: diff.order(),
        diff: Box::new(diff),
        class,
    };
    CheckReport::of(vec![
        check("a file", "File", changed),
        check("door", "Door", Outcome::Same(CheckedClass::default())),
        gone,
    ])
}

#[test]
fn each_format() {
    for (format, name) in [
        (CheckFormat::Text, "text"),
        (CheckFormat::Markdown, "markdown"),
        (CheckFormat::Json, "json"),
        (CheckFormat::Sarif, "sarif"),
        (CheckFormat::Junit, "junit"),
    ] {
        let text = render(&report(), format).expect("rendered");
        insta::assert_snapshot!(format!("check_{name}"), text);
    }
}

/// What the issue asks for: which call order changed.
#[test]
fn the_order_is_told_in_words() {
    let text = render(&report(), CheckFormat::Text).expect("rendered");
    assert!(
        text.contains("after `close`, `write` and `close` can be called now"),
        "{text}"
    );
    assert!(
        text.contains("after `close`, `open` can no longer be called"),
        "{text}"
    );
}

#[test]
fn xml_can_be_read_whatever_the_names_are() {
    let text = render(&report(), CheckFormat::Junit).expect("rendered");
    let mut reader = quick_xml::Reader::from_str(&text);
    let mut cases = 0;
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(e) | quick_xml::events::Event::Empty(e) => {
                cases += usize::from(e.name().as_ref() == "testcase");
            }
            _ => {}
        }
    }
    assert_eq!(cases, 3);
}
