//! The summary for a terminal.

use crate::typestate::report::{EdgeReport, Typestate};
use crate::view::ViewOptions;
use crate::view::escape::visible;
use crate::view::text::page::{Style, TextPage, columns};
use crate::words::counted;

use super::{DOUBT, condition, label, shown};

pub(super) fn text(typestate: &Typestate, all: bool, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    headline(typestate, &mut page);
    if !typestate.constructors.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Constructors")]);
        rows(typestate, shown(&typestate.constructors, all), &mut page);
    }
    for state in typestate
        .states
        .iter()
        .filter(|s| s.id != typestate.error())
    {
        page.blank();
        let mut head = vec![(Style::Heading, visible(&state.id))];
        if state.initial {
            head.push((Style::Faint, "(initial)".to_owned()));
        }
        let condition = condition(state).into_iter().map(|c| (Style::Plain, c));
        page.items(&head, "", &condition.collect::<Vec<_>>(), " &&");
        let within: Vec<(Style, String)> = typestate
            .epsilon
            .iter()
            .filter(|(from, _)| *from == state.id)
            .map(|(_, to)| (Style::Faint, visible(to)))
            .collect();
        if !within.is_empty() {
            page.items(&[(Style::Faint, "  is also in".into())], "", &within, ",");
        }
        let leaving = shown(&typestate.transitions, all);
        let leaving = leaving.filter(|e| e.source.as_deref() == Some(state.id.as_str()));
        rows(typestate, leaving, &mut page);
    }
    if !typestate.invariant.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Taken to be kept")]);
        for clause in &typestate.invariant {
            page.words(&[(Style::Plain, " ".into())], &visible(clause));
        }
    }
    if !typestate.notes.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Notes")]);
        for note in &typestate.notes {
            page.words(&[(Style::Plain, " ".into())], &visible(note));
        }
    }
    statistics(typestate, &mut page);
    let doubts = typestate.constructors.iter().chain(&typestate.transitions);
    if doubts.into_iter().any(|e| e.doubt.is_some()) {
        page.blank();
        page.line(&[(Style::Heading, "Legend")]);
        page.words(
            &[(Style::Plain, " ".into())],
            &format!("{}  {}", DOUBT.0, DOUBT.1),
        );
    }
    page.finish()
}

fn headline(typestate: &Typestate, page: &mut TextPage) {
    page.line(&[(Style::Title, &visible(&typestate.class))]);
    if !typestate.finite {
        let states = typestate.states.len() + typestate.stats.unreachable;
        let verdict = format!("not finitely abstractable within {states} states: this is a part");
        page.line(&[(Style::Warning, &verdict)]);
    }
    let implied = typestate.transitions.iter().filter(|e| e.implied).count();
    let edges = match implied {
        0 => counted(typestate.transitions.len(), "edge"),
        n => format!(
            "{} ({n} implied)",
            counted(typestate.transitions.len(), "edge")
        ),
    };
    let all = [
        format!(
            "{} with the error",
            counted(typestate.states.len(), "state")
        ),
        edges,
        counted(typestate.constructors.len(), "constructor edge"),
        counted(typestate.actions.len(), "action"),
    ];
    page.items(&[], "", &all.map(|text| (Style::Plain, text)), ",");
    page.line(&[(Style::Faint, &format!("mode {}", typestate.mode))]);
}

/// An edge a line, its target first; those into the error before the others.
fn rows<'e>(
    typestate: &Typestate,
    edges: impl Iterator<Item = &'e EdgeReport>,
    page: &mut TextPage,
) {
    let mut rows: Vec<(Style, String, String)> = Vec::new();
    for edge in edges {
        let (style, mark) = match (&edge.doubt, edge.target == typestate.error()) {
            (Some(_), _) => (Style::Warning, format!(" {}", DOUBT.0)),
            (None, true) => (Style::Removed, String::new()),
            (None, false) => (Style::Plain, String::new()),
        };
        let target = format!("{}{mark}", visible(&edge.target));
        rows.push((style, target, label(edge)));
    }
    rows.sort_by_key(|(_, target, _)| !target.starts_with(typestate.error()));
    let column = rows.iter().map(|(_, target, _)| columns(target)).max();
    for (style, target, label) in rows {
        let pad = " ".repeat(column.unwrap_or(0).saturating_sub(columns(&target)));
        page.words(&[(style, format!("  → {target}{pad}"))], &label);
    }
}

fn statistics(typestate: &Typestate, page: &mut TextPage) {
    let stats = &typestate.stats;
    page.blank();
    page.line(&[(Style::Heading, "Statistics")]);
    let preconditions = match stats.certified {
        None => format!("{}, not certified", stats.preconditions),
        Some(n) if n == stats.preconditions => format!("{n}, all certified"),
        Some(n) => format!("{}, {n} certified", stats.preconditions),
    };
    let rows = [
        ("preconditions", preconditions),
        ("solver questions", stats.questions.to_string()),
        ("unreachable states", stats.unreachable.to_string()),
        ("time", format!("{} ms", stats.wall_ms)),
    ];
    for (name, text) in rows {
        page.line(&[(Style::Plain, &format!("  {name:18}  {text}"))]);
    }
}
