//! What a person sees of a difference.

use super::*;
use crate::epa::diff::Rename;
use crate::view::Direction;
use crate::view::samples::{HOSTILE, constructor, table, transition};

fn compare(old: &Epa, new: &Epa) -> EpaDiff {
    EpaDiff::of(old, new, &[]).unwrap()
}

fn show(diff: &EpaDiff, format: PictureFormat) -> String {
    let options = ViewOptions {
        direction: Some(Direction::Down),
        ..ViewOptions::default()
    };
    render(diff, format, &options).unwrap()
}

const FORMATS: [PictureFormat; 5] = [
    PictureFormat::Text,
    PictureFormat::Json,
    PictureFormat::Dot,
    PictureFormat::Svg,
    PictureFormat::Mermaid,
];

/// One of every difference: a connection, before and after a revision.
fn revision() -> EpaDiff {
    let mut old = table(
        "Connection",
        "open,send,close,reset",
        "S1={open} S2={send,close} S3={reset} S4={}",
        "Connection()->S1",
        "S1: open->S2\nS2: send->S2 S3; close->S4\nS3: reset->S1",
    );
    let mut new = table(
        "Link",
        "connect,send,close,poll",
        "S1={connect} S2={} S3={send,close} S4={send,close,poll}",
        "Connection()->S1 Connection()->S3 resumed()->S3",
        "S1: connect->S3\nS3: send->S3 S4; close->S1 S2\nS4: close->S1; poll->S4",
    );
    for epa in [&mut old, &mut new] {
        let close = epa.transitions.iter_mut().find(|t| t.action == "close");
        close.unwrap().outcome = Some("ok".to_owned());
    }
    old.transitions[3].violates_invariant = true;
    let send = new
        .transitions
        .iter_mut()
        .find(|t| t.action == "send")
        .unwrap();
    send.verdict = Certainty::Maybe;
    send.reason = Some("timeout: no answer in 60 s".to_owned());
    send.violates_invariant = true;
    new.transitions.push(Transition {
        exception: Some("Lost".to_owned()),
        ..transition("S3", "send", "S1")
    });
    new.constructors.push(ConstructorEdge {
        target: None,
        exception: Some("Refused".to_owned()),
        ..constructor("Connection()", "")
    });
    old.constructors[0].confirmation = Some(Confirmation::Confirmed { calls: 1 });
    new.constructors[0].confirmation = Some(Confirmation::Unconfirmed { bound: 4 });
    let renamed = [Rename {
        old: "open".to_owned(),
        new: "connect".to_owned(),
    }];
    EpaDiff::of(&old, &new, &renamed).unwrap()
}

#[test]
fn a_revision_in_every_format() {
    for format in FORMATS {
        let name = format!("revision_{format:?}").to_lowercase();
        insta::assert_snapshot!(name, show(&revision(), format));
    }
}

#[test]
fn a_revision_in_brief() {
    insta::assert_snapshot!(brief(&revision(), &ViewOptions::default()));
    let epa = table("C", "a", "S1={a}", "C()->S1", "S1: a->S1");
    let same = brief(&compare(&epa, &epa), &ViewOptions::default());
    assert_eq!(same, "No difference to the last picture\n");
}

#[test]
fn no_difference() {
    let epa = table("C", "a", "S1={a}", "C()->S1", "S1: a->S1");
    let diff = compare(&epa, &epa);
    assert_eq!(
        show(&diff, PictureFormat::Text),
        "C\nno difference: states 1, transitions 1\n"
    );
    // A picture of no difference is a picture of the EPA.
    for format in [PictureFormat::Dot, PictureFormat::Mermaid] {
        let plain = match format {
            PictureFormat::Dot => crate::view::EpaFormat::Dot,
            _ => crate::view::EpaFormat::Mermaid,
        };
        let options = ViewOptions {
            direction: Some(Direction::Down),
            ..ViewOptions::default()
        };
        let wanted = crate::view::render(&epa, plain, &options).unwrap();
        assert_eq!(show(&diff, format), wanted);
    }
}

/// Every difference has its mark in the text of a picture: nothing depends on a colour.
#[test]
fn marks_without_colours() {
    let svg = show(&revision(), PictureFormat::Svg);
    let texts: Vec<&str> = svg
        .lines()
        .filter(|l| l.starts_with("<text"))
        .filter_map(|l| l.split_once('>')?.1.strip_suffix("</text>"))
        .collect();
    for wanted in ["-S3", "+S4", "+ poll", "- reset", "+ send ! Lost"] {
        assert!(texts.contains(&wanted), "{wanted} is not in {texts:?}");
    }
    // XML calls `≠` by its name, and `*` is the mark of the invariant.
    let changed = "≠ send ? * (certain → uncertain; can now break the invariant)";
    assert!(texts.contains(&changed), "{texts:?}");
}

#[test]
fn colours_only_where_asked() {
    let coloured = ViewOptions {
        colour: true,
        ..ViewOptions::default()
    };
    let coloured = render(&revision(), PictureFormat::Text, &coloured).unwrap();
    let plain = render(&revision(), PictureFormat::Text, &ViewOptions::default()).unwrap();
    assert!(!plain.contains('\u{1b}'));
    let codes = regex::Regex::new("\u{1b}\\[[0-9;]*m").unwrap();
    assert_eq!(codes.replace_all(&coloured, ""), plain);
    assert!(coloured.contains("\u{1b}[31m"));
    assert!(coloured.contains("\u{1b}[32m"));
}

#[test]
fn hostile_names_break_nothing() {
    let mut old = table("x", "", "", "", "");
    old.class = HOSTILE.join(" ");
    for name in HOSTILE {
        old.actions.push(name.to_owned());
        old.states.push(EpaState {
            id: name.to_owned(),
            enabled: vec![name.to_owned()],
            initial: false,
        });
        old.transitions.push(Transition {
            outcome: Some(name.to_owned()),
            exception: Some(name.to_owned()),
            reason: Some(name.to_owned()),
            ..transition(name, name, HOSTILE[0])
        });
        old.constructors.push(constructor(name, name));
    }
    let empty = table(&HOSTILE.concat(), "", "", "", "");
    for diff in [compare(&old, &empty), compare(&empty, &old)] {
        for format in FORMATS {
            let text = show(&diff, format);
            assert!(text.ends_with('\n'));
            assert!(
                !text.contains(['\u{1b}', '\0', '\u{202e}']) || format == PictureFormat::Json,
                "{format:?}"
            );
        }
        let svg = show(&diff, PictureFormat::Svg);
        assert_eq!(svg.matches("</svg>").count(), 1);
        assert!(!svg.contains("<script>"));
        assert_eq!(svg.matches("data-state=").count(), HOSTILE.len());
    }
}

/// Ids that are written as the names of other states are.
#[test]
fn ids_that_look_like_marks_are_kept_apart() {
    let old = table("C", "a,b", "x={a} -y={b}", "C()->x", "x: a->-y");
    let new = table("C", "a,b,c", "-y={b} x={a,c}", "C()->x", "x: a->-y");
    let mut old = old;
    old.states[0].id = "y".to_owned();
    old.transitions[0].source = "y".to_owned();
    old.constructors[0].target = Some("y".to_owned());
    // The removed state `y` is called `-y`, and so is another one.
    let dot = show(&compare(&old, &new), PictureFormat::Dot);
    assert!(
        dot.contains("\"-y\" [") && dot.contains("\"-y'\" ["),
        "{dot}"
    );
}
