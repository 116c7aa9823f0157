//! The published case studies beside ours: for a terminal, as Markdown for a document, and as JSON.

mod interfaces;
#[cfg(test)]
mod tests;

use super::ViewError;
use super::ViewOptions;
use super::escape::{markdown, visible};
use super::text::page::{Style, TextPage, columns};
use crate::reproduce::{Agreement, FigureTable, Reproduction, Row};

/// The formats a reproduction can be shown in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum ReproductionFormat {
    /// Tables for a terminal
    #[default]
    Text,
    /// Tables for a document, with what the papers found
    Markdown,
    /// The data, as JSON (schema `tranquera/reproduction/1`)
    Json,
}

/// The heads of the columns. A cell with two figures has the published one first.
const HEADS: [&str; 10] = [
    "class",
    "actions",
    "states",
    "transitions",
    "exceptional",
    "questions",
    "uncertain",
    "time",
    "findings seen",
    "counts",
];

/// Which columns are text, and so go to the left.
const TEXTS: [usize; 2] = [0, 9];

/// How a table is to be read.
const LEGEND: &str = "Where a cell has two figures, the first is the paper's (– where it gives none) and the second \
    is ours. Transitions are counted without constructors; exceptional ones apart.";

/// Shows a reproduction. The text ends with a newline.
///
/// # Errors
///
/// [`ViewError::Json`]: the data could not be written as JSON.
pub fn render(
    reproduction: &Reproduction,
    format: ReproductionFormat,
    options: &ViewOptions,
) -> Result<String, ViewError> {
    match format {
        ReproductionFormat::Text => Ok(text(reproduction, options)),
        ReproductionFormat::Markdown => Ok(document(reproduction)),
        ReproductionFormat::Json => Ok(serde_json::to_string_pretty(reproduction)? + "\n"),
    }
}

fn cells(row: &Row) -> [String; HEADS.len()] {
    let (published, ours) = (&row.published, &row.ours);
    let seen = row.faults.iter().filter(|fault| fault.seen).count();
    [
        row.subject.clone(),
        pair(published.actions, ours.counts.actions),
        pair(published.states, ours.counts.states),
        pair(published.transitions, ours.counts.transitions),
        ours.counts.exceptional.to_string(),
        pair(published.questions, ours.questions),
        format!(
            "{} / {}",
            or_dash(published.certainty.map(|c| percent(1.0 - c))),
            percent(share(ours.uncertain, ours.questions))
        ),
        format!(
            "{} / {}",
            or_dash(published.seconds.map(duration)),
            duration(ours.seconds)
        ),
        match row.faults.len() {
            0 => or_dash(None),
            all => format!("{seen} of {all}"),
        },
        match row.agreement {
            Agreement::Equal => "equal",
            Agreement::Explained => "explained",
            Agreement::Unpublished => "not published",
            Agreement::Unexplained => "UNEXPLAINED",
        }
        .to_owned(),
    ]
}

