//! Edits that an editor can make of what a message says to do.

use super::super::parse_text;
use super::habits::around;
use crate::ir::{Diagnostics, Fix};

fn wrong(text: &str) -> Option<Diagnostics> {
    parse_text("class.tq", text).err()
}

fn applied(text: &str, fix: &Fix) -> String {
    let mut text = text.to_owned();
    text.replace_range(fix.place.start as usize..fix.place.end as usize, &fix.text);
    text
}

/// What becomes of a slip by the edits of all that is said of it, one after the other; each takes its own message away.
fn mended(slip: &str, around: &str) -> String {
    let at = around.find(slip).expect("it is there");
    let behind = around.len() - at - slip.len();
    let mut text = around.to_owned();
    let mut edits = 0;
    while let Some(errors) = wrong(&text) {
        let Some((error, fix)) = errors.iter().find_map(|e| Some((e, errors.fix(e)?))) else {
            break;
        };
        assert!(edits < 8, "`{slip}`: no end of edits\n{text}");
        edits += 1;
        let (place, message) = (fix.place, error.message.clone());
        text = applied(&text, &fix);
        let still = wrong(&text);
        let still = still.iter().flat_map(Diagnostics::iter);
        let still = still.filter(|other| {
            let there = other.labels.first().map(|label| label.span.start);
            other.message == message && there == Some(place.start)
        });
        assert_eq!(still.count(), 0, "`{slip}`: an edit of no use: {text}");
    }
    let left = wrong(&text).map_or(0, |left| left.len());
    match edits {
        0 => String::new(),
        _ => {
            let now = &text[at..text.len() - behind];
            let left = match left {
                0 => String::new(),
                left => format!("    // left: {left}"),
            };
            format!("{slip}\n    {now}{left}\n")
        }
    }
}

#[test]
fn what_edits_make_of_slips() {
    insta::glob!("habits/*.txt", |path| {
        let around = around(path);
        let slips = std::fs::read_to_string(path).unwrap();
        let slips = slips.lines().map(|slip| slip.replace("\\n", "\n"));
        let all: Vec<String> = slips.map(|slip| mended(&slip, &around(&slip))).collect();
        insta::assert_snapshot!(all.concat());
    });
}
