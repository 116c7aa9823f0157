//! The page of a survey: what was found, why classes are not done, and a table to sort and filter, with small pictures. It needs
//! nothing beside it.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::io::{self, Write};

use askama::Template;

use super::{outcomes, word};
use crate::survey::{
    LineAt, LineFiles, LinePlace, NotLines, SurveyLine, SurveyOutcome, SurveyTally,
};
use crate::view::{EpaFormat, ViewOptions, render};

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
    rows: Rows<'a>,
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

/// The rows of the table. Each is made as it is written.
struct Rows<'a> {
    entries: &'a [Entry],
    /// Which of them have a picture.
    drawn: HashSet<usize>,
    files: &'a LineFiles,
    /// Why there are no more of them.
    failed: Cell<Option<NotLines>>,
}

/// A class in the table.
struct Row {
    line: SurveyLine,
    place: String,
    class: String,
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

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum NoPage {
    /// A line that was there when it was told is not there when it is written.
    #[error(transparent)]
    Lines(#[from] NotLines),
    /// It cannot be written.
    #[error(transparent)]
    Unwritten(#[from] io::Error),
}

/// A page that is to be written: what has to be known of all lines before the first is.
#[derive(Debug, Default)]
pub struct SurveyPage {
    tally: SurveyTally,
    entries: Vec<Entry>,
}

/// What is held of a line.
#[derive(Debug)]
struct Entry {
    place: LinePlace,
    /// Which EPAs are drawn first: those with findings, and the larger ones; absent where it is not of a fitting size.
    rank: Option<(bool, Reverse<usize>)>,
    at: LineAt,
}

const STYLE: &str = include_str!("../../../templates/view/survey.css");
const SCRIPT: &str = include_str!("../../../templates/view/survey.js");

impl SurveyPage {
    /// A line that it shows, and where that will be when it is written.
    pub fn add(&mut self, line: &SurveyLine, at: LineAt) {
        self.tally.add(line);
        self.entries.push(Entry {
            place: line.of.place(),
            rank: rank(line),
            at,
        });
    }

    /// Writes the page, the lines in the order of files and places.
    ///
    /// # Errors
    /// A line is gone, or the page cannot be written. An EPA that cannot be drawn has no picture.
    pub fn write(&mut self, files: &LineFiles, to: &mut impl Write) -> Result<(), NoPage> {
        let entries = &mut self.entries;
        entries.sort_by(|a, b| a.place.cmp(&b.place));
        let fitting = fitting(entries);
        self.with_pictures(fitting, files, to)
    }

    /// Writes what is known of the page by now. There are no pictures on it, which take longest.
    ///
    /// # Errors
    /// As [`SurveyPage::write`] says.
    pub fn sketch(&self, files: &LineFiles, to: &mut impl Write) -> Result<(), NoPage> {
        self.with_pictures(Vec::new(), files, to)
    }

    /// Writes the page, with pictures of the first of these.
    fn with_pictures(
        &self,
        fitting: Vec<usize>,
        files: &LineFiles,
        to: &mut impl Write,
    ) -> Result<(), NoPage> {
        let (entries, tally) = (&self.entries, &self.tally);
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
        reasons.sort_by_key(|reason| Reverse(reason.count));
        let page = Page {
            headline: outcomes(tally),
            contradictions: tally.contradictions,
            findings: tally
                .findings
                .iter()
                .map(|(kind, count)| (kind, *count))
                .collect(),
            reasons,
            undrawn: fitting.len().saturating_sub(MOST_PICTURES),
            rows: Rows {
                entries,
                drawn: fitting.into_iter().take(MOST_PICTURES).collect(),
                files,
                failed: Cell::new(None),
            },
            style: STYLE,
            script: SCRIPT,
        };
        page.write_into(to)?;
        match page.rows.failed.take() {
            Some(gone) => Err(gone.into()),
            None => Ok(()),
        }
    }
}

impl Rows<'_> {
    fn len(&self) -> usize {
        self.entries.len()
    }

    /// The rows, up to the first that is gone.
    fn each(&self) -> impl Iterator<Item = Row> {
        let read = |(number, entry): (usize, &Entry)| match self.files.read(entry.at) {
            Ok(line) => Some(row(line, self.drawn.contains(&number))),
            Err(gone) => {
                self.failed.set(Some(gone));
                None
            }
        };
        self.entries.iter().enumerate().map_while(read)
    }
}

/// See [`Entry::rank`].
fn rank(line: &SurveyLine) -> Option<(bool, Reverse<usize>)> {
    let epa = line.epa.as_ref()?;
    let fits = (2..=LARGEST.0).contains(&epa.states.len()) && epa.transitions.len() <= LARGEST.1;
    let states = line.sizes.map_or(0, |sizes| sizes.states);
    fits.then_some((line.findings.is_empty(), Reverse(states)))
}

/// The lines whose EPAs may be drawn: those with findings first, then the larger ones.
fn fitting(entries: &[Entry]) -> Vec<usize> {
    let ranks = entries.iter().enumerate();
    let mut fitting: Vec<_> = ranks
        .filter_map(|(at, entry)| Some((entry.rank?, at)))
        .collect();
    fitting.sort_unstable();
    fitting.into_iter().map(|(_, at)| at).collect()
}

fn row(line: SurveyLine, is_drawn: bool) -> Row {
    let reason = line.reason.iter().map(|reason| match &reason.place {
        Some(place) => format!("{place}: {}", reason.whole()),
        None => reason.whole(),
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
        place: match line.of.line {
            Some(number) => format!("{}:{number}", line.of.file),
            None => line.of.file.clone(),
        },
        class: line.of.class.as_deref().unwrap_or("–").to_owned(),
        outcome: word(line.outcome),
        sizes: match line.sizes {
            Some(of) => {
                [of.actions, of.states, of.edges, of.uncertain].map(|size| size.to_string())
            }
            None => Default::default(),
        },
        remarks: reason.chain(findings).chain(contradicted).collect(),
        kinds: kinds.join(" "),
        picture: is_drawn.then(|| picture(&line)).flatten(),
        seconds: format!("{}.{}", line.ms / 1000, line.ms % 1000 / 100),
        line,
    }
}

impl Row {
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
