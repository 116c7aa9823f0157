//! The page of a survey: what was found, why classes are not done, and a table to sort and filter, with small pictures. It needs
//! nothing beside it.

use askama::Template;

use super::{outcomes, word};
use crate::survey::{SurveyLine, SurveyOutcome, SurveyTally};
use crate::view::{EpaFormat, ViewError, ViewOptions, render};

/// EPAs with more states or transitions are not drawn: in a small picture nobody could read them.
const LARGEST: (usize, usize) = (12, 60);
/// So many pictures are on a page, those of classes with findings first: each takes some 10 KiB.
const MOST_PICTURES: usize = 400;

/// The page.
#[derive(Template)]
#[template(path = "view/survey.html")]
struct Page<'a> {
    headline: String,
    contradictions: usize,
    findings: Vec<(&'a String, usize)>,
    reasons: Vec<Reason<'a>>,
    rows: Vec<Row<'a>>,
    /// How many EPAs of a fitting size are not drawn.
    undrawn: usize,
    style: &'a str,
    script: &'a str,
}

/// Why classes are not done.
struct Reason<'a> {
    outcome: &'static str,
    why: &'a str,
    count: usize,
    place: &'a str,
}

/// A class in the table.
struct Row<'a> {
    line: &'a SurveyLine,
    place: String,
    class: &'a str,
    outcome: &'static str,
    /// Actions, states, edges, uncertain edges; empty where there is no EPA.
    sizes: [String; 4],
    /// What is to be read of it: findings, reasons, contradictions.
    remarks: Vec<String>,
    /// What the filter by kind goes by.
    kinds: String,
    /// The picture, as the address of an image.
    picture: Option<String>,
    seconds: String,
}

const STYLE: &str = include_str!("../../../templates/view/survey.css");
const SCRIPT: &str = include_str!("../../../templates/view/survey.js");

/// Writes the page, the lines in this order.
///
/// # Errors
/// The template cannot be rendered. An EPA that cannot be drawn has no picture.
pub fn page(lines: &[SurveyLine]) -> Result<String, ViewError> {
    let tally = SurveyTally::of(lines);
    let mut rows: Vec<Row<'_>> = lines.iter().map(row).collect();
    let fitting: Vec<usize> = fitting(lines);
    for &at in fitting.iter().take(MOST_PICTURES) {
        if let (Some(row), Some(line)) = (rows.get_mut(at), lines.get(at)) {
            row.picture = picture(line);
        }
    }
    let reasons = tally
        .reasons
        .iter()
        .map(|((outcome, why), (count, place))| Reason {
            outcome: word(*outcome),
            why,
            count: *count,
            place,
        });
    let mut reasons: Vec<Reason<'_>> = reasons.collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    let page = Page {
        headline: outcomes(&tally),
        contradictions: tally.contradictions,
        findings: tally
            .findings
            .iter()
            .map(|(kind, count)| (kind, *count))
            .collect(),
        reasons,
        rows,
        undrawn: fitting.len().saturating_sub(MOST_PICTURES),
        style: STYLE,
        script: SCRIPT,
    };
    Ok(page.render()?)
}

/// The lines whose EPAs are drawn: those with findings first, then the larger ones.
fn fitting(lines: &[SurveyLine]) -> Vec<usize> {
    let fits = |line: &SurveyLine| {
        (line.epa.as_ref()).is_some_and(|epa| {
            (2..=LARGEST.0).contains(&epa.states.len()) && epa.transitions.len() <= LARGEST.1
        })
    };
    let mut fitting: Vec<(bool, usize, usize)> = (lines.iter().enumerate())
        .filter(|(_, line)| fits(line))
        .map(|(at, line)| {
            let states = line.sizes.map_or(0, |sizes| sizes.states);
            (line.findings.is_empty(), usize::MAX - states, at)
        })
        .collect();
    fitting.sort_unstable();
    fitting.into_iter().map(|(.., at)| at).collect()
}

fn row(line: &SurveyLine) -> Row<'_> {
    let reason = line.reason.iter().map(|reason| match &reason.place {
        Some(place) => format!("{place}: {}", reason.message),
        None => reason.message.clone(),
    });
    let findings = line.findings.iter().map(|finding| finding.message.clone());
    let contradicted = line
        .contradictions
        .iter()
        .map(|wrong| format!("contradicted: {}", wrong.message));
    let kinds = line.findings.iter().map(|finding| finding.kind.as_str());
    let mut kinds: Vec<&str> = kinds.collect();
    kinds.sort_unstable();
    kinds.dedup();
    Row {
        line,
        place: match line.of.line {
            Some(number) => format!("{}:{number}", line.of.file),
            None => line.of.file.clone(),
        },
        class: line.of.class.as_deref().unwrap_or("–"),
        outcome: word(line.outcome),
        sizes: match line.sizes {
            Some(of) => {
                [of.actions, of.states, of.edges, of.uncertain].map(|size| size.to_string())
            }
            None => Default::default(),
        },
        remarks: reason.chain(findings).chain(contradicted).collect(),
        kinds: kinds.join(" "),
        picture: None,
        seconds: format!("{}.{}", line.ms / 1000, line.ms % 1000 / 100),
    }
}

impl Row<'_> {
    fn is_done(&self) -> bool {
        self.line.outcome == SurveyOutcome::Done
    }
}

/// The EPA as an image of its own: what its style and its names say stays inside.
fn picture(line: &SurveyLine) -> Option<String> {
    let svg = render(line.epa.as_ref()?, EpaFormat::Svg, &ViewOptions::default()).ok()?;
    let mut address = String::with_capacity(svg.len() + svg.len() / 4);
    address.push_str("data:image/svg+xml,");
    for c in svg.chars() {
        match c {
            '%' => address.push_str("%25"),
            '#' => address.push_str("%23"),
            '"' => address.push_str("%22"),
            '<' => address.push_str("%3C"),
            '>' => address.push_str("%3E"),
            '&' => address.push_str("%26"),
            '\n' => address.push_str("%0A"),
            c => address.push(c),
        }
    }
    Some(address)
}
