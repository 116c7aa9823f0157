//! What the EPA says beside an interface.

use super::super::super::escape::visible;
use super::super::super::text::page::{Style, TextPage};
use super::heading;
use crate::interface::bounds::{Bounds, Words};
use crate::interface::model::Interface;
use crate::words::counted;

/// Writes the EPA, Must(EPA), and how many histories lie between.
pub(super) fn write(bounds: &Bounds, interface: &Interface, page: &mut TextPage) {
    may(bounds, page);
    must(bounds, page);
    words(&bounds.words, page);
    let remark = if interface.forbidden.iter().all(|e| e != "requires") {
        "The EPA and Must are about requires clauses, which this interface takes to hold: compare with \
         `--exception requires --params exists`."
    } else if interface.params == "forall" {
        "The EPA and Must let the caller choose the arguments, this interface does not: compare with \
         `--params exists`."
    } else {
        return;
    };
    page.words(&[(Style::Faint, "  note:".into())], remark);
}

fn may(bounds: &Bounds, page: &mut TextPage) {
    let epa = &bounds.epa;
    let sizes = format!(
        "May: the EPA, {}, {}",
        counted(epa.states.len(), "state"),
        counted(epa.transitions.len(), "transition")
    );
    heading(&sizes, page);
    for state in &epa.states {
        let start = if state.initial { " (start)" } else { "" };
        let enabled: Vec<String> = state.enabled.iter().map(|a| visible(a)).collect();
        let set = format!("  {}{start} {{ {} }}", state.id, enabled.join(", "));
        page.line(&[(Style::Plain, &set)]);
    }
}

fn must(bounds: &Bounds, page: &mut TextPage) {
    let must = &bounds.must;
    let sizes = format!(
        "Must: what the EPA guarantees, {}, {}",
        counted(must.states.len(), "state"),
        counted(must.transitions, "transition")
    );
    heading(&sizes, page);
    let names: Vec<String> = must
        .states
        .iter()
        .map(|state| format!("{{{}}}", state.among.join(", ")))
        .collect();
    for (index, (state, name)) in must.states.iter().zip(&names).enumerate() {
        let start = if index == 0 { " (start)" } else { "" };
        page.line(&[(Style::Heading, &format!("  {name}{start}"))]);
        let width = state.next.iter().map(|(letter, _)| letter.len()).max();
        let width = width.unwrap_or(0);
        for (letter, target) in &state.next {
            let target = names.get(*target).map_or("", String::as_str);
            let line = format!("    {:width$} -> {target}", visible(letter));
            page.line(&[(Style::Plain, &line)]);
        }
        if state.legal.is_empty() {
            page.line(&[(Style::Faint, "    nothing is guaranteed")]);
        }
    }
}

fn words(words: &[Words], page: &mut TextPage) {
    heading("Histories of each length", page);
    let titles = ["length", "must", "interface", "may", "may but not must"];
    let rows: Vec<[String; 5]> = words
        .iter()
        .map(|w| {
            [
                w.length.to_string(),
                w.must.clone(),
                w.interface.clone(),
                w.epa.clone(),
                w.between.clone(),
            ]
        })
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].len());
        cells.chain([titles[column].len()]).max().unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let line = |cells: [&str; 5]| -> String {
        let cells = cells.iter().zip(widths);
        cells
            .map(|(cell, width)| format!("  {cell:>width$}"))
            .collect()
    };
    page.line(&[(Style::Faint, &line(titles))]);
    for row in &rows {
        page.line(&[(Style::Plain, &line(row.each_ref().map(String::as_str)))]);
    }
}
