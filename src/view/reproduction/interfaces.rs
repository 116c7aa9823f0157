//! The table of interface synthesis.

use super::super::escape::{markdown, visible};
use super::super::text::page::{Style, TextPage};
use super::{aligned, duration, list, markdown_table};
use crate::reproduce::interfaces::{InterfaceRow, InterfaceTable};

/// The heads of the columns.
const HEADS: [&str; 9] = [
    "class",
    "states",
    "transitions",
    "membership",
    "subset",
    "superset",
    "one step further",
    "most permissive",
    "time",
];

/// Which columns are text.
const TEXTS: [usize; 1] = [0];

/// How the table is to be read.
const LEGEND: &str = "Interfaces. Queries: the paper's; ours in the paper's way (by its condition, and one step further \
    where that fails); ours with the exact check. One step further: whether it found something (– where it was not \
    needed), in the paper and here in the paper's way. Most permissive: whether that could be said, in the paper, here \
    in the paper's way, and here exactly. Both of ours abstract statement by statement, as the paper does, and are \
    certified on the class itself. Time: the paper's, and that of both of ours together.";

fn cells(row: &InterfaceRow) -> Vec<String> {
    let (published, paper, exact) = (&row.published, &row.by_the_paper, &row.exactly);
    let three = |a: usize, b: usize, c: usize| format!("{a} / {b} / {c}");
    let yes = |b: bool| if b { "yes" } else { "no" };
    let further = |f: Option<bool>| f.map_or("–", yes);
    vec![
        row.subject.clone(),
        exact.states.to_string(),
        exact.transitions.to_string(),
        three(published.member, paper.queries.member, exact.queries.member),
        three(published.subset, paper.queries.subset, exact.queries.subset),
        three(
            published.superset,
            paper.queries.superset,
            exact.queries.superset,
        ),
        format!(
            "{} / {}",
            further(published.one_step_further),
            further(paper.queries.one_step_further)
        ),
        format!(
            "{} / {} / {}",
            yes(published.most_permissive),
            yes(paper.most_permissive),
            yes(exact.most_permissive)
        ),
        format!(
            "{} / {}",
            duration(published.seconds),
            duration(paper.seconds + exact.seconds)
        ),
    ]
}

/// For a terminal.
pub(super) fn text(table: &InterfaceTable, page: &mut TextPage) {
    page.line(&[(Style::Title, &visible(&table.source))]);
    let machine = format!("published times: {}", visible(&table.machine));
    page.line(&[(Style::Faint, &machine)]);
    page.blank();
    let rows = table.rows.iter();
    let rows = rows.map(|row| (cells(row), !row.wrong.is_empty()));
    aligned(&HEADS, &TEXTS, &rows.collect::<Vec<_>>(), page);
    page.blank();
    for row in &table.rows {
        let head = |style| [(style, format!("  {}:", visible(&row.subject)))];
        if let Some(note) = &row.note {
            page.words(&head(Style::Plain), &visible(note));
        }
        for wrong in &row.wrong {
            page.words(&head(Style::Warning), &visible(wrong));
        }
    }
    page.words(&[], LEGEND);
}

/// For a document.
pub(super) fn document(table: &InterfaceTable, out: &mut String) {
    out.push_str(&format!("## {}\n\n", markdown(&table.source)));
    markdown_table(&HEADS, &TEXTS, table.rows.iter().map(cells), out);
    out.push_str(&format!(
        "\nThe published times are from: {}.\n\n{LEGEND}\n",
        markdown(&table.machine)
    ));
    let of_rows = |sentences: fn(&InterfaceRow) -> Vec<String>| -> Vec<String> {
        let rows = table.rows.iter();
        rows.flat_map(|row| {
            let subject = markdown(&row.subject);
            let texts = sentences(row).into_iter();
            texts.map(move |text| format!("**{subject}**: {}", markdown(&text)))
        })
        .collect()
    };
    let mut lists = String::new();
    list(
        "Notes",
        &of_rows(|row| row.note.iter().cloned().collect()),
        &mut lists,
    );
    list(
        "Not as it should be",
        &of_rows(|row| row.wrong.clone()),
        &mut lists,
    );
    if !lists.is_empty() {
        out.push_str(&format!("\n{}\n", lists.trim_end()));
    }
}
