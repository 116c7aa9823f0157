//! The texts of a survey, and its page, of lines that are made up.

use super::*;
use crate::survey::{LineFiles, SCHEMA, SurveyReason, SurveySizes, SurveyedClass};
use crate::view::samples;

/// Three classes: one that is done, two that are not for reasons that differ in names only.
fn lines() -> Vec<SurveyLine> {
    let refused = |file: &str, name: &str| {
        let mut reason =
            SurveyReason::new("not-taken", format!("`{name}` is not taken: `<b>` & more"));
        reason.place = Some(format!("{file}:7:1"));
        SurveyLine::without(
            SurveyedClass::made_up(file, name),
            SurveyOutcome::Refused,
            reason,
            40,
        )
    };
    let epa = samples::vending_machine();
    let done = SurveyLine {
        schema: SCHEMA.into(),
        of: SurveyedClass::made_up("machine.tq", "VendingMachine"),
        outcome: SurveyOutcome::Done,
        reason: None,
        sizes: Some(SurveySizes::of(&epa, false)),
        findings: epa.findings.clone(),
        contradictions: Vec::new(),
        epa: Some(epa),
        ms: 1234,
    };
    vec![
        done,
        refused("b.sol", "take"),
        refused("a.sol", "put\u{202e}"),
    ]
}

#[test]
fn the_summary_counts_outcomes_findings_and_reasons() {
    let mut tally = SurveyTally::default();
    lines().iter().for_each(|line| tally.add(line));
    let summary = SurveySummary {
        tally: &tally,
        files: 3,
        left_out: 1,
        known: 2,
        missing: 4,
    };
    insta::assert_snapshot!(summary.text(false));
}

#[test]
fn a_class_is_a_line_in_which_no_name_steers_the_terminal() {
    let briefs: String = lines().iter().map(brief).collect();
    insta::assert_snapshot!(briefs);
}

/// The page of these lines.
fn page() -> String {
    let (mut files, mut page) = (LineFiles::default(), SurveyPage::default());
    for line in lines() {
        let text = serde_json::to_string(&line).expect("JSON");
        page.add(&line, files.keep(&text).expect("kept"));
    }
    let mut written = Vec::new();
    page.write(&files, &mut written).expect("a page");
    String::from_utf8(written).expect("UTF-8")
}

#[test]
fn names_stay_names_on_the_page() {
    let page = page();
    assert!(!page.contains("<b>` & more"), "{page}");
    assert_eq!(page.matches("<tr data-kinds").count(), 3);
    // Only the one that is done has a picture, and nothing in it ends the attribute.
    assert_eq!(page.matches("data:image/svg+xml,").count(), 1);
    let (_, picture) = page
        .split_once("src=\"data:image/svg+xml,")
        .expect("a picture");
    let (picture, _) = picture.split_once('"').expect("an end");
    assert!(!picture.contains(['<', '#', '&']) && picture.ends_with("%3C/svg%3E%0A"));
}
