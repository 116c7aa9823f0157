use super::{ReproductionFormat, duration, percent, render};
use crate::reproduce::circumstances::Circumstances;
use crate::reproduce::published::{Counts, Figures};
use crate::reproduce::{Agreement, FigureTable, Observation, Ours, Reproduction, Row};
use crate::view::ViewOptions;

fn row(subject: &str, agreement: Agreement) -> Row {
    Row {
        name: subject.to_lowercase(),
        subject: subject.to_owned(),
        published: Figures {
            actions: Some(3),
            states: Some(60),
            questions: Some(57_300),
            certainty: Some(0.975),
            seconds: Some(233.98),
            ..Figures::default()
        },
        ours: Ours {
            counts: Counts {
                actions: 3,
                states: 34,
                transitions: 363,
                exceptional: 1,
            },
            questions: 644,
            uncertain: 0,
            seconds: 3.1,
        },
        agreement,
        difference: None,
        note: None,
        faults: Vec::new(),
        wrong: Vec::new(),
    }
}

/// One row of each kind, and names that could break a table.
fn reproduction() -> Reproduction {
    let seen = |says: &str, seen| Observation {
        says: says.to_owned(),
        seen,
    };
    let explained = Row {
        difference: Some("34 states: the contract is reconstructed.".to_owned()),
        note: Some("It is not in the paper's table.".to_owned()),
        faults: vec![seen("it never ends", true)],
        ..row("Explained", Agreement::Explained)
    };
    let failing = Row {
        published: Figures::default(),
        faults: vec![seen("it ends", true), seen("it begins", false)],
        wrong: vec![
            "uncertain answers: 3 of 644".to_owned(),
            "not seen here: it begins".to_owned(),
        ],
        ours: Ours {
            uncertain: 3,
            ..row("", Agreement::Equal).ours
        },
        ..row("a|b*\u{1b}[31m\n# x", Agreement::Unexplained)
    };
    let table = |source: &str, rows| FigureTable {
        source: source.to_owned(),
        machine: "one core".to_owned(),
        rows,
    };
    Reproduction::of(
        Circumstances {
            date: "2026-02-28".to_owned(),
            machine: "A processor, 2 cores".to_owned(),
            command: "tranquera reproduce".to_owned(),
        },
        "builtin",
        vec![
            table("A paper, Table 1", vec![explained]),
            table(
                "Another paper",
                vec![row("Silent", Agreement::Unpublished), failing],
            ),
        ],
    )
}

#[test]
fn formats() {
    for (format, name) in [
        (ReproductionFormat::Text, "text"),
        (ReproductionFormat::Markdown, "markdown"),
        (ReproductionFormat::Json, "json"),
    ] {
        let text = render(&reproduction(), format, &ViewOptions::default()).expect("a text");
        assert!(!text.contains('\u{1b}'), "{name}");
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn failing_rows_are_coloured() {
    let options = ViewOptions {
        colour: true,
        ..ViewOptions::default()
    };
    let text = render(&reproduction(), ReproductionFormat::Text, &options).expect("a text");
    let coloured = text.lines().filter(|line| line.contains("\u{1b}[33m"));
    assert_eq!(coloured.count(), 3);
}

#[test]
fn durations_and_shares() {
    for (seconds, text) in [
        (0.07, "0.07 s"),
        (0.0, "0 s"),
        (6.0, "6 s"),
        (9.994, "9.99 s"),
        (27.55, "28 s"),
        (59.7, "1 min 0 s"),
        (233.98, "3 min 54 s"),
        (2531.0, "42 min 11 s"),
    ] {
        assert_eq!(duration(seconds), text);
    }
    for (share, text) in [(0.0, "0 %"), (0.00001, "0.0 %"), (0.025, "2.5 %")] {
        assert_eq!(percent(share), text);
    }
}