fn pair(published: Option<u64>, ours: u64) -> String {
    format!("{} / {ours}", or_dash(published.map(|n| n.to_string())))
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// `0 %` only where there is none at all.
fn percent(share: f64) -> String {
    if share == 0.0 {
        "0 %".to_owned()
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

/// Whole seconds from ten on; minutes from one on.
fn duration(seconds: f64) -> String {
    let whole = seconds.round();
    if whole >= 60.0 {
        let minutes = (whole / 60.0).floor();
        format!("{minutes} min {} s", whole - minutes * 60.0)
    } else if seconds == whole || seconds >= 10.0 {
        format!("{whole} s")
    } else {
        format!("{seconds:.2} s")
    }
}

/// What the whole run took.
fn total(reproduction: &Reproduction) -> String {
    let seconds: f64 = reproduction.rows().map(|row| row.ours.seconds).sum();
    format!(
        "All {} classes took {} with the engine {}.",
        reproduction.rows().count(),
        duration(seconds),
        visible(&reproduction.engine)
    )
}

/// When, where and how it was made.
fn made(reproduction: &Reproduction, shown: fn(&str) -> String) -> String {
    let made = &reproduction.made;
    format!(
        "Made on {} by `{}`; machine: {}.",
        shown(&made.date),
        made.command,
        shown(&made.machine)
    )
}

/// The sentences on a row that it has: why it differs, and what else there is to know.
fn remarks(row: &Row) -> impl Iterator<Item = &String> {
    row.difference.iter().chain(&row.note)
}

fn text(reproduction: &Reproduction, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    for table in &reproduction.tables {
        page.line(&[(Style::Title, &visible(&table.source))]);
        let machine = format!("published times: {}", visible(&table.machine));
        page.line(&[(Style::Faint, &machine)]);
        page.blank();
        grid(table, &mut page);
        page.blank();
    }
    let remarked = reproduction
        .rows()
        .flat_map(|row| remarks(row).map(move |remark| (row, remark)));
    section("Differences and notes", Style::Plain, remarked, &mut page);
    let wrong = reproduction
        .rows()
        .flat_map(|row| row.wrong.iter().map(move |wrong| (row, wrong)));
    section("Not as it should be", Style::Warning, wrong, &mut page);
    if !reproduction.tables.is_empty() {
        page.words(&[], LEGEND);
        page.line(&[(Style::Plain, &total(reproduction))]);
    }
    for table in &reproduction.interfaces {
        if !reproduction.tables.is_empty() {
            page.blank();
        }
        interfaces::text(table, &mut page);
    }
    page.words(&[], &made(reproduction, visible));
    page.finish()
}

/// A heading with a sentence a line, if there is any.
fn section<'a>(
    heading: &str,
    style: Style,
    sentences: impl Iterator<Item = (&'a Row, &'a String)>,
    page: &mut TextPage,
) {
    let mut sentences = sentences.peekable();
    if sentences.peek().is_none() {
        return;
    }
    page.line(&[(Style::Heading, heading)]);
    for (row, sentence) in sentences {
        let head = format!("  {}:", visible(&row.subject));
        page.words(&[(style, head)], &visible(sentence));
    }
    page.blank();
}

/// The table, its columns aligned.
fn grid(table: &FigureTable, page: &mut TextPage) {
    let rows = table.rows.iter();
    let rows = rows.map(|row| (cells(row).to_vec(), !row.wrong.is_empty()));
    aligned(&HEADS, &TEXTS, &rows.collect::<Vec<_>>(), page);
}

/// Rows of cells below their heads; each says whether something is wrong with it.
fn aligned(heads: &[&str], texts: &[usize], rows: &[(Vec<String>, bool)], page: &mut TextPage) {
    let wrong: Vec<bool> = rows.iter().map(|(_, wrong)| *wrong).collect();
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|(cells, _)| cells.iter().map(|cell| visible(cell)).collect())
        .collect();
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let mut widths = vec![0; heads.len()];
    for row in rows.iter().chain([&heads]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = columns(cell).max(*width);
        }
    }
    let line = |row: &[String]| -> String {
        let cells = row.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(column, (cell, width))| {
                let gap = " ".repeat(width - columns(cell));
                if texts.contains(&column) {
                    format!("{cell}{gap}")
                } else {
                    format!("{gap}{cell}")
                }
            })
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    page.line(&[(Style::Heading, &line(&heads))]);
    for (wrong, cells) in wrong.iter().zip(&rows) {
        let style = if *wrong { Style::Warning } else { Style::Plain };
        page.line(&[(style, &line(cells))]);
    }
}

fn document(reproduction: &Reproduction) -> String {
    let mut out = String::new();
    for table in &reproduction.tables {
        out.push_str(&format!("## {}\n\n", markdown(&table.source)));
        let rows = table.rows.iter().map(|row| cells(row).to_vec());
        markdown_table(&HEADS, &TEXTS, rows, &mut out);
        out.push_str(&format!(
            "\nThe published times are from: {}.\n\n",
            markdown(&table.machine)
        ));
        let of_rows = |sentences: fn(&Row) -> Vec<String>| -> Vec<String> {
            let rows = table.rows.iter();
            rows.flat_map(|row| {
                let subject = markdown(&row.subject);
                sentences(row)
                    .into_iter()
                    .map(move |text| format!("**{subject}**: {}", markdown(&text)))
            })
            .collect()
        };
        list(
            "Differences and notes",
            &of_rows(|row| remarks(row).cloned().collect()),
            &mut out,
        );
        list("What the paper found", &of_rows(findings), &mut out);
        list(
            "Not as it should be",
            &of_rows(|row| row.wrong.clone()),
            &mut out,
        );
    }
    if !reproduction.tables.is_empty() {
        out.push_str(&format!("{LEGEND}\n\n{}\n", markdown(&total(reproduction))));
    }
    for table in &reproduction.interfaces {
        if !out.is_empty() {
            out.push('\n');
        }
        interfaces::document(table, &mut out);
    }
    out.push_str(&format!("\n{}\n", made(reproduction, markdown)));
    out
}

/// A table in Markdown.
fn markdown_table(
    heads: &[&str],
    texts: &[usize],
    rows: impl Iterator<Item = Vec<String>>,
    out: &mut String,
) {
    out.push_str(&format!("| {} |\n|", heads.join(" | ")));
    for column in 0..heads.len() {
        out.push_str(if texts.contains(&column) {
            "---|"
        } else {
            "---:|"
        });
    }
    out.push('\n');
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| markdown(cell)).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

/// What the paper found, with a mark where it is not seen here.
fn findings(row: &Row) -> Vec<String> {
    let faults = row.faults.iter();
    faults
        .map(|fault| {
            let mark = if fault.seen { "" } else { " (not seen here)" };
            format!("{}{mark}", fault.says)
        })
        .collect()
}

fn list(heading: &str, items: &[String], out: &mut String) {
    if items.is_empty() {
        return;
    }
    out.push_str(&format!("### {heading}\n\n"));
    for item in items {
        out.push_str(&format!("- {item}\n"));
    }
    out.push('\n');
}
