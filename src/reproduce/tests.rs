use super::circumstances::Circumstances;
use super::published::{Counts, Fault, Figures, Flaw, Published, PublishedSubject, SCHEMA};
use super::{Agreement, FigureTable, Reproduction, Row};
use crate::epa::Epa;
use crate::view::samples;

/// Two states and three transitions, one of them exceptional.
fn epa() -> Epa {
    let mut epa = samples::table(
        "C",
        "a,b",
        "S1={a} S2={a,b}",
        "C()->S1",
        "S1: a->S2\nS2: b->S1; a->S2",
    );
    epa.transitions[2].exception = Some("E".to_owned());
    epa.stats.queries.total = 10;
    epa.stats.queries.reached = 10;
    epa
}

/// What was published of [`epa`]'s class: just what it has.
fn subject() -> PublishedSubject {
    PublishedSubject {
        name: "c".to_owned(),
        subject: "C".to_owned(),
        published: Figures {
            actions: Some(2),
            states: Some(2),
            transitions: Some(2),
            ..Figures::default()
        },
        expected: Counts {
            actions: 2,
            states: 2,
            transitions: 2,
            exceptional: 1,
        },
        difference: None,
        note: None,
        findings: Vec::new(),
    }
}

#[test]
fn equal_counts() {
    let row = Row::of(&subject(), &epa());
    assert_eq!(row.agreement, Agreement::Equal);
    assert_eq!(row.wrong, Vec::<String>::new());
    assert_eq!(row.ours.counts, subject().expected);
    assert_eq!((row.ours.questions, row.ours.uncertain), (10, 0));
    // A figure that the paper does not give is no difference.
    let mut silent = subject();
    silent.published.transitions = None;
    assert_eq!(Row::of(&silent, &epa()).agreement, Agreement::Equal);
    silent.published.states = None;
    assert_eq!(Row::of(&silent, &epa()).agreement, Agreement::Unpublished);
}

#[test]
fn a_difference_needs_an_explanation() {
    let mut other = subject();
    other.published.transitions = Some(5);
    let row = Row::of(&other, &epa());
    assert_eq!(row.agreement, Agreement::Unexplained);
    assert_eq!(
        row.wrong,
        ["transitions: 2, but 5 are published, and nothing explains it"]
    );
    other.difference = Some("A reason.".to_owned());
    let row = Row::of(&other, &epa());
    assert_eq!(row.agreement, Agreement::Explained);
    assert_eq!(row.difference.as_deref(), Some("A reason."));
    assert_eq!(row.wrong, Vec::<String>::new());
}

/// An explanation is of the difference that is expected, not of any.
#[test]
fn an_explanation_does_not_cover_another_result() {
    let mut other = subject();
    other.difference = Some("A reason.".to_owned());
    other.published.states = Some(3);
    other.expected.exceptional = 0;
    let row = Row::of(&other, &epa());
    assert_eq!(row.agreement, Agreement::Unexplained);
    assert_eq!(row.difference, None);
    assert_eq!(
        row.wrong,
        ["exceptional transitions: 1, but 0 are expected"]
    );
    // Nor does it help that the published figures happen to be ours.
    other.published.states = Some(2);
    assert_eq!(Row::of(&other, &epa()).agreement, Agreement::Unexplained);
}

#[test]
fn an_uncertain_answer_is_wrong() {
    for (bound_hit, unknown) in [(1, 0), (0, 1)] {
        let mut epa = epa();
        epa.stats.queries.bound_hit = bound_hit;
        epa.stats.queries.unknown = unknown;
        let row = Row::of(&subject(), &epa);
        assert_eq!(row.agreement, Agreement::Equal);
        assert_eq!(row.wrong, ["uncertain answers: 1 of 10"]);
        let table = FigureTable {
            source: String::new(),
            machine: String::new(),
            rows: vec![Row::of(&subject(), &self::epa()), row],
        };
        assert!(
            !Reproduction::of(
                Circumstances::now("tranquera reproduce"),
                "builtin",
                vec![table]
            )
            .holds
        );
    }
}

#[test]
fn findings_are_transitions_that_are_there_or_not() {
    let names = |list: &[&str]| list.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>();
    for (source, label, target, there) in [
        (&["a"][..], "a", &["b", "a"][..], true),
        (&["a"], "a", &["a"], false),
        (&["a", "b"], "b", &["a"], true),
        // Its one transition by `a` ends in an exception.
        (&["a", "b"], "a", &["a", "b"], false),
        (&["a", "b"], "a!E", &["a", "b"], true),
        (&[], "a", &["a"], false),
    ] {
        for present in [true, false] {
            let mut subject = subject();
            subject.findings.push(Fault {
                says: "what it says".to_owned(),
                source: names(source),
                label: label.to_owned(),
                target: names(target),
                present,
            });
            let row = Row::of(&subject, &epa());
            assert_eq!(row.faults[0].seen, there == present, "{label}");
            let expected: &[&str] = match there == present {
                true => &[],
                false => &["not seen here: what it says"],
            };
            assert_eq!(row.wrong, expected);
        }
    }
}

#[test]
fn what_is_not_of_the_format() {
    let text = |schema: &str, more: &str| {
        format!(
            "{{\"schema\": \"{schema}\", \"source\": \"\", \"machine\": \"\", \"subjects\": []{more}}}"
        )
    };
    assert!(Published::parse(&text(SCHEMA, "")).is_ok());
    assert!(matches!(
        Published::parse(&text("another", "")),
        Err(Flaw::Schema(schema)) if schema == "another"
    ));
    for bad in ["", "[]", "{", &text(SCHEMA, ", \"more\": 1")] {
        assert!(matches!(Published::parse(bad), Err(Flaw::Json(_))), "{bad}");
    }
}
